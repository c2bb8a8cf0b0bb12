"""The ways to run a program that must be indistinguishable from plain `python`.

The suites take every runner that is listed here: a new way to launch adds one line.
"""

from __future__ import annotations

import sys
from pathlib import Path

HEADSTART = (str(Path(sys.executable).with_name("headstart")),)


def _interpreter() -> str:
    """The name by which the installed command calls its interpreter: `python` and `python3` are the same
    program, but `sys.executable` tells them apart."""
    first = Path(HEADSTART[0]).read_text(encoding="utf-8").splitlines()[0]
    named = first.removeprefix("#!").strip()
    return named if Path(named).name.startswith("python") else sys.executable


PYTHON = (_interpreter(),)

RUNNERS: dict[str, tuple[str, ...]] = {
    "profile": (*HEADSTART, "profile", "--quiet"),
    "run-cold": (*HEADSTART, "run", "--no-warm"),
    "run-warm": (*PYTHON, "-IS", str(Path(__file__).with_name("warmly.py")), *HEADSTART),
}
