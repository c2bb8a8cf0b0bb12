"""Made-up runs for tests: written as a capture would write them, with a clock that is ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headstart.record.format import HEADER_KEY, RECORD_VERSION
from headstart.record.nouns import Run
from headstart.record.reader import read_run

MAIN = 7
MS = 1_000_000


class MadeRun:
    """Collects lines; times are milliseconds since the process started."""

    def __init__(self, boot_ms: int = 50, **header: Any) -> None:
        self.header = {
            HEADER_KEY: RECORD_VERSION,
            "headstart": "0",
            "run": "made",
            "pid": 1,
            "ppid": 0,
            "argv": ["train.py"],
            "executable": "python",
            "python": "3.11.7",
            "start_ns": 0,
            "boot_ns": boot_ms * MS,
            "unix_ns": 0,
            "main_tid": MAIN,
            **header,
        }
        self.lines: list[Any] = []

    def span(
        self, start: float, end: float, kind: str, name: str = "x", tid: int = MAIN, **attrs: Any
    ) -> MadeRun:
        self.lines.append(["s", int(start * MS), int(end * MS), tid, kind, name, attrs or None])
        return self

    def mark(self, at: float, kind: str, name: str = "x", **attrs: Any) -> MadeRun:
        self.lines.append(["m", int(at * MS), MAIN, kind, name, attrs or None])
        return self

    def sample(
        self, at: float, flags: int = 0, entry: str = "", leaf: str = "", line: int = 1, traced: str = ""
    ) -> MadeRun:
        self.lines.append(["p", int(at * MS), flags, "train.py", line, "main", entry, leaf, traced])
        return self

    def counters(self, at: float, **values: int) -> MadeRun:
        self.lines.append(["c", int(at * MS), values])
        return self

    def open(self, at: float, *spans: tuple[float, str, str]) -> MadeRun:
        self.lines.append(["o", int(at * MS), [[int(t * MS), kind, name] for t, kind, name in spans]])
        return self

    def closed(self, at: float, **facts: Any) -> MadeRun:
        self.lines.append(["z", int(at * MS), facts])
        return self

    def exit(self, at: float, status: int = 0, **facts: Any) -> MadeRun:
        self.lines.append(["x", int(at * MS), {"status": status, "signal": None, "maxrss_kb": 1000, **facts}])
        return self

    def text(self) -> str:
        return "\n".join(json.dumps(line) for line in [self.header, *self.lines]) + "\n"

    def read(self, folder: Path) -> Run:
        path = folder / "made.hsrun"
        path.write_text(self.text())
        return read_run(path)
