"""The last look before modules are handed to the program: would importing them now give the same?

The server's checks have foreseen what they could; a program can still set a variable in a way that nobody can
read from its source, or put a folder in front of `sys.path`. Then the modules in memory are not the ones that
it would get. If it has done nothing yet that anybody could have seen, it is started again as plain `python`;
otherwise it is ended with a message, and in either case remembered as one to be run cold.
"""

from __future__ import annotations

import array
import fcntl
import os
import sys
import termios
from collections.abc import Iterable, Mapping

from ..program import Program
from ..stage import first_entry
from . import checks, contract, learned

# Native code reads its variables when its library is loaded, unseen by us: by prefix, the package it belongs to.
_NATIVE = {
    "numpy": ("NPY_", "OMP_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "KMP_", "GOMP_"),
    "scipy": ("OMP_", "OPENBLAS_", "MKL_"),
    "h5py": ("HDF5_", "H5PY_"),
    "tensorflow": (
        "TF_",
        "TFLITE_",
        "OMP_",
        "MKL_",
        "KMP_",
        "GCS_",
        "GRPC_",
        "ABSL_",
        "CUDA_",
        "NVIDIA_",
        "DNNL_",
    ),
    "keras": ("KERAS_", "TF_"),
    "google": ("PROTOCOL_BUFFERS_",),
}


class Guard:
    """Made in the server; used in the program."""

    def __init__(
        self,
        variables: Mapping[str, str | None],
        readers: Mapping[str, Iterable[str]],
        path: list[str],
        origins: checks.Origins,
    ) -> None:
        self._variables = dict(variables)
        self._by_module: dict[str, set[str]] = {}
        for variable, modules in readers.items():
            for module in modules:
                self._by_module.setdefault(module, set()).add(variable)
        self._by_package = {
            package: {name for name in variables if name.startswith(prefixes)}
            for package, prefixes in _NATIVE.items()
        }
        self._server_path = path
        self._path = path
        self._origins = origins
        self._ready: dict[str, tuple[set[str], tuple[str, ...]]] = {}
        self._given: dict[bytes, bytes] = {}
        self._cwd = "/"

    def begin(self, environ: dict[bytes, bytes], program: Program) -> None:
        """At the program's start."""
        self._given = environ
        self._program = program
        self._cwd = os.getcwd()
        self._finders = list(sys.meta_path)
        self._path = [*first_entry(program), *self._server_path]
        self._at_start = Activity()

    def prepare(self, name: str, order: list[str]) -> None:
        """Work out ahead which variables the import of a large package looks at. In the server."""
        self._ready[name] = self._looked_at(order)

    def check(self, name: str, order: list[str]) -> None:
        """Before these modules are handed over, for the import of the one named."""
        looked = self._ready.get(name) or self._looked_at(order)
        trouble = (
            self._variables_differ(name, *looked)
            or self._path_differs(name, order)
            or self._finders_differ(order)
        )
        if trouble:
            self._start_over(trouble)

    def accept(self, before: Mapping[str, str]) -> None:
        """What the packages themselves have set since is as it should be."""
        for name in {*before, *os.environ}:
            if os.environ.get(name) != before.get(name):
                self._variables[name] = os.environ.get(name)

    def _looked_at(self, order: list[str]) -> tuple[set[str], tuple[str, ...]]:
        """The variables that these modules look at: by name, and by the beginning of their names."""
        wanted: set[str] = set()
        packages = set()
        for name in order:
            wanted |= self._by_module.get(name, set())
            packages.add(name.partition(".")[0])
        prefixes: tuple[str, ...] = ()
        for package in packages:
            wanted |= self._by_package.get(package, set())
            prefixes += _NATIVE.get(package, ())
        return wanted, prefixes

    def _variables_differ(self, importing: str, wanted: set[str], prefixes: tuple[str, ...]) -> str:
        # Variables that the server did not know of, set by the program since.
        wanted = wanted | {
            name for name in os.environ if prefixes and name.startswith(prefixes) and name not in wanted
        }
        for name in sorted(wanted):
            if os.environ.get(name) != self._variables.get(name) and name not in contract.LATER:
                return f"it sets {name} before it imports {importing}"
        return ""

    def _path_differs(self, importing: str, order: list[str]) -> str:
        path = [entry for entry in sys.path if isinstance(entry, str)]
        if path == self._path:
            return ""
        tops = {name.partition(".")[0] for name in order}
        found = checks.shadowed(path, self._origins, tops)
        if found:
            return f"{found} comes before {importing}"
        return ""

    def _finders_differ(self, order: list[str]) -> str:
        """A finder of the program's own is asked as it would be; usually it wants none of these modules."""
        for finder in sys.meta_path:
            if finder in self._finders:
                continue
            for name in order:
                parent = name.rpartition(".")[0]
                path = getattr(sys.modules.get(parent), "__path__", None) if parent else None
                if finder.find_spec(name, path, None) is not None:
                    return f"an import hook of its own takes {name}"
        return ""

    def _start_over(self, trouble: str) -> None:
        unseen = self._at_start.unchanged()
        learned.add(learned.COLD, [checks.label(self._program, self._cwd)])
        if not unseen:
            os.write(2, f"headstart: this program cannot be run warm: {trouble}; run it again\n".encode())
            os._exit(70)
        os.chdir(self._cwd)
        os.execve(sys.executable, [sys.executable, *self._program.words], self._given)


class Activity:
    """What tells whether this process has done anything that can be seen from outside: written, read its input,
    opened descriptors, started threads or processes."""

    def __init__(self) -> None:
        self._counters = (_written(), _input(), os.times().children_user, len(os.listdir("/proc/self/task")))
        self._descriptors = set(os.listdir("/proc/self/fd"))

    def unchanged(self) -> bool:
        now = Activity()
        return now._counters == self._counters and now._descriptors <= self._descriptors


def _written() -> object:
    try:
        with open("/proc/self/io", "rb") as handle:
            return [line for line in handle.read().splitlines() if line.startswith((b"wchar", b"syscw"))]
    except OSError:
        return object()  # cannot tell: assume that it did


def _input() -> int:
    """How far standard input has been read."""
    try:
        return os.lseek(0, 0, os.SEEK_CUR)
    except OSError:
        pass
    waiting = array.array("i", [0])
    try:
        fcntl.ioctl(0, termios.FIONREAD, waiting)
    except OSError:
        pass
    return waiting[0]
