"""`python -m`: the library's own `runpy._run_module_as_main`, which holds on to the exception that ends it.

Plain `python -m` has a frame of `runpy` at the bottom of its stack, shown in every traceback, so ours must be
that frame: the library's function is compiled from its own source, at its own lines and under its own file
name, with one `try` around its body. The exception is kept for the caller, who reports it when the frames are
gone.
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
_GUARD = "try:\n    pass\nexcept BaseException as _error:\n    _keep(_error)"


def runner(name: str, alter_argv: bool, failure: list[BaseException]) -> Callable[[], object]:
    """A callable that runs the module as `__main__`, and puts the exception that ended it in `failure`."""
    import runpy

    function_type = type(runner)
    guarded = function_type(guarded_code(runpy), runpy.__dict__, _NAME, (True, failure.append))
    return functools.partial(guarded, name, alter_argv)


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
    attempt.body = node.body
    node.body = [attempt]
    node.args.args.append(_ast.arg(arg="_keep", annotation=None, lineno=node.lineno, col_offset=0))
    # Two defaults now: the second is our `_keep`, given when the function is made.
    node.args.defaults.append(node.args.defaults[0])
    tree.body = [node]
    module = compile(tree, original.co_filename, "exec", 0, True)
    return next(c for c in module.co_consts if getattr(c, "co_name", None) == _NAME)


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
        sys.__excepthook__(type(second), second, trace.tb_next if trace else None)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
