"""What a lab prints and writes."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest

from headstart.lab.answers import ANSWERS
from headstart.lab.catalogue import all_claims
from headstart.lab.compare import compare
from headstart.lab.judge import ABSENT, VERDICTS, judge
from headstart.lab.ledger import LedgerCheck
from headstart.lab.pages import page, source
from headstart.lab.result import ClaimResult, LabResult, claim_result, from_json, to_json
from headstart.lab.runner import Moment
from headstart.lab.show import Progress, claim_lines, summary
from headstart.lab.webpage import page as webpage
from headstart.lab.words import clock, seconds, share, size, times

from .made_up import runs

FACTS = {
    "tensorflow": "2.21.0",
    "keras": "3.15.1",
    "python": "3.11.7",
    "cores": 2,
    "processor": "a <processor> & more",
    "memory_bytes": 24 << 30,
    "system": "Linux 6",
    "gpus": [],
    "absent": ["gpu"],
}
CHECK = LedgerCheck(what="the first step", clock=1.0, ledger=0.99, difference=-0.01, agrees=True)


def lab(outcome: str = "holds") -> LabResult:
    """A made-up lab in which everything came out one way, as far as it can."""
    results = []
    for claim in all_claims():
        example = getattr(claim.examples, outcome) or claim.examples.fails
        measured = runs(example)
        results.append(
            claim_result(
                claim,
                judge(claim, measured, absent={"gpu"}),
                ledger=CHECK,
                remedy=None,
                remedy_missing="",
                measurements={arm: list(map(dict, each)) for arm, each in measured.items()},
                seconds=5.0,
            )
        )
    return LabResult(
        schema=1,
        headstart="0.1.0",
        lab="quick",
        seed=0,
        started="2026-01-01T00:00:00Z",
        seconds=400.0,
        environment=FACTS,
        claims=results,
    )


@pytest.mark.parametrize("outcome", ["holds", "fails", "partly"])
def test_json_comes_back_the_same(outcome: str) -> None:
    made = lab(outcome)
    data = to_json(made)
    again = from_json(data)
    assert from_json(to_json(again)) == again
    assert [claim.verdict for claim in again.claims] == [claim.verdict for claim in made.claims]
    assert b'"id": "C01"' in data


def test_foreign_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not the result of a lab"):
        from_json(b'{"claims": 3}')
    with pytest.raises(ValueError, match="schema 2"):
        from_json(to_json(lab()).replace(b'"schema": 1', b'"schema": 2', 1))


def test_the_page_answers_every_document() -> None:
    text = page(lab("partly"))
    for answer in ANSWERS:
        assert f"## {answer.question}\n" in text
    for claim in all_claims():
        assert f"### {claim.id}\n" in text
        assert f"| {claim.sentence} |" in text
    assert "{" not in re.sub(r"`[^`]*`", "", text)


def test_every_document_is_cited_in_its_answer() -> None:
    """What a document says is dealt with in the answer to it."""
    everywhere = " ".join(answer.text for answer in ANSWERS)
    for claim in all_claims():
        if claim.documents:
            assert f"{{{claim.id}}}" in everywhere, claim.id
    cited = set(re.findall(r"\{([CF]\d\d)\}", everywhere))
    assert cited <= {claim.id for claim in all_claims()}


def test_answers_follow_the_measurements() -> None:
    held, failed = page(lab("holds")), page(lab("fails"))
    assert "[C07](#c07): holds, " in held
    assert "[C07](#c07): does not hold, " in failed


def test_absent_hardware_is_said() -> None:
    text = page(lab())
    assert "Not here: a GPU" in text
    assert "| **not measurable here** needs a GPU that TensorFlow can use |" in text


def test_the_web_page_stands_alone() -> None:
    text = webpage(lab("partly"))
    assert "a &lt;processor&gt; &amp; more" in text
    assert 'content="headstart' in text[:4096]

    class Links(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.targets: list[str] = []
            self.ids: set[str] = set()

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found = dict(attrs)
            self.targets += [value for name in ("src", "href") if (value := found.get(name))]
            if found.get("id"):
                self.ids.add(found["id"] or "")

    links = Links()
    links.feed(text)
    assert all(target.startswith("#") and target[1:] in links.ids for target in links.targets)


def test_sources_are_the_programs() -> None:
    claim = all_claims()[0]
    text = source(claim)
    assert all(arm.program.rstrip() in text for arm in claim.arms)


def test_terminal_lines() -> None:
    result = lab("partly").claims[9]
    short = claim_lines(result)
    assert short.splitlines()[0].startswith("C10  holds when")
    assert "when epochs are short" in short
    assert "\x1b" not in short
    assert "\x1b[33m" in claim_lines(result, color=True)
    long = claim_lines(result, verbose=True)
    assert "[does not hold] epochs are long" in long
    assert "ledger agrees" in long


def test_a_disagreement_is_always_shown() -> None:
    import msgspec

    wrong = msgspec.structs.replace(CHECK, agrees=False, difference=0.2)
    result: ClaimResult = msgspec.structs.replace(lab().claims[0], ledger=wrong)
    assert "DISAGREES" in claim_lines(result)


def test_summary_counts() -> None:
    text = summary(lab())
    held = sum(claim.verdict == "holds" for claim in lab().claims)
    assert f"47 claims in 6:40: {held} holds" in text
    assert "in 47 of 47 experiments" in text
    assert {claim.verdict for claim in lab().claims} <= set(VERDICTS)
    assert lab().claims[18].verdict == ABSENT


def test_two_labs_side_by_side() -> None:
    text = compare(lab("holds"), lab("fails"))
    assert re.search(r"\b46 of 47 verdicts differ", text)
    assert "0 of 47 verdicts differ" in compare(lab(), lab())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_tells_what_is_left() -> None:
    claims = all_claims()[:3]
    known = {f"quick/{claim.id}": 10.0 for claim in claims}
    stream = Terminal()
    progress = Progress(stream, claims, "quick", known)
    progress.watch(Moment(claims[0], 0, 3, 0, "slow"))
    assert "[1/3] C01 slow, run 1" in stream.getvalue()
    assert "0:30 left" in stream.getvalue()
    progress.clear()
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_no_progress_in_a_file() -> None:
    stream = io.StringIO()
    progress = Progress(stream, all_claims()[:1], "quick", {})
    progress.watch(Moment(all_claims()[0], 0, 1, 0, "slow"))
    progress.clear()
    assert stream.getvalue() == ""


def test_figures_in_words() -> None:
    assert [seconds(value) for value in (123.4, 2.345, 0.0123, 4.2e-5)] == [
        "123 s",
        "2.35 s",
        "12.3 ms",
        "42 µs",
    ]
    assert [times(value) for value in (4189.4, 417.8, 23.45, 1.234, 1e9, 1e-9)] == [
        "4,200×",
        "420×",
        "23.4×",
        "1.23×",
        "∞×",
        "0×",
    ]
    assert [share(0.0273), share(0.618)] == ["2.7 %", "62 %"]
    assert [size(3.1e9), size(4.56e8), size(9e4)] == ["3.10 GB", "456 MB", "90 kB"]
    assert clock(61.4) == "1:01"
