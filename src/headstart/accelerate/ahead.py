"""A second processor for an import: while TensorFlow's native library is being loaded, which needs no Python, the
byte code of the modules that come after it is read.

Which modules those are, the last import in this environment has left on record, and in which folders (see
`folders.py`). The importer still checks each file against its source; all that it saves is the reading. A record that
is wrong costs a little time, nothing else.
"""

from __future__ import annotations

import _frozen_importlib_external
import _imp
import _io
import _signal  # type: ignore[import-not-found]
import _thread
import marshal
import os
import sys
import time

from ..launch.places import cache_folder
from . import folders, notes
from .packages import package_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _importer: Any
_importer = _frozen_importlib_external
_FILE = _importer._compile_bytecode.__code__.co_filename

_HEADER = "headstart ahead 2"
LEAST_SECONDS = 0.05
"""A library that loads faster than this is not worth a thread."""
STALE = 0.1
"""The share of modules on record that may be others than those imported, before it is written anew."""
_MOST_BYTES = 4 << 20
_CODE = type(_importer._compile_bytecode.__code__)
_FAULTS = {_signal.SIGSEGV, _signal.SIGBUS, _signal.SIGFPE, _signal.SIGILL, _signal.SIGABRT, _signal.SIGTRAP}


class Ahead:
    """In force during outermost imports, until the slow library was among them."""

    def __init__(self) -> None:
        self._packages = package_folders()
        self._slow, self._listed, lines = _read(self._packages)
        self._folders = folders.Folders(lines, self._listed)
        self._ready: dict[str, tuple[bytes, Any]] = {}
        self._seen: list[tuple[str, str]] = []
        self._loads: list[tuple[float, str]] = []
        self._undo: list[Callable[[], None]] = []

    def begin(self) -> None:
        self._folders.begin()
        self._stand_in(_importer.FileFinder, "find_spec", self._folders.find_spec)
        self._stand_in(_importer, "cache_from_source", self._folders.cache_from_source)
        self._stand_in(_importer.FileLoader, "get_data", self._get_data)
        self._stand_in(_importer, "_compile_bytecode", self._compile_bytecode)
        self._stand_in(_imp, "create_dynamic", self._create_dynamic)

    def end(self) -> bool:
        """Whether the slow library was met: then there is nothing left to do in later imports."""
        while self._undo:
            self._undo.pop()()
        self._ready.clear()
        seconds, name = max(self._loads, default=(0.0, ""))
        if not name or (seconds < LEAST_SECONDS and name != self._slow):
            return False
        self._keep(name)
        return True

    def _stand_in(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        inner = vars(owner)[name]
        own = _as_importers(make(inner))
        setattr(owner, name, own)

        def put_back() -> None:
            if vars(owner).get(name) is own:  # else somebody has put something over it, which calls ours
                setattr(owner, name, inner)

        self._undo.append(put_back)

    def _get_data(self, inner: Any) -> Any:
        ready = self._ready

        def get_data(loader: Any, path: str) -> bytes:
            found = ready.get(path)
            data: bytes = inner(loader, path) if found is None else found[0]
            return data

        return get_data

    def _compile_bytecode(self, inner: Any) -> Any:
        ready, seen = self._ready, self._seen

        def _compile_bytecode(
            data: Any, name: Any = None, bytecode_path: Any = None, source_path: Any = None
        ) -> Any:
            seen.append((name, bytecode_path))
            found = ready.pop(bytecode_path, None)
            if found is None or getattr(data, "obj", None) is not found[0]:
                return inner(data, name, bytecode_path, source_path)
            code = found[1]
            if source_path is not None:
                _imp._fix_co_filename(code, source_path)  # type: ignore[attr-defined]
            return code

        return _compile_bytecode

    def _create_dynamic(self, inner: Any) -> Any:
        loads, slow, load = self._loads, self._slow, self._load

        def create_dynamic(spec: Any, *rest: Any) -> Any:
            started = time.perf_counter()
            if spec.name == slow:
                load(spec.origin)
            module = inner(spec, *rest)
            loads.append((time.perf_counter() - started, spec.name))
            return module

        return create_dynamic

    def _load(self, library: str) -> None:
        """Have the library loaded, and read meanwhile. What goes wrong with it goes wrong again in the import."""
        import ctypes

        # Called through ctypes, the loader runs without the interpreter's lock.
        dlopen = ctypes.CDLL(None).dlopen
        dlopen.restype, dlopen.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
        loaded = _thread.allocate_lock()
        loaded.acquire()

        def work() -> None:
            dlopen(os.fsencode(library), sys.getdlopenflags())
            loaded.release()

        # A signal waits for the library to be loaded, as it does where the main thread itself loads it.
        mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals() - _FAULTS)
        try:
            _thread.start_new_thread(work, ())
            for name, path in self._listed:
                if loaded.acquire(False):
                    return
                if name not in sys.modules:
                    self._read_ahead(path)
            loaded.acquire()
        except RuntimeError:
            pass  # no thread to be had
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)

    def _read_ahead(self, path: str) -> None:
        try:
            with _io.open_code(path) as file:
                data = file.read()
            code = marshal.loads(memoryview(data)[16:])
            if type(code) is _CODE:
                self._ready[path] = (data, code)
        except (OSError, EOFError, ValueError, TypeError):
            pass  # the import itself will say what is wrong with it

    def _keep(self, slow: str) -> None:
        kept = [
            (name, path) for name, path in self._seen if name and path and path.startswith(self._packages)
        ]
        before, now = set(self._listed), set(kept)
        as_recorded = self._folders.changed <= STALE * self._folders.asked
        if slow == self._slow and as_recorded and len(before ^ now) <= STALE * len(now):
            return
        modules = [f"{name}\t{path}" for name, path in kept]
        lines = (_HEADER, slow, *modules, "", *folders.lines_for(kept), "")
        notes.write(_path(), "\n".join(lines))


def _as_importers(function: Any) -> Any:
    """Frames of this file name are trimmed by the interpreter from tracebacks of failing imports."""
    function.__code__ = function.__code__.replace(co_filename=_FILE)
    return function


for _method in (Ahead._load, Ahead._read_ahead):
    _as_importers(_method)


def worth_it() -> bool:
    """Whether there is a second processor, and an importer of the known form."""
    return (
        sys.platform == "linux"
        and len(os.sched_getaffinity(0)) > 1
        and not sys.flags.verbose
        and all(name in vars(_importer) for name in ("_compile_bytecode", "FileLoader"))
        and "get_data" in vars(_importer.FileLoader)
    )


def _path() -> str:
    return os.path.join(cache_folder(), "ahead", notes.name())


def _read(packages: tuple[str, ...]) -> tuple[str, list[tuple[str, str]], list[str]]:
    """The slow library's module, the modules that were imported with it, and lines about their folders; nothing of a
    file that is not ours alone."""
    try:
        with open(_path(), encoding="utf-8", errors="surrogateescape") as file:
            state = os.fstat(file.fileno())
            if state.st_uid != os.geteuid() or state.st_mode & 0o022:
                return "", [], []
            header, slow, *lines = file.read(_MOST_BYTES).split("\n")
    except (OSError, ValueError):
        return "", [], []
    if header != _HEADER:
        return "", [], []
    until = lines.index("") if "" in lines else len(lines)
    pairs = [(name, path) for name, _, path in (line.partition("\t") for line in lines[:until])]
    return slow, [(name, path) for name, path in pairs if path.startswith(packages)], lines[until + 1 : -1]
