"""What the caches did in this process: for ``run -v``, for tests, and for what ``cache info`` adds up."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass, field
from typing import Any

REPLAYED = "replayed"
STORED = "stored"
REFUSED = "refused"
MISSED = "missed"
PREBUILT = "prebuilt"
OPTIMISED = "optimised"
MISMATCH = "mismatch"
VERIFIED = "verified"
COMPARED = "compared"
UNCOMPARED = "uncompared"
FAILED = "failed"


@dataclass(frozen=True)
class Event:
    """One decision about one function."""

    what: str
    function: str
    file: str
    reason: str = ""
    seconds: float = 0.0
    saved_seconds: float = 0.0
    key: str = ""


@dataclass
class Ledger:
    """All decisions of the process, in order."""

    events: list[Event] = field(default_factory=list)
    off: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, event: Event) -> None:
        with self._lock:
            self.events.append(event)

    def saved_seconds(self) -> float:
        return sum(event.saved_seconds for event in self.events)

    def sentence(self) -> str:
        """What to say about the run in one line."""
        if self.off is not None:
            return f"caches off: {self.off}"
        counts = {
            what: sum(event.what == what for event in self.events)
            for what in (REPLAYED, STORED, REFUSED, VERIFIED, COMPARED, MISMATCH)
        }
        text = (
            f"{counts[REPLAYED]} traces replayed, {self.saved_seconds():.1f} s saved; {counts[STORED]} kept"
        )
        if counts[VERIFIED] or counts[MISMATCH]:
            text += f"; {counts[VERIFIED]} verified ({counts[COMPARED]} with their first results)"
            text += f", {counts[MISMATCH]} not as traced and dropped"
        reasons = [
            f"{event.function}: {event.reason}" for event in self.events if event.what in (REFUSED, MISMATCH)
        ]
        reasons += [
            f"{e.function} traced anew: {e.reason}" for e in self.events if e.what == MISSED and e.reason
        ]
        if reasons:
            more = f" (and {len(reasons) - 1} more: headstart cache explain)" if len(reasons) > 1 else ""
            text += f"; {reasons[0]}{more}"
        return text

    def as_json(self) -> dict[str, Any]:
        return {"off": self.off, "events": [asdict(event) for event in self.events]}
