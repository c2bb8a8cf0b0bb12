"""Healthy programs that resemble a mistake: made-up runs of both, and only the mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s

from .made import CODE, FILE, begun, called, found, site, told, traced_call


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


@pytest.mark.parametrize(("trained", "confidence"), [(False, "high"), (True, "low")])
def test_weights_that_each_training_starts_from_are_read_again(
    tmp_path: Path, trained: bool, confidence: str
) -> None:
    """Folds that start from the same pretrained weights; what their steps trace is theirs."""
    run, at = begun(), 3000.0
    for fold in range(6):
        run.span(at, at + 200, s.LOAD, "load_weights", path="base.weights.h5", bytes=9000, site=site(14))
        at += 300
        run.span(at, at + 900, s.FIT, "fit" if trained else "predict", model=fold, site=site(15))
        common = {"fn": 10 + fold, "code": "keras/trainer.py:1:step", "site": site(15)}
        run.span(at, at + 400, s.TRACE, "step", n=0, nodes=40, depth=0, args=[], **common)
        run.span(at, at + 450, s.CALL, "step", **common)
        at += 1000
    loads = [f for f in found(run, tmp_path, at) if f.rule == "HS207"]
    assert [(f.line, f.confidence) for f in loads] == [(14, confidence)]
    assert (loads[0].seconds_lost < 1.1) == trained  # five loads, with the traces or without


@pytest.mark.parametrize(("later", "expected"), [(0, "high"), (30, "low")])
@pytest.mark.parametrize("by_keras", [False, True])
def test_models_that_are_all_made_before_they_are_used(
    tmp_path: Path, later: int, expected: str, by_keras: bool
) -> None:
    """The members of an ensemble; each is called once when it is made, if Keras trains them afterwards."""
    run, at = begun(), 3000.0
    for member in range(10):
        run.mark(at, s.MODEL_CREATED, "Sequential", site=site(7), model=member)
        run.span(at, at + 150, s.VARIABLE_INIT, "glorot_uniform", shape=[8, 8], bytes=256, site=site(7))
        if by_keras or not later:
            run.span(at + 160, at + 165, s.MODEL_CALL, "Sequential", site=site(8))
        at += 200
    for member in range(10):
        begin = at
        for _ in range(later):
            run.span(at, at + 4, s.BATCH if by_keras else s.CALL, "train", code=CODE, fn=1)
            at += 5
        if by_keras and later:
            run.span(begin, at, s.FIT, "fit", model=member, site=site(12))
    made = [f for f in found(run, tmp_path, at + 100) if f.rule == "HS205"]
    assert [(f.line, f.confidence) for f in made] == [(7, expected)]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ((200, 200, 200, 200), [("HS306", 9, "high")]),  # for another rate
        ((200, 300, 400, 500), []),  # more layers learn each time
        ((200, 300, 200, 300), [("HS306", 9, "high")]),  # to and fro between two steps
    ],
)
def test_compiling_for_another_step_is_no_waste(
    tmp_path: Path, nodes: tuple[int, ...], expected: list[object]
) -> None:
    run, at = begun(), 3000.0
    run.mark(at - 10, s.MODEL_CREATED, "Sequential", site=site(7), model=1)
    for fn, size in enumerate(nodes):
        run.span(at, at + 5, s.COMPILE, "compile", model=1, site=site(9))
        common = {"fn": fn, "code": "keras/trainer.py:1:step", "site": site(10)}
        # Traced twice in one call, as Keras does where the first trace makes the optimizer's variables.
        for begin in (at + 10, at + 410):
            run.span(begin, begin + 350, s.TRACE, "step", n=0, nodes=size, depth=0, args=[], **common)
        run.span(at + 10, at + 800, s.CALL, "step", **common)
        run.span(at + 8, at + 900, s.FIT, "train_on_batch", model=1, site=site(10))
        at += 1000
    assert [f for f in told(run, tmp_path, at) if f[0] == "HS306"] == expected


@pytest.mark.parametrize(("trained", "expected"), [(10, [("HS312", 5, "medium")]), (2000, [])])
def test_xla_is_paid_off_by_all_steps_not_only_by_those_after_the_last_compilation(
    tmp_path: Path, trained: int, expected: list[object]
) -> None:
    """`fit`, and then `evaluate`, whose step has the same code and is compiled last."""
    run, at = begun(), 3000.0
    for fn, steps in ((1, trained), (2, 10)):
        concrete = f"__inference_step_{at:.0f}"
        common = {"fn": fn, "code": CODE, "site": site(20)}
        run.span(at, at + 10, s.TRACE, "step", file=FILE, line=5, n=0, nodes=40, depth=0, jit=True,
                 args=[], concrete=concrete, **common)  # fmt: skip
        run.span(at + 10, at + 3010, s.EXECUTE, concrete, first=True, jit=True, new_shapes=True)
        run.span(at, at + 3011, s.CALL, "step", **common)
        at += 3020
        for _ in range(steps):
            run.span(at, at + 2, s.EXECUTE, concrete, jit=True, new_shapes=False)
            run.span(at, at + 2, s.CALL, "step", **common)
            at += 3
    assert told(run, tmp_path, at + 100) == expected


@pytest.mark.parametrize(("models", "expected"), [(1, [("HS305", 12, "medium")]), (6, [])])
def test_a_step_for_each_model_that_was_traced_twice(
    tmp_path: Path, models: int, expected: list[object]
) -> None:
    """A factory makes the step of each model; its first trace creates the optimizer's variables."""
    run, at = begun(), 3000.0
    for fn in range(1, 7):
        run.mark(at - 5, s.FUNCTION_CREATED, "step", fn=fn, code=CODE, site=site(12))
        for _ in range(2):
            traced_call(run, at, 250, ("x", "tensor float32[8,8]"), fn=fn, over=1 + fn % models)
            at += 260
        for _ in range(30):
            called(run, at, fn=fn)
            at += 3
    assert [f for f in told(run, tmp_path, at + 100) if f[0] == "HS305"] == expected
