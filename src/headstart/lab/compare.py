"""Two labs side by side: what holds on one machine and not on another, and by how much."""

from __future__ import annotations

from .result import ClaimResult, LabResult
from .words import effect

FACTS = ("tensorflow", "keras", "python", "processor", "cores", "gpus", "system")


def compare(one: LabResult, other: LabResult) -> str:
    """A table of both, claims with another verdict first."""
    lines = ["environment"]
    for name in FACTS:
        a, b = one.environment.get(name), other.environment.get(name)
        lines.append(f"  {name:<11} {a}" if a == b else f"  {name:<11} {a}  →  {b}")
    lines.append(f"  {'lab':<11} {one.lab}" + (f"  →  {other.lab}" if one.lab != other.lab else ""))
    pairs = [(a, b) for a in one.claims if (b := other.claim(a.id)) is not None]
    differing = [(a, b) for a, b in pairs if _verdict(a) != _verdict(b)]
    alike = [(a, b) for a, b in pairs if _verdict(a) == _verdict(b)]
    lines += ["", f"{len(differing)} of {len(pairs)} verdicts differ"]
    for a, b in differing:
        lines.append(f"  {a.id}  {a.claim}")
        lines.append(f"       {a.verdict_text}  {effect(a)}")
        lines.append(f"    →  {b.verdict_text}  {effect(b)}")
    lines += ["", f"{len(alike)} are the same"]
    lines += [f"  {a.id}  {a.verdict:<19}  {effect(a):<32}  →  {effect(b)}".rstrip() for a, b in alike]
    only = sorted({claim.id for claim in one.claims} ^ {claim.id for claim in other.claims})
    if only:
        lines += ["", f"measured in one of them only: {', '.join(only)}"]
    return "\n".join(lines)


def _verdict(result: ClaimResult) -> tuple[str, str]:
    return result.verdict, result.condition if result.verdict == "holds when" else ""
