"""From numbers to verdicts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headstart.lab.judge import ABSENT, FAILS, HOLDS, PARTLY, Ratio, decide, judge, look, ratio

from .made_up import claim, contrast

positive = st.floats(min_value=1e-6, max_value=1e6)


def seconds(slow: list[float], fast: list[float]) -> dict[str, list[dict[str, float]]]:
    return {"slow": [{"seconds": s} for s in slow], "fast": [{"seconds": s} for s in fast]}


def test_a_slow_minute_of_the_machine_does_not_matter() -> None:
    """Block 3 was made while something else ran: both arms took ten times as long."""
    found = ratio([3.0, 3.1, 30.0, 2.9], [1.0, 1.0, 10.0, 1.0])
    assert found is not None
    assert 2.8 < found.low <= found.estimate <= found.high < 3.2


@pytest.mark.parametrize(
    ("estimate", "low", "high", "outcome"),
    [
        (3.0, 2.5, 3.5, HOLDS),
        (3.0, 1.6, 5.0, HOLDS),
        (3.0, 1.2, 5.0, "open"),
        (1.7, 1.6, 1.8, "open"),
        (1.0, 0.9, 1.1, FAILS),
        (1.0, 0.5, 1.9, FAILS),
        (1.0, 0.5, 2.5, "open"),
    ],
)
def test_two_thresholds(estimate: float, low: float, high: float, outcome: str) -> None:
    assert decide(Ratio(estimate, low, high, 5), contrast()) == outcome


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=12))
def test_no_data_can_hold_both_ways(blocks: list[tuple[float, float]]) -> None:
    measured = seconds([a for a, _ in blocks], [b for _, b in blocks])
    one = look(contrast(), measured).outcome
    other = look(contrast().swapped(), measured).outcome
    assert not (one == other == HOLDS)
    if one == HOLDS and len(blocks) >= 4:
        assert other != HOLDS


@given(st.lists(positive, min_size=4, max_size=12), st.floats(min_value=2.5, max_value=1e4))
def test_a_constant_factor_is_found_and_turned_around(fast: list[float], factor: float) -> None:
    measured = seconds([factor * value for value in fast], fast)
    assert look(contrast(), measured).outcome == HOLDS
    assert look(contrast().swapped(), measured).outcome == FAILS


def test_more_noise_never_turns_a_verdict_around() -> None:
    """The same effect under growing noise: from holds to undecided, never to the opposite."""
    rng = random.Random(5)
    seen = set()
    for spread in (0.05, 0.3, 1.0, 2.0):
        for _ in range(25):
            slow = [3.0 * rng.lognormvariate(0, spread) for _ in range(5)]
            seen.add(look(contrast(), seconds(slow, [1.0] * 5)).outcome)
    assert HOLDS in seen
    assert "open" in seen


def test_a_program_that_fails_is_infinitely_slow() -> None:
    never = seconds([1.0] * 4, [1.0] * 4)
    never["fast"] = [{"seconds": None}] * 4  # type: ignore[dict-item]
    part = look(contrast(), never)
    assert part.outcome == FAILS
    assert look(contrast().swapped(), never).outcome == HOLDS


def test_few_runs_give_their_range() -> None:
    found = ratio([3.0, 6.0], [1.0, 1.0])
    assert found == Ratio(4.5, 3.0, 6.0, 2)


def test_every_part_must_hold() -> None:
    both = claim(contrasts=(contrast(), contrast(holds_from=10.0, fails_below=5.0)))
    measured = seconds([3.0] * 4, [1.0] * 4)
    assert judge(both, measured).verdict == FAILS
    assert judge(claim(), measured).verdict == HOLDS


def test_conditions() -> None:
    easy, hard = contrast(when="easy"), contrast(when="hard", holds_from=10.0, fails_below=5.0)
    gpu = contrast(when="there is a GPU", needs="gpu")
    measured = seconds([3.0] * 4, [1.0] * 4)
    found = judge(claim(rule="when", contrasts=(easy, hard)), measured)
    assert (found.verdict, found.condition) == (PARTLY, "easy")
    assert judge(claim(rule="when", contrasts=(easy, gpu)), measured, absent={"gpu"}).verdict == HOLDS
    assert judge(claim(rule="when", contrasts=(hard, gpu)), measured, absent={"gpu"}).verdict == FAILS
    decisive = replace(gpu, decisive=True)
    assert judge(claim(rule="when", contrasts=(hard, decisive)), measured, absent={"gpu"}).verdict == ABSENT
    assert judge(claim(rule="when", contrasts=(easy, decisive)), measured, absent={"gpu"}).verdict == HOLDS
    alone = judge(claim(rule="when", contrasts=(gpu,)), measured, absent={"gpu"})
    assert (alone.verdict, alone.condition) == (ABSENT, "needs a GPU that TensorFlow can use")


def test_an_open_condition_does_not_hide_one_that_holds() -> None:
    easy, unclear = contrast(when="easy"), contrast(when="unclear", holds_from=3.5, fails_below=2.5)
    found = judge(claim(rule="when", contrasts=(easy, unclear)), seconds([3.0] * 4, [1.0] * 4))
    assert (found.verdict, found.condition) == (PARTLY, "easy")
