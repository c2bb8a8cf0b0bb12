"""What profiling costs: `headstart profile` beside plain python and beside other profilers."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ._measure import HEADSTART, PROGRAMS, PYTHON, Timing, interleaved, ratio_text, timed

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
RESNET = str(PROGRAMS / "resnet50_fit.py")
IMPORT = str(PROGRAMS / "import_tensorflow.py")


def main() -> str:
    return "\n".join(
        ["## What the ledger costs", "", *_own_cost(), "", *_beside_others(), "", *_command_start()]
    )


def _own_cost() -> list[str]:
    lines = ["| program | time to first step | whole run | steady step |", "|---|---|---|---|"]
    for label, program, rounds in (
        ("`import tensorflow`", IMPORT, 2 * ROUNDS),
        ("ResNet50 `fit`", RESNET, ROUNDS),
    ):
        arms: dict[str, Callable[[], Timing]] = {
            "python": lambda p=program: timed([PYTHON, p]),  # type: ignore[misc]
            "profile": lambda p=program: timed([HEADSTART, "profile", "--quiet", p]),  # type: ignore[misc]
        }
        found = interleaved(arms, rounds)
        lines.append(
            f"| {label} | {_ratio(found, 'first_step')} | {_ratio(found, 'wall')} | {_ratio(found, 'steady')} |"
        )
    return [*lines, "", "`headstart profile --quiet` over plain `python`; 1.000× is no cost."]


def _ratio(found: dict[str, list[Timing]], field: str) -> str:
    before = [value for run in found["python"] if (value := getattr(run, field)) is not None]
    after = [value for run in found["profile"] if (value := getattr(run, field)) is not None]
    return ratio_text(before, after) if before and after else "–"


def _beside_others() -> list[str]:
    """Every tool on the same program in the same rounds; what each can name of the time to first step."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        commands = {
            "python": [PYTHON, RESNET],
            "headstart profile": [
                HEADSTART,
                "profile",
                "--quiet",
                "--force",
                "--json",
                str(out / "h.json"),
                RESNET,
            ],
            "cProfile": [PYTHON, "-m", "cProfile", "-o", str(out / "c.prof"), RESNET],
            "pyinstrument": [PYTHON, "-m", "pyinstrument", "-r", "json", "-o", str(out / "p.json"), RESNET],
            "scalene": [PYTHON, "-m", "scalene", "--cpu", "--json", "--outfile", str(out / "s.json"), RESNET],
            "viztracer": [PYTHON, "-m", "viztracer", "--quiet", "-o", str(out / "v.json"), RESNET],
        }
        arms: dict[str, Callable[[], Timing]] = {}
        missing = []
        for name, command in commands.items():
            if len(command) > 2 and command[1] == "-m" and not _installed(command[2]):
                missing.append(name)
                continue
            arms[name] = lambda c=command: timed(c)  # type: ignore[misc]
        found = interleaved(arms, max(2, ROUNDS // 2))
        named = {
            "headstart profile": _named_by_headstart(out / "h.json"),
            "cProfile": _named_by_cprofile(out / "c.prof"),
        }
    lines = [
        "| tool | time to first step | steady step | named of the time to first step |",
        "|---|---|---|---|",
    ]
    plain = found["python"]
    for name, runs in found.items():
        first = statistics.median([r.first_step or 0 for r in runs]) / statistics.median(
            [r.first_step or 0 for r in plain]
        )
        step = statistics.median([r.steady or 0 for r in runs]) / statistics.median(
            [r.steady or 0 for r in plain]
        )
        lines.append(f"| {name} | {first:.2f}× | {step:.2f}× | {named.get(name, '–')} |")
    lines += [
        "",
        '"Named" is the share of the time to first step that the tool\'s output lets one give to a cause',
    ]
    lines += [
        "(importing, building, tracing, optimising the graph …) without knowing TensorFlow's internals by heart."
    ]
    lines += ["pyinstrument, scalene and viztracer show call stacks, lines and events and name no phase."]
    if missing:
        lines.append("Not installed, so not measured: " + ", ".join(missing) + ".")
    return lines


def _installed(module: str) -> bool:
    probe = subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True)
    return probe.returncode == 0


def _named_by_headstart(path: Path) -> str:
    report = json.loads(path.read_text())
    total = report["time_to_first_step"]
    vague = sum(
        p["before_first_step_seconds"] for p in report["phases"] if p["id"] in ("unattributed", "first-step")
    )
    return f"{100 * (1 - vague / total):.0f} %"


def _named_by_cprofile(path: Path) -> str:
    """cProfile gives functions; importing and tracing can be read off two of them, optimisation cannot."""
    import pstats

    stats = pstats.Stats(str(path)).stats  # type: ignore[attr-defined]
    total = sum(entry[2] for entry in stats.values())
    wanted = ("_find_and_load", "_create_concrete_function")
    named = 0.0
    for wanted_name in wanted:
        named += max((entry[3] for key, entry in stats.items() if key[2] == wanted_name), default=0.0)
    return f"{100 * min(1.0, named / total):.0f} %"


def _command_start() -> list[str]:
    """`headstart --version` over bare `python -c pass`."""

    def once(command: list[str]) -> float:
        start = time.monotonic_ns()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return (time.monotonic_ns() - start) / 1e6

    bare, own = [], []
    for _ in range(20):
        bare.append(once([PYTHON, "-c", "pass"]))
        own.append(once([HEADSTART, "--version"]))
    extra = statistics.median(own) - statistics.median(bare)
    return [
        f"`headstart --version` takes {extra:.0f} ms more than `python -c pass` ({statistics.median(bare):.0f} ms)."
    ]
