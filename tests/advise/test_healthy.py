"""Healthy programs that resemble a mistake: made-up runs of both, and only the mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s

from .made import CODE, FILE, begun, site, told


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        ((1, 1, 1, 1), [("HS311", 20, "medium")]),  # one function, for each new shape
        ((1, 2, 3, 4), []),  # the steps of fit, evaluate and predict, or of a model per fold
    ],
)
def test_xla_compiles_each_function_once(
    tmp_path: Path, functions: tuple[int, ...], expected: list[object]
) -> None:
    run, at = begun(), 3000.0
    for fn in functions:
        concrete = f"__inference_step_{at:.0f}"
        common = {"fn": fn, "code": CODE, "site": site(20)}
        run.span(at, at + 10, s.TRACE, "step", file=FILE, line=5, n=0, nodes=40, depth=0, jit=True,
                 args=[], concrete=concrete, **common)  # fmt: skip
        run.span(at + 10, at + 510, s.EXECUTE, concrete, first=True, jit=True, new_shapes=True)
        run.span(at, at + 511, s.CALL, "step", **common)
        at += 520
        for _ in range(200):
            run.span(at, at + 2, s.EXECUTE, concrete, jit=True, new_shapes=False)
            run.span(at, at + 2, s.CALL, "step", **common)
            at += 3
    assert told(run, tmp_path, at + 100) == expected
