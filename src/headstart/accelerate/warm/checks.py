"""What must hold before a server runs a program. Each check is a function of the request that declines."""

from __future__ import annotations

import os
import resource
import sys
import zlib
from collections.abc import Callable, Container, Iterable, Mapping

from ..packages import package_folders
from ..program import Program
from ..stage import first_entry
from . import contract, learned
from .freshness import Freshness
from .request import Request
from .scan import Scan, Unknown

# The imports at which import-time variables must have their values.
ENDS_AT = frozenset(("tensorflow", "keras", "tf_keras", "tensorflow_probability", "tensorflow_datasets"))


class Declined(Exception):
    """This server cannot run this program; the text says why. `lasting` if no other could."""

    def __init__(self, why: str, lasting: bool = False) -> None:
        super().__init__(why)
        self.lasting = lasting


class Elsewhere(Exception):
    """Another server might: one that was started with these variables."""

    def __init__(self, changes: Mapping[str, str | None]) -> None:
        super().__init__("the program sets " + ", ".join(sorted(changes)))
        self.changes = changes


class Checks:
    """Made in the server, called in the process that serves one connection."""

    def __init__(
        self,
        identity: bytes,
        variables: Mapping[str, str | None],
        origins: Origins,
        freshness: Freshness,
    ) -> None:
        self._identity = identity
        self._variables = {
            os.fsencode(name): None if value is None else os.fsencode(value)
            for name, value in variables.items()
        }
        self._origins = origins
        self._freshness = freshness

    def run(self, request: Request) -> None:
        """Raises Declined or Elsewhere; the order is from cheap to dear."""
        self._same_kind(request)
        self._limits(request)
        os.chdir(request.cwd)
        self._not_cold(request.program)
        self._shadowed(request.program)
        self._environment(request)

    def _same_kind(self, request: Request) -> None:
        if request.identity != self._identity:
            raise Declined("the caller's interpreter, rights or place in the system are not the server's")
        trouble = self._freshness.glance()
        if trouble:
            raise Declined(f"out of date: {trouble}")

    def _limits(self, request: Request) -> None:
        if os.getuid() == 0:
            return
        for number, (_, hard) in request.limits.items():
            ours = resource.getrlimit(number)[1]
            if ours != resource.RLIM_INFINITY and (hard == resource.RLIM_INFINITY or hard > ours):
                raise Declined("the caller has higher limits than the server")
        if request.nice < os.getpriority(os.PRIO_PROCESS, 0):
            raise Declined("the caller has a higher priority than the server")

    def _shadowed(self, program: Program) -> None:
        """A file beside the script may take the place of a module that the server has imported."""
        # Packages were looked for when they were imported, and a change among them makes the server leave.
        path = [*first_entry(program), *sys.path]
        packages = [index for index, entry in enumerate(path) if is_package_folder(entry)]
        found = shadowed(path[: packages[0]] if packages else path, self._origins)
        if found:
            raise Declined(f"{found} has the name of an installed package", True)

    def _not_cold(self, program: Program) -> None:
        if label(program, os.getcwd()) in learned.load().names[learned.COLD]:
            raise Declined("this program sets up its imports in a way that a warm run cannot follow", True)

    def _environment(self, request: Request) -> None:
        given = {os.fsdecode(name): os.fsdecode(value) for name, value in request.environ.items()}
        changes = foresee(request.program, given, self._matters)
        effective = dict(request.environ)
        for name, value in changes.items():
            if value is None:
                effective.pop(os.fsencode(name), None)
            else:
                effective[os.fsencode(name)] = os.fsencode(value)
        others = contract.differing(self._variables, effective)
        if others and changes:
            raise Elsewhere(changes)
        if others:
            raise Declined(f"the server was started with another {', '.join(others[:3])}")

    def _matters(self, name: str) -> bool:
        return contract.matters(name) or os.fsencode(name) in self._variables


def label(program: Program, cwd: str) -> str:
    """Names a program in the list of those to be run cold."""
    return f"{zlib.crc32(os.fsencode(chr(0).join([cwd, program.kind, program.what]))):08x}"


def is_package_folder(entry: str) -> bool:
    return (entry + os.sep).startswith(package_folders())


def own_folders(program: Program) -> list[str]:
    """Where the program finds modules that are the user's own: beside it, and on the path outside the packages."""
    own = [entry or os.curdir for entry in first_entry(program)]
    return own + [entry for entry in sys.path if not is_package_folder(entry) and entry not in own]


def foresee(program: Program, given: dict[str, str], matters: Callable[[str], bool]) -> dict[str, str | None]:
    """What the program will set before its imports; Declined if that cannot be told."""
    scan = Scan(own_folders(program), ENDS_AT, matters, given)
    try:
        if program.kind == "code":
            scan.code(program.what)
        elif program.kind == "module":
            scan.module(program.what)
        elif program.kind == "archive":
            scan.script(os.path.join(program.what, "__main__.py"))
        else:
            scan.script(program.what)
    except Unknown as error:
        raise Declined(str(error), True) from None
    return scan.changes


Origins = Mapping[str, str]
"""Of each package or module that the server has imported: the folder on the path in which it was found."""


def shadowed(path: Iterable[str], origins: Origins, names: Container[str] | None = None) -> str:
    """A file that an import along this path would find instead of what the server has imported; empty if none."""
    before: set[str] = set()
    for entry in path:
        folder = os.path.realpath(entry or os.curdir)
        if folder in before:
            continue
        before.add(folder)
        for name in _candidates(folder):
            stem = name.partition(".")[0]
            origin = origins.get(stem)
            if origin is None or origin in before or (names is not None and stem not in names):
                continue  # not ours, or ours was found here or further in front
            if name.endswith((".py", ".so", ".pyc")) or _is_package(os.path.join(folder, name)):
                return os.path.join(folder, name)
    return ""


def _candidates(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_package(path: str) -> bool:
    """A folder without `__init__` gives way to an installed package."""
    return any(os.path.exists(os.path.join(path, "__init__" + suffix)) for suffix in (".py", ".pyc"))
