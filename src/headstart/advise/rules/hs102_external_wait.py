"""The program waits for something outside it.

## What it does
Finds lines where the main thread waits for the network, a name server, another process or a sleep before
the program's work, or again and again during it.

## Why it costs
While the main thread waits, nothing else happens: TensorFlow is not imported, no graph is built, no data is
read. None of that needs the answer.

## Use instead
Start the request in a thread before the imports and the model are built, and collect the answer where it is
needed; or keep the answer in a local file. Retry loops should wait for the event, not sleep.

## Fix safety
No automatic fix: only you know whether the work before the answer may go on without it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from ...analyse.model import Analysis
from ...record import format as record
from ...record import signals as s
from ..draft import Confidence, Draft
from ..evidence.samples import samples
from ..evidence.spans import Inside
from ..evidence.words import secs
from ..rule import Rule

_WORTH_SECONDS = 0.5
_WAITS = {
    "socket": "the network",
    "process": "another process",
    "pipe": "another process",
    "sleep": "a sleep",
    "ready": "something outside to be ready",
}
_MAYBE_MEANT = (_WAITS["sleep"], _WAITS["ready"])
"""Whether a sleep, or a loop that waits for whatever comes first (asyncio, a server), is in anybody's way, only its
author knows."""


def detect(run: Analysis) -> Iterable[Draft]:
    waited: dict[tuple[str, int], int] = defaultdict(int)
    what: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    claims: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    waits = Inside(run.spans(s.EXTERNAL))
    over = min((span.start_ns for span in run.spans(s.SHUTDOWN)), default=run.run.end_ns)
    for span in waits.spans:
        if span.site and span.start_ns < over:
            where = (span.site[0], span.site[1])
            waited[where] += span.end_ns - span.start_ns
            kind = "another process" if span.attrs.get("what") == "process" else "the network"
            what[where][f"{kind} ({span.name})"] += span.end_ns - span.start_ns
            claims[where].append((span.start_ns, span.end_ns))
    seen = samples(run)
    for sample, weight in zip(seen.samples, seen.weights, strict=True):
        kind = sample.leaf.rsplit(" [", 1)[-1].rstrip("]") if sample.leaf.endswith("]") else ""
        if kind not in _WAITS or not sample.file or sample.flags & record.IN_LIBRARY:
            continue
        if sample.at_ns < over and waits.at(sample.at_ns) is None:
            where = (sample.file, sample.line)
            waited[where] += weight
            what[where][_WAITS[kind]] += weight
            claims[where].append((sample.at_ns, sample.at_ns + weight))
    for where, ns in waited.items():
        lost = ns / 1e9
        if lost < _WORTH_SECONDS:
            continue
        cause = what[where].most_common(1)[0][0]
        early = run.first_step_end_ns is None or claims[where][0][0] < run.first_step_end_ns
        yield Draft(
            title=f"the program waited {secs(lost)} for {cause}",
            file=where[0],
            line=where[1],
            seconds=lost,
            confidence=_confidence(lost, early, cause),
            advice="Ask in a thread while imports and model building go on, and collect the answer where "
            "it is needed; or cache it.",
            claims=tuple(claims[where]),
            details={"before_first_step": early},
        )


def _confidence(lost: float, early: bool, cause: str) -> Confidence:
    if cause in _MAYBE_MEANT:
        return "low"
    return "high" if lost >= 1 and early else "medium"


BAD = """\
import subprocess
import sys

settings = subprocess.run(
    [sys.executable, "-c", "import time; time.sleep(2); print(4)"], capture_output=True
).stdout
import tensorflow as tf

print(tf.reduce_sum(tf.ones((int(settings), 2))))
"""

GOOD = """\
import subprocess
import sys

fetch = subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(2); print(4)"], stdout=subprocess.PIPE
)
import tensorflow as tf

settings = fetch.communicate()[0]
print(tf.reduce_sum(tf.ones((int(settings), 2))))
"""

RULE = Rule(
    code="HS102",
    slug="external-wait",
    doc=__doc__,
    symptoms=("program hangs at start", "slow start waiting for network", "start-up blocked on a download"),
    threshold=(
        "0.5 s at one line, all its waits together: shorter waits are within the noise of a start. A "
        "sleep of the program's own, or a loop that waits for whatever comes first (asyncio, a server), is told "
        "with low confidence, since it may be meant. Waits "
        "inside the runtime, in other threads, or at the end of the program are not counted."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
