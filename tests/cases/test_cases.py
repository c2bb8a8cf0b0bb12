"""The programs in `cases/`: each bad one's cause is found first and at its line, the others are silent.

A few run with every `make test`; all of them in `make soak`, which prints the table.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adding_up import adds_up

from .judging import CASES, FOR_THE_TABLE, NEUTRAL, Case, Verdict, all_cases, blanked, judge, read_case

QUICK = frozenset(
    {
        "01_retrace_step_counter",
        "04_tf_function_inside_call",
        "14_tf1_ops_in_loop_fixed",
        "20_predictions_kept_alive",
        "27_model_loaded_per_request",
        "37_import_for_one_helper",
        "92_ctl_custom_loop",
        "97_ctl_two_models_cross_validation",
        "h301_counter_in_another_file",
        "h402_slow_sequence_for_fit",
        "ok_program_of_several_files",
    }
)
"""One of every kind of loop, and a healthy one beside each."""
ALL = all_cases()


def _parameters() -> list[object]:
    marks = {True: [pytest.mark.tensorflow], False: [pytest.mark.tensorflow, pytest.mark.soak]}
    return [pytest.param(case, id=case.name, marks=marks[case.name in QUICK]) for case in ALL]


@pytest.mark.parametrize("case", _parameters())
def test_the_cause_is_found_and_nothing_else(
    case: Case, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    verdict = judge(case, tmp_path)
    record_property(FOR_THE_TABLE, verdict.kept())
    assert verdict.problems == []
    adds_up(verdict.report)


def test_every_rule_has_a_bad_and_a_mended_program() -> None:
    from headstart.advise.catalogue import all_rules

    causes = {case.cause for case in ALL} - {None}
    assert causes == {rule.slug for rule in all_rules()}
    fixed = {case.name for case in ALL if case.name.endswith("_fixed")}
    alone = {"h301_counter_in_another_file", "h601_one_answer_per_process"}
    bad = [case.name for case in ALL if case.cause]
    assert [name for name in bad if f"{name}_fixed" not in fixed] == sorted(alone)


def test_every_bad_program_marks_its_line() -> None:
    assert [case.name for case in ALL if bool(case.cause) != bool(case.places)] == []
    assert {case.cause for case in ALL} >= NEUTRAL


def test_blanking_keeps_the_lines() -> None:
    text = (CASES / "01_retrace_step_counter.py").read_text()
    blank = blanked(text)
    assert len(blank.split("\n")) == len(text.split("\n"))
    assert "cause" not in blank
    assert "<<" not in blank
    assert blank.split("\n")[42].rstrip() == text.split("\n")[42].split("#")[0].rstrip()


def test_a_wrong_line_or_cause_is_a_problem() -> None:
    case = read_case(CASES / "01_retrace_step_counter.py")
    right = {
        "slug": "retrace-python-scalar",
        "line": 43,
        "file": case.path.name,
        "rule": "HS301",
        "title": "",
    }
    finding = {**right, "confidence": "high", "seconds_lost": 1.0}
    assert Verdict(case, 1.0, 0, [finding]).problems == []
    assert Verdict(case, 1.0, 0, [{**finding, "line": 42}]).problems
    assert Verdict(case, 1.0, 0, [{**finding, "slug": "run-eagerly"}]).problems
    assert Verdict(case, 1.0, 0, []).problems
    assert Verdict(case, 1.0, 3, [finding]).problems
    neutral = {**finding, "slug": "traced-twice"}
    assert Verdict(case, 1.0, 0, [neutral, finding]).problems == []
    healthy = read_case(CASES / "01_retrace_step_counter_fixed.py")
    assert Verdict(healthy, 1.0, 0, [{**finding, "confidence": "low"}, neutral]).problems == []
    assert Verdict(healthy, 1.0, 0, [{**finding, "confidence": "medium"}]).problems
