"""One trace that the program asked for: found in the store, or made and kept."""

from __future__ import annotations

import contextlib
import gc
import time
import weakref
from collections.abc import Callable
from typing import Any

from .. import environment, firstcall, variants
from .. import ledger as says
from ..engine import Engine
from ..entry import Entry
from ..fingerprint import Unfit, Walk, leftovers
from ..key import Key
from ..ledger import Event
from ..watch import Window
from ..watch.tensorflow import give_names
from ..watch.window import why_not_as_before
from . import inner, keep, naming, prebuild, prelude, replay, small, subjects
from .keeper import Keeper, Kept, difference, key_of, mark_of
from .proof import Proof
from .subject import State, Subject
from .surroundings import Surroundings
from .undo import Snapshot


class Attempt:
    """``create`` is TensorFlow's own way to make a concrete function from a trace."""

    def __init__(self, engine: Engine, subject: Subject, create: Callable[..., Any], func_graph: Any) -> None:
        self.engine = engine
        self.subject = subject
        self.create = create
        self.func_graph = func_graph
        self.started = time.perf_counter()
        self.why = ""  # why nothing that is kept fits
        self.verifying = engine.verifying
        self.digests: dict[str, str] = {}
        self.foreign: list[tuple[str, Any]] = []

    def run(self) -> Any:
        before = self._prebuild()
        if before is None:
            return self._run()
        try:
            return self._run()
        except Exception:
            before.restore()
        except BaseException:  # interrupted
            before.restore()
            raise
        # Plain Keras fails as well, and leaves something else behind. (Not while that error is being handled: it would
        # show in the traceback of the other.)
        self.func_graph = type(self.func_graph)(self.subject.tracing_options.name)
        return self._trace()

    def _run(self) -> Any:
        seconds = small.seconds_of(self.engine.store, self.subject)
        if seconds is not None:
            self._say(says.REFUSED, reason=f"its trace took only {seconds * 1000:.0f} ms, the last time")
            return self._trace()
        try:
            return self._look_up()
        finally:
            # We are kept by the function that is made, and these hold the program's objects.
            self.digests, self.foreign = {}, []

    def _look_up(self) -> Any:
        walk: Walk | None = None
        try:
            environment.settle()
            #: The state of the libraries, and functions of the program's that sit inside of them: patches and the like.
            self.digests, self.foreign = self.engine.libraries.digests()
            found = self._walk()
            key = key_of(self.subject, found)
            walk = found
            function = self._replay(key, walk)
            entry = self._find(prelude.KIND, key) if function is None else None
            if entry is not None:
                self._perform_prelude(entry, key, walk)
                function, walk = self._after_prelude(entry, walk)
                key = key_of(self.subject, walk)
            if function is not None:
                return function
        except Unfit as problem:
            self._say(says.REFUSED, reason=f"{problem.reason} [{problem.path}]")
        except Exception as problem:
            self.engine.failed("looking up", problem)
        return self._trace() if walk is None else self._trace_and_keep(key, walk)

    def _walk(self) -> Walk:
        walk = self.subject.walk(self.foreign)
        self.subject.check_inner(walk)
        return walk

    def _prebuild(self) -> Snapshot | None:
        """What there was before, if anything was built."""
        if not self.engine.options.prebuild:
            return None
        try:
            done = prebuild.prebuild(self.subject, self._runs_program_code)
        except Exception as problem:
            self.engine.failed("building ahead", problem)
            return None
        if done is None:
            return None
        built, before = done
        self._say(says.PREBUILT, reason=built)
        return before

    def _runs_program_code(self) -> bool:
        """Whether the trace could come to any code that is not the libraries' own."""
        try:
            return bool(self.subject.walk(self.engine.libraries.digests()[1]).codes)
        except Unfit:
            return True

    # -- using what is kept ----------------------------------------------------------------------------------

    def _find(self, kind: str, key: Key) -> Entry | None:
        """An entry that holds: what it read besides what is in its key is as it was."""
        entry, reason = variants.find(self.engine.store, kind, key.hex(), self._why_not)
        self.why = self.why or reason
        return entry

    def _why_not(self, guards: dict[str, Any]) -> str | None:
        return why_not_as_before(guards) or self.engine.libraries_differ(guards["libraries"], self.digests)

    def _replay(self, key: Key, walk: Walk) -> Any:
        entry = self._find(keep.KIND, key)
        if entry is None:
            return None
        header = entry.header
        state, around = State(walk), Surroundings(self.digests, header["guards"])
        function = replay.rehydrate(
            entry,
            walk,
            self.subject,
            lambda: self._trace_again(state, around, entry),
            lambda name: self._first_call(entry, name),
        )
        leftovers.put_back(walk, header["left"])
        if self.verifying:
            traced = Proof(self.engine.store, self._say, key).check(entry, walk, function)
            if traced is not None:
                return traced
        else:
            inner.put_back(entry, walk, lambda kept, of, types: self._inner(kept, of, types, walk, around))
        _give_names_of(entry)  # after a real trace, if there was one: it has given them out itself
        spent = time.perf_counter() - self.started
        saved = max(0.0, header["trace_seconds"] - spent)
        self._say(says.REPLAYED, seconds=spent, saved=saved, key=key.hex())
        return function

    def _inner(
        self, kept: Entry, function: Any, types: tuple[Any, Any, Any], walk: Walk, around: Surroundings
    ) -> Any:
        """A kept trace of another function that the trace of this one called."""
        other = Attempt(self.engine, Subject(function, *types), self.create, None)
        state: State | None = None
        with contextlib.suppress(Unfit):  # then nobody could tell whether a trace made later is the same
            state = State(other.subject.walk(self.foreign))
        return replay.rehydrate(
            kept,
            walk,
            other.subject,
            lambda: other._trace_again(state, around, kept) if state is not None else None,
            lambda _: None,
        )

    def _perform_prelude(self, entry: Entry, key: Key, walk: Walk) -> None:
        created = prelude.perform(entry.header["effects"], walk)
        _give_names_of(entry)
        keep.set_marks(walk, entry.header["marks"])
        if entry.header["creates"]:
            # As the trace would have left it: TensorFlow then goes on to the trace that creates nothing.
            self.subject.function._created_variables.extend(weakref.ref(variable) for variable in created)
        saved = entry.header["trace_seconds"]
        self._say(says.PREBUILT, reason="as its first trace did", saved=saved, key=key.hex())

    def _after_prelude(self, entry: Entry, before: Walk) -> tuple[Any, Walk]:
        """With all built: the function, if its trace is kept, and the walk over the new state."""
        walk = self._walk()
        if walk.digest() != entry.header["after"]:
            raise RuntimeError(
                f"building ahead did not give what the trace gave ({difference(before, walk)})"
            )
        if self.subject.function._created_variables:
            return replay.placeholder(self.subject, lambda: self._trace_again(None, None, None)), walk
        return self._replay(key_of(self.subject, walk), walk), walk

    def _first_call(self, entry: Entry, name: str) -> Any:
        """What is in force during the first call, and only then: TensorFlow's own caches, for this function alone."""
        return firstcall.manager(
            self.engine, entry, name, lambda saved: self._say(says.OPTIMISED, saved=saved)
        )

    def _trace_again(self, state: State | None, around: Surroundings | None, entry: Entry | None) -> Any:
        """For a kept function of which more is wanted than to run it; ``None`` where it must not be traced now."""
        from tensorflow.python.autograph.core import ag_ctx
        from tensorflow.python.framework import func_graph

        before: Any = contextlib.nullcontext()
        if state is not None and entry is not None and not entry.header["custom_gradient"]:
            try:
                digests, foreign = self.engine.libraries.digests()
                if around is not None and not around.are_those_of(digests):
                    return None
                walk = self.subject.walk(foreign)
                if not state.is_that_of(walk, but_for_leftovers=True):
                    return None
                before = state.leftovers_in(walk)
            except Unfit:
                return None
        options = self.subject.tracing_options
        status = ag_ctx.Status.ENABLED if options.autograph else ag_ctx.Status.DISABLED
        # Wherever we are, as TensorFlow does it. (In an init_scope tapes would record nothing, those inside
        # included.)
        with before, ag_ctx.ControlStatusCtx(status=status, options=options.autograph_options):
            self.func_graph = func_graph.FuncGraph(options.name)
            return self._trace()

    # -- tracing, and keeping what was traced ----------------------------------------------------------------

    def _trace(self) -> Any:
        subject = self.subject
        # Nothing that a trace makes is garbage yet; looking for it costs a tenth of the time. Not by switching the
        # collector off: what is traced may do that itself, and means it to stay off.
        usual = gc.get_threshold()
        gc.set_threshold(0, *usual[1:])
        try:
            return self.create(
                subject.function_type, subject.type_context, self.func_graph, subject.tracing_options
            )
        finally:
            if gc.get_threshold()[0] == 0:
                gc.set_threshold(*usual)

    def _trace_and_keep(self, key: Key, walk: Walk) -> Any:
        window = Window()
        with contextlib.ExitStack() as watching:
            try:
                self.why = self.why or subjects.why_missed(
                    self.engine.store, self.engine.program, self.subject, key, walk
                )
                self._say(says.MISSED, reason=self.why, key=key.hex())
                candidates = prelude.unbuilt(walk)
                builds = prelude.Builds(window, prelude.others_than_layers(candidates))
                masked = frozenset(id(one) for one in candidates)
                hidden = self.subject.walk(self.foreign, masked) if masked else walk
                marks = keep.marks_now(walk)
                before = inner.Before(self.subject.function, walk)
                # What XLA compiles is named after the lines that made it, which a kept trace does not have. So there
                # the trace is not what is called, but what was kept of it, already now; it needs the names for itself.
                compiled = any(one._jit_compile for one in walk.functions)
                names = contextlib.nullcontext() if compiled else naming.marked(mark_of(key))
                for context in (window, builds, names):
                    watching.enter_context(context)
            except Exception as problem:
                watching.close()
                self.engine.failed("getting ready to trace", problem)
                return self._trace()
            started = time.perf_counter()
            concrete = self._trace()
            seconds = time.perf_counter() - started
        try:
            if seconds < self.engine.options.min_trace_seconds:
                small.remember(self.engine.store, self.subject, seconds)
                raise keep.NotKept(f"its trace took only {seconds * 1000:.0f} ms")
            prelude.refuse_lost_draws(walk, builds)
            keeper = Keeper(self.engine, self.subject, walk, window.seen, seconds)
            added = before.added(walk)
            if not any(one.built for one in candidates):
                return self._go_on(keeper.keep(key, marks, concrete, added), concrete)
            if added:
                name = added[0][0].function._name
                raise keep.NotKept(f"it builds layers and calls another tf.function ({name})")
            keeper.keep_prelude(key, marks, candidates, hidden, masked, builds)
            if self.subject.function._created_variables:
                return concrete  # TensorFlow traces again; that trace is the one to keep
            return self._go_on(keeper.keep(None, marks, concrete, []), concrete)
        except (keep.NotKept, prelude.NotRecordable, Unfit) as problem:
            self._say(says.REFUSED, reason=str(problem), seconds=seconds, key=key.hex())
        except Exception as problem:
            self.engine.failed("keeping a trace", problem)
        return concrete

    def _go_on(self, kept: Kept | None, concrete: Any) -> Any:
        """The function to go on with after a trace."""
        if kept is None:
            return concrete
        self._say(says.STORED, seconds=kept.seconds, key=kept.key.hex())
        name = naming.name_of(concrete)
        if mark_of(kept.key) in name:
            replay.first_call_under(concrete, self._first_call(kept.entry, name))
        elif kept.entry.header["xla"] and not self.verifying:
            return replay.rehydrate(
                kept.entry,
                kept.walk,
                self.subject,
                lambda: concrete,
                lambda name: self._first_call(kept.entry, name),
            )
        return concrete

    def _say(
        self, what: str, *, reason: str = "", seconds: float = 0.0, saved: float = 0.0, key: str = ""
    ) -> None:
        file, name = self.subject.place()
        self.engine.ledger.add(Event(what, name, file, reason, seconds, saved, key))


def _give_names_of(entry: Entry) -> None:
    """Keras has given out as many names as in the process that made the entry."""
    names = entry.header["guards"]["names"]
    if names:
        give_names({kind: after for kind, (_, after) in names.items()})
