"""Runs a program as `__main__` the way the interpreter itself does: with no Python frame below it.

A program that looks down its stack (tracebacks, `warnings.warn(stacklevel=…)`, `inspect.stack()`) must find
nothing of ours there. So nothing of ours may be running when it starts: `perform` raises an exception that
unwinds every frame, and the interpreter, about to print it, calls `sys.excepthook` from C with an empty stack.
That hook is the C function that `python FILE` or `python -c` itself ends in (for `-m`, the function of `runpy`
that it calls). Afterwards the process ends through `SystemExit`, which the interpreter handles as ever: exit
status, atexit functions, destructors, flushing.
"""

from __future__ import annotations

import _io
import ctypes
import os
import sys
import types

from . import asmodule, codelines, recursion
from .program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


_IGNORE_COOKIE = 0x0800  # PyCF_IGNORE_COOKIE


class _Flags(ctypes.Structure):
    """`PyCompilerFlags`."""

    _fields_ = (("flags", ctypes.c_int), ("feature_version", ctypes.c_int))


class Curtain(BaseException):
    """Unwinds our frames. Only `perform` raises it; only the interpreter sees it."""


class Stage:
    """One performance. All that needs our modules is resolved before the curtain."""

    def __init__(self, program: Program, path: list[str], opening: Callable[[], None]) -> None:
        self._program = program
        self._path = path
        self._opening = opening
        self._libc = ctypes.CDLL(None)
        self._excepthook = sys.excepthook
        self._failure: BaseException | None = None
        self.leave_early = False
        """Whether to spare the interpreter the last of its cleaning up, which nobody can see."""
        self.interrupted = False
        """Whether the process will end by SIGINT."""

    def perform(self) -> NoReturn:
        """Never returns to its caller's code: the caller's frames are gone when the program runs."""
        program = self._program
        present(program, self._path)
        if program.kind == "code":
            # Code that is given as text has been decoded: a comment about its encoding says nothing any more.
            flags = ctypes.pointer(_Flags(_IGNORE_COOKIE, sys.version_info[1]))
            hook = self._hook("PyRun_SimpleStringFlags", (program.what + "\n").encode(), flags)
        elif program.kind == "script":
            path = absolute(program.what)
            hook = self._hook("PyRun_SimpleFileEx", self._open_file(path), os.fsencode(path), 1)
        else:
            name = program.what if program.kind == "module" else "__main__"
            hook = asmodule.hook(name, program.kind == "module", self._begin, self._failed, self._end)
        sys.excepthook = hook
        raise Curtain

    def _hook(self, name: str, *arguments: object) -> Any:
        """A C function that is called with the three arguments of an excepthook, and takes ours instead."""
        function = ctypes.pythonapi[name]
        given = [*arguments, None, None][:3]
        function.argtypes = [self._instead(at, value) for at, value in enumerate(given)]
        function.restype = ctypes.c_int
        function.errcheck = lambda result, *_: self._end(result)
        return function

    def _instead(self, at: int, value: object) -> Any:
        kind: Any = {bytes: ctypes.c_char_p, int: ctypes.c_int}.get(type(value), ctypes.c_void_p)
        made = isinstance(value, (ctypes.c_void_p, ctypes._Pointer))
        ready = value if made else kind(value)

        class Converter:
            @classmethod
            def from_param(cls, _: object) -> object:
                if at == 0:
                    self._begin()
                    recursion.give_back(
                        1
                    )  # calling a C function counts as a level; there is none in plain runs
                return ready

        return Converter

    def _open_file(self, path: str) -> ctypes.c_void_p:
        self._libc.fopen.restype = ctypes.c_void_p
        self._libc.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        handle = self._libc.fopen(os.fsencode(path), b"rbe")
        if not handle:
            raise FileNotFoundError(path)
        return ctypes.c_void_p(handle)

    def _begin(self) -> None:
        """With our frames gone: leave no trace of them, then let the caller finish."""
        sys.excepthook = self._excepthook
        if self.leave_early:
            at_last("output", None)  # a program that exits does not come back to us
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            if hasattr(sys, name):
                delattr(sys, name)
        self._opening()
        if self._program.kind == "code" and sys.version_info >= (3, 13):
            codelines.remember(self._program.what + "\n")

    def _failed(self, error: BaseException) -> None:
        self._failure = error

    def _end(self, result: int = 0) -> NoReturn:
        """The program is over and nothing of it is on the stack; leave as `python` leaves."""
        error = self._failure
        if error is None:
            # What the C function returned: -1 when it has printed an exception.
            status = 1 if result == -1 else 0
            interrupted = bool(status) and getattr(sys, "last_type", None) is KeyboardInterrupt
        elif isinstance(error, SystemExit):
            raise error
        else:
            asmodule.show(error)
            status = 1
            interrupted = type(error) is KeyboardInterrupt
        if interrupted:
            self._die_of_interrupt()
            status = 130
        elif self.leave_early:
            at_last("end", status)
        raise SystemExit(status)

    def _die_of_interrupt(self) -> None:
        """An interrupt that nobody caught: `python` finalizes, then kills itself with SIGINT. Nothing of ours
        can run that late, but the C library calls `raise(SIGINT)` for us, first thing in `exit`."""
        import signal

        self.interrupted = True
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Python handler is taken out in finalization
        address = ctypes.cast(self._libc["raise"], ctypes.c_void_p)
        self._libc["__cxa_atexit"](address, ctypes.c_void_p(int(signal.SIGINT)), None)


def at_last(name: str, status: int | None) -> None:
    """For a program among modules that are not taken apart. What was printed while its own were finalized is flushed
    when they have been: elsewhere that happens when `sys.stdout` goes, but here other modules may still hold it. Then,
    with a status, the process exits, where the interpreter would go on to free memory that is about to be freed
    anyway. The object that does this is the last thing to be destroyed before that: it is in the dictionary that the
    interpreter keeps for extension modules."""
    exit_now = ctypes.PyDLL(None).exit
    exit_now.argtypes = [ctypes.c_int]
    names = ("stdout", "__stdout__", "stderr", "__stderr__")  # a program may have taken any of them away
    streams = {id(s): s for s in (getattr(sys, name, None) for name in names)}
    # Those of a kind of the program's own cannot be relied on any more; they write to these.
    buffered = [stream for stream in streams.values() if type(stream) is _io.TextIOWrapper]

    def leave(_: object) -> None:
        # No name of a module or of a builtin can be looked up any more.
        code = status
        for stream in buffered:
            try:
                if not stream.closed:
                    stream.flush()
            except:  # noqa: E722
                code = 120  # as Python has it where the last output could not be written
        if status is not None:
            exit_now(code)

    last = type("last", (), {"__del__": leave})
    current = ctypes.pythonapi.PyInterpreterState_Get
    current.restype = ctypes.c_void_p
    dictionary = ctypes.pythonapi.PyInterpreterState_GetDict
    dictionary.argtypes = [ctypes.c_void_p]
    dictionary.restype = ctypes.c_void_p  # borrowed: as an object, ctypes would take it for ours
    ctypes.cast(dictionary(current()), ctypes.py_object).value[f"headstart {name}"] = last()


def absolute(path: str) -> str:
    """The interpreter prefixes the current folder and cleans nothing up."""
    try:
        folder = os.getcwd()
    except OSError:
        return path
    if os.path.isabs(path):
        return path
    if path == "." and sys.version_info >= (3, 11):
        return folder
    return os.path.join(folder, path)


def present(program: Program, path: list[str]) -> None:
    """Set what a program can read about its own start: `sys.argv`, `sys.orig_argv`, `sys.path`, `__main__`."""
    kind, what = program.kind, program.what
    sys.argv = [{"module": "-m", "code": "-c"}.get(kind, what), *program.arguments]
    sys.orig_argv = [sys.executable, *program.words]
    sys.path[:] = [*first_entry(program), *path]
    main = types.ModuleType("__main__")
    main.__annotations__ = {}
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    main.__loader__ = vars(sys.modules["_frozen_importlib"])["BuiltinImporter"]
    sys.modules["__main__"] = main
    if kind == "code":
        sys.audit("cpython.run_command", what)
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
    try:
        return [os.path.dirname(os.path.realpath(program.what))]
    except OSError:  # the current folder is gone
        return [os.path.dirname(program.what)]
