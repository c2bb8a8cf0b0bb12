"""Every claim: its file, its programs, and the verdicts that its judge gives on made-up measurements."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from headstart.lab.catalogue import all_claims, find_claim
from headstart.lab.claim import MODES, Claim, validate
from headstart.lab.environment import NEEDS
from headstart.lab.judge import ABSENT, FAILS, HOLDS, PARTLY, judge
from headstart.one_a_file import IncompleteFileError

from .made_up import claim as made_up
from .made_up import mixed, runs

CLAIMS = all_claims()
each = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


def test_all_claims_exist() -> None:
    wanted = [f"C{n:02d}" for n in range(1, 37)] + [f"F{n:02d}" for n in range(1, 12)]
    assert [claim.id for claim in CLAIMS] == wanted


def test_found_by_id_and_by_name() -> None:
    assert find_claim("c07") is find_claim("compile-builds-the-graph") is CLAIMS[6]
    assert find_claim("C00") is None


@each
def test_holds(claim: Claim) -> None:
    assert judge(claim, runs(claim.examples.holds)).verdict == HOLDS


@each
def test_does_not_hold(claim: Claim) -> None:
    assert judge(claim, runs(claim.examples.fails)).verdict == FAILS


@each
def test_holds_when(claim: Claim) -> None:
    """Claims with conditions must come to the verdict in between; the others cannot."""
    assert (claim.rule == "when") == (claim.examples.partly is not None)
    if claim.examples.partly is not None:
        found = judge(claim, runs(claim.examples.partly))
        assert found.verdict == PARTLY
        assert found.condition
        assert all(part.outcome in (HOLDS, FAILS) for part in found.parts)


@each
def test_noise_gives_no_verdict(claim: Claim) -> None:
    assert judge(claim, mixed(claim)).verdict == ABSENT


@each
def test_nothing_measured(claim: Claim) -> None:
    assert judge(claim, {}).verdict == ABSENT


@each
def test_swapped_arms_give_the_opposite(claim: Claim) -> None:
    assert judge(claim.swapped(), runs(claim.examples.holds)).verdict == FAILS


@each
def test_swapped_conditions_give_the_other_ones(claim: Claim) -> None:
    """What held fails when its arms are swapped, condition by condition."""
    example = claim.examples.partly or claim.examples.holds
    for before, after in zip(
        judge(claim, runs(example)).parts, judge(claim.swapped(), runs(example)).parts, strict=True
    ):
        if before.outcome == HOLDS:
            assert after.outcome == FAILS


@each
def test_absent_hardware(claim: Claim) -> None:
    """Without anything that may be needed there is still a verdict, and it says what is missing."""
    found = judge(claim, runs(claim.examples.holds), absent=set(NEEDS))
    if all(contrast.needs for contrast in claim.contrasts):
        assert found.verdict == ABSENT
        assert "needs" in found.condition
    else:
        assert found.verdict in (HOLDS, PARTLY)


@each
def test_programs_are_programs(claim: Claim) -> None:
    for arm in claim.arms:
        for text in (arm.program, arm.setup):
            tree = ast.parse(text)
            assert "$" not in text
            headstart = [
                node.module
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("headstart")
            ]
            assert set(headstart) <= {"headstart.lab.arm"}, "an arm is a plain program"


@each
def test_every_mode_has_the_arms_of_the_twin(claim: Claim) -> None:
    for mode in MODES:
        assert claim.twin.arm in {arm.name for arm in claim.arms if mode in arm.modes}


@each
def test_needs_are_known(claim: Claim) -> None:
    needs = {arm.needs for arm in claim.arms} | {contrast.needs for contrast in claim.contrasts}
    assert needs <= {"", *NEEDS}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "X1"}, "no claim's id"),
        ({"slug": "Not A Slug"}, "not a slug"),
        ({"doc": "Only a sentence."}, "no section '## What is measured'"),
        ({"contrasts": ()}, "nothing is compared"),
        ({"arms": ()}, "no arm is called"),
        ({"rule": "when"}, "a condition without its text"),
    ],
)
def test_a_bad_file_is_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(IncompleteFileError, match=says):
        validate(replace(made_up(), **changes), "here")  # type: ignore[arg-type]


def test_thresholds_must_leave_a_gap() -> None:
    narrow = replace(made_up().contrasts[0], fails_below=2.0)
    with pytest.raises(IncompleteFileError, match="thresholds"):
        validate(replace(made_up(), contrasts=(narrow,)), "here")
