"""`headstart run`. Everything here is paid for by every run: it imports next to nothing."""

from __future__ import annotations

import os
import sys

from ..accelerate.program import program_of
from ..errors import HeadstartError
from ..launch.target import parse_target
from .options import Option, add_settings, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ..accelerate.program import Program
    from ..accelerate.warm.client import Attempt
    from .options import Values

OPTIONS = (
    Option("no-warm", "do without a warm interpreter (also HEADSTART_WARM=0)", setting=False),
    Option("no-cache", "do without what earlier runs have kept (also HEADSTART_CACHE=0)"),
    Option("verify", "check what was kept against the real thing"),
    Option("verbose", "say on stderr what was saved, and by what", letter="v", setting=False),
    Option("only-warm", "fail where the run would be cold (for tests and benchmarks)", setting=False),
)


def main(argv: list[str]) -> int:
    """Run a program as `python` would, but fast.

    usage: headstart run [OPTIONS] SCRIPT [ARGUMENTS…]
           headstart run [OPTIONS] -m MODULE [ARGUMENTS…]
           headstart run [OPTIONS] -c CODE [ARGUMENTS…]

    The first run starts a warm interpreter in the background; later runs are forked from it, with TensorFlow
    imported already. Same output, same numbers, same exit status.
    """
    values, words = parse(argv, OPTIONS, program=True)
    add_settings(values, OPTIONS)
    target = parse_target(words)
    if target.kind == "code" and not _is_text(target.name):
        as_ever(words)  # what `python` says of it is its own
    program = program_of(target.kind, target.name, words)
    options = {option.name: "1" for option in OPTIONS if values.flag(option.name)}
    attempt = _warm(program, values, options)
    return _cold(program, values, options, attempt)


def _is_text(code: str) -> bool:
    """Whether it can be written down as UTF-8, as the interpreter does."""
    try:
        code.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_ever(words: list[str]) -> NoReturn:
    """Become plain `python`."""
    from ..launch.target import interpreter_flags

    os.execv(sys.executable, [sys.executable, *interpreter_flags(), *words])


def _warm(program: Program, values: Values, options: dict[str, str]) -> Attempt | None:
    """Run it warm, and leave with its status; comes back where that is not to be."""
    if values.flag("no-warm") or os.environ.get("HEADSTART_WARM", "1").lower() in ("0", "off", "no", "false"):
        return None
    if sys.platform != "linux" or customised():
        return None
    from ..accelerate.warm.client import Attempt

    attempt = Attempt(program, options)
    status = attempt.run()
    if status is None:
        return attempt
    if values.flag("verbose"):
        print(
            f"headstart: warm, forked from {attempt.server}; its imports took {attempt.seconds} s",
            file=sys.stderr,
        )
        sys.stderr.flush()
    if status < 0:
        from ..launch.ending import die_of

        die_of(-status)
    os._exit(status)


def _cold(program: Program, values: Values, options: dict[str, str], attempt: Attempt | None) -> NoReturn:
    if values.flag("only-warm"):
        raise HeadstartError(f"this run would be cold: {attempt.why if attempt else 'warm runs are off'}")
    started, ending = "", None
    if attempt is not None and attempt.caller is not None and not attempt.lasting:
        from functools import partial

        from ..accelerate.warm import contract, learned, spawn

        ending = partial(learned.learn, exactly=False)
        environ = contract.changed(os.environ, attempt.changes)
        started = spawn.start(attempt.caller.identity, environ, program) or "one is starting for the next run"
    if values.flag("verbose"):
        why = attempt.why if attempt else "warm runs are off"
        print(f"headstart: cold ({why}{'; ' + started if started else ''})", file=sys.stderr)
    if customised():
        # Code of the user's runs at the start of the interpreter, and must find the program's own start.
        as_ever(program.words)
    from ..accelerate import cold

    cold.run(program, options, ending)


def customised() -> bool:
    """Whether this interpreter runs code of the user's at its start; what the distribution put there does not
    count."""
    library = os.path.dirname(os.__file__)
    for name in ("sitecustomize", "usercustomize"):
        module = sys.modules.get(name)
        if module is not None and os.path.dirname(getattr(module, "__file__", None) or "") != library:
            return True
    return False
