"""Reads a command's options, its environment variables and its settings in pyproject.toml.

Hand-written because `headstart run` and `headstart profile` read their options before the program starts:
argparse alone would cost more than everything else that they do, and it cannot leave a program's own options
alone.
"""

from __future__ import annotations

import os

from ..errors import UsageError

TYPE_CHECKING = False  # the checker knows this name; importing `typing` would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"", "0", "false", "no", "off"}


class Option:
    """One option: `--name` or `--name VALUE`, with an optional one-letter form."""

    __slots__ = ("help", "letter", "many", "metavar", "name", "setting")

    def __init__(
        self,
        name: str,
        help: str,
        metavar: str | None = None,
        letter: str | None = None,
        setting: bool = True,
        many: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.metavar = metavar
        self.letter = letter
        self.setting = setting
        """Whether HEADSTART_NAME and [tool.headstart] may set it too."""
        self.many = many

    @property
    def flag(self) -> bool:
        return self.metavar is None

    @property
    def usage(self) -> str:
        long = f"--{self.name}" + (f" {self.metavar}" if self.metavar else "")
        return f"-{self.letter}, {long}" if self.letter else long


class Values:
    """What was asked for, by option name. A missing option is None, a missing flag False."""

    def __init__(self) -> None:
        self._given: dict[str, str | bool | list[str]] = {}

    def put(self, option: Option, value: str | bool) -> None:
        if option.many and isinstance(value, str):
            held = self._given.setdefault(option.name, [])
            assert isinstance(held, list)
            held.append(value)
        else:
            self._given[option.name] = value

    def has(self, name: str) -> bool:
        return name in self._given

    def text(self, name: str) -> str | None:
        value = self._given.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[str]:
        value = self._given.get(name)
        return value if isinstance(value, list) else []

    def flag(self, name: str) -> bool:
        return self._given.get(name) is True


def parse(argv: Sequence[str], options: Sequence[Option], program: bool = False) -> tuple[Values, list[str]]:
    """Split a command's arguments into its options and the rest.

    With `program`, options end where the program begins: at the first word that is no option, at `-m` or at
    `-c`. Everything from there on is the program's, whatever it looks like.
    """
    by_flag = {f"--{o.name}": o for o in options} | {f"-{o.letter}": o for o in options if o.letter}
    values = Values()
    rest: list[str] = []
    words = list(argv)
    while words:
        word = words.pop(0)
        if word == "--":
            return values, rest + words
        if not word.startswith("-") or word == "-":
            rest.append(word)
            if program:
                return values, rest + words
            continue
        if program and word[:2] in ("-m", "-c") and not word.startswith("--"):
            return values, [word, *words]
        name, joined, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_flag.get(name)
        if option is None:
            raise UsageError(f"no such option: {name}{_nearest(name, by_flag)}")
        if option.flag:
            if joined:
                raise UsageError(f"{name} takes no value")
            values.put(option, True)
            continue
        if not joined:
            if not words:
                raise UsageError(f"{name} needs a value: {option.usage}")
            value = words.pop(0)
        if not value:
            raise UsageError(f"{name} needs a value: {option.usage}")
        values.put(option, value)
    return values, rest


def add_settings(values: Values, options: Iterable[Option]) -> None:
    """Fill in what the command line left open: environment first, then pyproject.toml."""
    project: dict[str, object] | None = None
    for option in options:
        if not option.setting or values.has(option.name):
            continue
        variable = "HEADSTART_" + option.name.upper().replace("-", "_")
        found: object = os.environ.get(variable)
        where = variable
        if found is None:
            if project is None:
                from .settings import project_settings

                project = project_settings()
            found = project.get(option.name)
            where = f"[tool.headstart] {option.name}"
        if found is not None:
            _put_setting(values, option, found, where)


def _put_setting(values: Values, option: Option, found: object, where: str) -> None:
    if option.flag:
        word = str(found).strip().lower()
        if word not in _TRUE | _FALSE:
            raise UsageError(f"{where} must be 0 or 1, not {found!r}")
        if word in _TRUE:
            values.put(option, True)
        return
    for item in found if isinstance(found, list) else [found]:
        if str(item):
            values.put(option, str(item))


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib  # only on the way to an error

    close = difflib.get_close_matches(word, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""


def option_lines(options: Sequence[Option]) -> str:
    """The options as help shows them."""
    width = max((len(o.usage) for o in options), default=0)
    return "\n".join(f"  {o.usage:<{width}}  {o.help}" for o in options)
