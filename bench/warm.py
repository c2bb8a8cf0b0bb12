"""What `headstart run` saves before the first line of work: warm and cold starts beside plain `python`."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Callable, Sequence

from ._measure import HEADSTART, Timing, interleaved, ratio_text, timed
from ._servers import PYTHON, headstart, server

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "10"))
OP = "import tensorflow as tf; tf.constant(1)"
IN_A_ROW, AT_ONCE = 200, 16


def main() -> str:
    with server() as env:
        return "\n".join(
            ["## What a warm start saves", "", *_starts(env), "", *_launcher(env), "", *_many(env)]
        )


def _walls(found: dict[str, list[Timing]], arm: str) -> list[float]:
    return [run.wall for run in found[arm]]


def _faster(before: Sequence[float], after: Sequence[float]) -> str:
    """How many times faster: the ratio the other way round from what a cost is."""
    return ratio_text(after, before)


def _starts(env: dict[str, str]) -> list[str]:
    arms: dict[str, Callable[[], Timing]] = {
        "python": lambda: timed([PYTHON, "-c", OP], env),
        "cold": lambda: timed([HEADSTART, "run", "--no-warm", "-c", OP], env),
        "warm": lambda: timed([HEADSTART, "run", "--only-warm", "-c", OP], env),
    }
    found = interleaved(arms, ROUNDS)
    plain = _walls(found, "python")
    lines = ["| start | median | faster than `python` | wanted |", "|---|---|---|---|"]
    for arm, label, wanted in (
        ("python", "`python`", "–"),
        ("cold", "`headstart run --no-warm`", "≥ 1.3×"),
        ("warm", "`headstart run`, warm", "≥ 20×"),
    ):
        walls = _walls(found, arm)
        times = "1" if arm == "python" else _faster(plain, walls)
        lines.append(f"| {label} | {statistics.median(walls):.3f} s | {times} | {wanted} |")
    return [*lines, "", f"`{OP}` as a whole program, from the shell to its exit status."]


def _launcher(env: dict[str, str]) -> list[str]:
    """The launcher alone: a program that does nothing."""
    arms: dict[str, Callable[[], Timing]] = {
        "python": lambda: timed([PYTHON, "-c", "pass"], env),
        "warm": lambda: timed([HEADSTART, "run", "--only-warm", "-c", "pass"], env),
        "cold": lambda: timed([HEADSTART, "run", "--no-warm", "-c", "pass"], env),
    }
    found = interleaved(arms, 3 * ROUNDS)
    bare = statistics.median(_walls(found, "python"))
    over = {arm: (statistics.median(_walls(found, arm)) - bare) * 1000 for arm in ("warm", "cold")}
    return [
        f"The launcher itself, over bare `python -c pass` ({bare * 1000:.0f} ms): "
        f"{over['warm']:.0f} ms warm, {over['cold']:.0f} ms cold (at most 40 ms wanted)."
    ]


def _many(env: dict[str, str]) -> list[str]:
    """No failure and no growth in many runs; `timed` fails loudly, so to get here is to have passed."""
    memory = _memory(env)
    for _ in range(IN_A_ROW):
        timed([HEADSTART, "run", "--only-warm", "-c", "pass"], env)
    command = [HEADSTART, "run", "--only-warm", "-c", OP]
    jobs = [subprocess.Popen(command, env={**os.environ, **env}) for _ in range(AT_ONCE)]
    failed = sum(job.wait() != 0 for job in jobs)
    grown = (_memory(env) - memory) / (1 << 20)
    if failed:
        raise SystemExit(f"{failed} of {AT_ONCE} concurrent runs failed")
    return [
        f"{IN_A_ROW} runs in a row and {AT_ONCE} at once, none failed; the server's own memory changed by "
        f"{grown:+.1f} MB of {memory / (1 << 20):.0f} MB."
    ]


def _memory(env: dict[str, str]) -> int:
    import json

    return int(json.loads(headstart(env, "warm", "status", "--json"))[0]["memory_bytes"])
