"""The lab as a test of the ledger: what an outside clock measured, the record of the same run must say too."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..analyse.build import analyse
from ..record.reader import RecordError, read_run
from .bench import Measured
from .claim import Twin

TOLERANCE = 0.05


class LedgerCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity by two ways."""

    what: str
    clock: float | None
    ledger: float | None
    difference: float | None
    """(ledger - clock) / clock."""
    agrees: bool
    phases: dict[str, float] = {}
    """Where the ledger puts the stretch that the clock timed."""
    trouble: str = ""


def check(twin: Twin, measured: Measured) -> LedgerCheck:
    """Compare a recorded run of an arm with what the arm's own clock says."""
    if measured.record is None or not Path(measured.record).exists():
        return _failed(twin, "the run left no record")
    try:
        analysis = analyse(read_run(measured.record))
    except RecordError as error:
        return _failed(twin, str(error))
    outside = measured.notes.get(twin.clock)
    if not isinstance(outside, (int, float)):
        return _failed(twin, f"the program did not note {twin.clock!r}")
    start_ns, end_ns = measured.windows.get(twin.clock, (0, 0))
    inside = twin.ledger(analysis, start_ns, end_ns)
    difference = (inside - outside) / outside if outside else float(inside != outside)
    split: dict[str, float] = {}
    for segment in analysis.timeline:
        overlap = min(segment.end_ns, end_ns) - max(segment.start_ns, start_ns)
        if overlap > 0:
            split[segment.phase] = split.get(segment.phase, 0.0) + overlap / 1e9
    return LedgerCheck(
        what=twin.what,
        clock=float(outside),
        ledger=inside,
        difference=difference,
        agrees=abs(difference) <= TOLERANCE,
        phases=dict(sorted(split.items(), key=lambda item: -item[1])),
    )


def _failed(twin: Twin, trouble: str) -> LedgerCheck:
    return LedgerCheck(
        what=twin.what, clock=None, ledger=None, difference=None, agrees=False, trouble=trouble
    )
