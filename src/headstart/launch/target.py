"""What to run: a script, a module or a piece of code, exactly as `python` would be told to run it."""

from __future__ import annotations

import os
import sys

from ..errors import HeadstartError, UsageError


class Target:
    """A program as given on the command line: the words that would follow `python`."""

    __slots__ = ("kind", "name", "words")

    def __init__(self, kind: str, name: str, words: list[str]) -> None:
        self.kind = kind
        """"script" | "module" | "code"."""
        self.name = name
        self.words = words

    @property
    def title(self) -> str:
        """Short and recognisable: for the live line and for remembering earlier runs."""
        return {"script": self.name, "module": f"-m {self.name}", "code": "-c"}[self.kind]


def parse_target(words: list[str]) -> Target:
    """Make a target of the words after headstart's own options; refuses what `python` could not start."""
    if not words:
        raise UsageError("nothing to run: give a script, -m MODULE or -c CODE")
    first = words[0]
    for flag, kind in (("-m", "module"), ("-c", "code")):
        if not first.startswith(flag):
            continue
        # Like python, take `-mMODULE` as well as `-m MODULE`.
        name = first[2:] or (words[1] if len(words) > 1 else "")
        if not name and len(words) < 2:
            raise UsageError(f"{flag} needs {'a module name' if kind == 'module' else 'code'} after it")
        return Target(kind, name, words)
    _check_script(first)
    return Target("script", first, words)


def _check_script(path: str) -> None:
    if path == "-":
        raise UsageError("a program from standard input cannot be run: save it to a file, or use -c CODE")
    if not os.path.exists(path):
        hint = ""
        if not path.endswith(".py") and os.path.exists(path + ".py"):
            hint = f" (there is {path}.py)"
        raise HeadstartError(f"no such script: {path}{hint}")
    if os.path.isdir(path):
        if not os.path.isfile(os.path.join(path, "__main__.py")):
            raise HeadstartError(
                f"{path} is a directory without __main__.py: give a script inside it, or -m MODULE"
            )
        return
    if not os.access(path, os.R_OK):
        raise HeadstartError(f"cannot read {path}: permission denied")


_ABOUT_HEADSTART = frozenset(("-I", "-E", "-S", "-s", "-P"))


def interpreter_flags() -> list[str]:
    """The flags that headstart's own interpreter was started with (`python -O -m headstart …`): the program
    gets the same, but for those that shield headstart from its surroundings (they shut the capture out)."""
    given = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    if given and given[-1] == "headstart" and len(given) > 1 and given[-2] == "-m":
        given = given[:-2]
    elif given and (given[-1] == "-mheadstart" or not given[-1].startswith("-")):
        given = given[:-1]
    return [word for word in given if word not in _ABOUT_HEADSTART]


def command_line(target: Target) -> list[str]:
    """The argv of the process to start."""
    return [sys.executable, *interpreter_flags(), *target.words]
