"""After a real trace: is it fit to be kept, and the entry that keeps it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..fingerprint import Walk, leftovers
from ..watch import Seen
from . import captures, library, naming, structure

KIND = "traces"


class NotKept(Exception):
    """Why this trace is not stored."""


@dataclass(frozen=True)
class Kept:
    """What goes to the store."""

    header: dict[str, Any]
    sections: dict[str, bytes]


def entry(
    concrete: Any, walk: Walk, marks: list[Any], seen: Seen, mark: str, allowed: frozenset[str] = frozenset()
) -> Kept:
    """The entry for a concrete function that was just traced; raises :class:`NotKept`."""
    refuse_seen(seen, allowed)
    graph = concrete.graph
    if graph.deferred_external_captures or graph.function_captures.by_ref_external:
        raise NotKept("it uses a value that is computed at each call")
    if graph.function_captures.control:
        raise NotKept("it waits for operations outside of its graph")
    try:
        captured = captures.describe(list(graph.external_captures), walk)
        output = structure.checked(concrete.function_type.output)
    except (captures.Untracked, structure.CannotWrite) as problem:
        raise NotKept(str(problem)) from None
    found = definitions(concrete)
    reason = library.why_not(found)
    if reason is not None:
        raise NotKept(reason)
    custom = library.has_custom_gradient(found)
    library.rename(found, library.fresh_names(found, mark))
    main = found[-1]
    signature = type(main)(signature=main.signature, attr=main.attr)
    return Kept(
        header={
            "nodes": sum(len(d.node_def) for d in found),
            "functions": len(found),
            "custom_gradient": custom,
            "xla": library.is_compiled(found),
            "left": leftovers.written(walk),
        },
        sections={
            "functions": library.pack(found),
            "signature": signature.SerializeToString(deterministic=True),
            "binding": json.dumps({"captures": captured, "output": output, "marks": marks}).encode(),
        },
    )


def refuse_seen(seen: Seen, allowed: frozenset[str] = frozenset()) -> None:
    """Raises :class:`NotKept` where the trace did more than trace."""
    if seen.reasons:
        raise NotKept(seen.reasons[0])
    for operation in seen.operations:
        if operation not in allowed:
            raise NotKept(f"while it is traced it runs {operation} at once")


def guards(seen: Seen) -> dict[str, Any]:
    """What the trace read that is not in the key: it must be the same when the entry is used."""
    return {
        "environment": seen.environment,
        "files": seen.files,
        "folder": seen.folder,
        "names": seen.names,
        "loggers": seen.loggers,
        "filters": seen.filters,
    }


def marks_now(walk: Walk) -> list[Any]:
    """The values of what a trace may set without reading; see ``Walk.latches``."""
    return [getattr(owner, name, None) for owner, name in walk.latches]


def marks_set(walk: Walk, before: list[Any], after: Walk) -> list[list[Any]]:
    """Which of them the trace has set: place in the walk after it, value before, value now."""
    places = {(id(owner), name): number for number, (owner, name) in enumerate(after.latches)}
    changed = []
    for (owner, name), old in zip(walk.latches, before, strict=True):
        new = getattr(owner, name, None)
        if old is not new:
            if type(new) not in (bool, str) or (id(owner), name) not in places:
                raise NotKept(f"its trace sets {name} to something that cannot be written down")
            changed.append([places[id(owner), name], old, new])
    return changed


def set_marks(walk: Walk, marks: list[list[Any]]) -> None:
    """As the trace did, where nobody has done it since."""
    for number, old, new in marks:
        owner, attribute = walk.latches[number]
        if getattr(owner, attribute, None) == old:
            object.__setattr__(owner, attribute, new)


def definitions(concrete: Any) -> list[Any]:
    """A concrete function and all that it calls, as the runtime has them."""
    from tensorflow.python.eager import context

    live = context.context()
    return library.collect(naming.name_of(concrete), live.get_function_def)
