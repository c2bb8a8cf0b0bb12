"""`python -m`: the library's own `runpy._run_module_as_main`, made an excepthook (see `stage.py`).

Plain `python -m` has a frame of `runpy` at the bottom of its stack, shown in every traceback, so ours must be
that frame: the library's function is compiled from its own source, at its own lines and under its own file
name, with one `try` around its body that keeps the exception which ends it.
"""

from __future__ import annotations

import _ast
import functools
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

_NAME = "_run_module_as_main"
_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST, without importing `ast`
_GUARD = """
try:
    _begin()
except BaseException as _error:
    _failed(_error)
finally:
    _end()
"""
_OWN = ("_type", "_value", "_traceback")
_GIVEN = ("_begin", "_failed", "_end")


def hook(
    name: str,
    alter_argv: bool,
    begin: Callable[[], None],
    failed: Callable[[BaseException], None],
    end: Callable[[], None],
) -> Any:
    """An excepthook that runs the module as `__main__`: first `begin`, then, if an exception ended it,
    `failed`, then `end`."""
    import runpy

    function: Any = type(hook)
    return function(guarded_code(runpy), runpy.__dict__, _NAME, (name, alter_argv, begin, failed, end))


@functools.lru_cache(maxsize=1)
def guarded_code(runpy: Any) -> CodeType:
    """The code of the library's function with its body in a `try`; every line stays where it was."""
    original: CodeType = getattr(runpy, _NAME).__code__
    with open(os.path.join(os.path.dirname(os.__file__), "runpy.py"), "rb") as handle:
        tree: Any = compile(handle.read(), original.co_filename, "exec", _ONLY_AST, True)
    for node in tree.body:
        if isinstance(node, _ast.FunctionDef) and node.name == _NAME:
            break
    else:
        raise LookupError(f"no {_NAME} in this Python's runpy")
    if node.lineno != original.co_firstlineno:
        raise LookupError("the source of runpy is not that of the running one")
    guard: Any = compile(_GUARD, original.co_filename, "exec", _ONLY_AST, True)
    attempt = guard.body[0]
    _place(attempt, node.body[-1].lineno)
    attempt.body += node.body
    node.body = [attempt]
    taken = node.args.args
    node.args.args = [*map(_argument, _OWN), *taken, *map(_argument, _GIVEN)]
    # The defaults are given when the function is made; their number is what counts here.
    node.args.defaults = node.args.defaults * (len(taken) + len(_GIVEN))
    tree.body = [node]
    module = compile(tree, original.co_filename, "exec", 0, True)
    code: CodeType = next(c for c in module.co_consts if getattr(c, "co_name", None) == _NAME)
    return code


def _argument(name: str) -> Any:
    return _ast.arg(arg=name, annotation=None, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


def _place(node: Any, line: int) -> None:
    """Put every node of the guard on one line of the function, so that no line number is out of it."""
    for field in getattr(node, "_fields", ()):
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, _ast.AST):
                _place(item, line)
    if hasattr(node, "lineno"):
        node.lineno = node.end_lineno = line


def show(error: BaseException) -> None:
    """What the interpreter does with an exception that nobody caught (`PyErr_Print`)."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        sys.stderr.write("sys.excepthook is missing\n")
        hook = sys.__excepthook__
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as second:
        sys.stderr.write("Error in sys.excepthook:\n")
        second.__context__ = None
        trace = second.__traceback__
        # What is shown is the exception's own: without the frame of this function.
        second.__traceback__ = trace.tb_next if trace else None
        sys.__excepthook__(type(second), second, second.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
