"""The ledger conserves time: whatever spans there are, the phases add up to the wall time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.analyse.build import analyse
from headstart.analyse.report import PHASES
from headstart.analyse.timeline import LedgerError, Segment, build_timeline
from headstart.record import format as record
from headstart.record import signals as s
from tests.made_runs import MadeRun

KINDS = (
    s.IMPORT,
    s.NATIVE,
    s.TRACE,
    s.EXECUTE,
    s.CALL,
    s.BATCH,
    s.FIT,
    s.NEXT,
    s.MODEL_BUILD,
    s.EXTERNAL,
    "unheard-of",
)


def phases(run: MadeRun, folder: Path) -> dict[str, float]:
    """The phases that took time; every other one is named with nothing beside it."""
    rows = analyse(run.read(folder)).report.phases
    assert [row.id for row in rows] == list(PHASES)
    return {row.id: round(row.seconds * 1000, 3) for row in rows if row.seconds > 0}


def test_a_plain_start(tmp_path: Path) -> None:
    run = (
        MadeRun(boot_ms=50)
        .span(100, 900, s.IMPORT, "tensorflow")
        .span(200, 300, s.NATIVE, "lib.so")
        .span(910, 950, s.DEVICE_INIT)
        .span(1000, 1500, s.CALL, "step", fn=1, code="train.py:3:step", site=["train.py", 9, "main"])
        .span(
            1010, 1200, s.TRACE, "step", fn=1, code="train.py:3:step", concrete="__inference_step_1", nodes=9
        )
        .span(1210, 1490, s.EXECUTE, "__inference_step_1", first=True, cpu=200_000_000)
        .span(1500, 1510, s.CALL, "step", fn=1, code="train.py:3:step")
        .closed(1600)
        .exit(1700)
    )
    found = phases(run, tmp_path)
    assert found == {
        "interpreter": 50.0,
        "imports": 700.0,
        "native-libraries": 100.0,
        "device-init": 40.0,
        "tracing": 190.0,
        "graph-optimization": 200.0,
        "first-step": 110.0,
        "steady-steps": 10.0,
        "user-code": 200.0,
        "shutdown": 100.0,
    }


def test_time_in_a_library_call_that_nothing_explains_cannot_hide(tmp_path: Path) -> None:
    run = MadeRun(boot_ms=0)
    for at in range(10, 500, 20):
        run.sample(at, flags=record.IN_LIBRARY, entry="tensorflow/python/somewhere/new.py:f")
    for at in range(510, 1000, 20):
        run.sample(at)
    found = phases(run.closed(1000).exit(1000), tmp_path)
    assert found["unattributed"] == pytest.approx(500, abs=15)
    assert found["user-code"] == pytest.approx(500, abs=15)


@pytest.mark.parametrize(
    ("entry", "flags", "leaf", "phase"),
    [
        ("keras/src/layers/core/dense.py:__init__", record.IN_LIBRARY, "", "model-build"),
        ("tensorflow/python/data/ops/dataset_ops.py:map", record.IN_LIBRARY, "", "data-warmup"),
        ("tensorflow/python/ops/random_ops.py:normal", record.IN_LIBRARY, "", "eager-ops"),
        ("tensorflow/python/ops/math_ops.py:add", record.IN_LIBRARY | record.GRAPH_MODE, "", "model-build"),
        ("", 0, "numpy/linalg.py:svd", "user-code"),
        ("", 0, "db.py:read [socket]", "external-wait"),
        ("", record.IN_IMPORT, "", "imports"),
    ],
)
def test_what_the_sampler_saw(tmp_path: Path, entry: str, flags: int, leaf: str, phase: str) -> None:
    run = MadeRun(boot_ms=0)
    for at in range(10, 1000, 20):
        run.sample(at, flags=flags, entry=entry, leaf=leaf)
    assert phases(run.exit(1000), tmp_path) == {phase: 1000.0}


@pytest.mark.parametrize(
    ("itself", "optimising", "compiling"),
    [(True, 0.0, 880.0), (False, 100.0, 780.0)],
    ids=["compiled itself", "calls a compiled one"],
)
def test_compiled_functions_show_their_compilation(
    tmp_path: Path, itself: bool, optimising: float, compiling: float
) -> None:
    run = (
        MadeRun(boot_ms=0)
        .span(0, 1000, s.CALL, "f", fn=1, code="c")
        .span(0, 100, s.TRACE, "f", fn=1, code="c", concrete="__inference_f_1", jit=itself)
        .span(100, 1000, s.EXECUTE, "__inference_f_1", first=True, cpu=100_000_000, jit=True, new_shapes=True)
        .span(1000, 1020, s.CALL, "f", fn=1, code="c")
        .span(1000, 1020, s.EXECUTE, "__inference_f_1", jit=True, new_shapes=False)
        .exit(1020)
    )
    found = phases(run, tmp_path)
    assert found["tracing"] == 100.0
    assert (found.get("graph-optimization", 0.0), found["xla-compile"]) == (optimising, compiling)


@pytest.mark.parametrize(("itself", "compiling"), [(True, 400.0), (False, 40.0)])
def test_each_new_shape_of_a_compiled_function_is_compiled(
    tmp_path: Path, itself: bool, compiling: float
) -> None:
    """However quickly; but a function that calls a compiled one may give it the same shape each time."""
    run = MadeRun(boot_ms=0).span(
        0, 100, s.TRACE, "f", fn=1, code="c", concrete="__inference_f_1", jit=itself
    )
    for i in range(10):
        at = 100 + 40 * i
        first = {"first": True, "cpu": 0} if i == 0 else {}
        run.span(at, at + 40, s.EXECUTE, "__inference_f_1", jit=True, new_shapes=True, **first)
    assert phases(run.exit(600), tmp_path)["xla-compile"] == compiling


def test_a_cut_record_owns_its_time_up_to_the_end(tmp_path: Path) -> None:
    run = MadeRun(boot_ms=10).span(20, 500, s.IMPORT, "tensorflow").open(2000, (600, s.TRACE, "f"))
    report = analyse(run.read(tmp_path)).report
    assert report.target.cut
    assert report.target.exit_code is None
    assert report.wall_seconds == 2.0
    assert {row.id: row.seconds for row in report.phases}["tracing"] == pytest.approx(1.4)
    assert any("ends before" in note for note in report.notes)


def test_slot_variables_are_optimizer_set_up_but_in_a_trace_all_is_tracing(tmp_path: Path) -> None:
    run = MadeRun(boot_ms=0)
    run.span(0, 100, s.OPTIMIZER_BUILD, "Adam").span(10, 90, s.VARIABLE_INIT, "Zeros")
    run.span(100, 300, s.TRACE, "f").span(120, 280, s.OPTIMIZER_BUILD, "Adam").span(
        130, 200, s.VARIABLE_INIT, "Zeros"
    )
    assert phases(run.exit(300), tmp_path) == {"optimizer-setup": 100.0, "tracing": 200.0}


def test_weights_that_are_lifted_out_of_a_trace_are_initialised(tmp_path: Path) -> None:
    run = (
        MadeRun(boot_ms=0).span(0, 300, s.TRACE, "step").span(100, 250, s.VARIABLE_INIT, "Zeros", lifted=True)
    )
    assert phases(run.exit(300), tmp_path) == {"tracing": 150.0, "variable-init": 150.0}


def test_letting_an_iterator_go_is_waiting_for_data(tmp_path: Path) -> None:
    run = MadeRun(boot_ms=0).span(0, 300, s.IMPORT, "numpy").span(300, 400, s.ITERATOR_END, "let go")
    assert phases(run.exit(400), tmp_path) == {"imports": 300.0, "data-wait": 100.0}


spans = st.lists(
    st.tuples(st.integers(0, 1000), st.integers(0, 400), st.sampled_from(KINDS), st.booleans()), max_size=40
)


@settings(max_examples=300, deadline=None)
@given(spans, st.lists(st.tuples(st.integers(0, 1100), st.integers(0, 31)), max_size=30), st.booleans())
def test_any_spans_add_up(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[int, int, str, bool]],
    samples: list[tuple[int, int]],
    closed: bool,
) -> None:
    """Overlapping, nested, empty, unknown: every nanosecond has one owner."""
    run = MadeRun(boot_ms=20)
    for start, length, kind, first in drawn:
        run.span(start, start + length, kind, "x", first=first, cpu=length * 600_000)
    for at, flags in sorted(samples):
        run.sample(at, flags, entry="keras/src/x.py:f")
    if closed:
        run.closed(1050).exit(1100)
    made = run.read(tmp_path_factory.mktemp("any"))
    timeline = build_timeline(made)
    assert sum(end - start for start, end, *_ in timeline.segments) == made.wall_ns
    report = analyse(made).report
    assert sum(row.seconds for row in report.phases) == pytest.approx(report.wall_seconds, abs=1e-9)
    assert all(row.id in PHASES for row in report.phases)


def test_the_self_check_finds_a_gap(tmp_path: Path) -> None:
    timeline = build_timeline(MadeRun(boot_ms=10).exit(100).read(tmp_path))
    broken = timeline._replace(segments=timeline.segments[1:])
    with pytest.raises(LedgerError, match="breaks"):
        broken.self_check()
    unknown = timeline._replace(segments=[Segment(timeline.start_ns, timeline.end_ns, "nonsense", None)])
    with pytest.raises(LedgerError, match="unknown phase"):
        unknown.self_check()
