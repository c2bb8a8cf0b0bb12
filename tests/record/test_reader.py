"""A record is readable whatever happened to the process that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.record.reader import RecordError, read_run
from tests.made_runs import MadeRun


def made() -> MadeRun:
    run = MadeRun().span(60, 900, "import", "tensorflow", site=["train.py", 3, "<module>"])
    run.mark(950, "step").sample(960).counters(970, rss=5).closed(1000, spans=1)
    return run.exit(1100, 3)


def test_a_whole_record(tmp_path: Path) -> None:
    run = made().read(tmp_path)
    assert run.spans[0].name == "tensorflow"
    assert run.spans[0].site == ("train.py", 3, "<module>")
    assert (len(run.marks), len(run.samples), len(run.counters)) == (1, 1, 1)
    assert run.exit is not None
    assert run.exit["status"] == 3
    assert run.end_ns == 1_100_000_000
    assert not run.cut


def test_cut_at_any_byte_it_stays_readable(tmp_path: Path) -> None:
    """Every prefix of a record, from its whole header on, gives a run, and never more than was written."""
    data = made().text().encode()
    header_end = data.index(b"\n")
    path = tmp_path / "cut.hsrun"
    for size in range(header_end, len(data)):
        path.write_bytes(data[:size])
        run = read_run(path)
        assert len(run.spans) <= 1
        assert run.cut == (run.closed is None and run.exit is None)


def test_a_killed_process_shows_what_it_was_in(tmp_path: Path) -> None:
    run = (
        MadeRun()
        .span(60, 900, "import", "tensorflow")
        .open(1500, (1000, "trace", "train_step"))
        .read(tmp_path)
    )
    assert run.cut
    assert run.end_ns == 1_500_000_000
    (open_span,) = run.open_spans
    assert (open_span.kind, open_span.start_ns, open_span.end_ns) == ("trace", 1_000_000_000, 1_500_000_000)


def test_a_span_that_ended_after_the_snapshot_is_not_open(tmp_path: Path) -> None:
    run = MadeRun().open(1500, (1000, "trace", "f")).span(1000, 1600, "trace", "f").read(tmp_path)
    assert run.open_spans == []


def test_the_launchers_line_after_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "half.hsrun"
    whole = MadeRun().span(60, 900, "import", "a").text()
    path.write_text(whole + '["s", 12, 34\n["x", 2000000000, {"status": 0, "signal": 9}]\n')
    run = read_run(path)
    assert run.dropped_lines == 1
    assert run.exit is not None
    assert run.exit["signal"] == 9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("hello\n", "not a headstart run file"),
        ("[1, 2]\n", "not a headstart run file"),
        ('{"a": 1}\n', "not a headstart run file"),
        ('{"headstart_record": 99}\n', "format 99"),
        ('{"headstart_record": 1}\n', "damaged header"),
    ],
)
def test_foreign_files_are_refused_in_plain_words(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "foreign"
    path.write_text(content)
    with pytest.raises(RecordError, match=message):
        read_run(path)


def test_no_such_file_and_a_directory(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot read"):
        read_run(tmp_path / "nowhere")
    with pytest.raises(RecordError, match="directory"):
        read_run(tmp_path)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_garbage_after_the_header_never_raises(
    tmp_path_factory: pytest.TempPathFactory, garbage: bytes
) -> None:
    path = tmp_path_factory.mktemp("garbage") / "g.hsrun"
    path.write_bytes(MadeRun().text().encode() + garbage)
    run = read_run(path)
    assert run.end_ns >= run.header.start_ns


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_flipped_byte_never_raises(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    text = bytearray(made().text().encode())
    start = text.index(b"\n") + 1
    at = data.draw(st.integers(start, len(text) - 1))
    text[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("flip") / "f.hsrun"
    path.write_bytes(bytes(text))
    read_run(path)
