"""The lab's page in Markdown: what answers the documents, and the evidence claim by claim."""

from __future__ import annotations

from .answers import ANSWERS, answered
from .catalogue import find_claim
from .claim import Claim
from .environment import NEEDS
from .judge import VERDICTS
from .result import ClaimResult, LabResult
from .show import ledger_line
from .words import clock, comparison, effect, size

DOCUMENTS = {answer.document: answer.question for answer in ANSWERS}


def page(result: LabResult) -> str:
    """docs/claims.md."""
    parts = [_head(result), *(_answer(number, result) for number in range(len(ANSWERS))), _table(result)]
    parts += [_claim(claim) for claim in result.claims]
    return "\n".join(parts).rstrip() + "\n"


def _head(result: LabResult) -> str:
    facts = result.environment
    counts = [(verdict, sum(claim.verdict == verdict for claim in result.claims)) for verdict in VERDICTS]
    said = ", ".join(
        f"{count} × {verdict}{' …' * (verdict == 'holds when')}" for verdict, count in counts if count
    )
    checks = [claim.ledger for claim in result.claims if claim.ledger]
    missing = [NEEDS[name] for name in facts.get("absent", []) if name in NEEDS]
    lines = [
        "# What is said about slow starts of TensorFlow, measured",
        "",
        f"<!-- written by `headstart lab`: {result.lab}, {result.started}, seed {result.seed} -->",
        "",
        f"{len(result.claims)} claims, {said}. Every verdict is computed from measurements on one machine:",
        f"TensorFlow {facts['tensorflow']}, Keras {facts['keras']}, Python {facts['python']},",
        f"{facts['cores']} cores ({facts['processor']}), {size(facts['memory_bytes'])}, {facts['system']};"
        f" a {result.lab} lab of {clock(result.seconds)} minutes.",
    ]
    if missing:
        lines.append(f"Not here: {', '.join(missing)}.")
    lines += [
        "`headstart lab --quick` measures them on yours; [lab.md](lab.md) says how.",
        "",
        "An effect is how many times larger one side is than the other, or which share of it the matter has,",
        "with its 95 % interval over interleaved runs. In "
        f"{sum(check.agrees for check in checks)} of {len(checks)} experiments, headstart's own record",
        "of a run agreed with an outside clock within 5 %.",
        "",
    ]
    return "\n".join(lines)


def _answer(number: int, result: LabResult) -> str:
    answer = ANSWERS[number]
    return f"## {answer.question}\n\n{answered(answer, result)}\n"


def _table(result: LabResult) -> str:
    lines = ["## All claims", "", "| | claim | verdict | effect (95 % interval) |", "|---|---|---|---|"]
    for claim in result.claims:
        lines.append(
            f"| [{claim.id}](#{claim.id.lower()}) | {claim.claim} | {_verdict(claim)} | {effect(claim) or '–'} |"
        )
    return "\n".join(lines) + "\n"


def _verdict(claim: ClaimResult) -> str:
    return f"**{claim.verdict}**" + (f" {claim.condition}" if claim.condition else "")


def _claim(result: ClaimResult) -> str:
    claim = find_claim(result.id)
    sections = claim.sections() if claim else {}
    said = "; ".join(f"document {name}" for name in result.documents) or "folklore from issue trackers"
    lines = [
        f"### {result.id}",
        "",
        f"> {result.claim}.",
        "",
        f"{_verdict(result)} · {effect(result) or 'not measured'} · said in: {said}",
        "",
        sections.get("What happens", ""),
        "",
        f"*Measured:* {sections.get('What is measured', '')}",
        "",
    ]
    lines += [f"- {part.when + ': ' if part.when else ''}{comparison(part)}" for part in result.parts]
    if result.remedy:
        lines.append(f"- **remedy:** {comparison(result.remedy)}")
    elif result.remedy_missing:
        lines.append(f"- remedy: {result.remedy_missing}")
    lines += [
        f"- {ledger_line(result)}; {result.runs} runs",
        "",
        f"*headstart:* {sections.get('What headstart does', '')}",
        "",
    ]
    return "\n".join(lines)


def source(claim: Claim) -> str:
    """The programs of a claim's experiment, to be read, run and doubted."""
    lines = [f"# {claim.id}: {claim.sentence}"]
    for arm in claim.arms:
        if arm.setup:
            lines += ["", f"# --- set-up of {arm.name!r}", arm.setup.rstrip()]
        how = " (headstart run)" if arm.via == "run" else ""
        environ = "".join(f" {name}={value}" for name, value in arm.environ.items())
        lines += ["", f"# --- arm {arm.name!r}{how}{environ}", arm.program.rstrip()]
    return "\n".join(lines) + "\n"
