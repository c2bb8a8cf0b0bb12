"""Which lines made the nodes of a graph, and how often each was gone through."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from headstart.capture.probes.graphs import LINES_FROM_NODES, measure

KINDS = (
    "strided_slice",
    "strided_slice",
    "MatMul",
    "MatMul",
    "add",
    "add",
    "mul",
    "mul",
    "mul",
    "Sigmoid",
    "Tanh",
)
"""What one turn of a recurrent cell makes."""


def operations(turns: int) -> list[Any]:
    """A loop at line 9 of the user's, and a hundred ops of other kinds at line 3."""
    frames = [SimpleNamespace(filename="/home/a/train.py", lineno=line, name="roll") for line in (3, 9)]
    made = [
        SimpleNamespace(name=f"{kind}_{turn}", type=kind, traceback=[frames[1]])
        for turn in range(turns)
        for kind in KINDS
    ]
    made += [SimpleNamespace(name=f"Reshape_{i}", type="Reshape", traceback=[frames[0]]) for i in range(100)]
    return made


def measured(turns: int) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    measure(SimpleNamespace(get_operations=lambda: operations(turns)), attrs, 10**10)
    return attrs


def test_turns_of_a_loop_are_counted_by_its_rarest_op() -> None:
    rows = {row[1]: row for row in measured(400)["below"]}
    assert rows[9][3] == 400
    assert 0.9 * 400 * len(KINDS) <= rows[9][2] <= 1.1 * 400 * len(KINDS)
    assert 80 <= rows[3][3] <= 100  # looked up here and there


def test_a_short_loop_over_a_large_body_was_not_gone_through_often() -> None:
    """However few of its ops were looked up: the kinds that a turn makes once are among them."""
    made = []
    frame = SimpleNamespace(filename="/home/a/train.py", lineno=9, name="call")
    for turn in range(8):
        for number, kind in enumerate(("stack",) * 60 + ("MatMul",) * 30 + ("Tanh", "sub", "Squeeze") * 20):
            name = f"{kind}_{turn}_{number}" if kind in ("stack", "MatMul") else f"{kind}{number}_{turn}"
            made.append(SimpleNamespace(name=name, type=kind, traceback=[frame]))
    attrs: dict[str, Any] = {}
    measure(SimpleNamespace(get_operations=lambda: made), attrs, 1)
    (row,) = attrs["below"]
    assert row[3] <= 8


def test_small_graphs_are_not_looked_into() -> None:
    attrs = measured(LINES_FROM_NODES // len(KINDS) - 20)
    assert attrs["nodes"] < LINES_FROM_NODES
    assert "below" not in attrs
