"""The one place where TensorFlow traces, taken over: look up first, trace and keep where nothing is found."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from .. import ledger as says
from ..engine import Engine
from ..fingerprint import Unfit, Walk
from ..key import Key
from ..ledger import Event
from ..watch import Window
from ..watch.tensorflow import give_names
from ..watch.window import why_not_as_before
from . import keep, prebuild, replay
from .subject import Subject

_CREATE = "_create_concrete_function"


def install(module: Any, engine: Engine) -> None:
    """``module`` is ``tracing_compilation``, just imported."""
    inner = getattr(module, _CREATE)
    if getattr(inner, "_headstart_cache", None) is not None:
        return

    def create(function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any) -> Any:
        function = _called_function(sys._getframe(1)) if engine.on else None
        if function is None or _why_not_now(function) is not None:
            return inner(function_type, type_context, func_graph, tracing_options)
        subject = Subject(function, function_type, type_context, tracing_options)
        return _Attempt(engine, subject, inner, func_graph).run()

    create._headstart_cache = engine  # type: ignore[attr-defined]
    create.__wrapped__ = inner  # type: ignore[attr-defined]
    setattr(module, _CREATE, create)


def _called_function(frame: Any) -> Any:
    """The ``tf.function`` that is being called, or ``None`` when somebody wants a concrete function for other
    ends.
    """
    for _ in range(8):
        if frame is None:
            return None
        name = frame.f_code.co_name
        if frame.f_code.co_filename.endswith("polymorphic_function.py"):
            if name == "_call":
                return frame.f_locals.get("self")
            if name != "_initialize":
                return None
        frame = frame.f_back
    return None


def _why_not_now(function: Any) -> str | None:
    """Circumstances in which a trace is not the plain thing that is kept."""
    from tensorflow.python.distribute import distribute_lib
    from tensorflow.python.eager import context, record
    from tensorflow.python.framework import ops
    from tensorflow.python.saved_model import save_context

    graph = ops.get_default_graph()
    if not context.executing_eagerly():
        return "it is part of another trace"
    if record.could_possibly_record():
        return "a tape is recording"
    if distribute_lib.has_strategy():
        return "a distribution strategy is in force"
    if save_context.in_save_context():
        return "a model is being saved"
    if graph._variable_creator_stack or graph._gradient_override_map:
        return "a creator of variables or another gradient is in force"
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return "a debugger or profiler watches the program"
    return None


class _Attempt:
    """One trace that the program asked for."""

    def __init__(self, engine: Engine, subject: Subject, inner: Callable[..., Any], func_graph: Any) -> None:
        self.engine = engine
        self.subject = subject
        self.inner = inner
        self.func_graph = func_graph

    def run(self) -> Any:
        started = time.perf_counter()
        walk: Walk | None = None
        self._prebuild()
        try:
            found_walk = self.subject.walk(self.engine.foreign())
            self.subject.check_inner(found_walk)
            walk = found_walk
            key = self.subject.key(walk)
            found = self._look_up(key, walk, started)
            if found is not None:
                return found
        except Unfit as problem:
            self._say(says.REFUSED, reason=f"{problem.reason} [{problem.path}]")
        except Exception as problem:
            self.engine.failed("looking up", problem)
        if walk is None:
            return self._trace()
        return self._trace_and_keep(key, walk)

    def _prebuild(self) -> None:
        if not self.engine.options.prebuild:
            return
        try:
            built = prebuild.prebuild(self.subject)
        except Exception as problem:
            self.engine.failed("building ahead", problem)
        else:
            if built is not None:
                self._say(says.PREBUILT, reason=built)

    def _look_up(self, key: Key, walk: Walk, started: float) -> Any:
        entry = self.engine.store.get(keep.KIND, key.hex())
        if entry is None:
            self._say(says.MISSED, key=key.hex())
            return None
        header = entry.header
        reason = why_not_as_before(header)
        reason = reason or self.engine.libraries_differ(header["libraries"])
        if reason is not None:
            self._say(says.MISSED, reason=reason, key=key.hex())
            return None
        function = replay.rehydrate(entry, walk, self.subject, self._trace_again)
        if header["names"]:
            give_names({kind: after for kind, (_, after) in header["names"].items()})
        spent = time.perf_counter() - started
        saved = max(0.0, header["trace_seconds"] - spent)
        self._say(says.REPLAYED, seconds=spent, saved=saved, key=key.hex())
        return function

    def _trace(self) -> Any:
        subject = self.subject
        collecting = gc.isenabled()
        gc.disable()  # nothing that a trace makes is garbage yet; looking for it costs a tenth of the time
        try:
            return self.inner(
                subject.function_type, subject.type_context, self.func_graph, subject.tracing_options
            )
        finally:
            if collecting:
                gc.enable()

    def _trace_and_keep(self, key: Key, walk: Walk) -> Any:
        window = Window()
        marks = keep.marks_now(walk)
        started = time.perf_counter()
        with window:
            concrete = self._trace()
        seconds = time.perf_counter() - started
        try:
            self._keep(key, walk, keep.marks_set(walk, marks), concrete, window, seconds)
        except (keep.NotKept, Unfit) as problem:
            self._say(says.REFUSED, reason=str(problem), seconds=seconds, key=key.hex())
        except Exception as problem:
            self.engine.failed("keeping a trace", problem)
        return concrete

    def _keep(
        self, key: Key, walk: Walk, marks: list[Any], concrete: Any, window: Window, seconds: float
    ) -> None:
        if seconds < self.engine.options.min_trace_seconds:
            raise keep.NotKept(f"its trace took only {seconds * 1000:.0f} ms")
        digests, foreign = self.engine.libraries.digests()
        after = self.subject.walk(foreign)
        if after.digest() != walk.digest():
            raise keep.NotKept(f"its trace changes what it reads ({_first_difference(walk, after)})")
        kept = keep.entry(concrete, walk, marks, window.seen, f"hs{key.hex()[:16]}")
        file, name = self.subject.place()
        header = {
            **kept.header,
            "libraries": self.engine.keep_libraries(digests),
            "trace_seconds": seconds,
            "function": name,
            "file": file,
            "program": self.engine.program,
            "labels": key.as_json(),
        }
        if self.engine.store.put(keep.KIND, key.hex(), header, kept.sections):
            self._say(says.STORED, seconds=seconds, key=key.hex())

    def _trace_again(self) -> Any:
        """For a kept function of which more is wanted than to run it."""
        from tensorflow.python.autograph.core import ag_ctx
        from tensorflow.python.framework import func_graph, ops

        options = self.subject.tracing_options
        status = ag_ctx.Status.ENABLED if options.autograph else ag_ctx.Status.DISABLED
        with ops.init_scope(), ag_ctx.ControlStatusCtx(status=status, options=options.autograph_options):
            self.func_graph = func_graph.FuncGraph(options.name)
            return self._trace()

    def _say(
        self, what: str, *, reason: str = "", seconds: float = 0.0, saved: float = 0.0, key: str = ""
    ) -> None:
        file, name = self.subject.place()
        self.engine.ledger.add(Event(what, name, file, reason, seconds, saved, key))


def _first_difference(before: Walk, after: Walk) -> str:
    old: dict[str, set[str]] = {}
    for path, digest in before.table():
        old.setdefault(path, set()).add(digest)
    for path, digest in after.table():
        if digest not in old.get(path, ()):
            return path
    return "its structure"
