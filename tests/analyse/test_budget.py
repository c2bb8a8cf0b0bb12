"""Budgets: counts that hold or do not, and what is said when they do not."""

from __future__ import annotations

import pytest

from headstart.analyse.budget import Budget, BudgetError, check, read_budget
from headstart.record.nouns import Span
from headstart.render.breaches import github, text
from tests.render.sample import SCRIPT, report
from tests.render.test_trace import START, run


def titles(budget: Budget, **changes: object) -> list[str]:
    return [breach.title for breach in check(budget, report(**changes))]


def test_an_empty_budget_always_holds() -> None:
    assert check(Budget(), report(), [run()]) == []


def test_a_kept_budget_holds() -> None:
    kept = Budget(
        traces={"train_step": 12, "*": 2},
        imports=2843,
        nodes=29_000,
        first_step=30,
        forbid=["HS5"],
        forbid_imports=["torch"],
        time_to_first_step=60,
    )
    assert check(kept, report()) == []


@pytest.mark.parametrize(
    ("budget", "title"),
    [
        (Budget(traces={"train_step": 1}), "train_step was traced 12 times, the budget allows 1"),
        (Budget(traces={"train_step": 12, "*": 1}), "a_function_with_a_rather_long_name"),
        (Budget(traces={"tain_step": 1}), "no function 'tain_step' was traced"),
        (Budget(imports=2000), "2843 modules were imported, the budget allows 2000"),
        (Budget(forbid_imports=["numpy"]), "numpy was imported, the budget forbids it"),
        (Budget(nodes=100), "graph nodes were traced, the budget allows 100"),
        (Budget(first_step=10), "the first step took as long as 27 steady ones, the budget allows 10"),
        (Budget(forbid=["HS301"]), "HS301: train_step was traced 12 times because"),
        (Budget(time_to_first_step=20), "the first step was done after 28.2 s, the budget allows 20 s"),
    ],
)
def test_a_broken_limit_is_told(budget: Budget, title: str) -> None:
    (found,) = titles(budget)
    assert title in found


def test_the_place_and_the_remedy_of_a_retrace() -> None:
    (breach,) = check(Budget(traces={"train_step": 1}), report())
    assert (breach.file, breach.line) == (SCRIPT, 11)
    assert "step went from 10 to 11" in breach.advice
    assert "Pass a tensor" in breach.advice
    shown = text([breach])
    assert "train_step(np.ones(3), step)" in shown
    assert shown.count("→") == 1


def test_traces_after_warm_up() -> None:
    ms = 1_000_000
    steps = [
        Span(START + n * 10 * ms, START + (n * 10 + 8) * ms, 71, "batch", "train", {}) for n in range(1, 9)
    ]
    early = Span(START + 11 * ms, START + 12 * ms, 71, "trace", "early", {})
    late = Span(START + 61 * ms, START + 62 * ms, 71, "trace", "late", {"site": ["t.py", 7, ""]})
    inner = Span(START + 62 * ms, START + 63 * ms, 71, "trace", "inner", {"depth": 1})
    data = Span(START + 63 * ms, START + 64 * ms, 71, "trace", "mapper", {"owner": "tf.data"})
    recorded = run(spans=[*steps, early, late, inner, data], end_ns=START + 100 * ms, open_spans=[])
    (breach,) = check(Budget(no_retrace_after=3), report(), [recorded])
    assert breach.title == "late was traced once after step 3"
    assert (breach.file, breach.line) == ("t.py", 7)
    assert check(Budget(no_retrace_after=6), report(), [recorded]) == []
    assert check(Budget(no_retrace_after=100), report(), [recorded]) == []


def test_settings_are_read_with_either_dash() -> None:
    assert read_budget({"no-retrace-after": 3, "forbid_imports": ["torch"]}) == Budget(
        no_retrace_after=3, forbid_imports=["torch"]
    )
    with pytest.raises(BudgetError, match="there is no limit 'retraces'"):
        read_budget({"retraces": 1})
    with pytest.raises(BudgetError, match="must be a whole number, not text"):
        read_budget({"imports": "many"})


def test_annotations_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    breach = check(Budget(traces={"train_step": 1}), report())[0]
    line = github([breach])
    assert line.startswith(
        "::error title=headstart%3A train_step was traced 12 times%2C the budget allows 1,file="
    )
    assert ",line=11::" in line
    assert line.count("\n") == 1
