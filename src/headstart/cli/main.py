"""headstart makes TensorFlow programs start fast, and explains why they don't.

usage: headstart COMMAND [OPTIONS] …
       headstart COMMAND --help
       headstart --version
"""

from __future__ import annotations

import sys

from .._version import __version__
from ..errors import HeadstartError, UsageError
from .saying import say

# name -> (module, what it does). A module is imported only when its command is asked for, and offers
# `main(argv: list[str]) -> int`, whose docstring is its help.
COMMANDS: dict[str, tuple[str, str]] = {
    "profile": ("profile", "run a program and show where its start went"),
    "run": ("run", "run a program, fast"),
    "report": ("report", "show the reports of stored runs"),
    "compare": ("compare", "two runs or sets of runs: what differs, and can it be told from noise"),
    "bench": ("bench", "run a program several times, or two against each other"),
    "history": ("history", "how the start of each program developed, commit by commit"),
    "warm": ("warm", "the warm interpreters: start, status, stop"),
    "cache": ("cache", "what is kept between runs: info, list, explain, prune, clear, verify"),
    "lint": ("lint", "find the causes of slow starts in source code"),
    "explain": ("explain", "what a finding means, with a bad and a good example"),
    "lab": ("lab", "what is said about slow starts, measured on this machine"),
    "doctor": ("doctor", "what this environment supports, what is off and why"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; the two error classes end here."""
    words = sys.argv[1:] if argv is None else argv
    try:
        return _dispatch(words)
    except HeadstartError as error:
        say(str(error))
        if isinstance(error, UsageError):
            command = f" {words[0]}" if words and words[0] in COMMANDS else ""
            say(f"try: headstart{command} --help")
        return error.exit_code
    except KeyboardInterrupt:
        from ..launch.ending import die_of

        die_of(2)
    except BrokenPipeError:
        # The reader of our output went away (`headstart report … | head`): not an error worth a traceback.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        if words[1:]:
            return _dispatch([words[1], "--help"])
        print(_help())
        return 0 if words else 2
    name, *rest = words
    if name in ("-V", "--version"):
        print(f"headstart {__version__}")
        return 0
    if name not in COMMANDS:
        raise UsageError(f"no such command: {name}{_nearest(name)}")
    command = _load(name)
    if rest and rest[0] in ("-h", "--help"):
        print(_command_help(name, command))
        return 0
    return command(rest)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _load(name: str) -> Callable[[list[str]], int]:
    module = f"{__package__}.{COMMANDS[name][0]}"
    __import__(module)
    command: Callable[[list[str]], int] = sys.modules[module].main
    return command


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    return _fitted(_clean(__doc__ or "") + "\n\ncommands:\n" + "\n".join(lines))


def _command_help(name: str, command: Callable[[list[str]], int]) -> str:
    """A command's docstring and, where it declares them, its options."""
    text = _clean(command.__doc__ or COMMANDS[name][1])
    options = getattr(sys.modules[command.__module__], "OPTIONS", ())
    if options and "\noptions:\n" not in text:
        from .options import option_lines

        text += "\n\noptions:\n" + option_lines(options)
    return _fitted(text)


def _fitted(text: str) -> str:
    from .fitting import fitted

    return fitted(text)


def _clean(doc: str) -> str:
    import inspect

    return inspect.cleandoc(doc)


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(COMMANDS), 1)
    if close:
        return f" (did you mean {close[0]}?)"
    import os

    if os.path.exists(name) or name.endswith(".py"):
        return f"; to run a program: headstart profile {name}"
    return ""
