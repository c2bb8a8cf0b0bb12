"""A kept trace beside one that is made for real: graphs, captured variables, the form of results, first results."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .. import firstcall, variants
from .. import ledger as says
from ..entry import Entry
from ..fingerprint import Walk
from ..key import Key
from ..store import Store
from . import captures, keep, library, naming, structure, trial, verify


class Proof:
    """What is wrong is dropped from the store, and the function that was traced for real takes its place.

    The first call of what was kept finds what TensorFlow has made of it: that is compared with it, and dropped with it.
    """

    def __init__(self, store: Store, say: Callable[..., None], key: Key) -> None:
        self._store, self._say, self._key = store, say, key.hex()

    def check(self, entry: Entry, walk: Walk, function: Any) -> Any:
        """The function that was traced for real where the graphs differ; else ``None``, and the results of the first
        call are to be compared as well."""
        from tensorflow.core.framework import function_pb2

        traced = function.headstart_traced()
        definitions = [
            function_pb2.FunctionDef.FromString(data)
            for _, data in library.unpack(entry.sections["functions"])
        ]
        reason = verify.first_difference(definitions, keep.definitions(traced))
        reason = reason or self._other_binding(json.loads(entry.sections["binding"]), walk, traced)
        if reason is not None:
            self._drop(reason)
            return traced
        self._say(says.VERIFIED, key=self._key)
        self._compare_first_call(entry, function, traced, definitions)
        return None

    def _other_binding(self, binding: dict[str, Any], walk: Walk, traced: Any) -> str | None:
        try:
            if captures.describe(list(traced.graph.external_captures), walk) != binding["captures"]:
                return "other variables are captured"
            if structure.checked(traced.function_type.output) != binding["output"]:
                return "another structure is returned"
        except (captures.Untracked, structure.CannotWrite) as problem:
            return str(problem)
        return None

    def _compare_first_call(self, entry: Entry, function: Any, traced: Any, definitions: list[Any]) -> None:
        from tensorflow.python.eager import context, record

        run = function._call_flat

        def _call_flat(tensor_inputs: Any, captured_inputs: Any) -> Any:
            function.__dict__.pop("_call_flat", None)
            try:
                if not context.executing_eagerly() or record.could_possibly_record():
                    raise trial.NotRepeatable("it is called inside of another graph or under a tape")
                result, same = trial.results_agree(
                    definitions,
                    list(tensor_inputs),
                    list(captured_inputs),
                    lambda given: run(given, captured_inputs),
                    lambda given: traced._call_flat(given, traced.captured_inputs),
                )
            except trial.NotRepeatable as problem:
                self._say(says.UNCOMPARED, reason=str(problem), key=self._key)
                return run(tensor_inputs, captured_inputs)
            if same is None:
                self._say(says.UNCOMPARED, reason="its results vary from run to run", key=self._key)
            elif same:
                self._say(says.COMPARED, key=self._key)
            else:
                self._drop("its first results are not those of a real trace")
                inputs = [*tensor_inputs, *captured_inputs]
                firstcall.forget(self._store, entry, naming.name_of(function), inputs)
                function.headstart_give_up()
            return result

        function._call_flat = _call_flat

    def _drop(self, reason: str) -> None:
        self._say(says.MISMATCH, reason=reason, key=self._key)
        variants.drop(self._store, keep.KIND, self._key)
