"""Runs a program as `__main__` the way the interpreter itself does: with no Python frame below it.

A program that looks down its stack (tracebacks, `warnings.warn(stacklevel=…)`, `inspect.stack()`) must find
nothing of ours there. So nothing of ours may be running when it starts: `perform` raises an exception that
unwinds every frame, and the interpreter, about to print it, calls `sys.excepthook` from C with an empty stack.
The hook is a chain of C callables (`max`, `map`, `deque.extend`) that runs the program through the very C
functions that `python FILE` and `python -c` use, then ends the process through `SystemExit`, which the
interpreter handles as ever: exit status, atexit functions, destructors, flushing.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import operator
import os
import sys
import types

from . import asmodule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

Step = "Callable[[], object]"


class Program:
    """What to run: kind is "script", "archive" (a folder or zip with `__main__`), "module" or "code"."""

    __slots__ = ("arguments", "kind", "what")

    def __init__(self, kind: str, what: str, arguments: list[str]) -> None:
        self.kind = kind
        self.what = what
        self.arguments = arguments


class Curtain(BaseException):
    """Unwinds our frames. Only `perform` raises it; only the interpreter sees it."""

    # The hook calls `key(type)`, `key(value)`, `key(traceback)`; the value's own attribute runs the program.
    step = staticmethod(int)


class Stage:
    """The steps of one performance. All that needs our modules is resolved here, before the curtain."""

    def __init__(self, program: Program, path: list[str], opening: Callable[[], None]) -> None:
        self._program = program
        self._path = path
        self._opening = opening
        self._excepthook = sys.excepthook
        self._results: collections.deque[Any] = collections.deque()
        self._failure: list[BaseException] = []
        self._libc = ctypes.CDLL(None)

    def perform(self) -> NoReturn:
        """Never returns to its caller's code: the caller's frames are gone when the program runs."""
        steps = [self._open, *self._steps(), self._close]
        calls = map(operator.methodcaller("__call__"), steps)
        curtain = Curtain()
        curtain.step = functools.partial(self._results.extend, calls)  # type: ignore[method-assign]
        sys.excepthook = functools.partial(max, key=operator.methodcaller("step"))
        raise curtain

    def _open(self) -> None:
        """The first step, with our frames gone: leave no trace of them, then let the caller finish."""
        sys.excepthook = self._excepthook
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        present(self._program, self._path)
        self._opening()

    def _steps(self) -> list[Callable[[], object]]:
        program = self._program
        if program.kind == "code":
            return [self._code_step(program.what)]
        if program.kind == "module":
            return [asmodule.runner(program.what, True, self._failure)]
        if program.kind == "archive":
            return [asmodule.runner("__main__", False, self._failure)]
        return [self._script_step(absolute(program.what))]

    def _code_step(self, code: str) -> Callable[[], object]:
        run = ctypes.pythonapi.PyRun_SimpleStringFlags
        run.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        run.restype = ctypes.c_int
        # As the interpreter does, a line end is added.
        return functools.partial(run, (code + "\n").encode(), None)

    def _script_step(self, path: str) -> Callable[[], object]:
        name = os.fsencode(path)
        self._libc.fopen.restype = ctypes.c_void_p
        self._libc.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        handle = self._libc.fopen(name, b"rbe")
        if not handle:
            raise FileNotFoundError(path)
        run = ctypes.pythonapi.PyRun_SimpleFileExFlags
        run.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
        run.restype = ctypes.c_int
        return functools.partial(run, handle, name, 1, None)

    def _close(self) -> None:
        """The last step: the program is over and nothing of it is on the stack; leave as `python` leaves."""
        if self._failure:
            error = self._failure.pop()
            if isinstance(error, SystemExit):
                raise error
            asmodule.show(error)
            status = 1
            interrupted = type(error) is KeyboardInterrupt
        else:
            # What the C function returned: -1 when it has printed an exception.
            status = 1 if self._results[-1] == -1 else 0
            interrupted = bool(status) and getattr(sys, "last_type", None) is KeyboardInterrupt
        if interrupted:
            self._die_of_interrupt()
            status = 130
        raise SystemExit(status)

    def _die_of_interrupt(self) -> None:
        """An interrupt that nobody caught: `python` finalizes, then kills itself with SIGINT. Nothing of ours
        can run that late, but the C library calls `raise(SIGINT)` for us, first thing in `exit`."""
        import _signal

        if _signal.getsignal(_signal.SIGINT) is _signal.SIG_IGN:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # a Python handler is taken out in finalization
        address = ctypes.cast(self._libc["raise"], ctypes.c_void_p)
        self._libc["__cxa_atexit"](address, ctypes.c_void_p(int(_signal.SIGINT)), None)


def absolute(path: str) -> str:
    """The interpreter prefixes the current folder and cleans nothing up."""
    if os.path.isabs(path):
        return path
    if path == "." and sys.version_info >= (3, 11):
        return os.getcwd()
    return os.path.join(os.getcwd(), path)


def present(program: Program, path: list[str]) -> None:
    """Set what a program can read about its own start: `sys.argv`, `sys.orig_argv`, `sys.path`, `__main__`."""
    kind, what = program.kind, program.what
    flag = {"module": "-m", "code": "-c"}.get(kind)
    words = [flag, what] if flag else [what]
    sys.argv = [flag or what, *program.arguments]
    sys.orig_argv = [sys.executable, *words, *program.arguments]
    sys.path[:] = [*first_entry(program), *path]
    main = types.ModuleType("__main__")
    main.__annotations__ = {}
    main.__builtins__ = sys.modules["builtins"]  # type: ignore[attr-defined]
    main.__loader__ = sys.modules["_frozen_importlib"].BuiltinImporter  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    if kind == "code":
        sys.audit("cpython.run_command", what)
        if sys.version_info >= (3, 13):
            import linecache

            lines = [line + "\n" for line in what.splitlines()]
            linecache.cache["<string>"] = (len(what), None, lines, "<string>")
    elif kind == "module":
        sys.audit("cpython.run_module", what)
    elif kind == "script":
        sys.audit("cpython.run_file", absolute(what))


def first_entry(program: Program) -> list[str]:
    """What the interpreter puts in front of `sys.path`."""
    if program.kind == "archive":
        return [absolute(program.what)]
    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        return []
    if program.kind == "code":
        return [""]
    if program.kind == "module":
        return [os.getcwd()]
    return [os.path.dirname(os.path.realpath(program.what))]
