"""The live line: what a silent program is doing before its first step, and how long that took last time."""

from __future__ import annotations

import time

from .doing import doing
from .statusrow import StatusRow
from .tail import Tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PERIOD_SECONDS = 0.2
SILENT_NS = 1_000_000_000
_NEVER = 3600.0


class LiveLine:
    """Ticks beside a run until its first step is done."""

    def __init__(
        self,
        row: StatusRow,
        tail: Tail,
        pid: int,
        start_ns: int,
        last_time: Mapping[str, float],
        clock: Callable[[], int] = time.monotonic_ns,
        written: Callable[[int], int | None] | None = None,
    ) -> None:
        self.period = PERIOD_SECONDS
        self._row = row
        self._tail = tail
        self._pid = pid
        self._start_ns = start_ns
        self._last_time = last_time
        self._clock = clock
        self._written = written or bytes_written
        self._wrote = 0
        self._quiet_since_ns = start_ns

    def tick(self) -> None:
        """Look and, if the program has been silent for a while, say what it is doing."""
        now = self._clock()
        total = self._written(self._pid)
        self._tail.look()
        if self._tail.first_step_done:
            self.stop()
            return
        # What the process wrote, less what went into the record, is the program's own. (It was counted first:
        # a record line written between the two looks cannot pass for output.)
        wrote = (total or 0) - self._tail.size
        if wrote > self._wrote:
            self._wrote = wrote
            self._quiet_since_ns = now
            self._row.release()
        elif now - self._quiet_since_ns >= SILENT_NS:
            self._row.show(self._text(now))

    def pause(self) -> None:
        """The job is being stopped: leave the terminal as it was."""
        self._row.release()
        self._quiet_since_ns = self._clock()

    def stop(self) -> None:
        self._row.release()
        self.period = _NEVER

    def _text(self, now: int) -> str:
        elapsed = (now - self._start_ns) / 1e9
        parts = [f"headstart {elapsed:5.1f} s"]
        current = doing(self._tail.open)
        if current is None:
            parts.append("in the program's own code")
        else:
            since, what = current
            text = f"{what} {max(0, now - since) / 1e9:.1f} s"
            before = self._last_time.get(what)
            parts.append(f"{text} (last time {before:.1f} s)" if before else text)
        first = self._last_time.get("")
        if first:
            parts.append(f"first step after {first:.1f} s last time")
        return " · ".join(parts)


def bytes_written(pid: int) -> int | None:
    """All that a process has written so far, anywhere; None where the kernel does not say."""
    try:
        with open(f"/proc/{pid}/io", "rb") as handle:
            for line in handle:
                if line.startswith(b"wchar:"):
                    return int(line[6:])
    except (OSError, ValueError):
        pass
    return None
