"""A heavy library is imported and the program never needs it.

## What it does
Finds an import at a line of your code that takes long and whose library then does nothing: TensorFlow
imported for one NumPy helper, a plotting library that only a rarely used option needs.

## Why it costs
`import tensorflow` reads some 2,800 modules and loads half a gigabyte of native code: two to four seconds
before the first line of your program runs, every time, also for `--help` and for every worker process.

## Use instead
Write the helper in NumPy, or import the library inside the function that needs it, so that only runs that
get there pay for it.

## Fix safety
No automatic fix: moving an import changes when a missing library is noticed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule
from ..static.source import Problem, Source, canonical, is_tensorflow


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


# Helpers that work on plain NumPy values and need nothing of the library around them.
_HELPERS = frozenset(
    "keras.utils.to_categorical keras.utils.normalize keras.utils.set_random_seed keras.utils.pad_sequences "
    "keras.preprocessing.sequence.pad_sequences keras.utils.Progbar keras.utils.get_file".split()
)


def check(source: Source) -> Iterable[Problem]:
    """Every use of TensorFlow or Keras in the file is a helper that NumPy does as well."""
    bound = {name for name, target in source.imported.items() if is_tensorflow(target)}
    statements = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and bound & {alias.asname or alias.name.split(".")[0] for alias in node.names}
    ]
    if not statements or not bound:
        return
    used: set[str] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name) and node.id in bound:
            top: ast.expr = node
            while isinstance(above := source.parents.get(top), ast.Attribute):
                top = above
            used.add(source.dotted(top) or canonical(source.imported[node.id]))
        elif isinstance(node, ast.Constant) and node.value in bound:
            return  # listed in __all__: the file re-exports it
    if source.path.endswith("__init__.py") or not used or not used <= _HELPERS:
        return
    names = ", ".join(sorted(name.rsplit(".", 1)[-1] for name in used))
    yield source.problem(statements[0], f"imports TensorFlow only for {names}, which NumPy does as well")


BAD = """\
import numpy as np
from tensorflow.keras.utils import to_categorical

labels = np.array([0, 2, 1, 2])
print(to_categorical(labels, 3))
"""

GOOD = """\
import numpy as np

labels = np.array([0, 2, 1, 2])
print(np.eye(3)[labels])
"""

RULE = Rule(
    code="HS101",
    slug="heavy-import",
    doc=__doc__,
    symptoms=(
        "import tensorflow is slow",
        "script takes seconds before it prints anything",
        "--help is slow",
    ),
    threshold=(
        "0.5 s of importing that nothing used. Below that, moving an import saves less than a person notices; "
        "a library of which anything ran is never reported."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
