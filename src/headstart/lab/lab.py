"""Runs a lab from beginning to end: machine, scratch folder, claims one after the other, result."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from .._version import __version__
from ..errors import HeadstartError
from . import environment, session
from .bench import Bench
from .claim import Claim
from .result import SCHEMA, ClaimResult, LabResult, to_json
from .runner import Plan, Runner, Watch


class Interrupted(Exception):
    """Ctrl-C: what was measured so far is kept."""

    def __init__(self, done: int, count: int) -> None:
        super().__init__(f"{done} of {count} claims done")
        self.done = done
        self.count = count


def run_lab(
    claims: Sequence[Claim],
    plan: Plan,
    *,
    go_on: bool = False,
    watch: Watch = lambda moment: None,
    tell: Callable[[ClaimResult], None] = lambda result: None,
    about: Callable[[dict[str, Any]], None] = lambda facts: None,
) -> LabResult:
    """Measure claims. `tell` is given each result as it is there, `about` the machine's facts first of all."""
    began = time.monotonic()
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    scratch = Path(tempfile.mkdtemp(prefix="headstart-lab-"))
    environ = _environ(scratch)
    bench = Bench(scratch, environ, share=plan.mode == "quick")
    results: list[ClaimResult] = []
    try:
        facts = environment.look(scratch, environ)
        if "trouble" in facts:
            raise HeadstartError(f"the lab cannot run: {facts['trouble']}")
        about(facts)
        absent = environment.absent(facts, scratch, environ)
        held = _session(plan, facts, go_on)
        runner = Runner(bench, held, plan, absent, watch)
        for index, claim in enumerate(claims):
            results.append(runner.measure(claim, index, len(claims)))
            tell(results[-1])
        held.end()
    except KeyboardInterrupt:
        raise Interrupted(len(results), len(claims)) from None
    finally:
        bench.close()
        _stop_warm(scratch, environ)
        shutil.rmtree(scratch, ignore_errors=True)
    facts["absent"] = sorted(absent)
    result = LabResult(
        schema=SCHEMA,
        headstart=__version__,
        lab=plan.mode,
        seed=held.header["seed"],
        started=started,
        seconds=time.monotonic() - began,
        environment=facts,
        claims=results,
    )
    session.keep(to_json(result), f"{started.replace(':', '')}-{plan.mode}-{len(claims)}")
    return result


def _session(plan: Plan, facts: dict[str, Any], go_on: bool) -> session.Session:
    header = {"mode": plan.mode, "seed": plan.seed, "environment": dict(facts)}
    if not go_on:
        return session.begin(plan.mode, header)
    found = session.resume(plan.mode, header)
    if found is None:
        raise HeadstartError(
            f"there is no interrupted {plan.mode} lab of this machine to go on with: leave --resume out"
        )
    return found


def _environ(scratch: Path) -> dict[str, str]:
    """The user's environment, with caches of its own: the lab neither uses nor fills the user's."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HEADSTART_")}
    environ["HEADSTART_CACHE_DIR"] = str(scratch / "cache")
    # The lab ends the interpreters that it keeps warm; a lab that was killed cannot, and they end themselves.
    environ["HEADSTART_WARM_IDLE_MINUTES"] = "5"
    environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    return environ


def _stop_warm(scratch: Path, environ: dict[str, str]) -> None:
    """End the warm interpreters that `headstart run` may have started for the lab."""
    if not (scratch / "cache").exists():
        return
    try:
        subprocess.run(
            [sys.executable, "-m", "headstart", "warm", "stop"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        pass


def refuse_other_machine(result: LabResult, facts: dict[str, Any]) -> None:
    """What is measured now must be like what is in the result."""
    for name, value in facts.items():
        if result.environment.get(name) != value:
            was = result.environment.get(name)
            raise HeadstartError(f"that result was made elsewhere: {name} was {was}, is {value}")


def put_in(new: LabResult, old: LabResult) -> LabResult:
    """The old result with claims that were measured once more in their places."""
    again = {claim.id: claim for claim in new.claims}
    claims = [again.pop(claim.id, claim) for claim in old.claims]
    return msgspec.structs.replace(old, claims=[*claims, *again.values()], seconds=old.seconds + new.seconds)
