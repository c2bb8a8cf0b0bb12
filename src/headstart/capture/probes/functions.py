"""tf.function objects: where each was made, and each call of one from eager code."""

from __future__ import annotations

from typing import Any

from ...record.signals import CALL, FIT, FUNCTION_CREATED
from ..bus import Bus, Open
from ..sites import USER, kind_of, user_site
from ._tools import put_in, state


class Registry:
    """Numbers for tf.function objects, and what is known of their Python code."""

    def __init__(self) -> None:
        self.count = 0
        self.by_object: dict[int, int] = {}
        self.by_cache: dict[int, int] = {}
        self.code: dict[int, dict[str, Any]] = {}

    def add(self, function: Any) -> int:
        self.count += 1
        number = self.count
        # A new object may have the address of a dead one: the newest owner is the right one.
        self.by_object[id(function)] = number
        self.by_cache[id(getattr(function, "_function_cache", None))] = number
        self.code[number] = code_facts(getattr(function, "_python_function", None))
        return number


registry = Registry()


def code_facts(python_function: Any) -> dict[str, Any]:
    """`code` identifies the Python code; `file` and `line` are there when it is the user's own."""
    target = python_function
    for _ in range(20):
        if hasattr(target, "__wrapped__"):
            target = target.__wrapped__
        elif hasattr(target, "__func__"):
            target = target.__func__
        elif hasattr(target, "func") and not hasattr(target, "__code__"):
            target = target.func
        else:
            break
    code = getattr(target, "__code__", None)
    if code is None:
        name = getattr(type(target), "__name__", "?")
        return {"code": f"?:0:{name}"}
    facts: dict[str, Any] = {"code": f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"}
    if kind_of(code.co_filename) == USER:
        facts["file"], facts["line"] = code.co_filename, code.co_firstlineno
    return facts


def install(bus: Bus, module: Any) -> None:
    _creations(bus, module.Function)
    _calls(bus, module.Function)


def _creations(bus: Bus, function_class: Any) -> None:
    def leave(self: Any) -> None:
        try:
            number = registry.add(self)
            site = user_site(2)
            if site is not None and bus.on_main():
                bus.mark(
                    FUNCTION_CREATED, str(self._name), {"fn": number, "site": site, **registry.code[number]}
                )
        except Exception:
            pass

    put_in(bus, function_class, "__init__", lambda self: self, leave, arguments=("self",))


def _calls(bus: Bus, function_class: Any) -> None:
    def enter(self: Any) -> Open | None:
        # Inside a trace or another call it is not the program's own step; inside `fit`, batches tell the steps.
        if state.tracing or state.calling or not bus.on_main():
            return None
        try:
            number = registry.by_object.get(id(self), 0)
            attrs: dict[str, Any] = {"fn": number, **registry.code.get(number, {})}
            if state.fitting:
                attrs["under"] = FIT
            else:
                site = user_site(1)
                if site is not None:
                    attrs["site"] = site
            state.calling += 1
            return bus.begin(CALL, str(self._name), attrs)
        except Exception:
            return None

    def leave(span: Open | None) -> None:
        if span is not None:
            state.calling -= 1
            bus.end(span)
            bus.first_step_done = True

    put_in(bus, function_class, "__call__", enter, leave, arguments=("self",))
