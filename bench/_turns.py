"""Programs that take their steps in turns: what a steady step costs in one beside another, on a machine that varies.

Each runs to the end of its first step and waits there for the others. Then all of them step in turns, one at a time and
in random order, so that a slow second of the machine hits all alike; what is compared are neighbours in time.
"""

from __future__ import annotations

import math
import os
import random
import select
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

_PATIENCE_SECONDS = 300.0
#: Two-sided 95 % points of Student's t, by degrees of freedom.
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


class Turns:
    """A program under way; its clock (``programs/_clock.py``) waits for us after each step."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        paths = [Path(self._folder.name) / name for name in ("ended", "go")]
        for path in paths:
            os.mkfifo(path)
        # For reading and writing both: neither side waits for the other to open it.
        self._ended, self._go = (os.open(path, os.O_RDWR) for path in paths)
        self._rest = b""
        self._command = command
        environ = {**os.environ, **env, "BENCH_TURNS": self._folder.name, "TF_CPP_MIN_LOG_LEVEL": "2"}
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed at the end of the block)
        start = time.monotonic_ns()
        self._process = subprocess.Popen(
            command, env=environ, stdout=self._output, stderr=subprocess.STDOUT, cwd=self._folder.name
        )
        self.first_step = (self._step()[1] - start) / 1e9
        """Seconds from the start of the process to the end of its first step."""

    def step(self) -> float:
        """One more step, in seconds."""
        os.write(self._go, b"x")
        start, end = self._step()
        return (end - start) / 1e9

    def _step(self) -> tuple[int, int]:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while b"\n" not in self._rest:
            if select.select([self._ended], [], [], 0.2)[0]:
                self._rest += os.read(self._ended, 4096)
            elif self._process.poll() is not None or time.monotonic() > deadline:
                self._output.seek(0)
                said = self._output.read().decode(errors="replace")[-3000:]
                raise SystemExit(f"{' '.join(self._command)} took no step:\n{said}")
        line, _, self._rest = self._rest.partition(b"\n")
        start, end = map(int, line.split())
        return start, end

    def __enter__(self) -> Turns:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.write(self._go, b"x" * 4096)  # whatever steps are left
        try:
            self._process.wait(timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._ended)
        os.close(self._go)
        self._output.close()
        self._folder.cleanup()


def in_turns(
    commands: Mapping[str, tuple[Sequence[str], Mapping[str, str]]], steps: int, rng: random.Random
) -> tuple[float, dict[str, list[float]]]:
    """Seconds to the first step of the first of them, which starts alone; and those of each step after it, by arm."""
    with ExitStack() as stack:
        order = list(commands)
        running = {arm: stack.enter_context(Turns(*commands[arm])) for arm in order}
        first = running[order[0]].first_step
        taken: dict[str, list[float]] = {arm: [] for arm in running}
        for _ in range(steps):
            rng.shuffle(order)
            for arm in order:
                taken[arm].append(running[arm].step())
        return first, taken


def neighbours(before: Sequence[float], after: Sequence[float]) -> float:
    """How long a step takes in the one over the other, by the median of steps next to each other."""
    settled = len(before) // 10  # the first are not steady yet
    return statistics.median(b / a for a, b in list(zip(before, after, strict=True))[settled:])


def together(ratios: Sequence[float]) -> str:
    """The mean of the rounds' ratios with its 95 % interval: Student's, on the logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    middle = statistics.fmean(logs)
    if len(logs) < 2:
        return f"{math.exp(middle):.3f}× (too few runs for an interval)"
    factor = _T95[min(len(logs) - 1, len(_T95)) - 1]
    half = factor * statistics.stdev(logs) / math.sqrt(len(logs))
    low, high = math.exp(middle - half), math.exp(middle + half)
    return f"{math.exp(middle):.3f}× ({low:.3f}–{high:.3f})"
