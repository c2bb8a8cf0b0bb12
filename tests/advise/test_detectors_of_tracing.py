"""Detectors of what is traced, called or run eagerly again and again, on made-up runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s
from headstart.record.format import IN_LIBRARY

from .made import CODE, FILE, begun, called, found, site, told, traced_call


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        ("Python int {}", "HS301"),
        ("tensor float32[{},8]", "HS302"),
        ("object C at 0x{}", "HS303"),
        ("list of {}", "HS303"),
    ],
)
def test_a_storm_of_retraces_is_one_finding_of_its_kind(tmp_path: Path, before: str, rule: str) -> None:
    run = begun()
    for i in range(20):
        traced_call(run, 3000 + 200 * i, 150, ("x", before.format(i)))
    (only,) = found(run, tmp_path, 8000)
    assert (only.rule, only.file, only.line, only.confidence) == (rule, FILE, 20, "high")
    assert only.seconds_lost == pytest.approx(19 * 0.15, rel=0.15)
    assert "20 times" in only.title


@pytest.mark.parametrize(
    ("what", "traces", "calls_each", "confidence"),
    [
        ("Python int {}", 6, 100, "low"),  # stages of a curriculum
        ("Python int {}", 12, 100, "high"),  # a rate per epoch
        ("tensor float32[{}]", 10, 100, "low"),  # buckets of lengths
        ("tensor float32[{}]", 10, 10, "high"),
        ("object Model at 0x{}", 10, 30, "low"),  # a model per fold
        ("object Model at 0x{}", 10, 5, "high"),
    ],
)
def test_traces_that_were_used_often_are_told_with_doubt(
    tmp_path: Path, what: str, traces: int, calls_each: int, confidence: str
) -> None:
    run, at = begun(), 3000.0
    for i in range(traces):
        traced_call(run, at, 250, ("x", what.format(i)))
        at += 260
        for _ in range(calls_each - 1):
            called(run, at)
            at += 3
    assert [c for _, _, c in told(run, tmp_path, at + 100)] == [confidence]


@pytest.mark.parametrize(
    ("count", "dataset", "expected"),
    [(100_000_000, 3, 4.2), (100_000_000, 9, 1.2), (1_000_000, 3, None)],
)
def test_an_array_in_the_function_of_a_data_set(
    tmp_path: Path, count: int, dataset: int, expected: float | None
) -> None:
    """It is copied for each iterator over that data set, or over one made of it."""
    run = begun()
    run.span(2500, 3700, s.TRACE, "Dataset_map_pick", fn=7, code="lib.py:1:wrapped", n=0, nodes=9, depth=0,
             args=[], consts=[[FILE, 9, count]], site=site(14))  # fmt: skip
    run.span(2490, 2491, s.DATASET, "Range", id=1, inputs=[], site=site(14))
    run.span(3701, 3702, s.DATASET, "Map", id=2, inputs=[1], site=site(14))
    run.span(3703, 3704, s.DATASET, "Batch", id=3, inputs=[2], site=site(15))
    run.span(3705, 3706, s.DATASET, "Range", id=9, inputs=[], site=site(16))
    for epoch in range(3):
        at = 4000 + 2000 * epoch
        run.span(at, at + 1000, s.ITERATOR, "create", iterator=epoch + 1, dataset=dataset, site=site(20))
    heard = [(f.rule, f.line, f.seconds_lost) for f in found(run, tmp_path, 10_000)]
    assert heard == ([] if expected is None else [("HS308", 9, expected)])


def test_few_or_cheap_retraces_are_no_storm(tmp_path: Path) -> None:
    few = begun()
    for i in range(3):
        traced_call(few, 3000 + 500 * i, 400, ("x", f"Python int {i}"))
    assert told(few, tmp_path, 6000) == []
    cheap = begun()
    for i in range(20):
        traced_call(cheap, 3000 + 20 * i, 10, ("x", f"Python int {i}"))
    assert told(cheap, tmp_path, 6000) == []


@pytest.mark.parametrize(
    ("calls_each", "variables", "expected"),
    [
        (1, False, [("HS305", 12, "high")]),
        (30, True, []),  # a model per fold, with its step
        (30, False, [("HS305", 12, "medium")]),  # a step per epoch, of the same model
        (120, False, []),  # so many calls that tracing is a small part
    ],
)
def test_a_function_made_again_must_not_have_earned_its_trace(
    tmp_path: Path, calls_each: int, variables: bool, expected: list[object]
) -> None:
    run, at = begun(), 3000.0
    for fn in range(1, 11):
        run.mark(at - 1, s.FUNCTION_CREATED, "step", fn=fn, code=CODE, site=site(12))
        traced_call(run, at, 150, ("x", "tensor float32[4]"), fn=fn, over=fn if variables else 1)
        at += 160
        for _ in range(calls_each - 1):
            called(run, at, fn=fn)
            at += 5
    assert told(run, tmp_path, at + 100) == expected


@pytest.mark.parametrize(("eager", "expected"), [(True, [("HS313", 14, "high")]), (False, [])])
def test_a_model_switched_to_eager_after_compile(tmp_path: Path, eager: bool, expected: list[object]) -> None:
    run = begun().span(2500, 2510, s.COMPILE, "Model", model=7, eager=False, site=site(12))
    run.mark(2520, s.EAGER_MODEL, "Model", model=7, site=site(14))
    run.span(
        3000, 9000, s.FIT, "fit", model=7, site=site(15), nested=False, **({"eager": True} if eager else {})
    )
    assert told(run, tmp_path, 9500) == expected


@pytest.mark.parametrize(("calls", "expected"), [(3, []), (60, [("HS310", 40, "high")])])
def test_predict_for_one_batch_again_and_again(tmp_path: Path, calls: int, expected: list[object]) -> None:
    run, at = begun(), 3000.0
    for _ in range(calls):
        run.span(at, at + 60, s.FIT, "predict", model=1, site=site(40), samples=1, nested=False)
        run.span(at + 50, at + 55, s.BATCH, "predict", steps=1)
        at += 70
    assert told(run, tmp_path, at + 100) == expected


@pytest.mark.parametrize(("a_turn", "line", "expected"), [
    (8, 40, [("HS310", 40, "high")]),  # a callback's own loop, after each epoch
    (1, 40, []),  # a callback's check, once an epoch
    (8, 30, []),  # Keras' own, at the line of the fit
])  # fmt: skip
def test_predict_in_a_callback(tmp_path: Path, a_turn: int, line: int, expected: list[object]) -> None:
    run, start = begun(), 3000.0
    at = start + 10
    for _ in range(60 // a_turn):
        for _ in range(15):
            run.span(at, at + 5, s.BATCH, "train", steps=1)
            at += 6
        for _ in range(a_turn):
            run.span(at, at + 60, s.FIT, "predict", model=1, site=site(line), samples=1, nested=True)
            run.span(at + 50, at + 55, s.BATCH, "predict", steps=1)
            at += 70
    run.span(start, at, s.FIT, "fit", model=1, site=site(30), nested=False)
    assert told(run, tmp_path, at + 100) == expected


def test_a_plain_loop_of_small_operations_is_told_with_doubt(tmp_path: Path) -> None:
    program = tmp_path / "loop.py"
    program.write_text(
        "import tensorflow as tf\nx = 1.0\nfor i in range(99999):\n    x = tf.tanh(x)\nprint(x)\n"
    )

    def made(leaves: int) -> list[tuple[str, int | None, str]]:
        run = begun()
        for k in range(200):
            line = ["p", int((3000 + 20 * k) * 1e6), IN_LIBRARY, str(program), 4, "<module>"]
            run.lines.append(
                [*line, "tensorflow/python/ops/math_ops.py:tanh", f"tensorflow/x.py:{k % leaves}"]
            )
        return told(run, tmp_path, 7100)

    assert made(leaves=10) == [("HS309", 4, "low")]
    assert made(leaves=1) == []  # one operation that computes


@pytest.mark.parametrize(("ms", "confidence"), [(3000, "medium"), (1200, "low"), (400, None)])
def test_a_step_traced_twice_loses_the_first_trace_and_what_lifts_its_variables(
    tmp_path: Path, ms: int, confidence: str | None
) -> None:
    """Variables made outside of a trace take 2 ms each here; inside it is the tracing that makes them slow."""
    run = begun()
    for i in range(5):
        run.span(2100 + 3 * i, 2102 + 3 * i, s.VARIABLE_INIT, "zeros", shape=[8], bytes=32, site=site(3))
    common = {"fn": 1, "code": CODE, "file": FILE, "line": 5, "nodes": 900, "depth": 0, "site": site(9)}
    run.span(
        3000, 3000 + ms, s.TRACE, "step", n=0, args=[], scope="VARIABLE_CREATION", concrete="a", **common
    )
    for i in range(10):
        at = 3100 + i * ms / 40
        run.span(at, at + ms / 50, s.VARIABLE_INIT, "zeros", shape=[8], bytes=32, site=site(9))
    second = 3000 + ms + 100
    run.span(
        second,
        second + ms / 2,
        s.TRACE,
        "step",
        n=1,
        args=[],
        scope="NO_VARIABLE_CREATION",
        concrete="b",
        **common,
    )
    twice = [f for f in found(run, tmp_path, 9000) if f.rule == "HS315"]
    assert [f.confidence for f in twice] == ([confidence] if confidence else [])
    if twice:
        assert twice[0].seconds_lost == pytest.approx((ms + 100) / 1000 - 10 * 0.002, abs=0.01)


@pytest.mark.parametrize(
    ("argument", "written"),
    [("rate", "step(…, tf.constant(rate))"), ("settings[0]", "tf.constant for settings[0]")],
)
def test_a_number_inside_of_a_list_is_named_alone(tmp_path: Path, argument: str, written: str) -> None:
    """The list may hold a text as well: that it be a tensor as a whole is no advice."""
    run = begun()
    for i in range(20):
        traced_call(run, 3000 + 200 * i, 150, (argument, f"Python float {i}.5"))
    (only,) = found(run, tmp_path, 8000)
    assert only.rule == "HS301"
    assert only.advice == f"Pass it as a tensor, {written}, or keep it in a tf.Variable."


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [((60, 8), [("HS307", 2, "high")]), ((5, 8), [("HS307", 3, "high")]), ((3, 8), [])],
)
def test_loops_turn_no_more_often_than_they_say(
    tmp_path: Path, bounds: tuple[int, int], expected: list[object]
) -> None:
    """What was made for each of their lines is counted by few of the ops, and a turn makes several of a kind."""
    program = tmp_path / "train.py"
    outer, inner = bounds
    program.write_text(
        f"def step(x):\n    for i in range({outer}):\n        for j in range({inner}):\n            x = cell(x, i, j)\n"
    )
    run, where = begun(), [str(program), 9, "main"]
    common = {"fn": 1, "code": f"{program}:1:step", "site": where}
    run.span(3000, 9000, s.TRACE, "step", file=str(program), line=1, n=0, nodes=6000, depth=0, args=[],
             concrete="__inference_step_1", forward=3000, below=[[str(program), 4, 2900, 480]], weights=3,
             **common)  # fmt: skip
    run.span(3000, 9500, s.CALL, "step", **common)
    assert told(run, tmp_path, 9600) == expected


@pytest.mark.parametrize(
    ("body", "weights", "confidence"),
    [
        ("x = x + layers[i](x)", 120, "low"),  # the layers of a deep model, by number
        ("x = cell(frames[i], x)", 3, "high"),  # one cell for each of the frames
        ("x = cell(frames[:, i], x)", 120, "high"),
    ],
)
def test_a_loop_that_numbers_layers_is_told_with_doubt(
    tmp_path: Path, body: str, weights: int, confidence: str
) -> None:
    program = tmp_path / "train.py"
    program.write_text(f"def step(x):\n    for i in range(60):\n        {body}\n    return x\n")
    run, where = begun(), [str(program), 9, "main"]
    common = {"fn": 1, "code": f"{program}:1:step", "site": where}
    run.span(3000, 9000, s.TRACE, "step", file=str(program), line=1, n=0, nodes=6000, depth=0, args=[],
             concrete="__inference_step_1", forward=3000, below=[[str(program), 3, 2900, 60]], weights=weights,
             **common)  # fmt: skip
    run.span(3000, 9500, s.CALL, "step", **common)
    assert told(run, tmp_path, 9600) == [("HS307", 2, confidence)]
