"""Registering operators and kernels is a large part of start-up.

## What is measured
`import tensorflow` in a fresh process whose dynamic linker says when it calls the initialisers of each library
(`LD_DEBUG`); operators and kernels are registered there. The seconds in the initialisers of TensorFlow's own
two libraries against the whole import, and the number of operators and kernels. A large part is a fifth.

## What happens
Some thousand operators and several thousand kernels are put into tables while `libtensorflow_cc` is
initialised, which takes about a tenth of a second: each is one insertion into a hash table. No compatibility is
checked, and no kernel is loaded one by one, as the document has it: they are all code in one library.

## What headstart does
`headstart profile` has it in `native-libraries`, and counts operators and kernels. `headstart run` starts from
a process in which they are registered.
"""

from __future__ import annotations

from ..claim import Arm, Claim, Contrast, Examples, Twin
from ..programs import AS_USUAL, HEADSTART_RUN, REMEDY_RUN
from ..quantities import computed, noted, wall

REGISTER = """\
import os
import subprocess
import sys
import time
from headstart.lab.arm import note

CHILD = '''
import time
start = time.monotonic()
import tensorflow as tf
print("importing", time.monotonic() - start)
from tensorflow.python.framework import kernels
print("kernels", len(kernels.get_all_registered_kernels().kernel))
print("operators", len([name for name in dir(tf.raw_ops) if not name.startswith("_")]))
'''
child = subprocess.Popen(
    [sys.executable, "-c", CHILD],
    env={**os.environ, "LD_DEBUG": "reloc"},
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
)
doing, since = None, 0.0
seconds = {"initialising": 0.0, "relocating": 0.0}
for line in child.stderr:
    now = time.monotonic()
    words = line.split()
    if len(words) < 2:
        continue
    if doing:
        seconds[doing] += now - since
    doing, since = None, now
    if b"libtensorflow" in line:
        if b"calling init:" in line:
            doing = "initialising"
        elif b"relocation processing:" in line:
            doing = "relocating"
for line in child.stdout:
    name, value = line.split()
    seconds[name.decode()] = float(value)
child.wait()
note(**seconds)
"""

CLAIM = Claim(
    id="C31",
    slug="registering-operators",
    doc=__doc__,
    documents=("004",),
    arms=(Arm(name="linker", program=REGISTER, fresh=True), AS_USUAL, HEADSTART_RUN),
    contrasts=(
        Contrast(
            slow=noted("linker", "importing", "import tensorflow"),
            fast=computed(
                "linker", "that without registering operators", lambda n: n["importing"] - n["initialising"]
            ),
            holds_from=1.25,
            fails_below=1.15,
            share=True,
        ),
    ),
    twin=Twin("linker", "the whole program", "process_seconds", wall),
    remedy=REMEDY_RUN,
    fewest=3,
    examples=Examples(
        holds={"linker": {"importing": 2.4, "initialising": 1.2}},
        fails={"linker": {"importing": 2.4, "initialising": 0.1}},
    ),
)
