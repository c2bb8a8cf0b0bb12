"""Is it fair to compare these runs? Who they are, what else differs between them, and whether it is only the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .changes import Change, Side
from .report import Report
from .resample import FEWEST_RUNS


def side(label: str, reports: Sequence[Report]) -> Side:
    target = reports[0].target
    return Side(
        label=label,
        runs=len(reports),
        argv=target.argv,
        python=target.python,
        tensorflow=target.tensorflow,
        keras=target.keras,
    )


def warnings(before: Sequence[Report], after: Sequence[Report]) -> list[str]:
    found = []
    if min(len(before), len(after)) < FEWEST_RUNS:
        found.append(
            f"fewer than {FEWEST_RUNS} runs a side: nothing can be told from noise. "
            "`headstart bench -n 10 -- A --vs B` makes enough, interleaved."
        )
    facts: list[tuple[str, Callable[[Report], object]]] = [
        ("Python", lambda r: r.target.python),
        ("TensorFlow", lambda r: r.target.tensorflow),
        ("Keras", lambda r: r.target.keras),
        ("headstart", lambda r: r.headstart),
        ("warm start", lambda r: "yes" if r.target.warm else "no"),
        ("exit status", lambda r: r.target.exit_code),
        ("kind of step", lambda r: r.steps.kind),
        ("number of steps", lambda r: r.steps.count),
    ]
    keys = {key: None for r in (*before, *after) for key in r.environment}
    facts += [(key, lambda r, key=key: r.environment.get(key)) for key in keys]  # type: ignore[misc]
    for name, get in facts:
        old, new = ({str(get(r)) for r in side} for side in (before, after))
        if old != new or len(old) > 1:
            found.append(f"{name} differs: {' / '.join(sorted(old))} against {' / '.join(sorted(new))}")
    if any(r.target.cut for r in (*before, *after)):
        found.append("a record is cut: its program was killed, and its times end there")
    return found


def all_alike(phases: Sequence[Change]) -> list[str]:
    """Runs that were not interleaved: a machine in another mood changes every phase by the same factor."""
    ratios = [c.after / c.before - 1 for c in phases if c.p_value is not None and c.before > 0]
    sizes = [abs(ratio) for ratio in ratios]
    if len(ratios) < 4 or min(sizes) < 0.02 or min(sizes) < 0.4 * max(sizes):
        return []
    if min(ratios) < 0 < max(ratios):
        return []
    return [
        "every phase changed by about the same factor: that is rather the machine than the program. "
        "`headstart bench -n 10 -- A --vs B` runs both in turn, so that they meet the same weather."
    ]
