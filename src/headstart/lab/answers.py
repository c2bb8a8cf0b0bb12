"""The five questions that the documents ask, answered from what was measured.

Each answer begins with the answer. Figures and verdicts come from the result that is being shown: a text cites
a claim as {C01}, and gets its verdict and effect there, whatever they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .result import ClaimResult, LabResult
from .words import effect


class Answer(NamedTuple):
    document: str
    question: str
    text: str


ANSWERS = (
    Answer(
        "000",
        "Why does the initial TensorFlow training step take significantly longer than subsequent steps?",
        """\
Because the first call of a `tf.function`, and with it the first batch of `fit`, does not compute at once:
TensorFlow runs the step's Python code to record it as a graph (tracing), adds the gradients to it, optimises
it, and only then computes {C01}. Later steps only compute. Tracing is much the larger part of it.

It grows with the number of operations in the step {C02}, so a deeper network pays more; the backward pass is
a large part of them {C06}. The optimizer matters as well {C05}, above all because making its variables in the
first step makes Keras trace that step a second time: `fit` traces once only if the optimizer was built before
{F11}. What does *not* belong to it: `model.compile()`, which builds no graph {C07}; placeholders, which
TensorFlow 2 does not have and of which only hundreds would be felt {C04}; and on a CPU the allocation of the
device {C09}. Initialising variables belongs to building the model, not to the first step, and is felt only
with very many weights or a costly initialiser {C03}.

What to do: `headstart profile` shows the parts for your own program;
`model.optimizer.build(model.trainable_variables)` before `fit` saves one of two traces; `headstart run` keeps
traces and optimised graphs from one run to the next.""",
    ),
    Answer(
        "001",
        "Why does a TensorFlow model take significantly longer during the first epoch compared to subsequent "
        "epochs?",
        """\
Because the first epoch contains the first step, and the first step contains tracing and graph optimisation
(see the question before). That is a fixed number of seconds, so it is many times a short epoch and nothing
beside a long one: the first epoch is not "significantly longer" whatever the hardware, but only where epochs
are short {C10}.

Data preprocessing is *not* cached by itself: it costs the same in every epoch unless the pipeline has a
`.cache()` {C11}, and the second example of the document does not show it, because its clock is started after
the preprocessing {C12}. The first backward pass computes nothing that later ones do not {C13}. And
`tf.function` does not bring the first and the later epochs closer together: it makes the later ones much
faster and the first one pay for it, so their ratio rises {C14}, which is as it should be {C08}.

What to do: judge training by the steady step, which `headstart profile` shows apart from the start, and put
`.cache()` and `.prefetch()` where preprocessing is costly {C26}.""",
    ),
    Answer(
        "002",
        "Why does TensorFlow model initialization take so long?",
        """\
Mostly it does not: what takes long is `import tensorflow` before it and tracing after it. Building the
document's own 784→1024→10 network is a small part of the time from process start to first step {C15}.

It does take long in two cases. Weights by the hundred million, or an orthogonal initialiser, take seconds to
draw {C03}; but initialising with zeros changes nothing for a network of usual size {C17}, and would keep it
from learning. And weights that are loaded afterwards were drawn for nothing {C18}. Loading itself is not
dominated by the disk when the file is in the page cache: the time goes into making the model, drawing weights
that are then overwritten, and copying them twice {C16}. On a CPU nothing is moved to a device {C19}.

What to do: let `headstart profile` show `imports`, `model-build`, `variable-init` and `weight-loading` side
by side before changing initialisers. `headstart run` starts from a process that has imported TensorFlow, and
keeps weights in a file that is mapped. TensorFlow's own profiler starts after the import, so it cannot show
this {C36}.""",
    ),
    Answer(
        "003",
        "Why does TensorFlow processing time increase with each iteration?",
        """\
In a usual TensorFlow 2 program it does not. Eager execution builds no graph, so none can grow: the document's
first example runs its ten-thousandth iteration as fast as its hundredth {C20}, and making the constants
beforehand changes nothing {C21}. The `tf.function` of its third example does not run as written, and repaired
its first call is slower than the eager loop, because a Python `range` is unrolled into the graph; only calls
after it are fast {C22}.

Iterations do get slower where something is really kept: operations added to a TensorFlow 1 graph in the loop
{C23}, one tape held open over the whole history {C25}. New shapes make a plain `tf.function` trace again each
time {C24}, which is slow but does not grow. A list of kept tensors fills the memory {C29}. What is often
blamed and innocent: `predict` or `fit` in a loop {F01}, `total += loss` {F02}, Adam {F03}, NumPy arguments
{F06}.

What to do: `headstart profile` tests whether the steps of your program slow down, and names what grows (HS501
to HS506) or retraces (HS301 to HS303). A tuned input pipeline helps every step alike {C26}; graph
optimisation is on without any flag {C28}; mixed precision helps where the hardware has it {C27}.""",
    ),
    Answer(
        "004",
        "Why is TensorFlow startup slow?",
        """\
Because `import tensorflow` runs some thousand Python modules; that is most of the seconds before a small
program's first step. Loading the shared libraries is a noticeable part of it {C30}, nearly all of it the
linker's work on one very large library. Registering operators and kernels is not a large part {C31}.

After the import, a start goes into tracing (see the first question), loading weights {C16}, and whatever the
program itself waits for {C35}. Building a TensorFlow 1 graph in a loop repeats its cost each time {C32}.
Eager execution does start faster and run slower {C34}. A TensorFlow Lite model starts drastically faster only
without TensorFlow around it: in LiteRT's own package {C33}. A lower log level changes nothing {F09}.

What to do: `headstart run` starts the program from a process that has imported TensorFlow already. For
serving, convert to LiteRT. `headstart profile` shows which modules of *yours* are slow to import besides.""",
    ),
)


def answered(answer: Answer, result: LabResult) -> str:
    """The answer with its citations filled in."""

    def cite(match: re.Match[str]) -> str:
        found = result.claim(match.group(1))
        return f"([{match.group(1)}](#{match.group(1).lower()}): {_short(found)})"

    return re.sub(r"\{([CF]\d\d)\}", cite, answer.text)


def _short(found: ClaimResult | None) -> str:
    if found is None:
        return "not measured"
    figure = effect(found)
    return f"{found.verdict}{' …' if found.verdict == 'holds when' else ''}{', ' + figure if figure else ''}"
