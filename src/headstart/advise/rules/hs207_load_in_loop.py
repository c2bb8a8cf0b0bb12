"""The same model is loaded from disk again and again.

## What it does
Finds a line that loads the same file repeatedly: `load_model` inside the function that answers a request,
or inside the loop that predicts.

## Why it costs
Each load rebuilds the layers, initialises and then overwrites the weights, and throws away everything that
was compiled for the last copy, so that the first call after it is slow again.

## Use instead
Load once at start-up and keep it: in a module variable, or behind `functools.lru_cache` when it is loaded
on demand.

## Fix safety
No automatic fix: code that changes the loaded model relies on a fresh copy.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.spans import Inside, total_seconds, within
from ..evidence.tracing import groups
from ..evidence.words import file_name, secs, times
from ..rule import Rule
from ..static.loops import called_in_loop, varies
from ..static.source import Problem, Source

_LOADERS = ("keras.models.load_model", "keras.saving.load_model", "tensorflow.saved_model.load")


_LOADS = 3


def detect(run: Analysis) -> Iterable[Draft]:
    by_file: dict[tuple[str, int, str], list[Span]] = defaultdict(list)
    # A checkpoint's restore() reads by its read(): one load.
    for span in Inside(run.spans(s.LOAD)).spans:
        if span.site is not None and span.attrs.get("path"):
            by_file[(span.site[0], span.site[1], str(span.attrs["path"]))].append(span)
    for (file, line, path), loads in by_file.items():
        if len(loads) < _LOADS:
            continue
        again = loads[1:]
        lost = total_seconds(again)
        trained = [_trained(run, a.end_ns, b.start_ns) for a, b in pairwise(loads)]
        start_anew = sum(trained) > len(trained) / 2
        # A fresh copy has nothing compiled: what its first calls traced again goes with it.
        traced = [
            t
            for group in groups(run)
            if not group.of_user and not start_anew
            for t in group.traces
            if t.why is not None and t.trace.start_ns > again[0].start_ns
        ]
        lost += sum(t.lost_ns for t in traced) / 1e9
        if lost < 0.5:
            continue
        unchanged = [b for a, b in pairwise(loads) if not _written(run, path, a.end_ns, b.start_ns)]
        sure = len(unchanged) >= _LOADS - 1 and not start_anew
        yield Draft(
            title=f"{file_name(path)} was loaded {times(len(loads))}, {secs(lost / len(again))} each: {secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            # Written anew in between, as the best weights of each fold are, it had to be read again; trained in
            # between, as each fold from the same pretrained weights is, what was read is no longer there.
            confidence="low" if not sure else "high" if len(unchanged) >= 4 else "medium",
            advice="Load it once, at start-up, and keep it (a module variable, or a function with\n"
            "@functools.lru_cache that loads on first use).",
            claims=tuple((x.start_ns, x.end_ns) for x in again) + tuple(t.interval for t in traced),
            details={"path": path, "loads": len(loads), "what": loads[0].name},
        )


def _trained(run: Analysis, start_ns: int, end_ns: int) -> bool:
    return any(x.name in ("fit", "train_on_batch") for x in within(run.spans(s.FIT), start_ns, end_ns))


def _written(run: Analysis, path: str, start_ns: int, end_ns: int) -> bool:
    return any(x.attrs.get("path") == path for x in within(run.spans(s.SAVE), start_ns, end_ns))


def check(source: Source) -> Iterable[Problem]:
    for call in source.calls:
        if source.called(call) not in _LOADERS or not call.args:
            continue
        loops = source.loops(call)
        function = source.function(call)
        if loops and not varies(source, call.args[0], loops):
            yield source.problem(
                call, "loads the same file in every iteration: load it once, before the loop"
            )
        elif function is not None and not loops and _per_call(source, call, function):
            yield source.problem(
                call, f"loads the model in every call of {function.name}(), which is called in a loop"
            )


def _per_call(source: Source, call: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """The function is called in a loop, loads a path that is not its argument, and keeps nothing."""
    parameters = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)} - {"self"}
    if function.decorator_list or source.names(call.args[0]) & parameters:
        return False
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(function)):
        return False
    for above in source.ancestors(call):
        if isinstance(above, ast.If):
            return False  # loaded on first use
        if isinstance(above, ast.Assign) and not all(isinstance(t, ast.Name) for t in above.targets):
            return False  # kept in an attribute or a dictionary
    return called_in_loop(source, function.name)


BAD = """\
import os
import tempfile

import keras
import numpy as np

path = os.path.join(tempfile.mkdtemp(), "model.keras")
layers = [keras.layers.Dense(32, activation="relu") for _ in range(12)]
keras.Sequential([keras.Input((8,)), *layers, keras.layers.Dense(2)]).save(path)


def answer(request):
    model = keras.models.load_model(path)
    return np.asarray(model(request))


for i in range(30):
    answer(np.ones((1, 8), "float32"))
"""

GOOD = """\
import os
import tempfile

import keras
import numpy as np

path = os.path.join(tempfile.mkdtemp(), "model.keras")
layers = [keras.layers.Dense(32, activation="relu") for _ in range(12)]
keras.Sequential([keras.Input((8,)), *layers, keras.layers.Dense(2)]).save(path)
model = keras.models.load_model(path)


def answer(request):
    return np.asarray(model(request))


for i in range(30):
    answer(np.ones((1, 8), "float32"))
"""

RULE = Rule(
    code="HS207",
    slug="load-in-loop",
    doc=__doc__,
    symptoms=("every request takes as long as the first", "load_model called for each prediction"),
    threshold=(
        "The same file at one line 3 times or more, and 0.5 s in the loads after the first: a model that "
        "is saved and read back once, or a best checkpoint restored at the end, is usual. A file that was "
        "written anew before each load, or from which another training started each time, is told with low confidence."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
