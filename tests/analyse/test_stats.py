"""Steady state, intervals, trends and resampling, on planted data and by property."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.analyse import resample
from headstart.analyse.stats import effective_count, median, median_interval, steady
from headstart.analyse.trend import find_trend, theil_sen

times = st.lists(st.floats(1e-6, 1e3), min_size=0, max_size=80)


def machine(
    count: int, seed: int, *, phi: float = 0.5, sd: float = 0.1, hiccups: float = 0.02
) -> list[float]:
    """Step times of a healthy program on a busy machine: skewed, correlated, now and then far too slow."""
    rng = random.Random(seed)
    level, out = 0.0, []
    for _ in range(count):
        level = phi * level + rng.gauss(0, sd * math.sqrt(1 - phi * phi))
        hiccup = rng.uniform(2, 20) if rng.random() < hiccups else 1.0
        out.append(0.1 * math.exp(level) * (1 + abs(rng.gauss(0, 0.03))) * hiccup)
    return out


# --- steady state -------------------------------------------------------------------------------------------


@given(times)
def test_steady_state_is_always_sane(durations: list[float]) -> None:
    found = steady(durations)
    assert 0 <= found.warmup_steps <= len(durations)
    assert (found.median is None) == (len(durations) < 2)
    if found.median is not None:
        kept = durations[found.warmup_steps :]
        assert min(kept) <= found.median <= max(kept)
        assert found.warmup_steps <= max(1, len(durations) // 2)
    if found.ci95 is not None and found.median is not None:
        assert found.ci95[0] <= found.median <= found.ci95[1]


@given(st.lists(st.floats(1e-3, 10), min_size=6, max_size=60), st.sampled_from([0.25, 8.0, 1024.0]))
def test_the_unit_of_time_does_not_matter(durations: list[float], factor: float) -> None:
    plain, scaled = steady(durations), steady([factor * value for value in durations])
    assert plain.median is not None
    assert scaled.median == pytest.approx(plain.median * factor)


@pytest.mark.parametrize("planted", [1, 3, 10, 30])
def test_planted_warm_up_is_found(planted: int) -> None:
    near = 0
    for seed in range(50):
        durations = [t * (5 if i < planted else 1) for i, t in enumerate(machine(100, seed))]
        near += abs(steady(durations).warmup_steps - planted) <= 2
    assert near >= 45


def test_a_huge_first_step_is_the_only_warm_up() -> None:
    exact = sum(steady([20.0, *machine(200, seed)]).warmup_steps == 1 for seed in range(50))
    assert exact >= 43


def test_one_hiccup_is_not_warm_up() -> None:
    durations = [5.0] + [0.1, 0.101, 0.099] * 3 + [3.0] + [0.1, 0.1005, 0.0995] * 10
    assert steady(durations).warmup_steps == 1


def test_a_decaying_warm_up_leaves_an_unbiased_median() -> None:
    durations = [t * (1 + 4 * math.exp(-i / 10)) for i, t in enumerate(machine(200, 3, sd=0.03))]
    found = steady(durations)
    assert 15 <= found.warmup_steps <= 50
    assert found.median == pytest.approx(0.1, rel=0.05)


def test_half_a_run_of_slow_steps_is_not_called_steady() -> None:
    assert not steady([1.0] * 60 + [0.1] * 40).reached
    assert steady([1.0] * 20 + [0.1] * 80).reached


def test_equal_times_have_no_warm_up_and_no_trend() -> None:
    found = steady([0.25] * 40)
    assert found.warmup_steps == 0
    assert found.median == 0.25
    assert found.ci95 == (0.25, 0.25)
    assert found.trend is not None
    assert not found.trend.growing


@pytest.mark.parametrize(
    ("count", "expected"), [(0, (0, None)), (1, (1, None)), (2, (1, 0.5)), (5, (1, 0.5))]
)
def test_very_few_steps(count: int, expected: tuple[int, float | None]) -> None:
    durations = [9.0, 0.5, 0.5, 0.5, 0.5][:count]
    found = steady(durations)
    assert (found.warmup_steps, found.median) == expected
    assert found.ci95 is None
    assert found.trend is None


# --- the interval -------------------------------------------------------------------------------------------


def test_interval_ranks_are_the_sign_test_s() -> None:
    assert median_interval([1, 2, 3, 4, 5]) is None
    assert median_interval(list(range(1, 7))) == (1, 6)
    assert median_interval(list(range(1, 21))) == (6, 15)  # Conover's table: n = 20, ranks 6 and 15
    low, high = median_interval(list(range(1, 1002))) or (0, 0)
    assert (low, high) == (469, 533)


def test_interval_covers_the_median_as_often_as_it_says() -> None:
    rng = random.Random(11)
    covered = 0
    for _ in range(400):
        low, high = median_interval([rng.lognormvariate(0, 1) for _ in range(40)]) or (9, 9)
        covered += low <= 1.0 <= high
    assert 370 <= covered <= 400


def test_correlated_steps_widen_the_interval() -> None:
    values = machine(300, 5, phi=0.95, sd=0.2, hiccups=0.0)
    logs = [math.log(value) for value in values]
    assert effective_count(logs) < 150
    plain, wide = median_interval(values), median_interval(values, effective_count(logs))
    assert plain is not None
    assert wide is not None
    assert wide[0] <= plain[0] <= plain[1] <= wide[1]
    assert wide[1] - wide[0] > plain[1] - plain[0]


def test_steps_that_drift_get_the_whole_range() -> None:
    durations = [9.0] + [1.0 + 0.3 * math.sin(n / 8) for n in range(30)]
    found = steady(durations)
    assert found.ci95 == (min(durations[found.warmup_steps :]), max(durations[found.warmup_steps :]))


# --- the trend ----------------------------------------------------------------------------------------------


def test_theil_sen_and_mann_kendall_on_a_line() -> None:
    slope = theil_sen([3.0 + 0.5 * i for i in range(30)])
    assert slope.per_item == pytest.approx(0.5)
    assert slope.low == pytest.approx(0.5)
    assert slope.p_value < 1e-9


def test_mann_kendall_matches_a_worked_example() -> None:
    slope = theil_sen([1.0, 2.0, 4.0, 3.0, 5.0, 7.0, 6.0])
    score = 21 - 2 * 2  # 21 pairs, two of them fall
    assert slope.p_value == pytest.approx(math.erfc((score - 1) / math.sqrt(7 * 6 * 19 / 18) / math.sqrt(2)))


@pytest.mark.parametrize("count", [80, 300, 3000])
def test_steps_that_double_are_growing(count: int) -> None:
    found = 0
    for seed in range(20):
        durations = [t * (1 + i / count) for i, t in enumerate(machine(count, seed))]
        trend = steady([5.0, *durations]).trend
        assert trend is not None
        found += trend.growing
        assert trend.slope_seconds_per_step == pytest.approx(0.1 / count, rel=0.6)
    assert found >= 17


def test_a_growing_run_is_not_all_warm_up() -> None:
    durations = [5.0] + [t * (1 + 3 * i / 100) for i, t in enumerate(machine(100, 2))]
    assert steady(durations).warmup_steps <= 10


@pytest.mark.parametrize("count", [20, 50, 100, 300])
@pytest.mark.parametrize("phi", [0.0, 0.9])
def test_healthy_runs_raise_no_alarm(count: int, phi: float) -> None:
    alarms = 0
    for seed in range(60):
        trend = steady([5.0, *machine(count, seed, phi=phi, sd=0.15)]).trend
        alarms += bool(trend and trend.growing)
    assert alarms <= 1


def test_a_neighbour_who_starts_half_way_is_not_growth() -> None:
    alarms = 0
    for seed in range(60):
        durations = [t * (2 if i > 50 else 1) for i, t in enumerate(machine(100, seed))]
        trend = find_trend(durations)
        alarms += bool(trend and trend.growing)
    assert alarms <= 1


def test_growth_is_seen_past_a_neighbour_who_leaves() -> None:
    found = 0
    for seed in range(40):
        work = [0.1 + (i / 160) ** 2 for i in range(160)]
        busy = [t * (2 if 40 < i < 80 else 1) for i, t in enumerate(machine(160, seed, sd=0.05))]
        trend = find_trend([a * b for a, b in zip(work, busy, strict=True)])
        found += bool(trend and trend.growing)
    assert found >= 36


def test_one_larger_phase_is_not_growth() -> None:
    """Fine-tuning: the second half of the steps does four times the work."""
    alarms = 0
    for seed in range(60):
        trend = find_trend([t * (4 if i > 90 else 1) for i, t in enumerate(machine(160, seed))])
        alarms += bool(trend and trend.growing)
    assert alarms <= 1


def test_getting_faster_is_not_growing() -> None:
    trend = find_trend([1.0 - 0.005 * i for i in range(100)])
    assert trend is not None
    assert trend.slope_seconds_per_step < 0
    assert not trend.growing


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=30))
@settings(max_examples=50)
def test_reversing_time_reverses_the_slope(values: list[float]) -> None:
    forward, backward = theil_sen(values), theil_sen(values[::-1])
    assert forward.per_item == pytest.approx(-backward.per_item, abs=1e-9)
    assert 0.0 <= forward.p_value <= 1.0
    assert forward.low <= forward.per_item <= forward.high


# --- resampling ---------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_interval() -> None:
    before, after = machine(10, 1), machine(10, 2)
    assert resample.effect(before, after, seed=4) == resample.effect(before, after, seed=4)


def test_too_few_runs_have_no_interval() -> None:
    assert resample.effect([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]) is None


def test_there_is_no_ratio_to_nothing() -> None:
    found = resample.effect([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0])
    assert found is not None
    assert found.ratio is None
    assert found.difference.estimate == 1.0


def test_a_planted_tenth_is_told_and_equality_is_not() -> None:
    rng = random.Random(6)

    def runs(level: float) -> list[float]:
        return [level * rng.lognormvariate(0, 0.03) for _ in range(10)]

    told = 0
    for _ in range(40):
        found = resample.effect(runs(1.0), runs(1.1))
        assert found is not None
        assert found.ratio is not None
        told += found.ratio.low > 1.0
    assert told >= 38
    p_values = [resample.relabelled_p(runs(1.0), runs(1.0)) for _ in range(200)]
    assert 2 <= sum(p < 0.05 for p in p_values) <= 19


@pytest.mark.parametrize("count", [4, 5, 10])
def test_intervals_of_few_runs_cover_what_they_say(count: int) -> None:
    rng = random.Random(count)
    covered = 0
    for _ in range(200):
        before = [rng.gauss(10, 1) for _ in range(count)]
        after = [rng.gauss(12, 1) for _ in range(count)]
        found = resample.effect(before, after)
        assert found is not None
        covered += not found.difference.excludes(2.0)
    assert covered >= 180


def test_the_trimmed_mean_shrugs_off_one_bad_run() -> None:
    assert resample.trimmed_mean([1, 1, 1, 1, 100]) == 1
    assert resample.trimmed_mean([1, 3]) == 2


def test_holm_is_holm_s() -> None:
    assert resample.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_only_raises_p_values(p_values: list[float]) -> None:
    adjusted = resample.holm(p_values)
    assert all(p <= q <= 1.0 for p, q in zip(p_values, adjusted, strict=True))


def test_the_median_of_an_even_count_lies_between() -> None:
    assert median([4.0, 1.0, 3.0, 2.0]) == 2.5


def test_runs_dealt_out_by_chance_are_as_far_apart_as_often_as_counting_says() -> None:
    before, after = [1.0, 1.2, 1.9, 2.1, 2.4], [1.7, 2.2, 2.6, 2.9, 3.1]
    pool, gap = before + after, abs(resample.fast_mean(after) - resample.fast_mean(before))
    deals = [set(chosen) for chosen in itertools.combinations(range(10), 5)]
    gaps = [
        resample.fast_mean([pool[i] for i in range(10) if i in deal])
        - resample.fast_mean([pool[i] for i in range(10) if i not in deal])
        for deal in deals
    ]
    expected = sum(abs(each) >= gap - 1e-9 for each in gaps) / len(deals)
    found = resample.relabelled_p(before, after, location=resample.fast_mean)
    assert 0.01 < expected < 0.2
    assert found == pytest.approx(expected, rel=0.2)
    assert resample.relabelled_p(before, before) == 1.0
