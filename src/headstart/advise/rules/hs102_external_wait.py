"""The program waits for something outside it.

## What it does
Finds lines where the main thread waits for the network, a name server, another process or a sleep before the
program's work, or again and again during it.

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

from collections.abc import Iterable

from ...analyse.model import Analysis
from ..draft import Draft
from ..rule import Rule


def detect(run: Analysis) -> Iterable[Draft]:
    return ()


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
        "0.5 s at one line, all its waits together: shorter waits are within the noise of a start. Waits inside "
        "the runtime, in other threads, or at the end of the program are not counted."
    ),
    bad=BAD,
    good=GOOD,
    detect=detect,
)
