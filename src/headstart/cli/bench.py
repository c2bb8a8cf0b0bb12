"""`headstart bench`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import HeadstartError, UsageError
from .compare import OPTIONS as COMPARE_OPTIONS
from .compare import judge, load, parse_limit, show
from .options import Option, Values, add_settings, parse

OPTIONS = (
    Option("runs", "how many runs of each (default 10)", "N", letter="n", setting=False),
    Option("keep", "keep the records in this directory, for `headstart compare`", "DIR", setting=False),
    Option("cold", "drop the programs' files from the page cache before each run", setting=False),
    Option("no-warmup", "count the very first run of each as well", setting=False),
    Option("show-output", "let the programs write to the terminal", setting=False),
    Option("ignore-failure", "go on when a program's exit status is not 0", setting=False),
    *(option for option in COMPARE_OPTIONS if option.name in ("fail-over", "metric", "quiet")),
)
USAGE = "headstart bench -n 10 -- A.py [ARGUMENTS…] [--vs B.py [ARGUMENTS…]]"


def main(argv: list[str]) -> int:
    """Run a program several times, or two programs in turn, and compare their starts.

    usage: headstart bench [OPTIONS] -- PROGRAM [ARGUMENTS…] [--vs PROGRAM [ARGUMENTS…]]

    A PROGRAM is what `headstart profile` takes: a script, -m MODULE or -c CODE. Runs of A and B alternate, so
    that both meet the same weather. One run of each comes first and is not counted; it fills the page cache
    (not with --cold).
    """
    own, programs = _split(argv)
    values, rest = parse(own, OPTIONS)
    add_settings(values, OPTIONS)
    if rest:
        raise UsageError(f"put -- before the program: {USAGE}")
    runs = _count(values.text("runs"))
    limit = parse_limit(values.text("fail-over"))
    with _folder(values.text("keep")) as folder:
        sides = [os.path.join(folder, name) for name in "ab"[: len(programs)]]
        for side in sides:
            os.makedirs(side, exist_ok=True)
            if os.listdir(side):
                raise HeadstartError(f"{side} is not empty: give --keep another directory")
        _run_all(programs, sides, runs, values)
        if len(programs) == 1:
            return _summary(sides[0], programs[0], values.flag("quiet"))
        from ..analyse.compare import compare

        labels = [" ".join(program) for program in programs]
        found = compare(load(sides[0]), load(sides[1]), (labels[0], labels[1]))
        if not values.flag("quiet"):
            show(found)
        return judge(found, limit, values.text("metric"))


def _split(argv: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Options of ours, and the one or two programs."""
    words = list(argv)
    if "--" not in words:
        raise UsageError(f"put -- before the program: {USAGE}")
    at = words.index("--")
    own, rest = words[:at], words[at + 1 :]
    programs = [rest]
    if "--vs" in rest:
        middle = rest.index("--vs")
        programs = [rest[:middle], rest[middle + 1 :]]
    if not all(programs):
        raise UsageError(f"give a program: {USAGE}")
    return own, programs


def _count(text: str | None) -> int:
    try:
        count = int(text or "10")
    except ValueError:
        raise UsageError(f"-n wants a number, not {text!r}") from None
    if not 1 <= count <= 1000:
        raise UsageError("-n must be from 1 to 1000")
    return count


@contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    if keep:
        try:
            os.makedirs(keep, exist_ok=True)
        except OSError as error:
            raise HeadstartError(f"cannot make {keep}: {error.strerror}") from None
        yield keep
        return
    folder = tempfile.mkdtemp(prefix="headstart-bench-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_all(programs: list[list[str]], sides: list[str], runs: int, values: Values) -> None:
    cold = values.flag("cold")
    first = 1 if cold or values.flag("no-warmup") else 0
    rounds = [(number, side) for number in range(first, runs + 1) for side in range(len(programs))]
    with _progress(len(rounds), values.flag("quiet")) as advance:
        for number, side in rounds:
            if number % 2 == 0 and len(programs) == 2:
                side = 1 - side  # ABBA: neither side always follows the other
            if cold:
                from ..launch.page_cache import drop

                drop(programs[side])
            name = os.path.join(sides[side], f"{number:03d}.hsrun")
            _run_one(programs[side], name, values)
            if number == 0:
                for entry in os.listdir(sides[side]):
                    os.unlink(os.path.join(sides[side], entry))
            advance()


def _run_one(program: list[str], record: str, values: Values) -> None:
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", record, *program]
    sink = None if values.flag("show-output") else subprocess.DEVNULL
    # What the program says on stderr is kept for the case that it fails.
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=None if sink is None else errors
        )
        if done.returncode and not values.flag("ignore-failure"):
            errors.seek(0)
            tail = errors.read().decode(errors="replace").strip().split("\n")[-1]
            raise HeadstartError(
                f"{' '.join(program)} ended with status {done.returncode}{': ' + tail if tail else ''}\n"
                "--show-output shows what it says, --ignore-failure goes on nevertheless"
            )
    if not os.path.exists(record):
        raise HeadstartError(f"{' '.join(program)} left no record")


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Progress]:
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=total)
        yield lambda: bar.advance(task)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[], None]


def _summary(side: str, program: list[str], quiet: bool) -> int:
    from ..analyse.locations import summarise
    from ..render.comparison import summary_text

    reports = load(side)
    if not quiet:
        sys.stdout.write(summary_text(summarise(reports), " ".join(program), len(reports)))
    return 0
