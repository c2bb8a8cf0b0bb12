"""Folders with one thing a file, described by the file's docstring: rules and claims. The folder is their only list."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Protocol, TypeVar


class Described(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def doc(self) -> str: ...


class IncompleteFileError(Exception):
    """A file lacks something that users rely on: an error in headstart."""


Thing = TypeVar("Thing", bound=Described)


def walk(
    folder: ModuleType,
    kind: type[Thing],
    name: Callable[[Thing], str],
    validate: Callable[[Thing, str], None],
) -> tuple[Thing, ...]:
    """What each file of a package has under the name of its kind ("RULE" for a `Rule`), sorted by its own name."""
    constant = kind.__name__.upper()
    found: list[Thing] = []
    for module in pkgutil.iter_modules(folder.__path__):
        thing = getattr(importlib.import_module(f"{folder.__name__}.{module.name}"), constant, None)
        if not isinstance(thing, kind):
            raise IncompleteFileError(f"{module.name}: no {constant} in it")
        validate(thing, module.name)
        if module.name != f"{name(thing)}_{thing.slug}".lower().replace("-", "_"):
            raise IncompleteFileError(
                f"{module.name}: the file is not named after {name(thing)} {thing.slug}"
            )
        found.append(thing)
    for names in ([name(thing) for thing in found], [thing.slug for thing in found]):
        double = next((each for each in names if names.count(each) > 1), None)
        if double:
            raise IncompleteFileError(f"two files are of {double}")
    return tuple(sorted(found, key=name))


def find(wanted: str, things: Iterable[Thing], name: Callable[[Thing], str]) -> Thing | None:
    """By name or slug, however it is written."""
    wanted = wanted.strip().lower()
    return next((thing for thing in things if wanted in (name(thing).lower(), thing.slug)), None)


def sections(doc: str) -> dict[str, str]:
    """A docstring's text by heading."""
    parts = re.split(r"^## +(.+)$", inspect.cleandoc(doc), flags=re.MULTILINE)
    return {head.strip(): text.strip() for head, text in zip(parts[1::2], parts[2::2], strict=True)}


def check_description(thing: Described, headings: Sequence[str], where: str) -> None:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", thing.slug):
        raise IncompleteFileError(f"{where}: {thing.slug!r} is not a slug")
    found = sections(thing.doc)
    missing = next((heading for heading in headings if not found.get(heading)), None)
    if missing:
        raise IncompleteFileError(f"{where}: the docstring has no section '## {missing}'")
