"""What the source says about `tf.function`: which functions are compiled, and where they are called."""

from __future__ import annotations

import ast
from functools import lru_cache

from .source import FunctionNode, Source

_FUNCTION = "tensorflow.function"


def is_tf_function(source: Source, node: ast.AST) -> bool:
    """`tf.function`, `tf.function(...)` or `partial(tf.function, ...)` as a decorator or a callee."""
    if isinstance(node, ast.Call):
        if source.dotted(node.func) == "functools.partial":
            return bool(node.args) and is_tf_function(source, node.args[0])
        return source.dotted(node.func) == _FUNCTION
    return source.dotted(node) == _FUNCTION


def decorator(source: Source, function: FunctionNode) -> ast.expr | None:
    """The function's `@tf.function`, if it has one."""
    for node in function.decorator_list:
        if is_tf_function(source, node):
            return node
    return None


def has_signature(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and any(k.arg == "input_signature" for k in node.keywords)


@lru_cache(maxsize=64)
def wrapped(source: Source) -> frozenset[str]:
    """Names that are handed to somebody else: to `tf.function(f)`, to a strategy, to `map`, to anything."""
    found = set()
    for call in source.calls:
        for value in [*call.args, *(k.value for k in call.keywords)]:
            if isinstance(value, ast.Name):
                found.add(value.id)
            elif isinstance(value, ast.Attribute):
                found.add(value.attr)
    return frozenset(found)


@lru_cache(maxsize=64)
def compiled(source: Source) -> dict[str, FunctionNode | ast.Call]:
    """Names that stand for a tf.function: decorated functions and `g = tf.function(f)`."""
    found: dict[str, FunctionNode | ast.Call] = {}
    for name, nodes in source.functions.items():
        for node in nodes:
            if decorator(source, node) is not None:
                found[name] = node
    for part in source.nodes:
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and len(part.targets) == 1:
            value = part.value
            if source.dotted(value.func) == _FUNCTION and value.args:
                target = part.targets[0]
                if isinstance(target, ast.Name):
                    found[target.id] = value
                elif isinstance(target, ast.Attribute):
                    found[target.attr] = value
    return found


def callee(call: ast.Call) -> str | None:
    """The last part of what is called: `f(…)`, `self.f(…)` and `obj.f(…)` are all "f"."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return None


def traced(source: Source, node: ast.AST) -> bool:
    """The node runs while a graph is traced: in a tf.function, a Keras `call`, or a function that one calls."""
    function = source.function(node)
    seen: set[str] = set()
    while function is not None:
        if decorator(source, function) is not None:
            return True
        if function.name in (
            "call",
            "train_step",
            "test_step",
            "predict_step",
            "body",
        ) or function.name in wrapped(source):
            return True
        if _called_from_traced(source, function.name, seen):
            return True
        function = source.function(function)
    return False


def _called_from_traced(source: Source, name: str, seen: set[str]) -> bool:
    if name in seen:
        return False
    seen.add(name)
    for call in source.calls_by_name.get(name, []):
        around = source.function(call)
        if around is None or around.name == name:
            continue
        if decorator(source, around) is not None or around.name in ("call", "train_step", "test_step"):
            return True
        if _called_from_traced(source, around.name, seen):
            return True
    return False
