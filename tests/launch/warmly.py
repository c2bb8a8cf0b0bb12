"""Runs a program warm, for the suites: starts a server that fits if there is none, then runs the program.

    python warmly.py HEADSTART WORDS…

What is imported ahead is small, so that the suites need no TensorFlow: they test all that is around it. A few
programs cannot be run warm, by design (they depend on what a server cannot have): `headstart run` decides.
"""

import os
import sys

PRELOAD = "json,decimal,random,logging,threading,multiprocessing.pool,concurrent.futures,asyncio"


def main() -> None:
    headstart, *words = sys.argv[1:]
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.environ["HEADSTART_WARM_PRELOAD"] = PRELOAD
        os.execv(headstart, [headstart, "warm", "start"])
    os.waitpid(child, 0)
    os.execv(headstart, [headstart, "run", *words])


main()
