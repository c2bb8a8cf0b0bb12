"""One thing to mend is one finding."""

from __future__ import annotations

from headstart.advise.catalogue import find_rule
from headstart.advise.draft import Confidence, Draft, Interval
from headstart.advise.folding import Claim, fold, merged, overlap


def claim(
    code: str,
    seconds: float,
    *claims: Interval,
    line: int = 1,
    confidence: Confidence = "high",
) -> Claim:
    rule = find_rule(code)
    assert rule is not None
    draft = Draft(
        title=code, file="a.py", line=line, seconds=seconds, confidence=confidence, advice="", claims=claims
    )
    return Claim(rule, draft)


def codes(claims: list[Claim]) -> list[str]:
    return [c.rule.code for c in claims]


def test_a_retrace_storm_is_one_finding() -> None:
    storm = claim("HS301", 10, (0, 100))
    found = fold(
        [
            claim("HS503", 4, (0, 200), line=2),
            claim("HS502", 0, (0, 200), line=3),
            claim("HS312", 6, (10, 90), line=4),
            claim("HS315", 1, (0, 10), line=5),
            storm,
        ]
    )
    assert codes(found) == ["HS301"]
    assert [text.split()[0] for text in found[0].folded] == ["HS312", "HS315", "HS502", "HS503"]


def test_other_time_is_another_finding() -> None:
    found = fold([claim("HS301", 10, (0, 100)), claim("HS315", 1, (200, 300), line=2)])
    assert codes(found) == ["HS301", "HS315"]


def test_a_small_cause_does_not_swallow_a_large_loss() -> None:
    found = fold([claim("HS207", 0.6, (0, 100)), claim("HS310", 20, (0, 100), line=2)])
    assert codes(found) == ["HS207", "HS310"]


def test_a_doubtful_cause_explains_nothing_sure() -> None:
    found = fold([claim("HS205", 5, (0, 100), confidence="low"), claim("HS302", 5, (0, 100), line=2)])
    assert codes(found) == ["HS205", "HS302"]


def test_one_finding_per_cause_and_line() -> None:
    found = fold([claim("HS102", 1, (0, 1)), claim("HS102", 3, (5, 9)), claim("HS102", 2, (20, 30), line=2)])
    assert [(c.draft.line, c.draft.seconds) for c in found] == [(1, 3), (2, 2)]


def test_intervals() -> None:
    assert merged([(5, 8), (0, 3), (2, 4)]) == [(0, 4), (5, 8)]
    assert overlap([(0, 10)], [(5, 8), (9, 20)]) == 4
    assert overlap([(0, 1)], []) == 0
