"""A weight's initial values take long to compute.

## What it does
Finds variables whose initialiser needs far longer than filling memory of that size with random numbers
does. The usual one is `orthogonal`, the default for the recurrent kernel of LSTM and GRU layers, on a wide
layer; initialisers written in Python or NumPy are found too.

## Why it costs
`orthogonal` factorises the whole matrix (QR), which grows with the cube of its width: a kernel four times
as wide takes up to 64 times as long. All of it happens before the first step, on one core.

## Use instead
A cheap initialiser (`glorot_uniform`) for that kernel, or weights from a file. With a cheap one the first
steps differ, so look at the loss once.

## Fix safety
No automatic fix: other initial values give other results.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record.nouns import Span
from ..draft import Draft
from ..evidence.initializing import by_home, bytes_of, expected_seconds, of_model, own_seconds
from ..evidence.words import secs, size
from ..rule import Rule
from ..static.source import Problem, Source

_WIDE = 1536
"""From here on the factorisation takes seconds (2.5 s at 1,536 units on the machine that was measured)."""
_RECURRENT = ("keras.layers.LSTM", "keras.layers.GRU", "keras.layers.LSTMCell", "keras.layers.GRUCell")


_CHEAP = frozenset(
    [
        *("Zeros", "Ones", "Constant", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling"),
        *("GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal", "LecunUniform", "LecunNormal"),
        *("zeros", "ones", "none", "value", "int", "float"),
    ]
)
"""Initialisers that do little more than fill memory: a large weight or a busy machine makes them slow, not they."""


def detect(run: Analysis) -> Iterable[Draft]:
    """One finding for one initialiser: it is chosen once, however many layers it fills."""
    by_name: dict[str, list[Span]] = defaultdict(list)
    for span in of_model(run):
        if span.name not in _CHEAP:
            by_name[span.name].append(span)
    for name, spans in by_name.items():
        lines = by_home(spans)
        spent, cheap = own_seconds(run, spans), expected_seconds(spans)
        lost = spent - cheap
        if not lines or lost < 0.5 or spent < 3 * cheap:
            continue
        file, line = max(lines, key=lambda where: own_seconds(run, lines[where]))
        worst = max(lines[file, line], key=lambda span: span.seconds)
        count = bytes_of(spans)
        yield Draft(
            title=f"{name} took {secs(spent)} to initialise {size(count)} of weights",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if lost >= 1 else "low",
            advice=_advice(name),
            claims=tuple((span.start_ns, span.end_ns) for span in spans),
            details={"initializer": name, "bytes": count, "shape": worst.attrs.get("shape")},
        )


def _advice(name: str) -> str:
    if "rthogonal" in name:
        return 'Choose a cheap one: recurrent_initializer="glorot_uniform" (orthogonal factorises all of it).'
    return "Choose a cheap initialiser (glorot_uniform, a constant), or compute the values for all weights at once."


def check(source: Source) -> Iterable[Problem]:
    for call in source.calls:
        name = source.called(call) or ""
        given = {keyword.arg for keyword in call.keywords}
        if name not in _RECURRENT or None in given or "recurrent_initializer" in given:
            continue
        units: ast.expr | None = call.args[0] if call.args else None
        units = next((k.value for k in call.keywords if k.arg == "units"), units)
        width = source.integer(units) if units is not None else None
        if width is not None and width >= _WIDE:
            yield source.problem(
                call,
                f"{name.rsplit('.', 1)[-1]}({width}) starts with an orthogonal kernel, which takes seconds",
            )


BAD = """\
import keras

inputs = keras.Input((4, 32))
hidden = keras.layers.LSTM(1600)(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
print(model.count_params())
"""

GOOD = """\
import keras

inputs = keras.Input((4, 32))
hidden = keras.layers.LSTM(1600, recurrent_initializer="glorot_uniform")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
print(model.count_params())
"""

RULE = Rule(
    code="HS201",
    slug="costly-initializer",
    doc=__doc__,
    symptoms=("building an LSTM takes seconds", "orthogonal initializer slow", "model creation hangs"),
    threshold=(
        "0.5 s more at one line than random numbers of the same size need, three times their time: what a "
        "cheap initialiser would not save is not counted, so a large but cheaply filled weight is silent. Below "
        "1 s the confidence is low: a busy machine takes as long over an initialiser that is well written."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
