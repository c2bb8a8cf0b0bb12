"""Is a kept trace what tracing gives now? Both graphs are brought to one form, without the names that run on,
and compared.
"""

from __future__ import annotations

import re
from typing import Any

from . import library


def first_difference(kept: list[Any], traced: list[Any]) -> str | None:
    """What differs first between two collections of functions (main function last), or ``None``."""
    if len(kept) != len(traced):
        return f"{len(kept)} functions were kept, {len(traced)} are traced"
    for number, (one, other) in enumerate(zip(normal_forms(kept), normal_forms(traced), strict=True)):
        if one == other:
            continue
        for line, against in zip(one, other, strict=False):
            if line != against:
                return f"function {number}: {line[:200]!r} was kept, {against[:200]!r} is traced"
        return f"function {number} has another number of nodes"
    return None


def normal_forms(definitions: list[Any]) -> list[list[str]]:
    """Of functions that call one another: each as lines, in which they are called by their places."""
    names = {d.signature.name: f"function{n}" for n, d in enumerate(definitions)}
    return [normal_form(definition, names) for definition in definitions]


def normal_form(definition: Any, functions: dict[str, str]) -> list[str]:
    """One line per argument, node and result; names replaced by places."""
    copy = type(definition)()
    copy.CopyFrom(definition)
    library.rename([copy], functions)
    names = _places(copy)
    lines = [f"argument {arg.type} {_attributes(copy.arg_attr[n].attr, names)}" if n in copy.arg_attr else
             f"argument {arg.type}" for n, arg in enumerate(copy.signature.input_arg)]  # fmt: skip
    for node in copy.node_def:
        inputs = " ".join(_input(text, names) for text in node.input)
        lines.append(f"{node.op} {node.device} ({inputs}) {_attributes(node.attr, names)}")
    lines.extend(
        f"result {arg.type} {_input(copy.ret[arg.name], names)}" for arg in copy.signature.output_arg
    )
    lines.extend(sorted(f"control {names.get(node, node)}" for node in copy.control_ret.values()))
    lines.append(_attributes(copy.attr, names))
    return lines


def _places(definition: Any) -> dict[str, str]:
    names = {arg.name: f"argument{n}" for n, arg in enumerate(definition.signature.input_arg)}
    names.update({node.name: f"node{n}" for n, node in enumerate(definition.node_def)})
    return names


def _input(text: str, names: dict[str, str]) -> str:
    control = "^" if text.startswith("^") else ""
    name, colon, rest = text.removeprefix("^").partition(":")
    return control + names.get(name, name) + colon + rest


def _attributes(attributes: Any, names: dict[str, str]) -> str:
    parts = []
    for key in sorted(attributes):
        value = attributes[key]
        if key == "_class":
            parts.append("_class " + " ".join(_beside(s.decode(), names) for s in value.list.s))
        elif key not in _RUNNING:
            parts.append(f"{key} {value.SerializeToString(deterministic=True).hex()}")
    return ", ".join(parts)


def _beside(text: str, names: dict[str, str]) -> str:
    """What a node is to be placed with. An argument is called there as in the graph that the function was made of,
    with a running number where that is all that it was called; the function has made a valid name of it."""
    name = text.removeprefix("loc:@")
    return names.get(name) or names.get(re.sub(r"[^a-z0-9]", "_", name.lower()), text)


#: Attributes that carry running numbers and do not change what is computed.
_RUNNING = frozenset({"_gradient_op_type", "_user_specified_name", "_construction_context", "shared_name"})
