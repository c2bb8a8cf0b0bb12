"""Which file a module is, without looking for it again: a folder that was not changed holds the files that it held.

For each module the importer looks at its folder, tries five endings and asks whether what it has found is a file: an
eighth of a second for TensorFlow's three thousand. What it found is on record, with the times at which each folder was
last changed; those are looked at once an import. Where they are others, or anything else is unusual, it looks as ever.
"""

from __future__ import annotations

import _frozen_importlib_external
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    _importer: Any
_importer = _frozen_importlib_external
_STANDARD = [
    (suffix, loader) for loader, suffixes in _importer._get_supported_file_loaders() for suffix in suffixes
]
_NATIVE = tuple(suffix for suffix, loader in _STANDARD if loader is _importer.ExtensionFileLoader)
_CACHE = f"{os.sep}__pycache__{os.sep}"
SETTLED_SECONDS = 2.0
"""A folder that was changed so recently may change again without its times telling."""
_TRUSTED, _LEFT = "+", "-"


class Folders:
    """Those on record, and the modules in them."""

    def __init__(self, lines: Iterable[str], modules: Iterable[tuple[str, str]]) -> None:
        self._signs: dict[str, tuple[str, str]] = {}
        for line in lines:
            trust, _, rest = line.partition("\t")
            sign, _, folder = rest.partition("\t")
            self._signs[folder] = trust, sign
        self.asked = self.changed = 0
        self._modules: dict[str, dict[str, tuple[str, str]]] = {}
        ending = _importer.cache_from_source("m.py").rpartition("m")[2]  # another one with `python -O`
        for _, bytecode in modules:
            folder, tail, package = _place(bytecode)
            if folder not in self._signs:
                self.changed += 1  # it was too early to trust it then
            elif bytecode.endswith(ending):
                self._modules.setdefault(folder, {})[tail] = package, bytecode
        self._bytecode: dict[str, str] = {}
        self._holds: dict[str, bool] = {}

    def begin(self) -> None:
        """Another import, perhaps much later."""
        self._holds.clear()
        self._bytecode.clear()

    def find_spec(self, inner: Any) -> Any:
        """What stands in for the importer's own way to look into a folder."""
        modules, bytecode, holds, kind = self._modules, self._bytecode, self._as_it_was, _importer.FileFinder

        def find_spec(finder: Any, fullname: str, target: Any = None) -> Any:
            tail = fullname.rpartition(".")[2]
            known = modules.get(finder.path, {}).get(tail)
            if known is None or type(finder) is not kind or finder._loaders != _STANDARD:
                return inner(finder, fullname, target)
            package = known[0]
            if not holds(finder.path) or (package and not holds(package)):
                return inner(finder, fullname, target)
            path = f"{package or finder.path}{os.sep}{'__init__' if package else tail}.py"
            search = [package] if package else None
            bytecode[path] = known[1]
            return finder._get_spec(_importer.SourceFileLoader, fullname, path, search, target)

        return find_spec

    def cache_from_source(self, inner: Any) -> Any:
        """Where the byte code of a module is, which the importer works out twice for each."""
        bytecode = self._bytecode

        def cache_from_source(path: Any, *more: Any, **named: Any) -> Any:
            usual = type(path) is str and not more and not named and sys.pycache_prefix is None
            return bytecode[path] if usual and path in bytecode else inner(path, *more, **named)

        return cache_from_source

    def _as_it_was(self, folder: str) -> bool:
        known = self._holds.get(folder)
        if known is None:
            trust, before = self._signs.get(folder, (_LEFT, ""))
            same = _sign(folder) == before
            self.asked += 1
            self.changed += not same
            known = self._holds[folder] = same and trust == _TRUSTED
        return known


def lines_for(modules: Iterable[tuple[str, str]]) -> list[str]:
    """For the record: the folders of modules, with their times, and whether the importer would find these in them."""
    listed: dict[str, dict[str, bool]] = {}
    signs: dict[str, str] = {}
    doubtful: set[str] = set()
    now = time.time_ns()

    def look(folder: str) -> dict[str, bool]:
        if folder not in listed:
            signs[folder] = _sign(folder, now)
            listed[folder] = _links(folder)
        return listed[folder]

    for name, bytecode in modules:
        folder, tail, package = _place(bytecode)
        here, inside = look(folder), look(package) if package else {}
        found, stem, link = (inside, "__init__", here.get(tail)) if package else (here, tail, False)
        as_usual = (
            name.rpartition(".")[2] == tail
            and found.get(f"{stem}.py") is False
            and not any(stem + suffix in found for suffix in _NATIVE)
            and link is False
            and (bool(package) or tail not in here)
        )
        if not as_usual:
            doubtful.add(package or folder)
    return [
        f"{_LEFT if folder in doubtful else _TRUSTED}\t{sign}\t{folder}"
        for folder, sign in signs.items()
        if sign
    ]


def _place(bytecode: str) -> tuple[str, str, str]:
    """The folder in which a module is looked for, under which name, and the folder that it is, if it is one."""
    folder, _, file = bytecode.rpartition(_CACHE)
    tail = file.partition(".")[0]
    if tail != "__init__":
        return folder, tail, ""
    parent, _, name = folder.rpartition(os.sep)
    return parent, name, folder


def _sign(folder: str, now: int | None = None) -> str:
    """The times of its last changes; the second cannot be set. Nothing where that was only just before ``now``."""
    try:
        state = os.stat(folder)
    except OSError:
        return ""
    if now is not None and max(state.st_mtime_ns, state.st_ctime_ns) > now - SETTLED_SECONDS * 1e9:
        return ""
    return f"{state.st_mtime_ns} {state.st_ctime_ns}"


def _links(folder: str) -> dict[str, bool]:
    """What is in a folder, and whether it is a link: where that leads may change."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_symlink() for entry in entries}
    except OSError:
        return {}
