"""The profiler and TensorBoard show where a slow start goes.

## What is measured
A small training program, from process start to the end of its first step, with TensorFlow's own profiler
started as early as it can be (after the import). What of that time lies under any event of the profile; asked
of the whole start, and of the first step alone. It shows where the time goes if it covers at least half of it.

## What happens
The profiler is a part of TensorFlow, so it cannot see the import, which is most of a small program's start. It
records single operations and, for tracing, one event for each function; inside the first step that is nearly
all of the time, but without the line of the program, without what retraced and why, and without any sum.

## What headstart does
`headstart profile` shows one ledger from process start on that adds up to the whole; what it cannot explain is
in it too, as `unattributed`.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import TRAIN_STEP
from ..quantities import computed, noted, to_first_step

PROFILER = (
    TRAIN_STEP
    + """\
import glob
import tempfile
import time
from headstart.lab.arm import process_age

folder = tempfile.mkdtemp()
tf.profiler.experimental.start(folder)
start_ns = time.time_ns()
step = tf.function(training(network(6), tf.keras.optimizers.SGD()))
x = tf.random.normal((32, 64))
first_ns = time.time_ns()
with clock("first"):
    step(x, x)
end_ns = time.time_ns()
note(started=process_age())
tf.profiler.experimental.stop()

try:
    from tensorflow.tsl.profiler.protobuf import xplane_pb2
except ImportError:
    from tensorflow.core.profiler.protobuf import xplane_pb2

events = []
for path in glob.glob(folder + "/plugins/profile/*/*.xplane.pb"):
    space = xplane_pb2.XSpace()
    space.ParseFromString(open(path, "rb").read())
    for plane in space.planes:
        for line in plane.lines:
            # Times are counted from the start of the profile, in older versions from 1970.
            zero_ns = 0 if line.timestamp_ns > 1 << 60 else start_ns
            for event in line.events:
                begin = zero_ns + line.timestamp_ns + event.offset_ps / 1000
                events.append((begin, begin + event.duration_ps / 1000))


def covered(low, high):
    total, at = 0.0, low
    for begin, end in sorted(events):
        begin, end = max(begin, at), min(end, high)
        if end > begin:
            total += end - begin
            at = end
    return total / 1e9


note(events=len(events), covered=covered(start_ns, end_ns), covered_first=covered(first_ns, end_ns))
"""
)

CLAIM = Claim(
    id="C36",
    slug="profiler-shows-it",
    doc=__doc__,
    documents=("003", "002"),
    rule="when",
    arms=(Arm(name="profiled", program=PROFILER, fresh=True),),
    contrasts=(
        Contrast(
            slow=noted("profiled", "first", "the first step"),
            fast=computed(
                "profiled", "that without what the profile covers", lambda n: n["first"] - n["covered_first"]
            ),
            holds_from=2.0,
            fails_below=1.6,
            when="only the first step is asked for",
            share=True,
        ),
        Contrast(
            slow=noted("profiled", "started", "the whole start"),
            fast=computed(
                "profiled", "that without what the profile covers", lambda n: n["started"] - n["covered"]
            ),
            holds_from=2.0,
            fails_below=1.6,
            when="the whole start is asked for",
            share=True,
        ),
    ),
    twin=Twin("profiled", "from process start to the end of step 1", "started", to_first_step),
    examples=Examples(
        holds={"profiled": {"first": 0.5, "covered_first": 0.48, "started": 3.0, "covered": 2.5}},
        fails={"profiled": {"first": 0.5, "covered_first": 0.02, "started": 3.0, "covered": 0.1}},
        partly={"profiled": {"first": 0.5, "covered_first": 0.48, "started": 3.0, "covered": 0.6}},
    ),
)
