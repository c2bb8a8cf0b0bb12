"""`headstart compare`."""

from __future__ import annotations

import os
import sys

from ..errors import HeadstartError, UsageError
from .options import Option, add_settings, parse
from .outputs import claim, refuse_doubles, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..analyse.changes import Change, Comparison
    from ..analyse.report import Report

OPTIONS = (
    Option("fail-over", "exit 1 when B is beyond doubt slower than this: 10% or 0.5s", "LIMIT"),
    Option("metric", "what --fail-over looks at: a total or a phase (default: time to first step)", "NAME"),
    Option("json", "write the comparison as JSON", "FILE", setting=False),
    Option("markdown", "write it as Markdown, for a pull request", "FILE", setting=False),
    Option("html", "write it as a page, side by side", "FILE", setting=False),
    Option("quiet", "print nothing", letter="q"),
    Option("force", "replace output files that headstart did not write", setting=False),
)
SUFFIXES = (".hsrun", ".json")


def main(argv: list[str]) -> int:
    """Compare two runs, or two sets of runs.

    usage: headstart compare [OPTIONS] A B

    A and B are records (`headstart profile --record`), JSON reports (`--json`) or directories of either. The
    exit status is 0 when nothing is beyond doubt past --fail-over, 1 when it is, 2 when they cannot be read.
    """
    values, words = parse(argv, OPTIONS)
    add_settings(values, OPTIONS)
    if len(words) != 2:
        raise UsageError("give two runs or two directories of runs: headstart compare A B")
    limit = parse_limit(values.text("fail-over"))
    kinds = [(kind, path) for kind in ("json", "markdown", "html") if (path := values.text(kind))]
    refuse_doubles([path for _, path in kinds])
    outputs = [claim(kind, path, values.flag("force")) for kind, path in kinds]
    before, after = (load(word) for word in words)

    from ..analyse.compare import compare

    found = compare(before, after, (words[0], words[1]))
    for output in outputs:
        write(output, _rendered(output.kind, found))
    if not values.flag("quiet"):
        show(found)
    return judge(found, limit, values.text("metric"))


def load(path: str) -> list[Report]:
    """The reports of a record, of a JSON report or of a directory of them."""
    paths = [path]
    if os.path.isdir(path):
        names = sorted(os.listdir(path))
        paths = [os.path.join(path, name) for name in names if name.endswith(SUFFIXES)]
        if not paths:
            raise HeadstartError(f"there is no record and no JSON report in {path}")
    return [_load_one(one) for one in paths]


def _load_one(path: str) -> Report:
    from .. import api
    from ..render import json as json_renderer

    try:
        with open(path, "rb") as handle:
            head = handle.read(4096)
            if b'"headstart_record"' in head.split(b"\n", 1)[0]:
                return api.report_of([path]).report
            data = head + handle.read()
    except OSError as error:
        raise HeadstartError(f"cannot read {path}: {error.strerror}") from None
    try:
        return json_renderer.parse(data)
    except ValueError as error:
        raise HeadstartError(f"{path} is {error}") from None


def parse_limit(text: str | None) -> tuple[float, bool] | None:
    """`10%` → (0.1, True), `0.5s` → (0.5, False)."""
    if text is None:
        return None
    word = text.strip().lower()
    try:
        if word.endswith("%"):
            value, relative = float(word[:-1]) / 100, True
        elif word.endswith("ms"):
            value, relative = float(word[:-2]) / 1000, False
        else:
            value, relative = float(word.removesuffix("s")), False
    except ValueError:
        raise UsageError(f"--fail-over wants a share or seconds, as 10% or 0.5s, not {text!r}") from None
    if not 0 <= value < 1e9:
        raise UsageError(f"--fail-over must not be negative: {text!r}")
    return value, relative


def show(found: Comparison) -> None:
    """Print it, as the terminal at hand can show it."""
    import shutil

    from ..render.comparison import text

    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    width = shutil.get_terminal_size((80, 24)).columns
    sys.stdout.write(text(found, width=width, color=color, unicode=unicode))


def judge(found: Comparison, limit: tuple[float, bool] | None, metric: str | None) -> int:
    """The exit status, with a line on stderr that says why."""
    from ..analyse.judging import exceeds
    from ..render import units

    change = _metric(found, metric)
    if limit is None:
        return 0
    value, relative = limit
    asked = f"{value * 100:g} %" if relative else units.seconds(value)
    if change.difference_ci95 is None:
        print(f"headstart: {change.name}: too few runs to tell whether it is past {asked}", file=sys.stderr)
        return 0
    if exceeds(change, value, relative):
        print(f"headstart: {change.name} is more than {asked} slower", file=sys.stderr)
        return 1
    return 0


def _metric(found: Comparison, name: str | None) -> Change:
    if name is None:
        return found.headline
    known = [*found.totals, *found.phases, *found.functions, *found.parts]
    wanted = "whole run" if name == "wall_seconds" else name  # the JSON report's own names will do
    for change in known:
        if change.name == wanted or _spaced(change.name) == _spaced(wanted):
            return change
    raise UsageError(f"no such metric: {name}. Known: {', '.join(change.name for change in known)}")


def _spaced(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _rendered(kind: str, found: Comparison) -> str | bytes:
    if kind == "html":
        from ..render.comparison_html import render

        return render(found)
    from ..render import comparison

    return comparison.json(found) if kind == "json" else comparison.markdown(found)
