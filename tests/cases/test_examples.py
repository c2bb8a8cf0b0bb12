"""The examples in the rules' own files: `headstart profile` finds the bad one and is silent on the good one."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.advise.catalogue import all_rules
from headstart.advise.rule import Rule

from .judging import Case, judge

QUICK = frozenset({"HS101", "HS301", "HS505"})


def _parameters(good: bool) -> list[object]:
    parameters = []
    for rule in all_rules():
        marks = [pytest.mark.tensorflow]
        if rule.code not in QUICK or good:
            marks.append(pytest.mark.soak)
        parameters.append(pytest.param(rule, id=rule.code, marks=marks))
    return parameters


@pytest.mark.parametrize("rule", _parameters(good=False))
def test_the_bad_example_is_found(rule: Rule, tmp_path: Path) -> None:
    program = tmp_path / "source" / "example.py"
    program.parent.mkdir()
    program.write_text(rule.bad)
    verdict = judge(Case(program, rule.slug, frozenset()), tmp_path)
    assert verdict.status == 0, verdict.output
    assert verdict.first is not None
    assert verdict.first["slug"] == rule.slug


@pytest.mark.parametrize("rule", _parameters(good=True))
def test_the_good_example_is_silent(rule: Rule, tmp_path: Path) -> None:
    program = tmp_path / "source" / "example.py"
    program.parent.mkdir()
    program.write_text(rule.good)
    assert judge(Case(program, None, frozenset()), tmp_path).problems == []
