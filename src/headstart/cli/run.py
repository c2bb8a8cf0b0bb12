"""`headstart run`."""

from __future__ import annotations

import os
import sys

from ..launch.target import parse_target
from .options import Option, add_settings, parse

OPTIONS = (
    Option("no-warm", "do without a warm interpreter", setting=False),
    Option("no-cache", "do without what earlier runs have kept"),
    Option("verify", "check what the caches give against the real thing"),
    Option("verbose", "say on stderr what was saved, and by what", letter="v"),
)


def main(argv: list[str]) -> int:
    """Run a program, fast."""
    values, words = parse(argv, OPTIONS, program=True)
    add_settings(values, OPTIONS)
    target = parse_target(words)
    from ..accelerate.stage import Program

    n = 1 if target.kind == "script" or words[0] not in ("-m", "-c") else 2
    program = Program(target.kind, target.name, words[n:])
    from ..accelerate.warm.client import Attempt

    attempt = Attempt(program, {})
    status = attempt.run()
    if status is None:
        print("cold", attempt.why, file=sys.stderr)
        os.execv(sys.executable, [sys.executable, *words])
    if status < 0:
        from ..launch.ending import die_of

        die_of(-status)
    os._exit(status)
