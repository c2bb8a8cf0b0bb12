"""The runner: which arm is run when, and when a claim has been measured enough.

Runs come in blocks. A block runs every arm of a claim once, in an order drawn anew (seeded) for each block, so
that neither a slow minute of the machine nor what ran before can favour one arm. Blocks are added until the
claim's contrasts are decided (quick) or their intervals narrow (full), or until the claim's time is used up. In
a quick lab a long experiment that could not be clearer is not repeated for the sake of its interval.
Stopping when decided makes intervals a little too narrow; the gap between the two thresholds of each contrast
is there for that.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import ledger
from .bench import ArmFailed, Bench, arm_key
from .claim import Arm, Claim
from .environment import NEEDS
from .judge import ABSENT, Judgement, Part, judge, look
from .result import ClaimResult, claim_result
from .session import Session


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How thoroughly to measure."""

    mode: str
    """"quick" | "full"."""
    seed: int
    budget: float
    """Seconds for one claim, after which no block is begun."""
    fewest: int
    """Blocks that every claim gets (a claim may ask for fewer in a quick lab)."""
    most: int
    narrow: float
    """Half the interval's width over the estimate, from which on more runs would tell nothing new."""
    whole: float
    """Seconds for everything: when they run out, what is left is measured as briefly as can be."""
    drop_first: bool
    """Whether the first run of every arm that starts a process is a warm-up run, and not counted."""


QUICK = Plan(mode="quick", seed=0, budget=16.0, fewest=4, most=10, narrow=1.0, whole=240.0, drop_first=False)
FULL = Plan(mode="full", seed=0, budget=240.0, fewest=4, most=20, narrow=0.1, whole=1e9, drop_first=True)
REMEDY_RUNS = 2
"""Runs of an arm that only shows what a remedy gives, in a quick lab."""
BRIEF = 2
"""Blocks of a claim when the time for the whole lab has run out, or when nothing is left to ask."""
LONG = 2.5
"""Seconds from which on a clear experiment of a quick lab is long enough."""


UNDECIDED = 5
"""So many times its time a claim gets in a full lab while its verdict is open."""


class Moment(NamedTuple):
    """Where the lab is, for the progress line."""

    claim: Claim
    number: int
    of: int
    block: int
    arm: str


Watch = Callable[[Moment], None]


class Runner:
    def __init__(
        self, bench: Bench, session: Session, plan: Plan, absent: Collection[str], watch: Watch
    ) -> None:
        self._bench = bench
        self._session = session
        self._plan = plan
        self._absent = absent
        self._watch = watch
        self._random = random.Random(plan.seed)
        self._started = time.monotonic()

    def measure(self, claim: Claim, index: int, count: int) -> ClaimResult:
        """Run a claim's experiment and judge it."""
        began = time.monotonic()
        arms = [arm for arm in claim.arms if self._plan.mode in arm.modes and arm.needs not in self._absent]
        error = ""
        try:
            self._blocks(claim, arms, began, lambda block, arm: Moment(claim, index, count, block, arm.name))
            self._check(claim, arms)
        except ArmFailed as failure:
            error = str(failure)
        runs = {arm.name: self._runs(arm) for arm in arms}
        judged = judge(claim, runs, self._absent, self._plan.seed)
        if error:
            judged = Judgement(ABSENT, f"the experiment failed: {error}", judged.parts)
        remedy, missing = None, ""
        if claim.remedy is not None:
            sides = claim.remedy.slow.arms | claim.remedy.fast.arms
            needs = {claim.arm(name).needs for name in sides} - {""}
            gone = sorted(needs & set(self._absent))
            missing = f"{NEEDS[gone[0]]} is not available here" if gone else ""
            part = look(claim.remedy, runs, (), self._plan.seed)
            remedy = part if part.ratio is not None else None
        return claim_result(
            claim,
            judged,
            ledger=self._session.checks.get(claim.id),
            remedy=remedy,
            remedy_missing=missing,
            measurements={name: list(found) for name, found in runs.items()},
            seconds=time.monotonic() - began,
            error=error,
        )

    def _blocks(
        self, claim: Claim, arms: Sequence[Arm], began: float, moment: Callable[[int, Arm], Moment]
    ) -> None:
        block = 0
        judged = {name for each in claim.contrasts for side in (each.slow, each.fast) for name in side.arms}
        while arms and not self._enough(claim, arms, block, began):
            order = list(arms)
            self._random.shuffle(order)
            for arm in order:
                if block >= REMEDY_RUNS and arm.name not in judged and self._plan.mode == "quick":
                    continue
                if len(self._runs(arm)) <= block:
                    self._watch(moment(block, arm))
                    self._run(arm)
            block += 1

    def _enough(self, claim: Claim, arms: Sequence[Arm], block: int, began: float) -> bool:
        plan = self._plan
        late = time.monotonic() - self._started > plan.whole
        spent = time.monotonic() - began
        fewest = min(claim.fewest, plan.fewest) if plan.mode == "quick" else plan.fewest
        if block < min(BRIEF, fewest) or (block < fewest and plan.mode == "full"):
            return False
        runs = {arm.name: self._runs(arm)[:block] for arm in arms}
        parts = [part for part in judge(claim, runs, self._absent, plan.seed).parts if part.ratio]
        undecided = any(part.outcome == "open" for part in parts)
        budget = plan.budget * (UNDECIDED if undecided and plan.mode == "full" else 1)
        if block >= fewest and (block >= plan.most or spent > budget):
            return True
        if plan.mode == "full":
            return all(_width(part) <= plan.narrow for part in parts)
        if block < fewest:
            return late or (spent > LONG and all(_is_clear(part) for part in parts))
        return late or not undecided

    def _run(self, arm: Arm) -> None:
        key = arm_key(arm)
        if self._plan.drop_first and arm.fresh and not self._session.runs.get(key):
            self._try(arm)
        self._session.add_run(key, self._try(arm))

    def _try(self, arm: Arm) -> dict[str, Any]:
        """One run; a failure is tried again once, because a machine may run out of something for a moment."""
        try:
            return self._bench.run(arm).notes
        except ArmFailed:
            return self._bench.run(arm).notes

    def _check(self, claim: Claim, arms: Sequence[Arm]) -> None:
        """The same quantity from headstart's own record, in a run of its own."""
        arm = next((arm for arm in arms if arm.name == claim.twin.arm), None)
        if arm is None or claim.id in self._session.checks:
            return
        measured = self._bench.run(arm, recorded=True)
        self._session.add_check(claim.id, ledger.check(claim.twin, measured))
        if measured.record is not None:
            measured.record.unlink(missing_ok=True)

    def _runs(self, arm: Arm) -> list[dict[str, Any]]:
        return self._session.runs.get(arm_key(arm), [])


def _is_clear(part: Part) -> bool:
    """Whether it lies beyond its threshold by the whole gap between the two."""
    assert part.ratio is not None
    gap = part.contrast.holds_from / part.contrast.fails_below
    return (
        part.ratio.low >= part.contrast.holds_from * gap or part.ratio.high <= part.contrast.fails_below / gap
    )


def _width(part: Part) -> float:
    """Half the interval over the estimate."""
    assert part.ratio is not None
    return (part.ratio.high - part.ratio.low) / 2 / part.ratio.estimate
