"""`--trace`: what Perfetto's trace processor understands of it, read back by query."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from headstart import api
from headstart.render import trace
from tests.render.sample import report
from tests.render.test_trace import START, run

from .perfetto import Perfetto, missing, open_perfetto
from .runs import busy_run

WHY_NOT = missing()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or "")

SLICES = """
select slice.name, slice.ts, slice.dur, slice.category, thread.tid, process.pid
from slice join thread_track on slice.track_id = thread_track.id
join thread using (utid) join process using (upid) order by slice.ts, slice.dur desc
"""
COMPLAINTS = "select name, value from stats where severity != 'info' and value != 0"


@pytest.fixture(scope="module")
def perfetto() -> Iterator[Perfetto]:
    with open_perfetto() as found:
        yield found


def test_slices_threads_counters_and_ranks_are_understood(perfetto: Perfetto) -> None:
    second = run()
    header = msgspec.structs.replace(second.header, pid=72, rank="1", start_ns=START - 1_000_000, main_tid=72)
    perfetto.load(trace.render(report(), [run(), msgspec.structs.replace(second, header=header)]))
    slices = perfetto.query(SLICES)
    assert ["tensorflow", 2_000_000, 8_000_000, "import", 71, 71] in slices
    assert {row[5] for row in slices} == {71, 72}
    assert perfetto.query(COMPLAINTS) == []
    names = {row[0] for row in perfetto.query("select name from thread")}
    assert {"main thread", "thread 1", "steps", "phases"} <= names
    assert ["rank 1: train.py"] in perfetto.query("select name from process")
    assert perfetto.query(
        "select c.value from counter c join process_counter_track t on c.track_id = t.id "
        "join process using (upid) where pid = 71 order by ts"
    ) == [[1000], [2000]]


def test_nesting_is_kept(perfetto: Perfetto) -> None:
    perfetto.load(trace.render(report(), run()))
    parents = perfetto.query(
        "select child.name, parent.name from slice child join slice parent on child.parent_id = parent.id"
    )
    assert parents == [["a.so", "tensorflow"]]


def test_a_long_trace_is_understood_whole(perfetto: Perfetto) -> None:
    made = busy_run(20_000)
    perfetto.load(trace.render(report(), made))
    ((count,),) = perfetto.query("select count(*) from slice where category not in ('phase', 'step')")
    assert count == len(made.spans) + len(made.marks) + len(made.open_spans)
    assert perfetto.query(COMPLAINTS) == []


def test_a_real_run(perfetto: Perfetto, tmp_path: Path) -> None:
    """The phases' lane, as Perfetto sees it, adds up to the wall time of the report."""
    record = tmp_path / "run.hsrun"
    code = "import json, decimal, email.mime.text"
    subprocess.run(
        [sys.executable, "-m", "headstart", "profile", "-q", "--record", record, "-c", code], check=True
    )
    reading = api.report_of([str(record)])
    perfetto.load(trace.render(reading.report, reading.runs))
    ((whole,),) = perfetto.query(
        "select sum(dur) from slice join thread_track t on track_id = t.id join thread using (utid) "
        "where thread.name = 'phases'"
    )
    assert whole / 1e9 == pytest.approx(reading.report.wall_seconds, rel=1e-3)
    assert ["decimal"] in perfetto.query("select name from slice where category = 'import'")
    assert perfetto.query(COMPLAINTS) == []
