"""Frames of ours that lie between the program and its trace: TensorFlow shows the stack in its errors.

It leaves out what is in files of its own. So the code of ours that can be on the stack while a function is
traced or called says that it is in such a file; a program's errors then read as they do without us.
"""

from __future__ import annotations

import types
from typing import Any


def hide(holder: Any, file: str) -> None:
    """All functions in a module or class of ours."""
    for value in list(vars(holder).values()):
        if isinstance(value, types.FunctionType) and value.__module__ == _module_of(holder):
            hide_function(value, file)
        elif isinstance(value, property) and isinstance(value.fget, types.FunctionType):
            hide_function(value.fget, file)
        elif isinstance(value, type) and value.__module__ == _module_of(holder):
            hide(value, file)


def hide_function(function: Any, file: str) -> None:
    function.__code__ = _moved(function.__code__, file)


def _module_of(holder: Any) -> str:
    return str(holder.__name__ if isinstance(holder, types.ModuleType) else holder.__module__)


def _moved(code: types.CodeType, file: str) -> types.CodeType:
    inner = tuple(_moved(c, file) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=inner)
