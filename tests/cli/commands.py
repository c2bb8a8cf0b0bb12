"""Runs headstart as a user does: the installed command, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.launch.program import environment

HEADSTART = str(Path(sys.executable).with_name("headstart"))


def headstart(
    *words: str | Path,
    cwd: Path,
    env: dict[str, str | None] | None = None,
    shell: str | None = None,
) -> subprocess.CompletedProcess[str]:
    command = [HEADSTART, *map(str, words)]
    if shell:
        command = ["/bin/sh", "-c", shell, "sh", *command]
    return subprocess.run(
        command, cwd=cwd, env=environment(env or {}), capture_output=True, text=True, timeout=120
    )
