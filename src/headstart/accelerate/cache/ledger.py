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
MISMATCH = "mismatch"
VERIFIED = "verified"
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

    def as_json(self) -> dict[str, Any]:
        return {"off": self.off, "events": [asdict(event) for event in self.events]}
