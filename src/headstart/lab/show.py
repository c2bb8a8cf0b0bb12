"""The lab in a terminal: a line or two for each claim as it is decided, a line that tells how far it is."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from typing import Any, TextIO

from .claim import Claim
from .judge import ABSENT, FAILS, HOLDS, PARTLY, VERDICTS
from .result import ClaimResult, LabResult
from .runner import Moment
from .words import clock, comparison, effect

_COLORS = {HOLDS: "32", PARTLY: "33", FAILS: "31", ABSENT: "2"}
TYPICAL_SECONDS = {"quick": 9.0, "full": 150.0}


def claim_lines(result: ClaimResult, *, color: bool = False, verbose: bool = False) -> str:
    """A claim's verdict: id, verdict, effect; the claim; and, where asked for, every comparison."""
    verdict = f"{result.verdict:<19}"
    if color:
        verdict = f"\x1b[{_COLORS[result.verdict]}m{verdict}\x1b[0m"
    lines = [f"{result.id}  {verdict}  {effect(result)}".rstrip()]
    lines.append(f"     {result.claim}")
    if result.condition:
        lines.append(f"     {'when' if result.verdict == PARTLY else 'because'} {result.condition}")
    if verbose:
        for part in result.parts:
            when = f"[{part.outcome}] {part.when + ': ' if part.when else ''}"
            lines.append(f"       {when}{comparison(part)}")
        if result.remedy:
            lines.append(f"       remedy: {comparison(result.remedy)}")
        elif result.remedy_missing:
            lines.append(f"       remedy: {result.remedy_missing}")
    check = result.ledger
    if check is not None and (verbose or not check.agrees):
        lines.append("       " + ledger_line(result))
    return "\n".join(lines)


def ledger_line(result: ClaimResult) -> str:
    check = result.ledger
    if check is None:
        return "ledger: not compared"
    if check.clock is None or check.ledger is None or check.difference is None:
        return f"ledger: {check.what} could not be compared: {check.trouble}"
    word = "agrees" if check.agrees else "DISAGREES"
    both = f"{check.clock:.4g} by the clock, {check.ledger:.4g} by the record ({check.difference:+.1%})"
    return f"ledger {word}: {check.what} {both}"


def machine_line(facts: dict[str, Any]) -> str:
    gpus = f"{len(facts['gpus'])} GPU" if facts.get("gpus") else "no GPU"
    return (
        f"TensorFlow {facts['tensorflow']}, Keras {facts['keras']}, Python {facts['python']}; "
        f"{facts['cores']} cores ({facts['processor']}), {gpus}"
    )


def summary(result: LabResult) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in result.claims) for verdict in VERDICTS}
    parts = [
        f"{count} {verdict}{' …' if verdict == PARTLY else ''}" for verdict, count in counts.items() if count
    ]
    checks = [claim.ledger for claim in result.claims if claim.ledger is not None]
    agree = sum(check.agrees for check in checks)
    return (
        f"{len(result.claims)} claims in {clock(result.seconds)}: {', '.join(parts)}.\n"
        f"headstart's record agrees with an outside clock (within 5 %) in {agree} of {len(checks)} experiments."
    )


class Progress:
    """One line on a terminal that is rewritten in place; nothing elsewhere."""

    def __init__(
        self, stream: TextIO, claims: Sequence[Claim], mode: str, durations: dict[str, float]
    ) -> None:
        self._stream = stream
        self._shown = False
        self._active = stream.isatty()
        self._begun = time.monotonic()
        self._claim_begun = self._begun
        self._number = 0
        typical = TYPICAL_SECONDS[mode]
        self._expected = [durations.get(f"{mode}/{claim.id}", typical) for claim in claims]
        self._done = 0.0

    def watch(self, moment: Moment) -> None:
        now = time.monotonic()
        if moment.number != self._number:
            self._done += now - self._claim_begun
            self._number, self._claim_begun = moment.number, now
        if not self._active:
            return
        text = (
            f"[{moment.number + 1}/{moment.of}] {moment.claim.id} {moment.arm}, run {moment.block + 1} · "
            f"{clock(now - self._begun)}, about {clock(self.left(now))} left"
        )
        columns = shutil.get_terminal_size((80, 24)).columns
        self._stream.write(f"\r\x1b[2K{text[: columns - 1]}")
        self._stream.flush()
        self._shown = True

    def left(self, now: float) -> float:
        """What the claims to come took last time, in the proportion that the finished ones took it now."""
        known = sum(self._expected[: self._number])
        pace = self._done / known if known and self._done else 1.0
        current = max(0.0, self._expected[self._number] * pace - (now - self._claim_begun))
        return current + pace * sum(self._expected[self._number + 1 :])

    def clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False
