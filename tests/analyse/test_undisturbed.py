"""What a busy machine cost is told in a note, stays in the ledger, and is in no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.advise import find_causes
from headstart.analyse.build import BUSY, analyse
from headstart.analyse.undisturbed import queued_seconds, undisturbed
from headstart.record import signals as s
from tests.advise.made import begun, traced_call
from tests.made_runs import MS, MadeRun


def queued(run: MadeRun, *points: tuple[float, float]) -> MadeRun:
    for at, total in points:
        run.counters(at, **{s.QUEUED_MAIN: int(total * MS)})
    return run


def test_a_quiet_run_is_taken_as_it_is(tmp_path: Path) -> None:
    run = queued(MadeRun().span(100, 900, s.IMPORT, "x"), (200, 1), (800, 20)).exit(1000).read(tmp_path)
    assert undisturbed(run) is None
    assert BUSY not in " ".join(analyse(run).report.notes)


def test_time_in_line_is_taken_out_where_it_was_lost(tmp_path: Path) -> None:
    """Between 1 s and 3 s the thread had half a processor; before and after a whole one."""
    made = (
        MadeRun()
        .span(200, 1000, s.IMPORT, "before")
        .span(1000, 3000, s.LOAD, "in it")
        .span(3000, 3500, s.LOAD)
    )
    made.mark(3400, s.HOST_SYNC, "float", ns=1000 * MS, first_ns=1000 * MS, last_ns=3000 * MS)
    run = queued(made, (500, 0), (1000, 0), (3000, 1000), (3400, 1000)).closed(3600).exit(4000).read(tmp_path)
    quiet = undisturbed(run)
    assert quiet is not None
    assert [round(span.seconds, 3) for span in quiet.spans] == [0.8, 1.0, 0.5]
    assert (quiet.end_ns, quiet.closed and quiet.closed["at_ns"]) == (3000 * MS, 2600 * MS)
    assert quiet.marks[0].attrs == {"ns": 500 * MS, "first_ns": 1000 * MS, "last_ns": 2000 * MS}
    report, again = analyse(run).report, analyse(quiet).report
    assert report.wall_seconds == 4.0
    assert again.wall_seconds == 3.0
    assert sum(phase.seconds for phase in again.phases) == pytest.approx(3.0)
    assert [note for note in report.notes if note.startswith(BUSY)] != []


def test_no_longer_in_line_than_time_went_by(tmp_path: Path) -> None:
    """Counters of a thread that lived before its record began, or that went backwards."""
    run = queued(MadeRun(), (100, 900), (200, 800), (300, 5000)).exit(1000).read(tmp_path)
    assert queued_seconds(run) == pytest.approx(0.1)


def test_findings_are_those_of_a_quiet_machine(tmp_path: Path) -> None:
    def lost(in_line: float) -> float:
        made = begun()
        for n in range(12):
            traced_call(made, 3000 + n * 500, 400, ("step", f"int {n}"))
        queued(made, (3000, 0), (9000, in_line)).closed(9000).exit(9010)
        found = find_causes(analyse(made.read(tmp_path))).findings
        (only,) = found
        return only.seconds_lost

    assert lost(3000) == pytest.approx(lost(0) / 2, rel=0.05)
