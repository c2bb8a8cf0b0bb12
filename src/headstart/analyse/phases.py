"""Which phase owns a moment: the innermost span that has one, else the step it falls into, else the sampler."""

from __future__ import annotations

from bisect import bisect_left

from ..record import format as record
from ..record import signals as s
from ..record.nouns import Sample, Span
from .first_runs import GRAPH_OPTIMIZATION, XLA_COMPILE
from .steps import StepSeries

_FIXED = {
    s.IMPORT: "imports",
    s.NATIVE: "native-libraries",
    s.DEVICE_INIT: "device-init",
    s.MODEL_BUILD: "model-build",
    s.COMPILE: "model-build",
    s.VARIABLE_INIT: "variable-init",
    s.LOAD: "weight-loading",
    s.SAVE: "weight-loading",
    s.OPTIMIZER_BUILD: "optimizer-setup",
    s.TRACE: "tracing",
    s.AUTOGRAPH: "tracing",
    s.GRAPH_BUILD: "model-build",
    GRAPH_OPTIMIZATION: "graph-optimization",
    XLA_COMPILE: "xla-compile",
    s.DATASET: "data-warmup",
    s.ITERATOR: "data-warmup",
    s.ITERATOR_END: "data-wait",
    s.EXTERNAL: "external-wait",
    s.SHUTDOWN: "shutdown",
}
_PLAIN = {kind: _FIXED[kind] for kind in (s.IMPORT, s.NATIVE, s.TRACE, s.EXTERNAL, s.DEVICE_INIT)}
"""Kinds whose phase does not depend on what is around them: most moments of a start, answered at once."""
_SETUP = {"data-adapter": "data-warmup", "load": "weight-loading"}
STEP_BODY = "step-body"
"""Synthetic spans for steps that no single span covers."""
_TRANSPARENT = (STEP_BODY, s.STEP, s.EXECUTE, s.CALLBACK, s.EPOCH, s.SLEEP, s.CONVERT)
"""Kinds that own nothing themselves: what is around them does."""

# What the sampler saw between probes, by the library function that the user's code had called. First match.
_BY_ENTRY = (
    ("keras/src/optimizers", "optimizer-setup"),
    ("keras/src/saving", "weight-loading"),
    ("keras/src/legacy/saving", "weight-loading"),
    ("keras/src/utils", "data-warmup"),
    ("keras/src/datasets", "data-warmup"),
    ("keras/src/trainers/data_adapters", "data-warmup"),
    ("keras/", "model-build"),
    ("tf_keras/", "model-build"),
    ("tensorflow/python/data/", "data-warmup"),
    ("tensorflow/python/saved_model/", "weight-loading"),
    ("tensorflow/python/checkpoint/", "weight-loading"),
    ("tensorflow/python/training/saver", "weight-loading"),
    ("tensorflow/python/training/checkpoint", "weight-loading"),
    ("tensorflow/python/module/", "model-build"),
    ("tensorflow/lite/", "model-build"),
)
_OP_PLACES = (
    "tensorflow/python/ops/",
    "tensorflow/python/framework/",
    "tensorflow/python/util/",
    "tensorflow/python/eager/",
    "tensorflow/python/client/",
)


def _session_phase(fetches: str) -> str:
    """What a session is run for before the first step, by the names of what it fetches."""
    if "Iterator" in fetches:
        return "data-warmup"
    return "variable-init" if "init" in fetches else "eager-ops"


class PhaseFinder:
    """Names the phase of a moment. Holds what it needs to look up: the steps and the samples."""

    def __init__(self, steps: StepSeries, samples: list[Sample], boot_ns: int, closed_ns: int | None) -> None:
        self._starts = [start for start, _ in steps.intervals_ns]
        self._ends = [end for _, end in steps.intervals_ns]
        self._first_end = steps.first_end_ns
        self._series = steps
        self._samples = samples
        self._sample_times = [sample.at_ns for sample in samples]
        self._boot_ns = boot_ns
        self._closed_ns = closed_ns

    def of_spans(self, chain: tuple[Span, ...], at_ns: int) -> str | None:
        """The phase that the open spans give, or None when nothing but the sampler can tell."""
        plain = _PLAIN.get(chain[-1].kind)
        if plain is not None:
            return plain
        # In TensorFlow 2 a backward pass is built under a call; in a TF1 graph it is part of building the graph.
        in_trace = any(span.kind in (s.TRACE, s.CALL, s.TAPE_GRADIENT, s.FIT) for span in chain)
        for span in reversed(chain):
            phase = self._of_span(span, in_trace, at_ns)
            if phase in ("variable-init", "optimizer-setup"):
                return self._creation_phase(chain, phase)
            if phase is not None:
                return phase
        if self._in_step(at_ns):
            return self._step_phase(at_ns)
        return None

    def _creation_phase(self, chain: tuple[Span, ...], phase: str) -> str:
        """Variables made while tracing are nodes of the graph that is traced: nothing is initialised there, unless
        they are lifted out of it."""
        for outer in reversed(chain):
            if outer.attrs.get("lifted"):
                return phase
            if outer.kind == s.TRACE:
                return "tracing"
            if outer.kind == s.OPTIMIZER_BUILD:
                phase = "optimizer-setup"  # slot variables are what setting up an optimizer is
        return phase

    def _of_span(self, span: Span, in_trace: bool, at_ns: int) -> str | None:
        kind = span.kind
        if kind in _TRANSPARENT:
            return None
        fixed = _FIXED.get(kind)
        if fixed is not None:
            return fixed
        if kind == s.GRADIENT:
            return "tracing" if in_trace else "model-build"
        if kind in (s.FIT_SETUP, s.LITE_SETUP):
            return _SETUP.get(span.name, "model-build")
        if kind == s.NEXT:
            return "data-warmup" if span.attrs.get("first") else "data-wait"
        if self._in_step(at_ns):
            return self._step_phase(at_ns)
        if kind in (s.FIT, s.BATCH):
            return self._loop_phase(span, at_ns)
        if kind in (s.CALL, s.SESSION_RUN, s.LITE_RUN):
            if kind == s.SESSION_RUN and not self._after_first_step(at_ns):
                return _session_phase(span.name)
            return "evaluation" if self._after_first_step(at_ns) else "eager-ops"
        if kind in (s.MODEL_CALL, s.TAPE_GRADIENT, s.APPLY_GRADIENTS):
            return "evaluation" if self._after_first_step(at_ns) and kind == s.MODEL_CALL else "eager-ops"
        return None

    def _loop_phase(self, span: Span, at_ns: int) -> str:
        """Inside a Keras loop but between its steps: the loop's own work."""
        name = span.name
        training = name in ("fit", "train", "train_on_batch")
        stepped = self._series.kind
        own = name == stepped or (name, stepped) in (("test", "evaluate"), ("train", "fit"))
        if not training and not own:
            return "evaluation"
        return "steady-steps" if self._after_first_step(at_ns) else "first-step"

    def _in_step(self, at_ns: int) -> bool:
        index = bisect_left(self._ends, at_ns + 1)
        return index < len(self._starts) and self._starts[index] <= at_ns

    def _after_first_step(self, at_ns: int) -> bool:
        return self._first_end is not None and at_ns >= self._first_end

    def _step_phase(self, at_ns: int) -> str:
        return "steady-steps" if self._after_first_step(at_ns) else "first-step"

    def of_sample(self, sample: Sample) -> str:
        """The phase of a moment outside all spans, from what the main thread was seen doing."""
        if sample.flags & record.IN_IMPORT:
            return "imports"
        waiting = sample.leaf.endswith(("[socket]", "[process]"))
        if not sample.flags & record.IN_LIBRARY:
            return "external-wait" if waiting else "user-code"
        if sample.flags & record.NO_USER_FRAME:
            return "shutdown" if self._after_first_step(sample.at_ns) else "unattributed"
        for prefix, phase in _BY_ENTRY:
            if sample.entry.startswith(prefix):
                return phase
        if sample.flags & record.GRAPH_MODE:
            return "model-build"
        if sample.entry.startswith(_OP_PLACES):
            # In a program of TF1 sessions, ops that user code makes are added to a graph, not run.
            return "model-build" if self._series.kind == "session" else "eager-ops"
        return "unattributed"

    def between(self, start_ns: int, end_ns: int) -> list[tuple[int, int, str]]:
        """Divide a moment outside all spans among the samples that fall into it."""
        if start_ns < self._boot_ns:
            edge = min(end_ns, self._boot_ns)
            return [(start_ns, edge, "interpreter"), *(self.between(edge, end_ns) if end_ns > edge else [])]
        if self._closed_ns is not None and end_ns > self._closed_ns:
            edge = max(start_ns, self._closed_ns)
            return [*(self.between(start_ns, edge) if edge > start_ns else []), (edge, end_ns, "shutdown")]
        low = bisect_left(self._sample_times, start_ns)
        high = bisect_left(self._sample_times, end_ns)
        if low == high:
            return [(start_ns, end_ns, self._unsampled(low, start_ns, end_ns))]
        parts: list[tuple[int, int, str]] = []
        at = start_ns
        for index in range(low, high):
            edge = end_ns
            if index + 1 < high:
                edge = (self._sample_times[index] + self._sample_times[index + 1]) // 2
            if edge > at:  # two samples of one instant leave nothing between them
                parts.append((at, edge, self.of_sample(self._samples[index])))
                at = edge
        return parts

    def _unsampled(self, index: int, start_ns: int, end_ns: int) -> str:
        """Too short to hold a sample: what the nearest sample outside a span says, when it is near enough."""
        near = 200_000_000
        best: Sample | None = None
        for candidate in self._samples[max(0, index - 1) : index + 1]:
            distance = start_ns - candidate.at_ns if candidate.at_ns < start_ns else candidate.at_ns - end_ns
            if distance < near:
                near, best = distance, candidate
        if best is None or best.flags & record.IN_IMPORT:
            # Nobody was looking: before TensorFlow loads there is no call of it to be in.
            return "user-code"
        return self.of_sample(best)
