"""Comparing sets of runs: planted changes are named, identical sets raise no alarm."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from headstart.analyse.changes import Change, Comparison
from headstart.analyse.compare import compare
from headstart.analyse.judging import exceeds
from headstart.analyse.report import (
    Function,
    ImportedModule,
    Memory,
    Overhead,
    Phase,
    Report,
    Steps,
    Target,
    Work,
)

SECONDS = {
    "imports": 2.4,
    "model-build": 1.3,
    "optimizer-setup": 0.8,
    "tracing": 7.2,
    "graph-optimization": 5.7,
    "first-step": 0.9,
    "steady-steps": 12.0,
    "shutdown": 0.005,
}


def run(rng: random.Random, planted: dict[str, float] | None = None, **changes: Any) -> Report:
    """A run on a machine that is now and then slower: all phases share its luck, each has some of its own."""
    speed = rng.lognormvariate(0, 0.04)
    seconds = {
        name: typical * speed * rng.lognormvariate(0, 0.015) * (planted or {}).get(name, 1.0)
        for name, typical in SECONDS.items()
    }
    wall = sum(seconds.values())
    function = Function(
        name="train_step",
        file="/home/a/train.py",
        line=3,
        traces=1,
        trace_seconds=seconds["tracing"],
        optimize_seconds=seconds["graph-optimization"],
        nodes=100,
        retraces=[],
    )
    made = Report(
        schema=1,
        headstart="0.1.0",
        target=Target(argv=["train.py"], exit_code=0, python="3.11.7", tensorflow="2.21.0", keras="3.15.1"),
        wall_seconds=wall,
        time_to_first_step=wall - seconds["steady-steps"] - seconds["shutdown"],
        phases=[Phase(name, value, value / wall) for name, value in seconds.items()],
        steps=Steps(
            count=20,
            kind="fit",
            first_seconds=9.0,
            steady_median_seconds=seconds["steady-steps"] / 20,
            steady_ci95=None,
            warmup_steps=1,
            trend=None,
        ),
        epochs=[],
        memory=Memory(rss_start=None, rss_peak=None, rss_per_step=None),
        functions=[function],
        imports=[],
        libraries=[],
        findings=[],
        overhead=Overhead(seconds=0.0, share=0.0),
        counts={"traces": 3, "modules": 2843},
    )
    return msgspec.structs.replace(made, **changes)


def sides(seed: int, count: int = 10, planted: dict[str, float] | None = None, **changes: Any) -> Comparison:
    rng = random.Random(seed)
    before, after = [], []
    for _ in range(count):
        before.append(run(rng))
        after.append(run(rng, planted, **changes))
    return compare(before, after)


def bursty(seed: int, planted: dict[str, float]) -> Comparison:
    """Ten runs a side on a machine that others share: clean stretches, and bursts that only ever add time."""
    rng = random.Random(seed)

    def one(extra: dict[str, float]) -> Report:
        phases = []
        for name, typical in SECONDS.items():
            burst = rng.expovariate(1 / 0.12) if rng.random() < 0.35 else 0.0
            phases.append(
                Phase(name, typical * rng.lognormvariate(0, 0.02) * (1 + burst) * extra.get(name, 1.0), 0.0)
            )
        wall = sum(phase.seconds for phase in phases)
        return msgspec.structs.replace(
            run(rng), phases=phases, wall_seconds=wall, time_to_first_step=wall - 12.0
        )

    pairs = [(one({}), one(planted)) for _ in range(10)]
    return compare([a for a, _ in pairs], [b for _, b in pairs])


MODULES = {f"package.module_{n}": 2.4 * share for n, share in enumerate([0.2, 0.15, *[0.65 / 60] * 60])}


def importing(rng: random.Random, more: dict[str, float]) -> Report:
    """A run on a noisy machine, whose imports are those of many modules."""
    speed = rng.lognormvariate(0, 0.08)
    seconds = {name: typical * speed * rng.lognormvariate(0, 0.05) for name, typical in MODULES.items()}
    for name, extra in more.items():
        seconds[name] = seconds.get(name, 0.0) + extra * speed
    total = sum(seconds.values())
    rows = [ImportedModule(module=name, seconds=s, self_seconds=s) for name, s in seconds.items()]
    made = run(rng, imports=rows)
    phases = [Phase("imports", total, 0.1) if phase.id == "imports" else phase for phase in made.phases]
    return msgspec.structs.replace(made, phases=phases)


def importing_sides(seed: int, more: dict[str, float]) -> Comparison:
    rng = random.Random(seed)
    pairs = [(importing(rng, {}), importing(rng, more)) for _ in range(10)]
    return compare([a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("module", ["package.module_9", "package.new"])
def test_a_module_that_takes_longer_is_named_with_its_phase(module: str) -> None:
    named = 0
    for seed in range(20):
        found = importing_sides(seed, {module: 0.24})
        phase = by_name(found.phases, "imports")
        named += phase.verdict == "slower" and phase.by == [module]
        assert {change.name for change in found.parts} <= {module}
    assert named >= 18


def test_noisy_modules_raise_no_alarm() -> None:
    assert sum(bool(importing_sides(seed, {}).told) for seed in range(40)) <= 1


def test_time_that_moves_from_one_module_to_another_changes_no_phase() -> None:
    for seed in range(10):
        found = importing_sides(seed, {"package.module_0": -0.3, "package.new": 0.3})
        assert by_name(found.phases, "imports").verdict == "same"
        assert {change.name: change.verdict for change in found.parts} == {
            "package.module_0": "faster",
            "package.new": "slower",
        }


EVERY = 0.025
"""Seconds between two looks of the sampler."""


def tracing(rng: random.Random, seconds: dict[str, float]) -> Report:
    """A run on a noisy machine with half a second of tracing, and how often the sampler saw what in it."""
    speed = rng.lognormvariate(0, 0.1)
    total, at, edge = sum(seconds.values()) * speed, rng.uniform(0, EVERY), 0.0
    looks = dict.fromkeys(seconds, 0)
    for name, length in seconds.items():
        edge += length * speed
        while at < edge:
            looks[name] += 1
            at += EVERY
    whole = sum(looks.values())
    rows = [
        Work(phase="tracing", name=name, seconds=total * n / whole, looks=n) for name, n in looks.items() if n
    ]
    made = run(rng, work=rows, functions=[])
    phases = [Phase("tracing", total, 0.1) if phase.id == "tracing" else phase for phase in made.phases]
    return msgspec.structs.replace(made, phases=phases)


def tracing_sides(seed: int, before: dict[str, float], after: dict[str, float]) -> Comparison:
    rng = random.Random(seed)
    pairs = [(tracing(rng, before), tracing(rng, after)) for _ in range(10)]
    return compare([a for a, _ in pairs], [b for _, b in pairs])


STEP = {"step → sequential.__call__": 0.4, "step → backprop.gradient": 0.3, "step": 0.05}


def test_work_that_is_new_in_a_trace_is_named_with_its_phase() -> None:
    named = 0
    for seed in range(20):
        found = tracing_sides(seed, STEP, {"augment": 0.075, **STEP})
        phase = by_name(found.phases, "tracing")
        named += phase.verdict == "slower" and phase.by == ["augment"]
        assert {change.name for change in found.parts} <= {"augment"}
    assert named >= 18


def test_what_a_sampler_sees_by_chance_raises_no_alarm() -> None:
    many = {f"helper_{n}": 0.02 for n in range(30)}
    for work in (STEP, many, {**STEP, **many}):
        assert sum(bool(tracing_sides(seed, work, work).told) for seed in range(20)) <= 1


def test_a_function_with_another_name_is_no_change() -> None:
    renamed = {name.replace("step", "train_step"): seconds for name, seconds in STEP.items()}
    for seed in range(10):
        assert not tracing_sides(seed, STEP, renamed).told


def told(found: Comparison) -> set[str]:
    return {change.name for change in found.told}


def by_name(changes: list[Change], name: str) -> Change:
    return next(change for change in changes if change.name == name)


def test_twenty_pairs_of_identical_sets_raise_no_alarm() -> None:
    assert [told(sides(seed)) for seed in range(20)] == [set()] * 20


@pytest.mark.parametrize("phase", ["tracing", "imports", "optimizer-setup", "steady-steps"])
def test_a_planted_tenth_in_one_phase_is_named(phase: str) -> None:
    named, wrong = 0, 0
    for seed in range(10):
        found = sides(seed, planted={phase: 1.1})
        phases = {change.name for change in found.phases if change.verdict != "same"}
        named += phase in phases
        wrong += bool(phases - {phase})
        if phase in phases:
            assert by_name(found.phases, phase).verdict == "slower"
    assert named >= 9
    assert wrong == 0


@pytest.mark.parametrize("phase", ["imports", "graph-optimization"])
def test_bursts_hide_no_planted_tenth(phase: str) -> None:
    found = [{c.name for c in bursty(seed, {phase: 1.1}).phases if c.verdict != "same"} for seed in range(20)]
    assert sum(phase in names for names in found) >= 15
    assert sum(bool(names - {phase}) for names in found) == 0


def test_identical_runs_dealt_out_anew_raise_no_alarm() -> None:
    """A spread that is estimated from ten runs is sometimes far too small, and says then that chance is a change."""
    rng = random.Random(11)
    alike = [run(rng) for _ in range(40)]
    dealt = [rng.sample(alike, 20) for _ in range(60)]
    assert sum(bool(compare(each[:10], each[10:]).told) for each in dealt) == 0


def test_steps_that_take_no_time_worth_it_are_not_judged() -> None:
    def with_steps(seconds: float, count: int) -> Comparison:
        rng = random.Random(5)
        made = [
            [
                msgspec.structs.replace(
                    each,
                    steps=msgspec.structs.replace(each.steps, steady_median_seconds=typical, count=count),
                )
                for each in (run(rng) for _ in range(10))
            ]
            for typical in (seconds, 1.3 * seconds)
        ]
        return compare(*made)

    assert by_name(with_steps(0.001, 2000).totals, "steady step").verdict == "slower"
    few = by_name(with_steps(0.001, 30).totals, "steady step")
    assert (few.verdict, few.p_value) == ("same", None)


def test_bursts_raise_no_alarm() -> None:
    assert [told(bursty(seed, {})) for seed in range(20)] == [set()] * 20


def test_a_machine_in_another_mood_is_called_so() -> None:
    found = sides(3, planted=dict.fromkeys(SECONDS, 1.3))
    assert any("rather the machine than the program" in warning for warning in found.warnings)
    assert not any("rather the machine" in warning for warning in sides(3, planted={"tracing": 2.0}).warnings)


def test_the_planted_size_lies_in_the_interval() -> None:
    inside = 0
    for seed in range(20):
        low, high = by_name(sides(seed, planted={"tracing": 1.25}).phases, "tracing").ratio_ci95 or (9.0, 9.0)
        inside += low <= 1.25 <= high
    assert inside >= 17


def test_a_change_of_everything_is_seen_in_the_totals() -> None:
    found = sides(3, planted=dict.fromkeys(SECONDS, 0.7))
    assert {change.verdict for change in found.totals} == {"faster"}


def test_the_function_behind_a_phase_is_named() -> None:
    assert "train_step (train.py)" in told(sides(1, planted={"tracing": 1.5}))
    assert by_name(sides(1).functions, "train_step (train.py)").p_value is None


def test_too_few_runs_tell_nothing_and_say_so() -> None:
    found = sides(1, count=1, planted={"tracing": 3.0})
    assert found.told == []
    assert {change.verdict for change in found.totals} == {"unknown"}
    assert "headstart bench" in found.warnings[0]


def test_small_phases_are_left_alone() -> None:
    found = sides(2, planted={"shutdown": 2.0})
    assert by_name(found.phases, "shutdown").p_value is None
    assert "shutdown" not in told(found)


def test_counts_need_no_statistics() -> None:
    found = sides(1, count=1, counts={"traces": 4, "modules": 2843})
    assert by_name(found.counts, "traces").verdict == "more"
    assert by_name(found.counts, "modules").verdict == "same"


def test_different_environments_are_pointed_out() -> None:
    target = Target(argv=["train.py"], exit_code=0, python="3.12.1", tensorflow="2.20.0", keras="3.15.1")
    found = sides(1, target=target, environment={"cores": "4"})
    text = "\n".join(found.warnings)
    assert "Python differs: 3.11.7 against 3.12.1" in text
    assert "TensorFlow differs: 2.21.0 against 2.20.0" in text
    assert "cores differs: None against 4" in text
    assert "Keras" not in text
    assert sides(1).warnings == []


def test_programs_without_steps_are_compared_by_wall_time() -> None:
    found = sides(1, planted={"imports": 2.0}, time_to_first_step=None)
    assert found.headline.name == "whole run"


@pytest.mark.parametrize(
    ("planted", "limit", "relative", "expected"),
    [
        (1.5, 0.10, True, True),
        (1.0, 0.10, True, False),
        (1.5, 5.0, False, True),
        (1.5, 50.0, False, False),
    ],
)
def test_past_the_limit_only_when_the_interval_is(
    planted: float, limit: float, relative: bool, expected: bool
) -> None:
    found = sides(4, planted=dict.fromkeys(SECONDS, planted))
    assert exceeds(found.headline, limit, relative) is expected


def test_one_run_a_side_never_exceeds() -> None:
    assert not exceeds(sides(1, count=1, planted={"tracing": 9.0}).headline, 0.1, True)


def test_it_is_the_same_every_time() -> None:
    assert msgspec.json.encode(sides(5)) == msgspec.json.encode(sides(5))
