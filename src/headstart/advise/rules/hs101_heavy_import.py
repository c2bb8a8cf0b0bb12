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
from ..evidence.imports import (
    Imported,
    came_to_its_end,
    needs_tensorflow,
    ran,
    tensorflow_worked,
    user_imports,
    without_shared,
)
from ..evidence.places import source_of
from ..evidence.words import secs
from ..rule import Rule
from ..static.reach import always_used, imported_at, use_of
from ..static.source import Problem, Source, canonical, is_tensorflow

_WORTH_SECONDS = 0.5
# What TensorFlow alone does, and too quickly for anything to have seen it.
_ONLY_THERE = (
    "tensorflow.io.TFRecord",
    "tensorflow.lite.",
    "tensorflow.load_",
    "tensorflow.sysconfig.",
    "tensorflow.test.",
    "tensorflow.train.",
)
# Imported for what importing them does (registering operations, styles, readers), not for their names.
_FOR_EFFECT = ("tensorflow_", "keras_", "readline", "antigravity", "seaborn", "IPython")


def detect(run: Analysis) -> Iterable[Draft]:
    imports = [i for i in user_imports(run) if i.seconds >= _WORTH_SECONDS]
    if not imports:
        return
    worked = tensorflow_worked(run)
    if not worked:
        yield from _tensorflow_for_nothing(run, [i for i in imports if needs_tensorflow(i.package)])
    used = {i.package for i in user_imports(run) if i.seconds < _WORTH_SECONDS} | {"numpy"}
    if worked:
        used |= {"tensorflow", "keras"}
    for imported in imports:
        if not needs_tensorflow(imported.package) and not imported.package.startswith(_FOR_EFFECT):
            yield from _other(run, imported, used)


def _tensorflow_for_nothing(run: Analysis, imports: list[Imported]) -> Iterable[Draft]:
    lost = sum(without_shared(run, i, {"numpy"}) for i in imports)
    if lost < _WORTH_SECONDS:
        return
    worst = max(imports, key=lambda i: i.seconds)
    source = source_of(worst.file)
    if source is not None and any(n.startswith(_ONLY_THERE) for n in always_used(source, worst.line)):
        return
    unused = source is not None and use_of(source, worst.line)[0] == "never"
    if not (unused or came_to_its_end(run)):
        return
    sure = unused or (source is not None and bool(list(check(source))))
    names = ", ".join(sorted(imported_at(source, worst.line))) if source is not None else worst.package
    yield Draft(
        title=f"importing {worst.package} took {secs(lost)}, and the program computed nothing with it",
        file=worst.file,
        line=worst.line,
        seconds=lost,
        confidence="high" if sure else "medium",
        advice=f"Do small helpers ({names}) with NumPy, or import it inside the function that needs it.",
        claims=tuple(interval for i in imports for interval in i.claims),
        details={"package": worst.package},
    )


def _other(run: Analysis, imported: Imported, used: set[str]) -> Iterable[Draft]:
    source = source_of(imported.file)
    if source is None or ran(run, imported.package):
        return
    use, names = use_of(source, imported.line)
    lost = without_shared(run, imported, used - {imported.package})
    if use == "always" or lost < _WORTH_SECONDS or not (use == "never" or came_to_its_end(run)):
        return
    why = "is not used at all" if use == "never" else "was not used in this run"
    yield Draft(
        title=f"importing {imported.package} took {secs(lost)}, and it {why}",
        file=imported.file,
        line=imported.line,
        seconds=lost,
        confidence="high" if use == "never" else "medium",
        advice=f"Remove the import of {', '.join(sorted(names))}."
        if use == "never"
        else f"Import {', '.join(sorted(names))} inside the function that needs it.",
        claims=imported.claims,
        details={"package": imported.package},
    )


# Helpers that work on plain NumPy values and need nothing of the library around them.
_HELPERS = frozenset(
    [
        "keras.utils.to_categorical",
        "keras.utils.normalize",
        "keras.utils.set_random_seed",
        "keras.utils.pad_sequences",
        "keras.preprocessing.sequence.pad_sequences",
        "keras.utils.Progbar",
        "keras.utils.get_file",
    ]
)


def check(source: Source) -> Iterable[Problem]:
    """Every use of TensorFlow or Keras in the file is a helper that NumPy does as well."""
    bound = {name for name, target in source.imported.items() if is_tensorflow(target)}
    statements = [
        node
        for node in source.nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and bound & {alias.asname or alias.name.split(".")[0] for alias in node.names}
    ]
    if not statements or not bound:
        return
    used: set[str] = set()
    for node in source.nodes:
        if isinstance(node, ast.Name) and node.id in bound:
            used.add(source.dotted(source.whole_name(node)) or canonical(source.imported[node.id]))
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
        "0.5 s of importing that nothing used. Below that, moving an import saves less than a person "
        "notices; a library of which anything ran is never reported, nor one that a program that failed "
        "might still have used."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
