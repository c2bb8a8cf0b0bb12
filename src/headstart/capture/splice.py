"""Puts a probe into a library's function without putting a frame around it.

A wrapper would show up in the program's tracebacks and stacks, and would be missed by everyone who already
holds the function. So the function's own code is replaced in place: its source is compiled again with two
calls added,

    token = enter(arguments…)
    try:
        …the original body, at its original lines and columns…
    finally:
        leave(token)

and, where a probe wants the result, each `return x` becomes `return result(token, x)`. Frame, file, name and
line numbers stay the library's own. What cannot be recompiled (no source) is reported and left alone.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from .splice_cache import cache, source_key

Enter = Callable[..., Any]
Leave = Callable[[Any], None]
Result = Callable[[Any, Any], Any]

ENTER, LEAVE, RESULT = "\0headstart enter", "\0headstart leave", "\0headstart result"
"""Placeholders among a recompiled function's constants, for the hooks."""


class CannotSplice(Exception):
    """The function's source is not available or not what runs."""


def splice(
    function: Any,
    enter: Enter,
    leave: Leave,
    result: Result | None = None,
    arguments: tuple[str, ...] | None = None,
) -> Callable[[], None]:
    """Add the probe; returns a function that takes it out again.

    `enter` gets the values of the named parameters (all of them when `arguments` is None). The hooks must
    never raise: they run in other people's code.
    """
    target = innermost(function)
    original = target.__code__
    key = (
        *source_key(original.co_filename),
        original.co_firstlineno,
        original.co_name,
        arguments,
        result is None,
    )
    template = cache.get(key)
    if template is None:
        from .recompile import recompile

        template = recompile(target, original, result is not None, arguments)
        cache.put(key, template)
    if template.co_freevars != original.co_freevars:
        raise CannotSplice(f"{original.co_name} closes over other names than its source says")
    hooks: dict[str, Any] = {ENTER: enter, LEAVE: leave, RESULT: result}
    consts = tuple(hooks[c] if isinstance(c, str) and c in hooks else c for c in template.co_consts)
    code = template.replace(co_consts=consts)
    target.__code__ = code

    def restore() -> None:
        if target.__code__ is code:
            target.__code__ = original

    return restore


def innermost(function: Any) -> types.FunctionType:
    """The plain function under decorators, bound methods and static or class methods."""
    for _ in range(20):
        if isinstance(function, (staticmethod, classmethod, types.MethodType)):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if not isinstance(function, types.FunctionType):
        raise CannotSplice(f"{function!r} is not a Python function")
    return function
