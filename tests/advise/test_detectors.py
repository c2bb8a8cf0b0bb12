"""Detectors on made-up runs: each side of their thresholds, without TensorFlow and without a clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.advise.findings import find
from headstart.analyse.build import analyse
from headstart.record import signals as s
from headstart.record.format import IN_LIBRARY
from tests.made_runs import MadeRun

from .made import begun, called, found, site, told


def test_a_run_without_anything_has_no_findings(tmp_path: Path) -> None:
    assert told(begun(), tmp_path, 2100) == []


@pytest.mark.parametrize(
    ("a_step", "milliseconds", "expected"),
    [
        (1, 3000, []),  # float(loss): healthy however slow the machine is
        (10, 600, []),  # several, but cheap
        (10, 3000, [("HS405", 21, "high")]),
        (4, 3000, [("HS405", 21, "medium")]),
    ],
)
def test_reads_are_told_when_there_are_several_a_step_and_they_cost(
    tmp_path: Path, a_step: int, milliseconds: int, expected: list[object]
) -> None:
    run, steps = begun(), 300
    for i in range(steps):
        called(run, 3000 + 20 * i)
    count = steps * a_step
    run.mark(9000, s.HOST_SYNC, "read", site=site(21), count=count, ns=milliseconds * 1_000_000,
             first_ns=3_000_000_000, last_ns=8_900_000_000)  # fmt: skip
    assert told(run, tmp_path, 9100) == expected


@pytest.mark.parametrize(
    ("wait", "expected"),
    [
        ("socket", [("HS102", 9, "high")]),
        ("process", [("HS102", 9, "high")]),
        ("sleep", [("HS102", 9, "low")]),
        ("ready", [("HS102", 9, "low")]),  # poll, select, epoll: asyncio, database drivers, servers
        ("file", []),
    ],
)
def test_waits_that_the_kernel_saw(tmp_path: Path, wait: str, expected: list[object]) -> None:
    run = begun()
    for i in range(100):
        run.sample(2100 + 20 * i, leaf=f"train.py:main [{wait}]", line=9)
    called(run, 4200)
    assert told(run, tmp_path, 5000) == expected


def test_waits_inside_the_runtime_or_short_ones_are_not_told(tmp_path: Path) -> None:
    run = begun()
    for i in range(100):
        run.sample(2100 + 20 * i, flags=IN_LIBRARY, leaf="x [socket]", line=9)
    for i in range(10):
        run.sample(4200 + 20 * i, leaf="x [socket]", line=10)
    run.sample(4400, line=11)
    assert told(run, tmp_path, 5000) == []


def test_the_import_of_our_own_before_tensorflow_is_not_the_programs(tmp_path: Path) -> None:
    """What watches a program is loaded at the line that imports TensorFlow."""
    run = MadeRun().span(50, 110, s.IMPORT, "headstart.capture.sampler", site=site(3))
    run.span(111, 3000, s.IMPORT, "tensorflow", site=site(3))
    assert told(run, tmp_path, 3100) == [("HS101", 3, "medium")]


@pytest.mark.parametrize(("own", "expected"), [(200, []), (2000, [("HS101", 1, "high")])])
def test_an_import_in_a_module_of_the_program_is_told_there(
    tmp_path: Path, own: int, expected: list[object]
) -> None:
    """The line that imports the module is not at fault for it, only for what the module itself takes."""
    helpers, program = tmp_path / "helpers.py", tmp_path / "program.py"
    helpers.write_text(
        "import tensorflow as tf\n\n\ndef pad(x):\n    return tf.keras.utils.pad_sequences(x)\n"
    )
    program.write_text("import helpers\n")
    run = MadeRun().span(50, 3050 + own, s.IMPORT, "helpers", site=[str(program), 1, "<module>"])
    run.span(51, 3051, s.IMPORT, "tensorflow", site=[str(helpers), 1, "<module>"])
    run.span(52, 3000, s.IMPORT, "tensorflow.python")
    heard = [(f.rule, Path(f.file).name, f.line, f.seconds_lost) for f in found(run, tmp_path, 5200)]
    assert ("HS101", "helpers.py", 1, 3.0) in heard
    assert [one[:1] + one[2:3] + ("high",) for one in heard if one[1] == "program.py"] == expected
    assert all(one[3] == own / 1000 for one in heard if one[1] == "program.py")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as tf\ntf.io.TFRecordWriter(path).write(x)\n", []),
        ("import tensorflow as tf\ndef main():\n    print(tf.train.list_variables(x))\nmain()\n", []),
        ("import tensorflow as tf\nfrom numpy import ones\nif ones:\n    tf.train.Example()\n", ["medium"]),
        ("import tensorflow as tf\nprint(tf.keras.utils.to_categorical([1]))\n", ["high"]),
        ("import tensorflow as tf\n", ["high"]),
    ],
)
def test_an_import_for_what_tensorflow_alone_does_is_no_waste(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(text)
    run = MadeRun().span(50, 3000, s.IMPORT, "tensorflow", site=[str(program), 1, "<module>"])
    assert told(run, tmp_path, 3100) == [("HS101", 1, confidence) for confidence in expected]


@pytest.mark.parametrize(
    ("last", "end", "expected"),
    [
        ("keras.utils.to_categorical([1])", {"status": 0}, ["high"]),
        ("keras.utils.to_categorical([1])", {"status": 1}, []),
        ("keras.utils.to_categorical([1])", {"signal": 15}, ["high"]),
        ("pass", {"status": 1}, ["high"]),
    ],
)
def test_a_program_that_fails_may_have_needed_what_it_imports(
    tmp_path: Path, last: str, end: dict[str, int], expected: list[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"from tensorflow import keras\n{last}\n")
    run = MadeRun().span(50, 3000, s.IMPORT, "tensorflow", site=[str(program), 1, "<module>"])
    whole = analyse(run.closed(3100).exit(3110, **end).read(tmp_path))
    assert [f.confidence for f in find(whole, strict=True)] == expected


@pytest.mark.parametrize(("size", "expected"), [(1000, []), (400_000, [("HS407", 30, "high")])])
def test_lists_are_slow_to_convert_when_they_hold_data(
    tmp_path: Path, size: int, expected: list[object]
) -> None:
    run = begun()
    for i in range(40):
        run.span(3000 + 60 * i, 3050 + 60 * i, s.CONVERT, "list", bytes=size, site=site(30))
    assert told(run, tmp_path, 6000) == expected


def test_another_way_to_do_it_is_told_after_what_can_be_mended(tmp_path: Path) -> None:
    """However much more it would save: who looks for the cause reads the first finding."""
    run = begun().span(3000, 4000, s.LOAD, "load_model", path="a.keras", bytes=300_000_000, site=site(12))
    for turn in range(3):
        called(run, 4010 + 5 * turn)
    load, lite = found(run, tmp_path, 4100)
    assert (load.rule, lite.rule) == ("HS203", "HS601")
    assert lite.seconds_lost > load.seconds_lost
    assert load.confidence == lite.confidence == "low"


@pytest.mark.parametrize(("work_ends", "rules"), [(4100, ["HS601"]), (7500, [])])
def test_taking_tensorflow_apart_is_no_work_of_a_program_that_answers_once(
    tmp_path: Path, work_ends: int, rules: list[str]
) -> None:
    run = begun().span(3000, 3050, s.LOAD, "saved_model.load", path="m", bytes=1000, site=site(12))
    called(run, 4000)
    run.span(work_ends, 8000, s.SHUTDOWN, "atexit")
    assert [f.rule for f in found(run, tmp_path, 8000)] == rules
