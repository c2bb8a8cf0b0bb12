"""Whose code is it? Libraries stand by name and version, everything else by its content.

Only libraries whose behaviour while tracing was studied count as libraries: TensorFlow, Keras, NumPy, what they
are made of, and the standard library (which has its own rules, see ``stdlib``). A package that is not named
here is treated like the user's own files, by content: that is slower and always right.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import lru_cache

LIBRARY = "library"
STDLIB = "stdlib"
USER = "user"

#: What is built upon Keras and TensorFlow in their own manner; may be loaded long after them, or never.
COMPANIONS = ("keras_hub", "tensorflow_text")
#: Top-level packages that are taken by version. Their state is watched by ``libraries``.
PACKAGES = frozenset(
    {
        *COMPANIONS,
        "tensorflow", "keras", "numpy", "ml_dtypes", "absl", "google", "wrapt", "six", "gast", "astunparse",
        "opt_einsum", "optree", "termcolor", "typing_extensions", "packaging", "headstart", "namex",
        "libclang", "flatbuffers", "rich", "markdown_it", "tensorflow_io_gcs_filesystem",
    }
)  # fmt: skip


#: Where headstart itself is; in a warm run its modules are out of sight.
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))) + os.sep


@lru_cache(maxsize=1)
def _stdlib_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(sorted({os.path.realpath(paths[name]) + os.sep for name in ("stdlib", "platstdlib")}))


@lru_cache(maxsize=65536)
def of_file(filename: str) -> str:
    """Where a code object comes from."""
    if filename.startswith("<frozen "):
        return STDLIB
    package = _package_of(filename)
    if package is not None:
        return LIBRARY if package in PACKAGES else USER
    if os.path.realpath(filename).startswith(_stdlib_folders()):
        return STDLIB
    return USER


def _package_of(filename: str) -> str | None:
    """The top-level package of a file in a place where packages are installed, or of a loaded library."""
    for mark in ("site-packages" + os.sep, "dist-packages" + os.sep):
        _, found, rest = filename.rpartition(mark)
        if found:
            return rest.split(os.sep, 1)[0].removesuffix(".py")
    for name, folder in _library_folders():
        if filename.startswith(folder):
            return name
    return None


def _library_folders() -> list[tuple[str, str]]:
    """Libraries that are loaded from elsewhere (an editable install, a zip): found by where their module is."""
    found = [("headstart", _OWN)]
    for name in ("keras", "tensorflow", "numpy"):
        place = getattr(sys.modules.get(name), "__file__", None)
        if place:
            found.append((name, os.path.dirname(place) + os.sep))
    return found


@lru_cache(maxsize=65536)
def is_program(filename: str) -> bool:
    """Part of the program itself: not installed, not of Python's own, not generated."""
    return not filename.startswith("<") and of_file(filename) == USER and _package_of(filename) is None


def is_program_class(kind: type) -> bool:
    """A class that the program itself defines."""
    if of_module(kind.__module__) != USER:
        return False
    place = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return kind.__module__ == "__main__" or (place is not None and is_program(place))


def of_module(name: str) -> str:
    """Where a module (or the class that says it is from there) comes from."""
    found = _modules.get(name)
    if found is None:
        top = name.partition(".")[0]
        found = LIBRARY if top in PACKAGES else STDLIB if top in sys.stdlib_module_names else USER
        if name == "__main__":
            found = USER
        elif found != USER:
            place = getattr(sys.modules.get(top), "__file__", None)
            if place is not None and of_file(place) == USER:
                found = USER  # a file of the program's, with the name of a module of Python's: code.py, profile.py
            elif top not in sys.modules:
                return found  # by its name alone; which file that will be is not known yet
        _modules[name] = found
    return found


_modules: dict[str, str] = {}


def of_class(kind: type) -> str:
    """Whose a class is. Those that are made by a call (``make_dataclass``, ``new_class``) say that they are Python's."""
    if kind.__module__ == "types" and sys.modules["types"].__dict__.get(kind.__name__) is not kind:
        return USER
    return of_module(kind.__module__)
