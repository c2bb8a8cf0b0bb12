"""Runs the rules' static checks over files."""

from __future__ import annotations

import io
import os
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..advise.catalogue import all_rules
from ..advise.rule import Rule
from ..advise.static.source import Problem, Source
from ..errors import HeadstartError
from .suppress import Suppressions

_NOT_SOURCE = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages", "venv", "env"})


@dataclass(frozen=True)
class Hit:
    """One problem in one file, with the rule that found it."""

    path: str
    rule: Rule
    problem: Problem
    text: str
    """The line as it stands."""

    @property
    def fix(self) -> str | None:
        """ "safe", "unsafe" or None."""
        if not self.problem.edits or self.rule.fix is None:
            return None
        return "safe" if self.problem.safe else self.rule.fix


@dataclass(frozen=True)
class File:
    """A file as read: its text, and how to write it back as it was."""

    path: str
    text: str
    encoding: str


class Unreadable(Exception):
    """A file that cannot be checked: not Python, not text, not there."""


def find_files(paths: Iterable[str]) -> Iterator[str]:
    """Files as given; folders are walked for Python files, leaving out environments and caches."""
    for path in paths:
        if os.path.isfile(path):
            yield path
        elif os.path.isdir(path):
            for folder, names, files in os.walk(path):
                names[:] = sorted(n for n in names if not _skipped(folder, n))
                yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))
        else:
            raise HeadstartError(f"no such file or folder: {path}")


def _skipped(folder: str, name: str) -> bool:
    environment = os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    return name.startswith(".") or name in _NOT_SOURCE or environment


def read(path: str) -> File:
    try:
        with open(path, "rb") as handle:
            data = handle.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return File(path, data.decode(encoding), encoding)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
    except (SyntaxError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: not Python source: {error}") from None


def check(file: File, rules: Iterable[Rule] | None = None) -> list[Hit]:
    """Every problem of a file that no comment silences, in the order of its lines."""
    try:
        return _check(file, all_rules() if rules is None else rules)
    except (RecursionError, MemoryError):  # the parser's word for the same is the latter
        raise Unreadable(f"{file.path}: an expression in it is nested too deep to be checked") from None


def _check(file: File, rules: Iterable[Rule]) -> list[Hit]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape sequence is for other tools to report
            source = Source(file.path, file.text)
        quiet = Suppressions(file.text)
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        line = getattr(error, "lineno", None)
        where = f"{file.path}:{line}" if line else file.path
        raise Unreadable(f"{where}: does not parse: {getattr(error, 'msg', error)}") from None
    if quiet.whole_file or not ("tensorflow" in file.text or "keras" in file.text):
        return []
    hits: dict[tuple[str, int], Hit] = {}
    for rule in rules:
        if rule.check is None:
            continue
        for problem in rule.check(source):
            # One cause at one line is one problem, however often the line has it.
            key = (rule.code, problem.line)
            if key not in hits and not quiet.silence(problem.line, rule.code, rule.slug):
                hits[key] = Hit(file.path, rule, problem, source.lines[problem.line - 1])
    return sorted(hits.values(), key=lambda hit: (hit.problem.line, hit.problem.column, hit.rule.code))
