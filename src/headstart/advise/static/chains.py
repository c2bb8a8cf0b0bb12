"""tf.data pipelines as the source writes them: chains of method calls, also across re-assignments."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from .source import Source

METHODS = frozenset(
    [
        "map",
        "batch",
        "padded_batch",
        "shuffle",
        "cache",
        "prefetch",
        "repeat",
        "take",
        "skip",
        "filter",
        "interleave",
        "flat_map",
        "unbatch",
        "window",
        "enumerate",
        "zip",
        "concatenate",
        "shard",
        "apply",
        "with_options",
        "ragged_batch",
        "rebatch",
        "snapshot",
        "bucket_by_sequence_length",
        "ignore_errors",
        "unique",
        "rejection_resample",
        "group_by_window",
        "scan",
    ]
)
SOURCES = frozenset(
    [
        "from_tensor_slices",
        "from_tensors",
        "from_generator",
        "range",
        "list_files",
        "zip",
        "TFRecordDataset",
        "TextLineDataset",
        "FixedLengthRecordDataset",
        "random",
    ]
)


@dataclass(frozen=True)
class Link:
    """One transformation of a pipeline."""

    method: str
    call: ast.Call

    @property
    def line(self) -> int:
        """The line of the method's own name: in a chain over several lines, calls start at the first."""
        func = self.call.func
        return func.end_lineno or func.lineno

    def argument(self, position: int, name: str) -> ast.expr | None:
        for keyword in self.call.keywords:
            if keyword.arg == name:
                return keyword.value
        return self.call.args[position] if len(self.call.args) > position else None


@lru_cache(maxsize=64)
def written_pipelines(source: Source) -> tuple[tuple[Link, ...], ...]:
    """Every pipeline of the file, source first; `ds = ds.map(f)` goes on where `ds` was."""
    inside = {id(call.func.value) for call in source.calls if isinstance(call.func, ast.Attribute)}
    bound: dict[tuple[int, str], tuple[Link, ...]] = {}
    found: list[tuple[Link, ...]] = []
    ordered = sorted(source.calls, key=lambda c: (c.end_lineno or 0, c.end_col_offset or 0))
    for call in ordered:
        if id(call) in inside:
            continue
        scope = id(source.scope(call))
        chain, start = _unroll(source, call)
        if start is not None:
            before = bound.get((scope, start)) or bound.get((id(source.tree), start))
            if before is None:
                continue
            chain = (*before, *chain)
        if not chain or chain[0].method not in SOURCES:
            continue
        found.append(chain)
        above = source.parents.get(call)
        if (
            isinstance(above, ast.Assign)
            and len(above.targets) == 1
            and isinstance(above.targets[0], ast.Name)
        ):
            bound[(scope, above.targets[0].id)] = chain
    return tuple(_longest(found))


def _unroll(source: Source, call: ast.Call) -> tuple[tuple[Link, ...], str | None]:
    """The chain that ends in this call, and the variable that it starts from (None when it starts itself)."""
    links: list[Link] = []
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        dotted = source.dotted(node.func)
        if dotted and dotted.startswith("tensorflow.data.") and node.func.attr in SOURCES:
            links.append(Link(node.func.attr, node))
            return tuple(reversed(links)), None
        if node.func.attr not in METHODS:
            return (), None
        links.append(Link(node.func.attr, node))
        node = node.func.value
    if isinstance(node, ast.Call):
        dotted = source.dotted(node.func) or ""
        if dotted.startswith("tensorflow.data.") and dotted.rsplit(".", 1)[-1] in SOURCES:
            links.append(Link(dotted.rsplit(".", 1)[-1], node))
            return tuple(reversed(links)), None
        return (), None
    if isinstance(node, ast.Name) and links:
        return tuple(reversed(links)), node.id
    return (), None


def _longest(chains: list[tuple[Link, ...]]) -> list[tuple[Link, ...]]:
    """Drop chains that another one goes on from."""
    keep = []
    for chain in chains:
        calls = [id(link.call) for link in chain]
        longer = any(
            len(other) > len(chain) and [id(link.call) for link in other[: len(chain)]] == calls
            for other in chains
        )
        if not longer:
            keep.append(chain)
    return keep
