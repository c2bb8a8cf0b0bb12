"""The run file: one JSON document a line, append-only.

Line 1 is the header object. Every other line is an array whose first element says what it is:

    ["s", t0, t1, tid, kind, name, attrs]     a span that ended
    ["m", t, tid, kind, name, attrs]          a mark
    ["p", t, flags, file, line, func, entry, leaf, traced]   a sample of the main thread (see `capture.sampler`)
    ["o", t, [[t0, kind, name], ...]]         spans open on the main thread right now (for cut runs, live line)
    ["c", t, {counter: value}]                counters
    ["f", {key: value}]                       facts about the process (versions, flags)
    ["z", t, {...}]                           the capture closed in good order; its own cost
    ["x", t, {...}]                           written by the launcher after the process was reaped

A line that is cut (the process was killed while it wrote) ends the readable part; nothing before it is lost.
"""

from __future__ import annotations

RECORD_VERSION = 1
HEADER_KEY = "headstart_record"
SUFFIX = ".hsrun"
CONFIG_VARIABLE = "HEADSTART_CAPTURE"

ARROW = " → "
"""Between the function being traced and what it called."""

# Flags of a sample: what the main thread was in, from the outside in.
IN_LIBRARY = 1  # some frame between the user's code and the leaf belongs to TensorFlow or Keras
IN_IMPORT = 2  # inside the import system
GRAPH_MODE = 4  # ops are being added to a graph, not run
EAGER_OP = 8  # an op is being run eagerly
NO_USER_FRAME = 16  # no line of the user's own code on the stack (interpreter shutdown, threads)
