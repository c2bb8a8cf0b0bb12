"""What the page's pictures need, packed: columns instead of objects, differences instead of times, deflated.

The browser unpacks it with its own DecompressionStream. An ordinary run takes some tens of kilobytes.
"""

from __future__ import annotations

import base64
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import msgspec

from ..analyse.report import PHASES, Event, Report
from ..record import signals as s
from ..record.nouns import Run
from . import flame
from .events import Process, processes
from .json import sound
from .words import phase_label

# Which phase's colour a span has.
COLOURS: dict[str, str] = {
    s.IMPORT: "imports",
    s.NATIVE: "native-libraries",
    s.EXTERNAL: "external-wait",
    s.SLEEP: "external-wait",
    s.SHUTDOWN: "shutdown",
    s.DEVICE_INIT: "device-init",
    s.TRACE: "tracing",
    s.AUTOGRAPH: "tracing",
    s.GRADIENT: "tracing",
    "line": "optimizer-setup",
    s.EXECUTE: "graph-optimization",
    "graph-optimization": "graph-optimization",
    "xla-compile": "xla-compile",
    s.CALL: "eager-ops",
    s.SESSION_RUN: "steady-steps",
    s.LITE_RUN: "steady-steps",
    s.LITE_SETUP: "model-build",
    s.BATCH: "steady-steps",
    "step": "steady-steps",
    s.MODEL_CALL: "steady-steps",
    s.TAPE_GRADIENT: "steady-steps",
    s.APPLY_GRADIENTS: "steady-steps",
    s.MODEL_BUILD: "model-build",
    s.COMPILE: "model-build",
    s.GRAPH_BUILD: "model-build",
    s.VARIABLE_INIT: "variable-init",
    s.LOAD: "weight-loading",
    s.SAVE: "weight-loading",
    s.OPTIMIZER_BUILD: "optimizer-setup",
    s.DATASET: "data-warmup",
    s.ITERATOR: "data-warmup",
    s.NEXT: "data-wait",
    s.ITERATOR_END: "data-wait",
    s.CONVERT: "data-wait",
    s.FIT: "first-step",
    s.EPOCH: "evaluation",
    s.FIT_SETUP: "device-init",
}


class _Table:
    """Numbers for values, in order of first use."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any, key: Any = None) -> int:
        found = self._numbers.setdefault(value if key is None else key, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


def pack(report: Report, runs: Sequence[Run]) -> str:
    """Base64 of deflated JSON: safe inside any HTML element."""
    names, details = _Table(), _Table()
    details.number({}, "{}")
    shown = processes(runs)
    content = {
        "wall": report.wall_seconds,
        "first": report.time_to_first_step,
        "colours": list(PHASES),
        "processes": [
            {
                "title": process.title,
                "lanes": [
                    {
                        "title": lane.title,
                        "kind": lane.kind,
                        **_columns(lane.events, lane.kind == "phases", names, details),
                    }
                    for lane in process.lanes
                ],
            }
            for process in shown
        ],
        "flames": {
            "imports": _packages(
                _columns(flame.as_events(flame.imports(runs)), False, names, details), names
            ),
            "traces": _columns(flame.as_events(flame.traces(report)), False, names, details),
        },
        "steps": _steps(report, shown),
        "memory": [[round(at, 3), value] for at, value in report.memory.series],
    }
    content["names"] = names.values
    content["details"] = details.values
    try:
        data = msgspec.json.encode(content)
    except UnicodeEncodeError:
        data = msgspec.json.encode(sound(content))
    return base64.b64encode(zlib.compress(data, 6)).decode()


def _columns(events: Sequence[Event], phases: bool, names: _Table, details: _Table) -> dict[str, Any]:
    """Start differences and lengths in microseconds, depth, and numbers of name, kind, colour and detail."""
    numbers = {phase: number for number, phase in enumerate(PHASES)}
    other = numbers["user-code"]
    starts, lengths, depths, labels, kinds, colours, notes = [], [], [], [], [], [], []
    last = 0
    for event in events:
        start = round(event.start * 1e6)
        starts.append(start - last)
        last = start
        lengths.append(max(0, round((event.start + event.seconds) * 1e6) - start))
        depths.append(event.depth)
        labels.append(names.number(phase_label(event.name) if phases else event.name))
        kinds.append(names.number(event.kind))
        colour = event.phase if phases else COLOURS.get(event.kind)
        colours.append(numbers.get(colour or "", other))
        notes.append(details.number(event.detail, repr(event.detail)) if event.detail else 0)
    return {"s": starts, "d": lengths, "l": depths, "n": labels, "k": kinds, "c": colours, "x": notes}


PACKAGE_COLOURS = (
    "imports",
    "data-warmup",
    "model-build",
    "user-code",
    "tracing",
    "first-step",
    "external-wait",
    "optimizer-setup",
    "interpreter",
    "eager-ops",
)


def _packages(columns: dict[str, Any], names: _Table) -> dict[str, Any]:
    """In a flame graph of imports all is importing: colour tells the packages apart instead, the largest first."""
    time: dict[str, int] = {}
    tops = [names.values[number].partition(".")[0] for number in columns["n"]]
    for top, length in zip(tops, columns["d"], strict=True):
        time[top] = time.get(top, 0) + length
    order = sorted(time, key=lambda top: -time[top])
    numbers = {
        top: PHASES.index(PACKAGE_COLOURS[place % len(PACKAGE_COLOURS)]) for place, top in enumerate(order)
    }
    native = names.number(s.NATIVE)
    dark = PHASES.index("native-libraries")
    kinds = columns["k"]
    return {
        **columns,
        "c": [dark if kind == native else numbers[top] for top, kind in zip(tops, kinds, strict=True)],
    }


def _steps(report: Report, shown: Sequence[Process]) -> dict[str, Any]:
    steps = report.steps
    count = len(steps.durations)
    return {
        "durations": [float(f"{value:.5g}") for value in steps.durations],
        "stride": -(-steps.count // count) if count else 1,
        "count": steps.count,
        "warmup": steps.warmup_steps,
        "median": steps.steady_median_seconds,
        "ci": steps.steady_ci95,
        "slope": steps.trend.slope_seconds_per_step if steps.trend else None,
        "growing": bool(steps.trend and steps.trend.growing),
        "epochs": _epoch_starts(shown),
    }


def _epoch_starts(shown: Sequence[Process]) -> list[int]:
    """The number of the step with which each epoch begins."""
    if not shown:
        return []
    steps = [e.start for lane in shown[0].lanes if lane.kind == "steps" for e in lane.events]
    epochs = [
        e.start for lane in shown[0].lanes if lane.kind == "thread" for e in lane.events if e.kind == s.EPOCH
    ]
    return sorted({bisect_left(steps, start) for start in epochs})
