"""What the phases are called and what they mean, for every renderer."""

from __future__ import annotations

PHASES: dict[str, tuple[str, str]] = {
    "interpreter": ("interpreter", "Python itself, from the start of the process to the first line of yours"),
    "imports": ("imports", "finding, reading and executing Python modules"),
    "native-libraries": (
        "native libraries",
        "loading shared libraries and registering their ops and kernels",
    ),
    "device-init": ("device init", "finding devices and starting TensorFlow's runtime"),
    "model-build": ("model build", "constructing layers and models, symbolic calls"),
    "variable-init": ("variable init", "filling new variables with their first values"),
    "weight-loading": ("weight loading", "reading models, weights and checkpoints from disk"),
    "optimizer-setup": ("optimizer setup", "creating the optimizer's slot variables"),
    "tracing": ("tracing", "running Python to turn tf.functions into graphs"),
    "graph-optimization": ("graph optimization", "optimising, placing and instantiating graphs"),
    "xla-compile": ("XLA compile", "compiling graphs to machine code"),
    "data-warmup": ("data warm-up", "waiting for the first element of the input pipeline"),
    "first-step": ("first step, rest", "what is left of the first step: the work itself"),
    "steady-steps": ("steady steps", "the steps after the first one"),
    "data-wait": ("data wait", "steps that waited for input"),
    "evaluation": ("evaluation", "evaluating and predicting"),
    "eager-ops": ("eager ops", "ops that ran one by one, outside any step"),
    "external-wait": ("external wait", "waiting for the network, other processes or sleep"),
    "user-code": ("your own code", "your code while it is in no TensorFlow or Keras call"),
    "shutdown": ("shutdown", "from the end of the program to the end of the process"),
    "unattributed": ("unattributed", "inside TensorFlow or Keras, with nothing that explains it"),
}

KINDS: dict[str, str] = {
    "fit": "Keras training batches",
    "evaluate": "Keras evaluation batches",
    "predict": "Keras prediction batches",
    "train_on_batch": "calls of train_on_batch",
    "test_on_batch": "calls of test_on_batch",
    "predict_on_batch": "calls of predict_on_batch",
    "function": "calls of a tf.function",
    "session": "Session.run calls",
    "lite": "runs of a LiteRT interpreter",
    "eager": "eager training steps",
    "model-call": "calls of a model",
    "marked": "steps marked with headstart.step()",
}


def phase_label(identity: str) -> str:
    return PHASES.get(identity, (identity, ""))[0]


def phase_meaning(identity: str) -> str:
    return PHASES.get(identity, ("", ""))[1]


def step_kind(kind: str | None) -> str:
    return KINDS.get(kind or "", kind or "steps")


RETRACE_REASONS: dict[str, str] = {
    "scalar": "a Python number is part of the signature",
    "shape": "the shape changed",
    "dtype": "the type of the elements changed",
    "object": "a Python object is part of the signature",
    "structure": "the structure of the arguments changed",
    "new-function": "a new tf.function was made of the same code",
    "variables-created": "the first trace created variables, so it was traced again",
    "unknown": "cause not known",
}
