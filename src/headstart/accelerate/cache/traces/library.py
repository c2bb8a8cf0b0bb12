"""A traced function and all functions that it calls, as bytes, under names that no other function can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

#: Operations that mean something only in the process that traced them, or that make state that nothing tracks.
_REFUSED = {
    "PyFunc": "it calls Python from the graph (py_function or numpy_function)",
    "PyFuncStateless": "it calls Python from the graph (py_function or numpy_function)",
    "EagerPyFunc": "it calls Python from the graph (py_function or numpy_function)",
    "VarHandleOp": "it makes a variable inside of the graph",
    "VariableV2": "it makes a variable inside of the graph",
    "Variable": "it makes a variable inside of the graph",
}
_REFUSED_PARTS = {
    "HashTable": "it makes a lookup table",
    "DenseHashTable": "it makes a lookup table",
    "Collective": "it talks to other devices",
    "Nccl": "it talks to other devices",
    "Anonymous": "it makes a resource that nothing tracks",
    "OneShotIterator": "it makes an iterator inside of the graph",
    "IteratorV2": "it makes an iterator inside of the graph",
    "GeneratorDataset": "it makes a dataset that calls Python",
    "SummaryWriter": "it makes a summary writer",
}


class CannotKeep(Exception):
    """The graph holds something that cannot live in another process."""


def collect(name: str, definition_of: Any) -> list[Any]:
    """The function called ``name`` and all that it calls, itself last;

    ``definition_of(name)`` gives a FunctionDef.
    """
    found: dict[str, Any] = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = definition_of(current)
        for inner in called(found[current]):
            if inner not in found:
                pending.append(inner)
    main = found.pop(name)
    return [*found.values(), main]


def called(definition: Any) -> Iterator[str]:
    """Names of the functions that a function refers to, wherever it does."""
    return mentioned(_attributes(definition))


def mentioned(nodes: Iterable[Any]) -> Iterator[str]:
    """Names of the functions in the attributes of these nodes."""
    for attributes in nodes:
        for attribute in sorted(attributes):  # the order of a message's map is not stable
            value = attributes[attribute]
            if value.HasField("func"):
                yield value.func.name
            elif value.HasField("list"):
                for one in value.list.func:
                    yield one.name


def _attributes(definition: Any) -> Iterator[Any]:
    yield definition.attr
    for node in definition.node_def:
        yield node.attr


def why_not(definitions: list[Any]) -> str | None:
    """Why these functions cannot be used in another process, or ``None``."""
    for definition in definitions:
        for node in definition.node_def:
            if node.op in _REFUSED:
                return _REFUSED[node.op]
            for part, reason in _REFUSED_PARTS.items():
                if part in node.op and not node.op.endswith(
                    ("Find", "Size", "Import", "Export", "Insert", "Lookup")
                ):
                    return reason
    return None


def has_custom_gradient(definitions: list[Any]) -> bool:
    return any("_gradient_op_type" in node.attr for d in definitions for node in d.node_def)


def is_compiled(definitions: list[Any]) -> bool:
    """Whether XLA compiles any of them."""
    return any(attributes["_XlaMustCompile"].b for d in definitions for attributes in _attributes(d)
               if "_XlaMustCompile" in attributes)  # fmt: skip


def rename(definitions: list[Any], names: dict[str, str]) -> None:
    """Gives functions other names, wherever they are mentioned."""
    for definition in definitions:
        own = definition.signature.name
        definition.signature.name = names.get(own, own)
        _rename_in(definition.attr, names)
        rename_in_nodes(definition.node_def, names)


def rename_in_nodes(nodes: Iterable[Any], names: dict[str, str]) -> None:
    """The same for nodes, which also know the function that they were in before it was inlined."""
    for node in nodes:
        _rename_in(node.attr, names)
        origins = node.experimental_debug_info.original_func_names
        for number, origin in enumerate(origins):
            if origin in names:
                origins[number] = names[origin]


def _rename_in(attributes: Any, names: dict[str, str]) -> None:
    for value in attributes.values():
        if value.HasField("func"):
            value.func.name = names.get(value.func.name, value.func.name)
        elif value.HasField("s"):
            text = names.get(value.s.decode("utf-8", "replace"))
            if text is not None:
                value.s = text.encode()
        elif value.HasField("list"):
            for one in value.list.func:
                one.name = names.get(one.name, one.name)


def fresh_names(definitions: list[Any], mark: str) -> dict[str, str]:
    """``while_body_123`` becomes ``while_body_<mark>_0``: the mark is of the entry, so nobody else has it.

    TensorFlow takes the last part of a name for a running number and leaves it out of the names of its files.
    Functions that were traced under such names (see ``naming``) keep them.
    """
    names: dict[str, str] = {}
    taken = {definition.signature.name for definition in definitions}
    for definition in definitions:
        old = definition.signature.name
        if f"_{mark}_" in old:
            continue
        base = old.rpartition("_")[0] if old.rpartition("_")[2].isdigit() else old
        number = 0
        while f"{base}_{mark}_{number}" in taken:
            number += 1
        names[old] = f"{base}_{mark}_{number}"
        taken.add(names[old])
    return names


def pack(definitions: list[Any]) -> bytes:
    """All of them after one another, each with its name and its length before it."""
    parts: list[bytes] = []
    for definition in definitions:
        name = definition.signature.name.encode()
        data = definition.SerializeToString(deterministic=True)
        parts.extend((len(name).to_bytes(4, "big"), name, len(data).to_bytes(8, "big"), data))
    return b"".join(parts)


def unpack(data: bytes) -> list[tuple[str, bytes]]:
    """Name and definition of each function; parsing them is left to whom it may concern."""
    parts: list[tuple[str, bytes]] = []
    at = 0
    while at < len(data):
        middle = at + 4 + int.from_bytes(data[at : at + 4], "big")
        end = middle + 8 + int.from_bytes(data[middle : middle + 8], "big")
        parts.append((data[at + 4 : middle].decode(), data[middle + 8 : end]))
        at = end
    return parts
