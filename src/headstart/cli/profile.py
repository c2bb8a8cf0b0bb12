"""`headstart profile`."""

from __future__ import annotations

import os
import sys
from functools import partial

from ..errors import HeadstartError
from ..launch.launcher import launch
from ..launch.places import forget_old_runs, new_record
from ..launch.target import Target, parse_target
from .options import Option, Values, add_settings, parse
from .outputs import Output, claim, refuse_doubles, write
from .recordfile import RecordFile, open_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..launch.live import LiveLine

REPORT_KINDS = ("json", "html", "trace")
OPTIONS = (
    Option("json", "write the report as JSON", "FILE"),
    Option("html", "write the report as one self-contained page", "FILE"),
    Option("trace", "write a Chrome/Perfetto trace", "FILE"),
    Option("record", "keep the raw run, for `headstart report` and `headstart compare`", "FILE"),
    Option("quiet", "print nothing of headstart's own", letter="q"),
    Option("force", "replace output files that headstart did not write", setting=False),
)


def main(argv: list[str]) -> int:
    """Run a program and show where its start went.

    usage: headstart profile [OPTIONS] SCRIPT [ARGUMENTS…]
           headstart profile [OPTIONS] -m MODULE [ARGUMENTS…]
           headstart profile [OPTIONS] -c CODE [ARGUMENTS…]

    The program runs as under `python`: same arguments, input, output, signals and exit status. The report
    goes to stderr when it ends.
    """
    values, words = parse(argv, OPTIONS, program=True)
    add_settings(values, OPTIONS)
    target = parse_target(words)
    outputs, kept = _claim(values)
    run = os.urandom(16).hex()
    record = kept.path if kept else new_record(run)
    if kept:
        kept.clear()
    live = None if values.flag("quiet") else partial(_live_line, target, record)
    ending = launch(target, record, run, meanwhile=_preload, watcher=live)
    try:
        _report(record, outputs, quiet=values.flag("quiet"))
    except HeadstartError as error:
        # The program has run; its status is what the caller must get.
        print(f"headstart: {error}", file=sys.stderr)
    forget_old_runs()
    return ending.follow()


def _claim(values: Values) -> tuple[list[Output], RecordFile | None]:
    force = values.flag("force")
    wanted = [(kind, path) for kind in (*REPORT_KINDS, "record") if (path := values.text(kind))]
    for _, path in wanted:
        if path == "-":
            raise HeadstartError("standard output belongs to the program: give a file name instead of -")
    refuse_doubles([path for _, path in wanted])
    outputs = [claim(kind, path, force) for kind, path in wanted if kind != "record"]
    record = values.text("record")
    return outputs, open_record(record, force) if record else None


def _live_line(target: Target, record: str, pid: int, start_ns: int) -> LiveLine | None:
    from ..launch.statusrow import StatusRow, may_show

    environ = dict(os.environ)
    if not may_show(environ):
        return None
    from ..launch.lasttime import recall
    from ..launch.live import LiveLine
    from ..launch.tail import Tail

    return LiveLine(StatusRow(2, environ), Tail(record), pid, start_ns, recall(target))


def _preload() -> None:
    from .. import api

    api.preload()


def _report(record: str, outputs: list[Output], quiet: bool) -> None:
    from .. import api

    if quiet and not outputs:
        return
    report = api.report_of([record])
    for output in outputs:
        try:
            path = write(output, api.render(output.kind, report))
        except HeadstartError as error:
            print(f"headstart: {error}", file=sys.stderr)
            continue
        if path != output.path:
            print(
                f"headstart: another run wrote {output.path}; this {output.kind} is in {path}",
                file=sys.stderr,
            )
    if not quiet:
        sys.stderr.write(api.render("terminal", report))
