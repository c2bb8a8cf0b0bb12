"""`headstart profile`. What is imported here is imported before the program starts: next to nothing."""

from __future__ import annotations

import os
import sys
from functools import partial

from ..errors import HeadstartError
from ..launch.launcher import launch
from ..launch.places import forget_old_runs, new_record
from ..launch.target import Target, parse_target
from .claims import FORCE, REPORT_OPTIONS, claim_reports
from .options import Option, add_settings, parse
from .outputs import Output
from .saying import say
from .tensorboard import TENSORBOARD, check_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event

    from .. import api
    from ..analyse.budget import Budget
    from ..launch.ending import Ending
    from ..launch.live import LiveLine
    from ..record.following import Following

OPTIONS = (
    *REPORT_OPTIONS,
    Option("record", "keep the raw run, for `headstart report` and `headstart compare`", "FILE"),
    TENSORBOARD,
    Option("check", "exit 1 when the run breaks [tool.headstart.budget]", setting=False),
    Option("history", "where profiles are remembered: a file, a database URL, or off", "WHERE"),
    Option("warm", "fork the program from a warm interpreter, as `headstart run` does", setting=False),
    Option("quiet", "print nothing of headstart's own", letter="q"),
    FORCE,
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
    wanted, quiet = values.text("record"), values.flag("quiet") or sys.stderr is None
    outputs = claim_reports(values, wanted)
    budget = _budget() if values.flag("check") else None
    logs = values.text("tensorboard")
    if logs:
        check_folder(logs)
    run = os.urandom(16).hex()
    record = _record(wanted, values.flag("force")) if wanted else new_record(run)
    live = None if quiet else partial(_live_line, target, record)
    wants_report = bool(outputs) or not quiet or budget is not None or logs is not None
    followed: list[Following | None] = []
    follow = partial(_follow, record, outputs, followed) if wants_report else None
    ending = _warm(target, record, run) if values.flag("warm") else None
    if ending is None:
        ending = launch(target, record, run, meanwhile=follow, watcher=live)
    kept = True
    try:
        if wants_report:
            reading = _report(target, record, followed[0] if followed else None, outputs, quiet)
            kept = budget is None or _holds(budget, reading)
            _afterwards(reading, values.text("history"), logs)
    except HeadstartError as error:
        say(str(error))
    except Exception as error:
        # The program has run; nothing that goes wrong now may cost its caller the exit status.
        if os.environ.get("HEADSTART_DEBUG"):
            raise
        say(f"no report: {type(error).__name__}: {error}")
        say(f"the run is in {record} (HEADSTART_DEBUG=1 shows more)")
    forget_old_runs()
    if not kept and ending.status == 0:
        ending.status = 1  # the program is content, its budget is not
    ending.follow()


def _warm(target: Target, record: str, run: str) -> Ending | None:
    """The warm run's end; None if there is no warm interpreter for it, and it is to be run cold."""
    if sys.platform != "linux":
        return None
    from ..accelerate.warm.recording import launch_warm

    ending, why = launch_warm(target, record, run)
    if ending is None:
        say(f"this run is cold: {why} (headstart warm start)")
    return ending


def _budget() -> Budget:
    from .guard import project_budget

    return project_budget()


def _holds(budget: Budget, reading: api.Reading) -> bool:
    from .guard import holds

    return holds(budget, reading)


def _afterwards(reading: api.Reading, history: str | None, logs: str | None) -> None:
    from .afterwards import export, remember_in

    if logs:
        from .tensorboard import add

        add(logs, reading)
    remember_in(history, reading)
    export(reading)


def _record(path: str, force: bool) -> str:
    from .recordfile import open_record

    file = open_record(path, force)
    file.clear()
    return file.path


def _live_line(target: Target, record: str, pid: int, start_ns: int) -> LiveLine | None:
    from ..launch.statusrow import StatusRow, may_show

    environ = dict(os.environ)
    if not may_show(environ):
        return None
    from ..launch.lasttime import recall
    from ..launch.live import LiveLine
    from ..launch.tail import Tail

    return LiveLine(StatusRow(2, environ), Tail(record), pid, start_ns, recall(target))


def _follow(record: str, outputs: list[Output], followed: list[Following | None], ended: Event) -> None:
    """On a thread, which cannot return anything: the result is put into `followed`."""
    from .meanwhile import follow

    followed.append(follow(record, [output.kind for output in outputs], ended))


def _report(
    target: Target, record: str, followed: Following | None, outputs: list[Output], quiet: bool
) -> api.Reading:
    from . import reporting
    from .meanwhile import reading_of

    reading = reading_of(record, followed)
    reporting.write_files(reading, outputs)
    if not quiet:
        try:
            reporting.show(reading, sys.stderr)
        except OSError:
            pass  # nobody reads it any more (`2>&1 | head`, a closed terminal)
    _remember(target, reading)
    return reading


def _remember(target: Target, reading: api.Reading) -> None:
    from ..launch.lasttime import remember

    run = reading.runs[0]
    spans = ((s.kind, s.name, s.seconds) for s in run.spans if s.tid == run.header.main_tid)
    remember(target, spans, reading.report.time_to_first_step)
