"""What the sampler saw, as parts of the phases."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.analyse.build import analyse
from headstart.analyse.sampled import name_of
from headstart.record import signals as s
from headstart.record.nouns import Sample
from tests.made_runs import MadeRun


def sample(entry: str = "", traced: str = "") -> Sample:
    return Sample(0, 0, "/home/a/t.py", 3, "main", entry, "leaf", traced)


@pytest.mark.parametrize(
    ("seen", "name"),
    [
        (sample(), "main (t.py)"),
        (sample(entry="keras/src/models/model.py:summary"), "main (t.py) → model.summary"),
        (sample(entry="tensorflow/api.py:call", traced="step"), "step"),
        (
            sample(entry="tensorflow/api.py:call", traced="step → keras/src/dense.py:call"),
            "step → dense.call",
        ),
        (Sample(0, 0, None, 0, "", "keras/src/dense.py:call", "leaf"), "dense.call"),
        (Sample(0, 0, None, 0, "", "", "leaf"), "unknown"),
    ],
)
def test_it_is_named_by_who_called_what(seen: Sample, name: str) -> None:
    assert name_of(seen) == name


def traced_run() -> MadeRun:
    """A trace of 400 ms: the first 100 in `augment`, the rest in the model; then user code for 200 ms."""
    made = MadeRun(boot_ms=10).span(100, 500, s.TRACE, "step", fn=1, code="train.py:3:step")
    for at in range(110, 500, 20):
        made = made.sample(at, traced="augment" if at < 200 else "step → keras/src/dense.py:call")
    for at in range(510, 700, 20):
        made = made.sample(at)
    return made.closed(700).exit(720)


def test_a_phase_is_divided_among_what_was_seen_in_it(tmp_path: Path) -> None:
    report = analyse(traced_run().read(tmp_path)).report
    tracing = {row.name: (round(row.seconds, 3), row.looks) for row in report.work if row.phase == "tracing"}
    assert tracing == {"step → dense.call": (0.3, 15), "augment": (0.1, 5)}
    whole = {phase.id: phase.seconds for phase in report.phases}
    for name in {row.phase for row in report.work}:
        assert sum(row.seconds for row in report.work if row.phase == name) == pytest.approx(whole[name])


def test_a_long_pause_of_the_sampler_is_not_the_last_look_s(tmp_path: Path) -> None:
    """While the interpreter's lock was held nobody looked: the look after it does not stand for all of it."""
    made = MadeRun(boot_ms=10).span(0, 3000, s.TRACE, "step", fn=1, code="train.py:3:step")
    for at in (*range(20, 1000, 20), *range(2900, 3000, 20)):
        made = made.sample(at, traced="late" if at == 2900 else "step")
    rows = {row.name: row.seconds for row in analyse(made.closed(3000).exit(3000).read(tmp_path)).report.work}
    assert rows["late"] < 0.2 < 2.5 < rows["step"]


def test_a_run_without_a_look(tmp_path: Path) -> None:
    assert analyse(MadeRun(boot_ms=10).closed(500).exit(500).read(tmp_path)).report.work == []
