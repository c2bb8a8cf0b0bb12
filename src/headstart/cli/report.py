"""`headstart report`."""

from __future__ import annotations

import glob
import os
import sys

from .. import api
from ..errors import HeadstartError
from ..launch.places import newest_record
from ..record.format import SUFFIX
from . import reporting
from .claims import FORCE, REPORT_OPTIONS, claim_reports
from .options import Option, parse
from .tensorboard import TENSORBOARD, add, check_folder

OPTIONS = (
    *REPORT_OPTIONS,
    TENSORBOARD,
    Option("quiet", "only write the files", letter="q", setting=False),
    FORCE,
)


def main(argv: list[str]) -> int:
    """Show the report of a stored run again, without running anything.

    usage: headstart report [OPTIONS] [RECORD…]

    Several records are several processes (ranks) of one run; a folder stands for the records in it. Without a
    name, the last profiled run is shown. A record that was cut short, because the program was killed or the disk
    was full, is shown as far as it goes.
    """
    values, words = parse(argv, OPTIONS)
    paths = [path for word in words for path in _records(word)] or [_last()]
    outputs = claim_reports(values, *paths)
    logs = values.text("tensorboard")
    if logs:
        check_folder(logs)
    reading = api.report_of(paths)
    if logs:
        add(logs, reading)
    fine = reporting.write_files(reading, outputs)
    if not values.flag("quiet"):
        reporting.show(reading, sys.stdout)
    return 0 if fine else 2


def _records(word: str) -> list[str]:
    if not os.path.isdir(word):
        return [word]
    found = sorted(glob.glob(os.path.join(glob.escape(word), "*" + SUFFIX)))
    if not found:
        raise HeadstartError(f"there is no record (*{SUFFIX}) in {word}")
    return found


def _last() -> str:
    path = newest_record()
    if path is None:
        raise HeadstartError("no run has been profiled yet: headstart profile SCRIPT")
    return path
