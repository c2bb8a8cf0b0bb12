"""`headstart history`."""

from __future__ import annotations

import os
import shutil
import sys

from ..errors import HeadstartError, UsageError
from .options import Option, add_settings, parse
from .outputs import claim, refuse_doubles, write

HISTORY = Option("history", "where profiles are remembered: a file, a database URL, or off", "WHERE")
OPTIONS = (
    HISTORY,
    Option("last", "how many runs of each program to show (default 200)", "N", letter="n", setting=False),
    Option("json", "write the runs as JSON", "FILE", setting=False),
    Option("html", "write a plot of each program's runs", "FILE", setting=False),
    Option("forget", "drop the runs of the named program, or all", setting=False),
    Option("force", "replace output files that headstart did not write", setting=False),
)


def main(argv: list[str]) -> int:
    """Show how the start of each program developed, commit by commit.

    usage: headstart history [OPTIONS] [PROGRAM]

    Each `headstart profile` adds a run. A team keeps one history with a database URL in HEADSTART_HISTORY or in
    [tool.headstart]: history = "postgresql://user@host/name".
    """
    values, words = parse(argv, OPTIONS)
    add_settings(values, OPTIONS)
    if len(words) > 1:
        raise UsageError("give one program, or none for all")
    where = values.text("history")
    if where in ("off", "0"):
        raise HeadstartError("the history is off: see HEADSTART_HISTORY and [tool.headstart]")
    most = _number(values.text("last"))
    kinds = [(kind, path) for kind in ("json", "html") if (path := values.text(kind))]
    refuse_doubles([path for _, path in kinds])
    outputs = [claim(kind, path, values.flag("force")) for kind, path in kinds]

    from ..history.store import open_store

    store = open_store(where)
    names = _chosen([name for name, _ in store.programs()], words)
    if values.flag("forget"):
        from ..render.units import plural

        count = sum(store.forget(name) for name in names)
        print(f"headstart: {plural(count, 'run')} forgotten")
        return 0
    found = [(name, store.entries(name, most)) for name in names]
    for output in outputs:
        write(output, _rendered(output.kind, found))
    if not found:
        print("headstart: no run is remembered yet: headstart profile SCRIPT")
    _show(found)
    return 0


def _number(text: str | None) -> int:
    try:
        number = int(text or "200")
    except ValueError:
        raise UsageError(f"-n wants a number, not {text!r}") from None
    if number < 1:
        raise UsageError("-n must be at least 1")
    return number


def _chosen(known: list[str], words: list[str]) -> list[str]:
    """Programs by their name, its end, or the path of the script."""
    if not words:
        return known
    word = words[0]
    from ..history.entry import identify

    exact = {word, identify([word], os.getcwd())[0]}
    found = [name for name in known if name in exact] or [n for n in known if n.endswith("/" + word)]
    if not found:
        raise HeadstartError(f"no run of {word} is remembered. Known: {', '.join(known[:10]) or 'none'}")
    return found


def _rendered(kind: str, found: list[tuple[str, list[Entry]]]) -> str | bytes:
    if kind == "html":
        from ..render.history import plot

        return plot(found)
    import msgspec

    from .._version import __version__

    # A database keeps the phases as text; who reads JSON wants them as JSON.
    rows = [
        {**msgspec.to_builtins(entry), "phases": msgspec.json.decode(entry.phases)}
        for _, entries in found
        for entry in entries
    ]
    content = {"schema": 1, "headstart": __version__, "runs": rows}
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _show(found: list[tuple[str, list[Entry]]]) -> None:
    from ..render.history import text

    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((80, 24)).columns
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    for number, (program, entries) in enumerate(found):
        sys.stdout.write("\n" if number else "")
        sys.stdout.write(text(program, entries, width=width, color=color, unicode=unicode))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..history.entry import Entry
