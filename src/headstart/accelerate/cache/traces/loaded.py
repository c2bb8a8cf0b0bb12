"""A kept graph with gradients: for a function whose surroundings have changed since it was replayed.

Tracing it now would give the graph of a later state; plain TensorFlow would still use the one of its first call.
So the kept graph itself is loaded, the way TensorFlow loads saved models.
"""

from __future__ import annotations

from typing import Any

from ..entry import Entry
from . import library


class LoadedFunction:
    """As much of a concrete function as a call under a tape, or inside of another graph, needs."""

    def __init__(self, entry: Entry, function_type: Any, captured: list[Any], variables: list[Any]) -> None:
        from tensorflow.core.framework import function_pb2
        from tensorflow.python.saved_model import function_deserialization

        definitions = [
            function_pb2.FunctionDef.FromString(data)
            for _, data in library.unpack(entry.sections["functions"])
        ]
        main = definitions[-1].signature.name
        functions = function_deserialization.load_function_def_library(
            function_pb2.FunctionDefLibrary(function=definitions), _signatures(main, function_type)
        )
        self._function = functions[main]
        self._all = functions  # inner functions live as long as this one
        self._function_type = function_type
        self._variables = variables
        self.captured_inputs = captured

    def _call_flat(self, tensor_inputs: Any, captured_inputs: Any) -> Any:
        from tensorflow.python.ops import resource_variable_ops
        from tensorflow.python.util import nest

        for variable in self._variables:
            resource_variable_ops.variable_accessed(variable)
        result = self._function._call_flat(list(tensor_inputs) + list(captured_inputs), [])
        flat = [] if result is None else nest.flatten(result, expand_composites=True)
        return self._function_type.pack_output(flat)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def _signatures(name: str, function_type: Any) -> Any:
    """What the function takes and gives, tensor by tensor, in the form in which a saved model says it."""
    from tensorflow.core.protobuf import saved_object_graph_pb2
    from tensorflow.python.framework import tensor
    from tensorflow.python.saved_model import nested_structure_coder

    inputs = [
        tensor.TensorSpec(spec.shape, spec.dtype, f"input{n}")
        for n, spec in enumerate(function_type.flat_inputs)
    ]
    outputs = [tensor.TensorSpec(spec.shape, spec.dtype) for spec in function_type.flat_outputs]
    graph = saved_object_graph_pb2.SavedObjectGraph()
    about = graph.concrete_functions[name]
    about.canonicalized_input_signature.CopyFrom(nested_structure_coder.encode_structure((tuple(inputs), {})))
    about.output_signature.CopyFrom(nested_structure_coder.encode_structure(outputs))
    return graph
