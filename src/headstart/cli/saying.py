"""One line to the user, on stderr."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Say something of headstart's own. Nobody listening (stderr closed, its reader gone) is no reason to fail, and
    never a reason to speak on stdout, which belongs to the program."""
    if sys.stderr is None:
        return
    try:
        print(f"headstart: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass
