"""The one place where TensorFlow traces, taken over: look up first, trace and keep where nothing is found."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from .. import ledger as says
from .. import unseen, versions
from ..engine import Engine
from ..ledger import Event
from ..watch import filesystem
from . import attempt, faults, loaded, replay
from . import inner as inner_traces
from .attempt import Attempt
from .subject import Subject

_CREATE = "_create_concrete_function"
_one_at_a_time = threading.Lock()
_FILE = os.path.join("polymorphic_function", "polymorphic_function.py")


def install(module: Any, engine: Engine) -> None:
    """``module`` is ``tracing_compilation``, just imported."""
    inner = getattr(module, _CREATE)
    if getattr(inner, "_headstart_cache", None) is not None:
        return
    for own in (attempt, faults, inner_traces, loaded, replay, filesystem):
        unseen.hide(own, inner.__code__.co_filename)

    def _create_concrete_function(
        function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any
    ) -> Any:
        answer = inner_traces.answer()
        if answer is not None:
            return answer(function_type, type_context, tracing_options)
        try:
            subject = _subject(engine, sys._getframe(1), (function_type, type_context, tracing_options))
        except Exception as problem:
            engine.failed("looking at a call", problem)
            subject = None
        # One at a time: watching a trace puts things in place for the whole process. (Taken by this very thread, it is a
        # function that another one calls outside of its graph while it is traced.)
        if subject is None or not _one_at_a_time.acquire(blocking=False):
            return inner(function_type, type_context, func_graph, tracing_options)
        try:
            return Attempt(engine, subject, inner, func_graph).run()
        finally:
            _one_at_a_time.release()

    create: Any = _create_concrete_function
    unseen.hide_function(create, inner.__code__.co_filename)
    create._headstart_cache = engine
    create.__wrapped__ = inner
    setattr(module, _CREATE, create)


def _subject(engine: Engine, frame: Any, given: tuple[Any, Any, Any]) -> Subject | None:
    """What is about to be traced, if the caches have anything to do with it."""
    function, is_first = _called_function(frame) if engine.on else (None, False)
    if function is None or _is_inside_another() or not _keras_is_known(engine):
        return None
    subject = Subject(function, *given, is_first)
    reason = _why_not_now() or _why_not_again(subject)
    if reason is None:
        return subject
    file, name = subject.place()
    engine.ledger.add(Event(says.REFUSED, name, file, reason))
    return None


def _called_function(frame: Any) -> tuple[Any, bool]:
    """The ``tf.function`` that is being called, or ``None`` when somebody wants a concrete function for other
    ends; and whether it is its first call.
    """
    is_first = False
    for _ in range(8):
        if frame is None:
            break
        name = frame.f_code.co_name
        if frame.f_code.co_filename.endswith(_FILE):
            if name == "_call":
                return frame.f_locals.get("self"), is_first
            if name != "_initialize":
                break
            is_first = True
        frame = frame.f_back
    return None, False


def _keras_is_known(engine: Engine) -> bool:
    reason = versions.why_unsupported_keras()
    if reason is not None:
        engine.switch_off(reason)
    return reason is None


def _is_inside_another() -> bool:
    """Part of another trace, which is kept as a whole or not at all."""
    from tensorflow.python.eager import context

    return not context.executing_eagerly()


def _why_not_again(subject: Subject) -> str | None:
    """Where a function's first call has failed, TensorFlow does not start what a later trace creates."""
    failed = not subject.is_first_call and not hasattr(subject.function, "_concrete_variable_creation_fn")
    return "its first call in this process failed" if failed else None


def _why_not_now() -> str | None:
    """Circumstances in which a trace is not the plain thing that is kept."""
    from tensorflow.python.distribute import distribute_lib
    from tensorflow.python.eager import context, record
    from tensorflow.python.framework import ops
    from tensorflow.python.saved_model import save_context

    graph = ops.get_default_graph()
    if record.could_possibly_record():
        return "a tape is recording"
    if distribute_lib.has_strategy():
        return "a distribution strategy is in force"
    if save_context.in_save_context():
        return "a model is being saved"
    if graph._variable_creator_stack or graph._gradient_override_map:
        return "a creator of variables or another gradient is in force"
    if getattr(context.context(), "op_callbacks", None):
        return "operations are being watched (check_numerics, a debugger)"
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return "a debugger or profiler watches the program"
    return None
