"""Which plan is for which type: exact types first, then families, then instances of Python classes."""

from __future__ import annotations

import sys
import types
import weakref
from typing import Any

from . import arrays, classes, functions, hints, models, outside, plain, tensors
from .walk import Plan, Walk

_CONTAINERS: list[tuple[type, Any]] = [(dict, plain.mapping), (list, plain.sequence), (tuple, plain.sequence),
                                       (set, plain.unordered), (frozenset, plain.unordered)]  # fmt: skip


class Plans:
    """The table for one process; types that are met are decided once."""

    def __init__(self) -> None:
        self._exact: dict[type, Plan] = {**plain.EXACT, **outside.EXACT, **functions.EXACT}
        self._bases: list[tuple[type, Plan]] = [*plain.BASES, *functions.BASES, (type, classes.klass)]
        self._loaded: set[str] = set()
        self.refresh()

    def refresh(self) -> None:
        """Takes up the plans for libraries that were loaded since."""
        numpy = sys.modules.get("numpy")
        if numpy is not None and hasattr(numpy, "random"):
            self._take("numpy", lambda: arrays.plans(numpy))
        if "tensorflow.python.eager.polymorphic_function.polymorphic_function" in sys.modules:
            self._take("tensorflow", tensors.plans)
        if "keras.src.models.model" in sys.modules:
            self._take("keras", models.plans)

    def _take(self, name: str, make: Any) -> None:
        if name not in self._loaded:
            self._loaded.add(name)
            exact, bases = make()
            self._exact.update(exact)
            self._bases[:0] = bases

    def plan_for(self, kind: type) -> Plan:
        found = self._exact.get(kind)
        if found is None:
            found = self._exact[kind] = self._decide(kind)
        return found

    def _decide(self, kind: type) -> Plan:
        # Not issubclass: abstract classes ask all their heirs, which takes half a second in TensorFlow.
        family = set(kind.__mro__)
        for base, plan in self._bases:
            if base in family:
                if kind is not base and base in (property, weakref.ref):
                    return classes.container_instance(kind, base, plan)
                return plan
        for base, content in _CONTAINERS:
            if base in family:
                return classes.container_instance(kind, base, content)
        if kind.__module__ in ("typing", "types") or kind is types.GenericAlias:
            return hints.hint
        if f"{kind.__module__}.{kind.__qualname__}" in _ELSEWHERE:
            return plain.unfit
        if f"{kind.__module__}.{kind.__qualname__}" in _WITHOUT_CONTENT:
            return plain.by_type
        if f"{kind.__module__}.{kind.__qualname__}" in _PATHS:
            return outside.path
        if f"{kind.__module__}.{kind.__qualname__}" in _DATES:
            return outside.date
        if f"{kind.__module__}.{kind.__qualname__}" in _BY_TEXT:
            return plain.by_repr
        return classes.instance_plan(kind)

    def walk(self, masked: frozenset[int] = frozenset()) -> Walk:
        self.refresh()
        return Walk(self.plan_for, masked)


_WITHOUT_CONTENT = frozenset({"_thread.lock", "_thread.RLock", "os._Environ"})
#: What they hold lies in a table of their class.
_ELSEWHERE = frozenset({"weakref.finalize"})
_BY_TEXT = frozenset({"datetime.timedelta", "decimal.Decimal", "fractions.Fraction", "uuid.UUID"})
_DATES = frozenset({"datetime.datetime", "datetime.date"})
_PATHS = frozenset({"pathlib.PosixPath", "pathlib._local.PosixPath"})
