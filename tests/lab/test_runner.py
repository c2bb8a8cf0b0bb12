"""Which runs are made, in which order, and when they are enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headstart.lab.bench import ArmFailed, Bench, Measured, arm_key
from headstart.lab.claim import Arm, Claim
from headstart.lab.judge import ABSENT, FAILS, HOLDS
from headstart.lab.result import ClaimResult
from headstart.lab.runner import FULL, QUICK, Plan, Runner
from headstart.lab.session import Session

from .made_up import claim, contrast


class FakeBench(Bench):
    """Gives out numbers; remembers what was asked for."""

    def __init__(self, value: Callable[[Arm, int], float]) -> None:
        self.value = value
        self.asked: list[tuple[str, bool]] = []

    def run(self, arm: Arm, recorded: bool = False) -> Measured:
        self.asked.append((arm.name, recorded))
        seconds = self.value(arm, len([name for name, _ in self.asked if name == arm.name]))
        return Measured({"seconds": seconds}, {}, None)

    @property
    def order(self) -> list[str]:
        return [name for name, recorded in self.asked if not recorded]


def measure(
    bench: FakeBench, folder: Path, plan: Plan = QUICK, absent: frozenset[str] = frozenset(), **changes: Any
) -> ClaimResult:
    session = Session(folder / "session.jsonl", {})
    return run(claim(**changes), bench, session, plan, absent)


def run(
    of: Claim, bench: FakeBench, session: Session, plan: Plan, absent: frozenset[str] = frozenset()
) -> ClaimResult:
    return Runner(bench, session, plan, absent, lambda moment: None).measure(of, 0, 1)


def three_to_one(arm: Arm, number: int) -> float:
    return 3.0 if arm.name == "slow" else 1.0


def test_arms_are_interleaved(tmp_path: Path) -> None:
    bench = FakeBench(three_to_one)
    result = measure(bench, tmp_path)
    assert result.verdict == HOLDS
    blocks = [bench.order[i : i + 2] for i in range(0, len(bench.order), 2)]
    assert len(blocks) == QUICK.fewest
    assert all(sorted(block) == ["fast", "slow"] for block in blocks)


def test_order_is_drawn_and_seeded(tmp_path: Path) -> None:
    plans = [replace(FULL, seed=seed, drop_first=False, narrow=0.0, most=20) for seed in (0, 0, 1)]
    orders = []
    for number, plan in enumerate(plans):
        bench = FakeBench(lambda arm, n: 3.0 + n % 3 if arm.name == "slow" else 1.0)
        (tmp_path / str(number)).mkdir()
        measure(bench, tmp_path / str(number), plan)
        orders.append(bench.order)
    assert orders[0] == orders[1] != orders[2]
    assert len(set(zip(orders[0][::2], orders[0][1::2], strict=True))) == 2, "both orders occur"


def test_one_recorded_run_is_made(tmp_path: Path) -> None:
    bench = FakeBench(three_to_one)
    measure(bench, tmp_path)
    assert [name for name, recorded in bench.asked if recorded] == ["slow"]


def test_an_undecided_claim_is_measured_longer(tmp_path: Path) -> None:
    bench = FakeBench(lambda arm, n: 1.75 if arm.name == "slow" else 1.0)
    result = measure(bench, tmp_path)
    assert result.verdict == ABSENT
    assert len(bench.order) == 2 * QUICK.most


def test_one_bad_run_is_outlived(tmp_path: Path) -> None:
    """The first run of one arm takes eight times as long as usual."""
    bench = FakeBench(lambda arm, n: 8.0 if (arm.name, n) == ("slow", 1) else 1.0)
    result = measure(bench, tmp_path, replace(QUICK, most=20))
    assert result.verdict == FAILS
    assert result.runs > 2 * QUICK.fewest


def test_the_budget_ends_it(tmp_path: Path) -> None:
    bench = FakeBench(lambda arm, n: 1.75 if arm.name == "slow" else 1.0)
    measure(bench, tmp_path, replace(QUICK, budget=0.0))
    assert len(bench.order) == 2 * QUICK.fewest


def test_when_the_whole_time_is_used_up_the_rest_is_brief(tmp_path: Path) -> None:
    bench = FakeBench(three_to_one)
    result = measure(bench, tmp_path, replace(QUICK, whole=-1.0))
    assert result.verdict == HOLDS
    assert len(bench.order) == 4


@pytest.mark.parametrize(
    ("slow", "blocks"),
    [(50.0, 2), (0.1, 2), (2.3, QUICK.fewest), (1.2, QUICK.fewest)],
    ids=["far above", "far below", "above", "below"],
)
def test_a_long_experiment_that_is_clear_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: float, blocks: int
) -> None:
    """The made-up contrast holds from 2 and fails below 1.5: it is clear from 2.67 on and below 1.125."""
    monkeypatch.setattr("headstart.lab.runner.LONG", -1.0)
    bench = FakeBench(lambda arm, n: slow if arm.name == "slow" else 1.0)
    assert measure(bench, tmp_path).verdict == (HOLDS if slow > 2 else FAILS)
    assert len(bench.order) == 2 * blocks


def test_a_long_experiment_of_a_full_lab_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headstart.lab.runner.LONG", -1.0)
    bench = FakeBench(three_to_one)
    measure(bench, tmp_path, replace(FULL, drop_first=False))
    assert len(bench.order) == 2 * FULL.fewest


def test_a_full_lab_goes_on_until_the_interval_is_narrow(tmp_path: Path) -> None:
    noisy = FakeBench(lambda arm, n: 3.0 + 1.5 * (n % 2) if arm.name == "slow" else 1.0)
    measure(noisy, tmp_path, replace(FULL, drop_first=False))
    assert len(noisy.order) == 2 * FULL.most
    quiet = FakeBench(three_to_one)
    (tmp_path / "quiet").mkdir()
    measure(quiet, tmp_path / "quiet", replace(FULL, drop_first=False))
    assert len(quiet.order) == 2 * FULL.fewest


def test_an_open_verdict_of_a_full_lab_gets_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()  # a second more each time that it is asked
    monkeypatch.setattr("headstart.lab.runner.time.monotonic", lambda: float(next(clock)))
    runs = []
    for slow in (1.55, 6.0):
        bench = FakeBench(lambda arm, n, slow=slow: slow + 0.4 * (n % 2) if arm.name == "slow" else 1.0)
        (tmp_path / str(slow)).mkdir()
        measure(bench, tmp_path / str(slow), replace(FULL, budget=5.0, narrow=0.01, drop_first=False))
        runs.append(len(bench.order))
    assert 2 * FULL.fewest <= runs[1] < runs[0] <= 2 * FULL.most


def test_first_starts_are_dropped_in_a_full_lab(tmp_path: Path) -> None:
    arms = (Arm(name="slow", program="1\n", fresh=True), Arm(name="fast", program="2\n"))
    bench = FakeBench(lambda arm, n: 99.0 if (arm.name, n) == ("slow", 1) else three_to_one(arm, n))
    result = measure(bench, tmp_path, FULL, arms=arms)
    assert result.parts[0].slow_value == 3.0
    assert len(result.measurements["slow"]) == len(result.measurements["fast"])


def test_a_failing_arm_is_said(tmp_path: Path) -> None:
    def fail(arm: Arm, number: int) -> float:
        raise ArmFailed("slow ended with status 1: KeyError: 'x'")

    result = measure(FakeBench(fail), tmp_path)
    assert result.verdict == ABSENT
    assert "KeyError" in result.condition
    assert result.error


def test_a_failure_is_tried_again(tmp_path: Path) -> None:
    def once(arm: Arm, number: int) -> float:
        if (arm.name, number) == ("slow", 1):
            raise ArmFailed("no memory for a moment")
        return three_to_one(arm, number)

    assert measure(FakeBench(once), tmp_path).verdict == HOLDS


def test_arms_that_need_what_is_absent_are_not_run(tmp_path: Path) -> None:
    arms = (Arm(name="slow", program="1\n", needs="gpu"), Arm(name="fast", program="2\n", needs="gpu"))
    bench = FakeBench(three_to_one)
    result = measure(
        bench, tmp_path, absent=frozenset({"gpu"}), arms=arms, contrasts=(contrast(needs="gpu"),)
    )
    assert not bench.asked
    assert (result.verdict, result.condition) == (ABSENT, "needs a GPU that TensorFlow can use")


def test_arms_of_another_mode_are_not_run(tmp_path: Path) -> None:
    more = Arm(name="much", program="3\n", modes=("full",))
    bench = FakeBench(three_to_one)
    measure(bench, tmp_path, arms=(*claim().arms, more))
    assert "much" not in bench.order


def test_a_remedy_that_is_not_there_is_said(tmp_path: Path) -> None:
    arms = (*claim().arms, Arm(name="mended", program="3\n", needs="headstart run"))
    remedy = contrast(fast=contrast().fast._replace(arm="mended"))
    result = measure(
        FakeBench(three_to_one), tmp_path, absent=frozenset({"headstart run"}), arms=arms, remedy=remedy
    )
    assert result.remedy is None
    assert "headstart run" in result.remedy_missing
    with_it = measure(FakeBench(three_to_one), tmp_path, arms=arms, remedy=remedy)
    assert with_it.remedy is not None
    assert with_it.remedy.ratio == pytest.approx(3.0)


def test_the_same_program_serves_two_claims(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.jsonl", {})
    bench = FakeBench(three_to_one)
    run(claim(), bench, session, QUICK)
    made = len(bench.order)
    run(claim(id="C98", slug="again"), bench, session, QUICK)
    assert len(bench.order) == made


def test_a_resumed_lab_makes_only_what_is_missing(tmp_path: Path) -> None:
    session = Session(tmp_path / "session.jsonl", {})
    slow = claim().arm("slow")
    for _ in range(3):
        session.add_run(arm_key(slow), {"seconds": 3.0})
    bench = FakeBench(three_to_one)
    run(claim(), bench, session, QUICK)
    assert bench.order.count("slow") == 1
    assert bench.order.count("fast") == 4
