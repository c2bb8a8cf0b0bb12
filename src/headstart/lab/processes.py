"""Starts what the lab runs, and ends it: fresh processes, and interpreters that fork arms.

Everything is in a session of its own, so that Ctrl-C reaches the lab alone, which then ends its children.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from . import zygote

READY_SECONDS = 120.0


class Ended(NamedTuple):
    """How a process ended, by an outside clock."""

    status: int
    seconds: float
    pid: int


class Lost(Exception):
    """A forking interpreter is gone."""


def run_fresh(
    words: Sequence[str], environ: Mapping[str, str], folder: Path, log: Path, timeout: float
) -> Ended:
    """Run a command from the very start, with the clock running from before it exists until it is gone."""
    with open(log, "ab") as output:
        start = time.monotonic()
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = 124
        finally:
            seconds = time.monotonic() - start
            _end(process)
    return Ended(status if status >= 0 else 128 - status, seconds, process.pid)


class Forker:
    """A warm interpreter that forks arms; with a record, each arm is recorded beside it."""

    def __init__(self, environ: Mapping[str, str], log: Path, record: Path | None = None) -> None:
        words = [sys.executable]
        if record is not None:
            words += ["-m", "headstart", "profile", "--quiet", "--record", str(record)]
        self.record = record
        self._log: IO[bytes] = open(log, "ab")  # noqa: SIM115 - as long as the process lives
        self._process = subprocess.Popen(
            [*words, "-m", zygote.__name__],
            # numpy's own threads would be lost in a fork.
            env={**environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,
        )
        self._read(READY_SECONDS)

    def run(self, program: Path, environ: Mapping[str, str], log: Path, timeout: float) -> Ended:
        order = {"program": str(program), "environ": dict(environ), "log": str(log), "timeout": timeout}
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Lost(f"the forking interpreter is gone: {error}") from None
        answer = self._read(timeout + 30)
        return Ended(answer["status"], answer["seconds"], answer["pid"])

    def record_of(self, pid: int) -> Path | None:
        return None if self.record is None else self.record.with_name(f"{self.record.name}.{pid}")

    def close(self) -> None:
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            pass
        _end(self._process)
        self._log.close()

    def _read(self, timeout: float) -> dict[str, Any]:
        from select import select

        assert self._process.stdout is not None
        ready, _, _ = select([self._process.stdout], [], [], timeout)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            _end(self._process)
            raise Lost(
                "the forking interpreter ended" if ready else "the forking interpreter does not answer"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer


def _end(process: subprocess.Popen[Any]) -> None:
    """End what is left of a process that we started, and what it started in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        pass
