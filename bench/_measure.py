"""Interleaved runs in fresh processes, and their ratios with intervals."""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from headstart.analyse.resample import effect, fast_mean

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(__file__).resolve().parent / "programs"
PYTHON = sys.executable
HEADSTART = str(Path(sys.executable).with_name("headstart"))


class Timing(NamedTuple):
    """One run from outside, and the step times that the program itself wrote down."""

    wall: float
    first_step: float | None
    steady: float | None
    cpu: float = 0.0
    """Processor seconds of the command and all that it started: a busy machine changes them less than the clock."""


def timed(command: Sequence[str], env: Mapping[str, str] | None = None) -> Timing:
    """Run one command; fails loudly, since a benchmark of failures is worth nothing."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times.json"
        environ = {**os.environ, **(env or {}), "BENCH_TIMES": str(times), "TF_CPP_MIN_LOG_LEVEL": "2"}
        cpu = _children_cpu()
        start = time.monotonic_ns()
        done = subprocess.run(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder
        )
        wall = (time.monotonic_ns() - start) / 1e9
        cpu = _children_cpu() - cpu
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout.decode(errors='replace')[-3000:]}")
        ends = json.loads(times.read_text()) if times.exists() else []
    first = (ends[0] - start) / 1e9 if ends else None
    gaps = [(b - a) / 1e9 for a, b in itertools.pairwise(ends)]
    return Timing(wall, first, statistics.median(gaps) if gaps else None, cpu)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interleaved(
    arms: Mapping[str, Callable[[], Timing]], rounds: int, seed: int = 0
) -> dict[str, list[Timing]]:
    """Each round runs every arm once, in random order: a slow minute of the machine hits all alike."""
    rng = random.Random(seed)
    results: dict[str, list[Timing]] = {name: [] for name in arms}
    for number in range(rounds):
        order = list(arms)
        rng.shuffle(order)
        for name in order:
            print(f"  round {number + 1}/{rounds}: {name}", file=sys.stderr, flush=True)
            results[name].append(arms[name]())
    return results


def ratio_text(before: Sequence[float], after: Sequence[float]) -> str:
    """`after` over `before` with its 95 % interval, or the plain ratio of medians when the runs are few.

    Of the faster half of the runs on each side: what disturbs a process only ever adds time.
    """
    found = effect(before, after, location=fast_mean)
    if found is None or found.ratio is None:
        return f"{statistics.median(after) / statistics.median(before):.3f}× (too few runs for an interval)"
    ratio = found.ratio
    return f"{ratio.estimate:.3f}× ({ratio.low:.3f}–{ratio.high:.3f})"


def machine() -> str:
    import platform
    from importlib.metadata import version

    names = ", ".join(f"{name} {version(name)}" for name in ("tensorflow-cpu", "keras", "numpy"))
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {system}, {names}"
