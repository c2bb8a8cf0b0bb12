"""A small program of the fidelity suite, and how it is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    """All that a caller can see of a run."""

    status: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class Program:
    """Files to lay out, the words after `python`, and what the caller provides."""

    name: str
    files: Mapping[str, str]
    words: tuple[str, ...] = ("main.py",)
    stdin: bytes = b""
    env: Mapping[str, str | None] = field(default_factory=dict)
    shell: str | None = None
    """A shell line around the command, which is "$@" in it; for pipes, closed streams and the like."""
    mask: tuple[str, ...] = ()
    """Patterns of what differs from one plain run to the next (addresses, numbers of processes)."""
    prepare: Callable[[Path], None] | None = None
    cwd: str = "."

    def lay_out(self, folder: Path) -> None:
        """Make the program's folder anew: every run finds the same paths and nothing of the run before."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        if self.prepare:
            self.prepare(folder)

    def run(self, runner: Sequence[str], folder: Path) -> Outcome:
        self.lay_out(folder)
        command = [*runner, *self.words]
        if self.shell:
            command = ["/bin/sh", "-c", self.shell, "sh", *command]
        done = subprocess.run(
            command,
            input=self.stdin,
            capture_output=True,
            cwd=folder / self.cwd,
            env=environment(self.env),
            timeout=TIMEOUT_SECONDS,
        )
        return Outcome(done.returncode, self._masked(done.stdout), self._masked(done.stderr))

    def _masked(self, data: bytes) -> bytes:
        for pattern in self.mask:
            data = re.sub(pattern.encode(), b"<...>", data)
        return data


def environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This process's environment with changes; None takes a variable away."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    for key, value in changes.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


def script(name: str, source: str, *arguments: str, **details: object) -> Program:
    """A program of one file."""
    return Program(name, {"main.py": source}, ("main.py", *arguments), **details)  # type: ignore[arg-type]


def code(name: str, source: str, *arguments: str, **details: object) -> Program:
    """A program given with -c."""
    return Program(name, {}, ("-c", textwrap.dedent(source).strip(), *arguments), **details)  # type: ignore[arg-type]
