"""The Chrome trace: well-formed, complete, in microseconds."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from headstart.record.nouns import Counters, Header, Mark, Run, Span
from headstart.render import trace

from .sample import report

START = 5_000_000_000


def run(**changes: Any) -> Run:
    header = Header(
        headstart_record=1,
        headstart="0.1.0",
        run="r",
        pid=71,
        ppid=70,
        argv=["train.py"],
        executable="/usr/bin/python3",
        python="3.11.7",
        start_ns=START,
        boot_ns=START + 10_000_000,
        unix_ns=1_700_000_000_000_000_000,
        main_tid=71,
    )
    made = Run(
        path="x.hsrun",
        header=header,
        spans=[
            Span(START + 1_000_000, START + 9_000_000, 71, "import", "tensorflow", {"site": ["a.py", 1, ""]}),
            Span(START + 2_000_000, START + 4_000_000, 71, "native", "/lib/a.so", {}),
            Span(START + 3_000_000, START + 5_000_000, 99, "external-wait", "example.org", {"what": "dns"}),
            Span(START + 20_000_000, START + 30_000_000, 71, "batch", "train", {"steps": 1}),
            Span(START + 30_000_000, START + 31_000_000, 71, "batch", "train", {"steps": 1}),
        ],
        marks=[Mark(START + 31_000_000, 71, "first-step-done", "", {})],
        samples=[],
        counters=[Counters(START + 2_000_000, {"rss": 1000}), Counters(START + 3_000_000, {"rss": 2000})],
        facts={},
        end_ns=START + 40_000_000,
        closed=None,
        exit=None,
        open_spans=[Span(START + 35_000_000, START + 40_000_000, 71, "shutdown", "", {"cut": True})],
    )
    return msgspec.structs.replace(made, **changes)


def events(*runs: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(trace.render(report(), runs[0] if len(runs) == 1 else runs))[
        "traceEvents"
    ]
    return found


def test_spans_become_complete_events_in_microseconds() -> None:
    found = [e for e in events(run()) if e["ph"] == "X" and e["name"] == "tensorflow"]
    assert len(found) == 1
    assert (found[0]["ts"], found[0]["dur"]) == (1000.0, 8000.0)
    assert (found[0]["pid"], found[0]["tid"], found[0]["cat"]) == (71, 71, "import")
    assert found[0]["args"] == {"site": "a.py:1"}


def test_threads_and_processes_are_named() -> None:
    names = {
        (e["tid"], e["args"]["name"]) for e in events(run()) if e["name"] in ("thread_name", "process_name")
    }
    assert {
        (0, "train.py"),
        (71, "main thread"),
        (trace.OTHER_THREADS + 1, "thread 1"),
        (trace.STEP_LANE, "steps"),
    } <= names


def test_steps_have_their_own_lane() -> None:
    lane = [e["name"] for e in events(run()) if e["tid"] == trace.STEP_LANE and e["ph"] == "X"]
    assert lane == ["step 1", "step 2"]


def test_the_phases_have_a_lane_that_covers_the_run() -> None:
    lane = [e for e in events(run()) if e["tid"] == trace.PHASE_LANE and e["ph"] == "X"]
    assert [e["name"] for e in lane][:4] == ["interpreter", "imports", "native libraries", "imports"]
    assert sum(e["dur"] for e in lane) == 40_000.0


def test_counters_marks_and_open_spans_are_there() -> None:
    found = events(run())
    assert [e["args"]["rss"] for e in found if e["ph"] == "C"] == [1000, 2000]
    assert [e["name"] for e in found if e["ph"] == "i"] == ["first-step-done"]
    assert any(e["cat"] == "shutdown" for e in found if e["ph"] == "X")


def test_ranks_share_one_clock() -> None:
    second = run()
    header = msgspec.structs.replace(second.header, pid=72, rank="1", start_ns=START - 1_000_000)
    found = events(run(), msgspec.structs.replace(second, header=header))
    spans = [e["ts"] for e in found if e["ph"] == "X" and e["name"] == "tensorflow"]
    assert spans == [2000.0, 2000.0]
    assert {e["pid"] for e in found} == {71, 72}
    assert "rank 1: train.py" in [e["args"].get("name") for e in found if e["ph"] == "M"]


def test_the_head_says_what_it_is() -> None:
    # `headstart` replaces only files that it wrote itself: the first kilobytes must tell.
    head = trace.render(report(), run())[:4096]
    assert b'"traceEvents"' in head
    assert b"headstart" in head


def test_names_that_are_not_utf8() -> None:
    odd = msgspec.structs.replace(run().header, argv=["caf\udce9.py"])
    json.loads(trace.render(report(), run(header=odd)))
