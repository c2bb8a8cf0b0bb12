"""Why a function was traced again, told from the argument types of two traces."""

from __future__ import annotations

from typing import Any

import pytest

from headstart.analyse.retraces import explain_retraces, why
from headstart.record.nouns import Span

at = iter(range(0, 10**9, 10))


def trace(*args: tuple[str, str], fn: int = 1, line: int = 5, **attrs: Any) -> Span:
    start = next(at)
    site = ["a.py", line, "f"]
    return Span(
        start, start + 5, 1, "trace", "f", {"fn": fn, "args": [list(a) for a in args], "site": site, **attrs}
    )


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("Python int 3", "Python int 4", "scalar"),
        ("Python float 0.1", "Python float 0.2", "scalar"),
        ("Python bool True", "Python bool False", "scalar"),
        ("Python str 'a'", "Python str 'b'", "scalar"),
        ("tensor float32[4,8]", "tensor float32[5,8]", "shape"),
        ("tensor float32[?,8]", "tensor float32[5,8,1]", "shape"),
        ("tensor float32[4]", "tensor int32[4]", "dtype"),
        ("object method Net.step at 0x1", "object method Net.step at 0x2", "object"),
        ("tensor float32[4]", "Python int 4", "scalar"),
        ("Python NoneType None", "tensor float32[4]", "structure"),
        (None, "tensor float32[4]", "structure"),
        ("list of 3", "list of 4", "structure"),
        ("list of 1", "Python int 4", "scalar"),
        (
            "IteratorSpec((TensorSpec(shape=(3, None)),))",
            "IteratorSpec((TensorSpec(shape=(4, None)),))",
            "shape",
        ),
    ],
)
def test_reasons(before: str | None, after: str, reason: str) -> None:
    assert why(before, after) == reason


def test_the_argument_before_and_now() -> None:
    traces = [trace(("x", "tensor float32[4]"), ("step", f"Python int {i}")) for i in range(3)]
    found = explain_retraces(traces)
    assert [(r.argument, r.before, r.after, r.reason) for r in found] == [
        ("step", "Python int 0", "Python int 1", "scalar"),
        ("step", "Python int 1", "Python int 2", "scalar"),
    ]
    assert (found[0].file, found[0].line) == ("a.py", 5)


def test_the_nearest_earlier_trace_is_compared() -> None:
    """A shape seen long ago is not the reason when only the flag differs from it."""
    a = trace(("x", "tensor float32[4]"), ("training", "Python bool True"))
    b = trace(("x", "tensor float32[9]"), ("training", "Python bool True"))
    c = trace(("x", "tensor float32[4]"), ("training", "Python bool False"))
    assert explain_retraces([a, b, c])[1].argument == "training"


def test_a_new_object_and_created_variables() -> None:
    first = trace(("x", "tensor float32[4]"), scope="VARIABLE_CREATION")
    second = trace(("x", "tensor float32[4]"), scope="NO_VARIABLE_CREATION")
    other = trace(("x", "tensor float32[4]"), fn=2)
    assert [r.reason for r in explain_retraces([first, second, other])] == [
        "variables-created",
        "new-function",
    ]


def test_what_is_traced_inside_is_part_of_it() -> None:
    outer = Span(0, 100, 1, "trace", "f", {"fn": 1, "args": []})
    inner = Span(10, 20, 1, "trace", "f", {"fn": 1, "args": []})
    assert explain_retraces([outer, inner]) == []
