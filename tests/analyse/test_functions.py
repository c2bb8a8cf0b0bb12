"""Rows of functions: traces are counted as TensorFlow counts them, whichever thread they happen on."""

from __future__ import annotations

from pathlib import Path

from headstart.analyse.build import analyse
from headstart.analyse.report import Report
from headstart.record import signals as s
from tests.made_runs import MadeRun

WORKER = 8
ANSWER = {"fn": 1, "code": "a.py:3:answer", "file": "a.py", "line": 3}


def reported(run: MadeRun, folder: Path) -> Report:
    return analyse(run.exit(10_000).read(folder)).report


def test_what_other_threads_traced_counts_too(tmp_path: Path) -> None:
    run = MadeRun()
    shapes = iter(("[1]", "[2]", "[3]"))
    for start, tid in ((300, WORKER + 1), (100, WORKER)):
        run.span(start, start + 50, s.TRACE, "answer", tid=tid, nodes=6, args=[["x", next(shapes)]], **ANSWER)
    run.span(500, 540, s.TRACE, "answer", nodes=6, args=[["x", next(shapes)]], concrete="c", **ANSWER)
    found = reported(run, tmp_path)
    (row,) = found.functions
    assert (row.name, row.traces, row.nodes) == ("answer", 3, 6)
    assert [(retrace.before, retrace.after) for retrace in row.retraces] == [("[2]", "[1]"), ("[1]", "[3]")]
    assert (found.counts["traces"], found.counts["traced_nodes"]) == (3, 18)


def test_the_first_run_on_another_thread_is_what_optimising_cost(tmp_path: Path) -> None:
    run = MadeRun().span(100, 150, s.TRACE, "answer", tid=WORKER, concrete="c", **ANSWER)
    run.span(150, 250, s.EXECUTE, "c", tid=WORKER, first=True, cpu=80_000_000)
    (row,) = reported(run, tmp_path).functions
    assert row.optimize_seconds == 0.08


def test_a_library_function_of_a_replica_belongs_to_the_trace_that_waits_for_it(tmp_path: Path) -> None:
    run = MadeRun().span(100, 900, s.TRACE, "train", fn=1, code="t.py:5:train", file="t.py", line=5, nodes=10)
    run.span(200, 300, s.TRACE, "one_step", tid=WORKER, fn=2, code="keras:1:one_step", nodes=40)
    (row,) = reported(run, tmp_path).functions
    assert (row.name, row.traces, row.nodes) == ("train", 1, 50)


def test_different_functions_behind_one_wrapper_are_not_one_that_was_traced_again(tmp_path: Path) -> None:
    wrapper = "structured_function.py:230:wrapped_fn"
    run = MadeRun().span(100, 900, s.TRACE, "epoch", fn=1, code="t.py:5:epoch", file="t.py", line=5, nodes=10)
    run.span(200, 300, s.TRACE, "Dataset_scan_scan_body", fn=2, code=wrapper, nodes=17)
    run.span(300, 400, s.TRACE, "reduce_reduce_body", fn=3, code=wrapper, nodes=4)
    (row,) = reported(run, tmp_path).functions
    assert (row.traces, row.retraces) == (1, [])


def test_a_step_that_was_traced_again_inside_one_outer_trace_counts_twice(tmp_path: Path) -> None:
    run = MadeRun().span(100, 900, s.TRACE, "multi_step", fn=1, code="keras:9:multi_step", nodes=10)
    for start in (200, 500):
        run.span(
            start, start + 100, s.TRACE, "one_step", fn=2, code="keras:5:one_step", nodes=40, variables=1
        )
    (row,) = reported(run, tmp_path).functions
    assert (row.traces, len(row.retraces)) == (2, 1)
