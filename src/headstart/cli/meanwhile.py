"""What `headstart profile` does while the program runs, so that its report is there soon after the end.

The modules that a report needs are loaded, the record is read as it grows, and the report is made once for practice:
the first of its kind takes half as long again. All of it politely, on a thread of low priority.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from threading import Event

from .. import api
from ..errors import HeadstartError
from ..record.following import Following
from ..record.reader import RecordError
from . import afterwards, reporting  # noqa: F401

LOOK_SECONDS = (0.25, 2.0)
"""Between two looks at the record: at first, and in a long run."""
PRACTISE_FROM = 500
"""Spans. A program that records fewer is over before practice pays, or its report takes no time."""
KEPT = 200_000
"""Spans up to which they are kept in memory while the program runs; larger records are read at the end."""
PRACTISED = ("terminal", "json")


def follow(record: str, kinds: Sequence[str], ended: Event) -> Following | None:
    """Until the program has ended; None where the record must be read from its beginning."""
    api.preload(kinds)
    afterwards.preload()
    gc.disable()  # a report is made once, of many small records, and then this process ends
    following, practised = Following(record), False
    period, longest = LOOK_SECONDS
    while not ended.wait(period):
        period = min(1.1 * period, longest)
        try:
            following.look()
        except Exception:
            return None  # it will be read again, and what is wrong with it said, when nobody is disturbed by that
        if following.spans > KEPT:
            return None
        if not practised and following.spans >= PRACTISE_FROM:
            practised = True
            _practise(following)
    return following


def _practise(following: Following) -> None:
    run = following.so_far()
    try:
        reading = api.report_of_runs([run] if run is not None else [])
        for kind in PRACTISED:
            api.render(kind, reading)
    except Exception:
        pass  # half a run: the whole one will tell


def reading_of(record: str, following: Following | None) -> api.Reading:
    """The report of a run that has ended, whether or not it was followed."""
    if following is None:
        return api.report_of([record])
    try:
        run = following.run()
    except RecordError as error:
        raise HeadstartError(str(error)) from None
    return api.report_of_runs([run])
