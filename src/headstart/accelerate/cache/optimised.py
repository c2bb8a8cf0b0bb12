"""What TensorFlow's optimiser has made of one function, in the form that TensorFlow reads from its file cache.

TensorFlow writes such a file itself only where optimising took it three seconds. But it hands out the graphs of the
functions that it makes ready (for TensorBoard), before and after: from them the very same file is written here, for
smaller functions too. Whatever is not certain gives nothing, and the graph is optimised as always.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .traces import library, naming

#: As TensorFlow names its file: no job, no task, the function without its running number, how many nodes it has.
_FILE = "_-1_{own}_{nodes}"


class File(NamedTuple):
    """A file that TensorFlow would find."""

    name: str
    content: bytes


def can_be_collected() -> bool:
    """Not while the program itself has graphs collected (``tf.summary.trace_on``): they would become fewer."""
    from tensorflow.python.ops import summary_ops_v2

    return summary_ops_v2._current_trace_context is None


@contextmanager
def collected() -> Iterator[list[Any]]:
    """Afterwards the list holds the graphs of all functions that were made ready meanwhile."""
    from tensorflow.python.eager import context

    live = context.context()
    taken: list[Any] = []
    live.enable_graph_collection()
    try:
        yield taken
        taken.extend(live.export_run_metadata().function_graphs)
    finally:
        live.disable_graph_collection()  # and lets go of what was collected


def file_for(name: str, taken: list[Any]) -> File | None:
    """The file of the function called ``name``, if its graph is what was taken."""
    from tensorflow.core.framework import optimized_function_graph_pb2
    from tensorflow.python.eager import context

    live = context.context()
    definition = live.get_function_def(name)
    # Functions that other threads called meanwhile make it several, or one that is a mixture; so do functions that
    # this one calls while it runs.
    if len(taken) != 1:
        return None
    graphs = taken[0]
    arguments, results = len(definition.signature.input_arg), len(definition.signature.output_arg)
    if not _is_of(graphs.pre_optimization_graph, definition):
        return None
    graph = graphs.post_optimization_graph
    if not (
        _numbers(graph, "_Arg") == [*range(arguments)] and _numbers(graph, "_Retval") == [*range(results)]
    ):
        return None
    names = {node.name for node in graph.node}
    control = {node: output for output, node in definition.control_ret.items()}
    if len(names) != len(graph.node) or not names.issuperset(control):
        return None
    # Those of the graph before it was optimised are listed with it; functions that the optimiser made, with its parts.
    del graph.library.function[:]
    graph.library.function.extend(_functions(graphs.partition_graphs))
    if not _is_whole(graph):
        return None
    own, mark = naming.own_and_mark(name)
    found = library.collect(name, live.get_function_def)
    _rename(graph, library.fresh_names([*found, *graph.library.function], mark))
    kept = optimized_function_graph_pb2.OptimizedFunctionGraph(
        name=definition.signature.name,
        function_graph=graph,
        node_name_to_control_ret=control,
        ret_types=[output.type for output in definition.signature.output_arg],
        num_return_nodes=results,
        source=optimized_function_graph_pb2.OptimizedFunctionGraph.JIT,
    )
    return File(_FILE.format(own=own, nodes=len(definition.node_def)), kept.SerializeToString())


def _rename(graph: Any, names: dict[str, str]) -> None:
    """As the functions of the entry are called in later processes, where they must meet no others either."""
    if names:
        library.rename(graph.library.function, names)
        library.rename_in_nodes(graph.node, names)


def _is_of(graph: Any, definition: Any) -> bool:
    """Whether this is the graph of this function and of no other: the same operations under the same names."""
    ours = sorted((node.name, node.op) for node in definition.node_def)
    return ours == sorted((node.name, node.op) for node in graph.node if node.op not in ("_Arg", "_Retval"))


def _numbers(graph: Any, operation: str) -> list[int]:
    return sorted(node.attr["index"].i for node in graph.node if node.op == operation)


def _functions(graphs: Any) -> list[Any]:
    found = {function.signature.name: function for graph in graphs for function in graph.library.function}
    return list(found.values())


def _is_whole(graph: Any) -> bool:
    """Whether every function that is mentioned is there."""
    there = {function.signature.name for function in graph.library.function}
    mentioned = set(library.mentioned(node.attr for node in graph.node))
    for function in graph.library.function:
        mentioned.update(library.called(function))
    return mentioned <= there
