"""The same tf.function is created again and again.

## What it does
Finds code that makes a new `tf.function` object each time it runs: a decorated function inside a function
that is called in a loop, `tf.function(...)` or a lambda in a loop, a compiled method of a new object each
time.

## Why it costs
A `tf.function` keeps its traces in the object. A new object starts with none, so that its first call traces
and optimises everything again, however often the same code was compiled before.

## Use instead
Make it once, at module level or in `__init__`, and pass what changes as tensors or through variables.

## Fix safety
No automatic fix: what the inner function closes over must become an argument.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...analyse.retraces import NEW_FUNCTION
from ...record import signals as s
from ..draft import Draft
from ..evidence.spans import Inside
from ..evidence.tracing import WORTH_SECONDS, Group, groups, intervals, over_known_variables, seconds
from ..evidence.words import secs
from ..rule import Rule
from ..static.functions import decorator, is_tf_function
from ..static.loops import called_in_loop
from ..static.source import FunctionNode, Problem, Source

_OBJECTS = 4
_CALLS_EACH = 12
"""An object that is called more often than this has earned its trace, unless it was made anew for nothing."""


def detect(run: Analysis) -> Iterable[Draft]:
    made = _made_by_user(run)
    for group in groups(run):
        again = group.again(NEW_FUNCTION)
        sites = Counter(made[fn] for t in again if (fn := t.trace.attrs.get("fn")) in made)
        if len(again) + 1 < _OBJECTS or seconds(again) < WORTH_SECONDS or not sites:
            continue
        each = group.calls / max(1, group.objects)
        if each > _CALLS_EACH and not _made_in_vain(group):
            continue
        (file, line), count = sites.most_common(1)[0]
        lost = seconds(again)
        yield Draft(
            title=f"{group.name}() became a new tf.function {count + 1} times, and each was traced anew: "
            f"{secs(lost)}",
            file=file,
            line=line,
            seconds=lost,
            confidence="high" if each <= 3 else "medium",
            advice=_advice(group),
            claims=intervals(again),
            details={"objects": group.objects, "calls": group.calls, "function": group.name},
        )


def _made_in_vain(group: Group) -> bool:
    """The first would have served, being over the same variables; and tracing took longer than calling."""
    again = group.again(NEW_FUNCTION)
    calling = group.calls * group.ordinary_ns / 1e9
    return seconds(again) >= max(1.0, calling) and over_known_variables(group)


def _made_by_user(run: Analysis) -> dict[int, tuple[str, int]]:
    """tf.function objects that the user's own code made, with the line; not those that Keras makes for a fit."""
    by_library = Inside(run.spans(s.FIT, s.LOAD, s.COMPILE, s.MODEL_BUILD, s.SAVE))
    found: dict[int, tuple[str, int]] = {}
    for mark in run.marks(s.FUNCTION_CREATED):
        site = mark.attrs.get("site")
        if site and by_library.at(mark.at_ns) is None:
            found[mark.attrs["fn"]] = (site[0], site[1])
    return found


def _advice(group: Group) -> str:
    name = "it" if "lambda" in group.name else group.name
    return f"Make {name} a tf.function once, in the module or __init__; pass what changes as tensors or variables."


def check(source: Source) -> Iterable[Problem]:
    for nodes in source.functions.values():
        for node in nodes:
            mark = decorator(source, node)
            if mark is None:
                continue
            if source.loops(node):
                yield source.problem(
                    mark, f"{node.name}() becomes a new tf.function in every turn of the loop"
                )
            elif _in_repeated_function(source, node):
                outer = source.function(node)
                assert outer is not None
                yield source.problem(
                    mark,
                    f"every call of {outer.name}(), which a loop calls, makes a new tf.function {node.name}()",
                )
    for call in source.calls:
        if is_tf_function(source, call) and call.args and source.loops(call) and not _kept(source, call):
            yield source.problem(call, "makes a new tf.function in every turn of the loop")


def _in_repeated_function(source: Source, node: FunctionNode) -> bool:
    """Defined in a function that a loop calls, and used up there: a factory that returns it is fine."""
    outer = source.function(node)
    if outer is None or outer.decorator_list or outer.name == "__init__":
        return False
    kept = any(
        isinstance(part, (ast.Return, ast.Yield, ast.Assign, ast.Dict, ast.List, ast.Tuple))
        and any(
            isinstance(n, ast.Name) and n.id == node.name and not _is_callee(source, n)
            for n in ast.walk(part)
        )
        for part in ast.walk(outer)
    )
    return not kept and called_in_loop(source, outer.name)


def _is_callee(source: Source, name: ast.Name) -> bool:
    above = source.parents.get(name)
    return isinstance(above, ast.Call) and above.func is name


def _kept(source: Source, call: ast.Call) -> bool:
    """`functions[key] = tf.function(f)` and lists of functions: made in a loop once each, on purpose."""
    for above in source.ancestors(call):
        if isinstance(above, (ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)):
            return True
        if isinstance(above, ast.Assign):
            return not all(isinstance(target, ast.Name) for target in above.targets)
        if isinstance(above, ast.Call) and call in above.args and isinstance(above.func, ast.Attribute):
            return above.func.attr in ("append", "add", "setdefault")
        if isinstance(above, ast.stmt):
            return False
    return False


BAD = """\
import tensorflow as tf


def solve(rate):
    x = tf.Variable(tf.ones((32, 32)))

    @tf.function
    def descend():
        for _ in range(20):
            x.assign_sub(rate * tf.matmul(x, x) / 32.0)
        return tf.reduce_sum(x)

    return float(descend())


print(min(solve(0.01 * i) for i in range(40)))
for i in range(40):
    solve(0.01 * i)
"""

GOOD = """\
import tensorflow as tf

x = tf.Variable(tf.ones((32, 32)))


@tf.function
def descend(rate):
    for _ in range(20):
        x.assign_sub(rate * tf.matmul(x, x) / 32.0)
    return tf.reduce_sum(x)


def solve(rate):
    x.assign(tf.ones((32, 32)))
    return float(descend(tf.constant(rate)))


print(min(solve(0.01 * i) for i in range(40)))
for i in range(40):
    solve(0.01 * i)
"""

RULE = Rule(
    code="HS305",
    slug="function-recreated",
    doc=__doc__,
    symptoms=(
        "creating @tf.function repeatedly in a loop",
        "tf.function inside a method is slow at every call",
        "lambda in tf.function retraces",
    ),
    threshold=(
        "4 objects of the same code that were traced, 0.5 s in the traces after the first, and few calls "
        "of each object, or more time in traces than in calls although all are over the same variables: a step "
        "function per model of a cross validation is called often enough to earn its trace."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
    check=check,
)
