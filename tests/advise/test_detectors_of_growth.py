"""Detectors of what grows: memory, graphs, tensors, the time of a step, on made-up runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s
from headstart.record.format import IN_LIBRARY
from tests.made_runs import MadeRun

from .made import FILE, begun, called, found, site, told, traced_call


def _growing(held: bool, **more: object) -> MadeRun:
    run = begun()
    for i in range(100):
        called(run, 3000 + 50 * i)
        run.counters(3000 + 50 * i, rss=500_000_000 + i * 10_000_000)
    if held:
        run.mark(7900, s.HOLDER, "history", site=site(50), bytes=900_000_000, items=99, type="list",
                 rss=1_400_000_000, grown=900_000_000, **more)  # fmt: skip
    return run


def test_memory_that_a_list_holds(tmp_path: Path) -> None:
    (only,) = found(_growing(True), tmp_path, 8100)
    assert (only.rule, only.line, only.confidence) == ("HS502", 50, "high")
    assert "history (a list of 99)" in only.title


def test_a_buffer_that_fills_up_to_its_bound_is_told_with_doubt(tmp_path: Path) -> None:
    assert told(_growing(True, most=500), tmp_path, 8100) == [("HS502", 50, "low")]


def test_memory_that_nothing_is_known_to_hold_is_told_with_doubt(tmp_path: Path) -> None:
    assert [c for _, _, c in told(_growing(False), tmp_path, 8100)] in ([], ["low"])


def test_a_killed_run_has_findings_too(tmp_path: Path) -> None:
    from headstart.advise.findings import find
    from headstart.analyse.build import analyse

    run = begun()
    for i in range(20):
        traced_call(run, 3000 + 200 * i, 150, ("x", f"Python int {i}"))
    run.open(7000, (6990, s.CALL, "step"))
    assert [f.rule for f in find(analyse(run.read(tmp_path)), strict=True)] == ["HS301"]


@pytest.mark.parametrize(("line", "expected"), [(61, 61), (None, 20)])
def test_steps_that_get_slower_are_told_at_the_line_that_grew(
    tmp_path: Path, line: int | None, expected: int
) -> None:
    """Between the steps something takes longer and longer, at one line or at a different one each time."""
    run, at = begun(), 3000.0
    for i in range(120):
        called(run, at)
        at += 2
        for k in range(i):
            run.sample(at, line=line or 100 + (7 * i + k) % 50)
            at += 1
    (only,) = found(run, tmp_path, at + 10)
    assert (only.rule, only.line) == ("HS503", expected)


@pytest.mark.parametrize(("early_ms", "expected"), [(0.0, []), (1.0, ["HS503"])])
def test_steps_that_had_no_length_did_not_get_slower(
    tmp_path: Path, early_ms: float, expected: list[str]
) -> None:
    """Where the machine was too busy to run them, nothing is left of the early steps but their order."""
    run, at = begun(), 3000.0
    for i in range(200):
        each = early_ms if i < 50 else i - 49.0
        called(run, at, ms=each)
        at += each
    assert [f.rule for f in found(run, tmp_path, at + 10)] == expected


def test_what_closing_a_session_takes_belongs_to_the_graph_that_grew(tmp_path: Path) -> None:
    run, at = begun(), 3000.0
    for i in range(50):
        run.span(at, at + 20, s.SESSION_RUN, "Sum", ops=10 * i, added=10 if i else 0, first=True, graph=1,
                 site=site(82), by=[[FILE, 81, 10]])  # fmt: skip
        run.span(
            at + 21, at + 22, s.SESSION_RUN, "Sum", ops=10 * i, added=0, first=False, graph=1, site=site(82)
        )
        at += 23
    (open_session,) = found(run, tmp_path, at + 1)
    for k in range(100):
        run.sample(at + 20 * k, flags=IN_LIBRARY, leaf="tensorflow/python/client/session.py:close", line=80)
    run.lines = [line for line in run.lines if line[0] not in "zx"]
    (closed,) = found(run, tmp_path, at + 2000)
    assert (closed.rule, closed.line) == (open_session.rule, open_session.line) == ("HS501", 81)
    assert closed.seconds_lost - open_session.seconds_lost == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("longer", "seconds"), [(0.0, 3.0), (0.11, 4.3), (0.4, 6.0)])
def test_letting_go_of_a_tensor_that_was_copied_counts(tmp_path: Path, longer: float, seconds: float) -> None:
    """It happens in no call, between one turn and the next; at most as much as copying it is told."""
    run, at = begun(), 3000.0
    for turn in range(300):
        called(run, at)
        at += 12 + longer * turn
    run.mark(
        at,
        s.CONCAT,
        site=site(11),
        count=300,
        grew=299,
        first=1000,
        last=300_000,
        ns=3_030_000_000,
        first_ns=3_000_000_000,
        last_ns=int(at * 1e6),
    )
    (only,) = found(run, tmp_path, at + 100)
    assert (only.rule, only.line) == ("HS504", 11)
    assert only.seconds_lost == pytest.approx(seconds, rel=0.1)
