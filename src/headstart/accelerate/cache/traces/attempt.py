"""One trace that the program asked for: found in the store, or made and kept."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable
from typing import Any

from .. import ledger as says
from ..engine import Engine
from ..entry import Entry
from ..fingerprint import Unfit, Walk
from ..key import Key
from ..ledger import Event
from ..watch import Window
from ..watch.tensorflow import give_names
from ..watch.window import why_not_as_before
from . import keep, prebuild, prelude, replay
from .subject import Subject, traces_of


class Attempt:
    """``inner`` is TensorFlow's own way to make a concrete function from a trace."""

    def __init__(self, engine: Engine, subject: Subject, inner: Callable[..., Any], func_graph: Any) -> None:
        self.engine = engine
        self.subject = subject
        self.inner = inner
        self.func_graph = func_graph
        self.started = time.perf_counter()

    def run(self) -> Any:
        walk: Walk | None = None
        self._prebuild()
        try:
            found = self._walk()
            key = self.subject.key(found)
            walk = found
            function = self._replay(key, walk)
            if function is None and self._perform_prelude(key, walk) is not None:
                function, walk = self._after_prelude(key, walk)
                key = self.subject.key(walk)
            if function is not None:
                return function
        except Unfit as problem:
            self._say(says.REFUSED, reason=f"{problem.reason} [{problem.path}]")
        except Exception as problem:
            self.engine.failed("looking up", problem)
        return self._trace() if walk is None else self._trace_and_keep(key, walk)

    def _walk(self) -> Walk:
        walk = self.subject.walk(self.engine.foreign())
        self.subject.check_inner(walk)
        return walk

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

    # -- using what is kept ----------------------------------------------------------------------------------

    def _find(self, kind: str, key: Key) -> Entry | None:
        """An entry that holds: what it read besides what is in its key is as it was."""
        entry = self.engine.store.get(kind, key.hex())
        if entry is None:
            return None
        reason = why_not_as_before(entry.header) or self.engine.libraries_differ(entry.header["libraries"])
        if reason is not None:
            self._say(says.MISSED, reason=reason, key=key.hex())
            return None
        return entry

    def _replay(self, key: Key, walk: Walk) -> Any:
        entry = self._find(keep.KIND, key)
        if entry is None:
            return None
        header = entry.header
        function = replay.rehydrate(entry, walk, self.subject, self._trace_again)
        if header["names"]:
            give_names({kind: after for kind, (_, after) in header["names"].items()})
        spent = time.perf_counter() - self.started
        saved = max(0.0, header["trace_seconds"] - spent)
        self._say(says.REPLAYED, seconds=spent, saved=saved, key=key.hex())
        return function

    def _perform_prelude(self, key: Key, walk: Walk) -> Entry | None:
        entry = self._find(prelude.KIND, key)
        if entry is None:
            return None
        created = prelude.perform(entry.header["effects"], walk)
        if entry.header["creates"]:
            # As the trace would have left it: TensorFlow then goes on to the trace that creates nothing.
            self.subject.function._created_variables.extend(weakref.ref(variable) for variable in created)
        self._say(
            says.PREBUILT, reason="as the first trace did", saved=entry.header["trace_seconds"], key=key.hex()
        )
        return entry

    def _after_prelude(self, key: Key, before: Walk) -> tuple[Any, Walk]:
        """With all built: the function, if its trace is kept, and the walk over the new state."""
        walk = self._walk()
        entry = self.engine.store.get(prelude.KIND, key.hex())
        if entry is not None and walk.digest() != entry.header["after"]:
            raise RuntimeError(
                f"building ahead did not give what the trace gave ({difference(before, walk)})"
            )
        if self.subject.function._created_variables:
            return replay.placeholder(self.subject, self._trace_again), walk
        return self._replay(self.subject.key(walk), walk), walk

    def _trace_again(self) -> Any:
        """For a kept function of which more is wanted than to run it."""
        from tensorflow.python.autograph.core import ag_ctx
        from tensorflow.python.framework import func_graph, ops

        options = self.subject.tracing_options
        status = ag_ctx.Status.ENABLED if options.autograph else ag_ctx.Status.DISABLED
        with ops.init_scope(), ag_ctx.ControlStatusCtx(status=status, options=options.autograph_options):
            self.func_graph = func_graph.FuncGraph(options.name)
            return self._trace()

    # -- tracing, and keeping what was traced ----------------------------------------------------------------

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
        self._say(says.MISSED, key=key.hex())
        window = Window()
        candidates = prelude.unbuilt(walk)
        masked = frozenset(id(one) for one in candidates)
        hidden = self.subject.walk(self.engine.foreign(), masked).digest() if masked else ""
        marks = keep.marks_now(walk)
        inner = self.subject.inner_traces(walk)
        started = time.perf_counter()
        with window, prelude.Builds() as builds:
            concrete = self._trace()
        seconds = time.perf_counter() - started
        try:
            if seconds < self.engine.options.min_trace_seconds:
                raise keep.NotKept(f"its trace took only {seconds * 1000:.0f} ms")
            self._refuse_inner(inner)
            if any(one.built for one in candidates):
                self._keep_prelude(key, walk, candidates, hidden, masked, builds, window, seconds)
                if self.subject.function._created_variables:
                    return concrete  # TensorFlow traces again; that trace is the one to keep
                self._keep(None, walk, keep.marks_set(walk, marks), concrete, window, seconds)
            else:
                self._keep(key, walk, keep.marks_set(walk, marks), concrete, window, seconds)
        except (keep.NotKept, prelude.NotRecordable, Unfit) as problem:
            self._say(says.REFUSED, reason=str(problem), seconds=seconds, key=key.hex())
        except Exception as problem:
            self.engine.failed("keeping a trace", problem)
        return concrete

    def _refuse_inner(self, before: list[tuple[Any, int]]) -> None:
        """It must not have called other functions that keep traces.

        A trace that such a function had, made in a state that may be gone, would be part of this one; and one that it
        made now would be missing from it in a process that replays this one.
        """
        for function, count in before:
            if count or traces_of(function):
                raise keep.NotKept(
                    f"it can call another tf.function ({function._name}), which keeps its own traces"
                )

    def _keep(
        self, key: Key | None, walk: Walk, marks: list[Any], concrete: Any, window: Window, seconds: float
    ) -> None:
        """``key`` is ``None`` where the trace built something: then it is kept for the state after it."""
        digests, foreign = self.engine.libraries.digests()
        after = self.subject.walk(foreign)
        allowed: frozenset[str] = frozenset()
        if key is None:
            key, walk, allowed = self.subject.key(after), after, prelude.CREATING
        elif after.digest() != walk.digest():
            raise keep.NotKept(f"its trace changes what it reads ({difference(walk, after)})")
        kept = keep.entry(concrete, walk, marks, window.seen, f"hs{key.hex()[:16]}", allowed)
        if self.engine.store.put(
            keep.KIND, key.hex(), self._header(kept.header, key, digests, seconds), kept.sections
        ):
            self._say(says.STORED, seconds=seconds, key=key.hex())

    def _keep_prelude(
        self, key: Key, walk: Walk, candidates: list[Any], hidden: str, masked: frozenset[int],
        builds: prelude.Builds, window: Window, seconds: float,
    ) -> None:  # fmt: skip
        keep.refuse_seen(window.seen, prelude.CREATING)
        digests, foreign = self.engine.libraries.digests()
        if self.subject.walk(foreign, masked).digest() != hidden:
            raise keep.NotKept(
                f"its trace changes what it reads ({difference(walk, self.subject.walk(foreign))})"
            )
        header = {
            "effects": prelude.record(walk, candidates, builds),
            "after": self.subject.walk(foreign).digest(),
            "creates": bool(self.subject.function._created_variables),
            **keep.guards(window.seen),
        }
        self.engine.store.put(prelude.KIND, key.hex(), self._header(header, key, digests, seconds))

    def _header(
        self, header: dict[str, Any], key: Key, digests: dict[str, str], seconds: float
    ) -> dict[str, Any]:
        file, name = self.subject.place()
        return {
            **header,
            "libraries": self.engine.keep_libraries(digests),
            "trace_seconds": seconds,
            "function": name,
            "file": file,
            "program": self.engine.program,
            "labels": key.as_json(),
        }

    def _say(
        self, what: str, *, reason: str = "", seconds: float = 0.0, saved: float = 0.0, key: str = ""
    ) -> None:
        file, name = self.subject.place()
        self.engine.ledger.add(Event(what, name, file, reason, seconds, saved, key))


def difference(before: Walk, after: Walk) -> str:
    """The path of the first object that is not as it was."""
    old: dict[str, set[str]] = {}
    for path, digest in before.table():
        old.setdefault(path, set()).add(digest)
    for path, digest in after.table():
        if digest not in old.get(path, ()):
            return path
    return "its structure"
