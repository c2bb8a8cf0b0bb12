"""Runs a program warm, for the suites: starts a server that fits if there is none, then insists on it.

    python warmly.py HEADSTART WORDS…

A few programs cannot be run warm, by design (they depend on what a server cannot have): those run as
`headstart run` runs them.
"""

from __future__ import annotations

import os
import subprocess
import sys

# Small, so that the suites need no TensorFlow: what they test is everything around it.
PRELOAD = "json,decimal,random,logging,threading,multiprocessing,concurrent.futures,asyncio,tempfile,dataclasses"


def main() -> None:
    headstart, *words = sys.argv[1:]
    environ = {"HEADSTART_WARM_PRELOAD": PRELOAD, **os.environ}
    started = subprocess.run(
        [headstart, "warm", "start"],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    insist = ["--only-warm"] if started.returncode == 0 else []
    os.execv(headstart, [headstart, "run", *insist, *words])


main()
