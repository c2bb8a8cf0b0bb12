"""`headstart profile` beside other profilers: what each costs, and how much of a start it can explain."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import _named
from ._measure import HEADSTART, PROGRAMS, PYTHON, Timing, interleaved, ratio_text, timed

ROUNDS = int(os.environ.get("BENCH_PEER_ROUNDS", "3"))
RESNET = str(PROGRAMS / "resnet50_fit.py")


class Tool(NamedTuple):
    name: str
    module: str
    command: tuple[str, ...]
    """Without the program; OUT stands for the file it writes."""
    named: Callable[[Path], float]


TOOLS = (
    Tool(
        "headstart profile",
        "headstart",
        (HEADSTART, "profile", "--quiet", "--force", "--json", "OUT"),
        _named.headstart,
    ),
    Tool("cProfile", "cProfile", (PYTHON, "-m", "cProfile", "-o", "OUT"), _named.cprofile),
    Tool(
        "pyinstrument",
        "pyinstrument",
        (PYTHON, "-m", "pyinstrument", "-r", "json", "-o", "OUT"),
        _named.pyinstrument,
    ),
    Tool(
        "scalene",
        "scalene",
        (PYTHON, "-m", "scalene", "run", "--cpu-only", "-o", "OUT"),
        _named.scalene,
    ),
    Tool(
        "viztracer",
        "viztracer",
        (PYTHON, "-m", "viztracer", "--quiet", "-o", "OUT"),
        _named.viztracer,
    ),
)


def main() -> str:
    tools = [tool for tool in TOOLS if _installed(tool.module)]
    with tempfile.TemporaryDirectory() as folder:
        arms: dict[str, Callable[[], Timing]] = {"python": lambda: timed([PYTHON, RESNET])}
        for tool in tools:
            arms[tool.name] = lambda t=tool: timed(_command(t, Path(folder)))  # type: ignore[misc]
        named = {tool.name: _share(tool, Path(folder)) for tool in tools}
        found = interleaved(arms, ROUNDS)
    lines = [
        "## Beside other profilers, on a ResNet50 `fit`",
        "",
        "| tool | time to first step | whole run | steady step | named of the time to first step |",
        "|---|---|---|---|---|",
    ]
    for tool in tools:
        ratios = [_ratio(found, tool.name, field) for field in ("first_step", "wall", "steady")]
        lines.append(f"| {tool.name} | {' | '.join(ratios)} | {named[tool.name]} |")
    lines += [
        "",
        "Times are over plain `python` in the same rounds. The whole run includes what the tool does at the",
        "end. *Named* is the share of the time to first step that the tool's output lets one give to one cause",
        "(imports, building, tracing, graph optimisation …), from one further run of a single step each: for",
        "tools that show stacks or functions, the time below a function that stands for a cause, for one that",
        "shows lines, the lines that do nothing else. The rest they show as a lump: a call of `fit`, an executed",
        "function.",
    ]
    missing = [tool.name for tool in TOOLS if tool not in tools]
    if missing:
        lines.append("Not installed, so not measured: " + ", ".join(missing) + ".")
    return "\n".join(lines)


def _command(tool: Tool, folder: Path) -> list[str]:
    out = str(folder / f"{tool.module}.json")
    return [*(out if word == "OUT" else word for word in tool.command), RESNET]


def _share(tool: Tool, folder: Path) -> str:
    run = timed(_command(tool, folder), env={"BENCH_STEPS": "1"})
    assert run.first_step is not None
    return f"{100 * min(1.0, tool.named(folder / f'{tool.module}.json') / run.first_step):.0f} %"


def _ratio(found: dict[str, list[Timing]], name: str, field: str) -> str:
    before = [getattr(run, field) for run in found["python"]]
    return ratio_text(before, [getattr(run, field) for run in found[name]])


def _installed(module: str) -> bool:
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0
