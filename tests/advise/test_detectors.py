"""Detectors on made-up runs: each side of their thresholds, without TensorFlow and without a clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s
from headstart.record.format import IN_LIBRARY
from tests.made_runs import MadeRun

from .made import CODE, FILE, begun, called, found, site, told, traced_call


def test_a_run_without_anything_has_no_findings(tmp_path: Path) -> None:
    assert told(begun(), tmp_path, 2100) == []


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


@pytest.mark.parametrize(
    ("a_step", "milliseconds", "expected"),
    [
        (1, 3000, []),  # float(loss): healthy however slow the machine is
        (10, 600, []),  # several, but cheap
        (10, 3000, [("HS405", 21, "high")]),
        (4, 3000, [("HS405", 21, "medium")]),
    ],
)
def test_reads_are_told_when_there_are_several_a_step_and_they_cost(
    tmp_path: Path, a_step: int, milliseconds: int, expected: list[object]
) -> None:
    run, steps = begun(), 300
    for i in range(steps):
        called(run, 3000 + 20 * i)
    count = steps * a_step
    run.mark(9000, s.HOST_SYNC, "read", site=site(21), count=count, ns=milliseconds * 1_000_000,
             first_ns=3_000_000_000, last_ns=8_900_000_000)  # fmt: skip
    assert told(run, tmp_path, 9100) == expected


@pytest.mark.parametrize(
    ("wait", "expected"),
    [
        ("socket", [("HS102", 9, "high")]),
        ("process", [("HS102", 9, "high")]),
        ("sleep", [("HS102", 9, "low")]),
        ("ready", [("HS102", 9, "low")]),  # poll, select, epoll: asyncio, database drivers, servers
        ("file", []),
    ],
)
def test_waits_that_the_kernel_saw(tmp_path: Path, wait: str, expected: list[object]) -> None:
    run = begun()
    for i in range(100):
        run.sample(2100 + 20 * i, leaf=f"train.py:main [{wait}]", line=9)
    called(run, 4200)
    assert told(run, tmp_path, 5000) == expected


def test_waits_inside_the_runtime_or_short_ones_are_not_told(tmp_path: Path) -> None:
    run = begun()
    for i in range(100):
        run.sample(2100 + 20 * i, flags=IN_LIBRARY, leaf="x [socket]", line=9)
    for i in range(10):
        run.sample(4200 + 20 * i, leaf="x [socket]", line=10)
    run.sample(4400, line=11)
    assert told(run, tmp_path, 5000) == []


def test_the_import_of_our_own_before_tensorflow_is_not_the_programs(tmp_path: Path) -> None:
    """What watches a program is loaded at the line that imports TensorFlow."""
    run = MadeRun().span(50, 110, s.IMPORT, "headstart.capture.sampler", site=site(3))
    run.span(111, 3000, s.IMPORT, "tensorflow", site=site(3))
    assert told(run, tmp_path, 3100) == [("HS101", 3, "medium")]


@pytest.mark.parametrize(("size", "expected"), [(1000, []), (400_000, [("HS407", 30, "high")])])
def test_lists_are_slow_to_convert_when_they_hold_data(
    tmp_path: Path, size: int, expected: list[object]
) -> None:
    run = begun()
    for i in range(40):
        run.span(3000 + 60 * i, 3050 + 60 * i, s.CONVERT, "list", bytes=size, site=site(30))
    assert told(run, tmp_path, 6000) == expected


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


def _growing(held: bool, **more: object) -> MadeRun:
    run = begun()
    for i in range(100):
        called(run, 3000 + 50 * i)
        run.counters(3000 + 50 * i, rss=500_000_000 + i * 10_000_000)
    if held:
        run.mark(7900, s.HOLDER, "history", site=site(50), bytes=900_000_000, items=99, type="list",
                 rss=1_400_000_000, grown=900_000_000, **more)  # fmt: skip
    return run


def test_memory_that_a_list_holds(tmp_path: Path) -> None:
    (only,) = found(_growing(True), tmp_path, 8100)
    assert (only.rule, only.line, only.confidence) == ("HS502", 50, "high")
    assert "history (a list of 99)" in only.title


def test_a_buffer_that_fills_up_to_its_bound_is_told_with_doubt(tmp_path: Path) -> None:
    assert told(_growing(True, most=500), tmp_path, 8100) == [("HS502", 50, "low")]


def test_memory_that_nothing_is_known_to_hold_is_told_with_doubt(tmp_path: Path) -> None:
    assert [c for _, _, c in told(_growing(False), tmp_path, 8100)] in ([], ["low"])


def test_a_killed_run_has_findings_too(tmp_path: Path) -> None:
    from headstart.advise.findings import find
    from headstart.analyse.build import analyse

    run = begun()
    for i in range(20):
        traced_call(run, 3000 + 200 * i, 150, ("x", f"Python int {i}"))
    run.open(7000, (6990, s.CALL, "step"))
    assert [f.rule for f in find(analyse(run.read(tmp_path)), strict=True)] == ["HS301"]


@pytest.mark.parametrize(("line", "expected"), [(61, 61), (None, 20)])
def test_steps_that_get_slower_are_told_at_the_line_that_grew(
    tmp_path: Path, line: int | None, expected: int
) -> None:
    """Between the steps something takes longer and longer, at one line or at a different one each time."""
    run, at = begun(), 3000.0
    for i in range(120):
        called(run, at)
        at += 2
        for k in range(i):
            run.sample(at, line=line or 100 + (7 * i + k) % 50)
            at += 1
    (only,) = found(run, tmp_path, at + 10)
    assert (only.rule, only.line) == ("HS503", expected)


@pytest.mark.parametrize(("early_ms", "expected"), [(0.0, []), (1.0, ["HS503"])])
def test_steps_that_had_no_length_did_not_get_slower(
    tmp_path: Path, early_ms: float, expected: list[str]
) -> None:
    """Where the machine was too busy to run them, nothing is left of the early steps but their order."""
    run, at = begun(), 3000.0
    for i in range(200):
        each = early_ms if i < 50 else i - 49.0
        called(run, at, ms=each)
        at += each
    assert [f.rule for f in found(run, tmp_path, at + 10)] == expected


def test_a_costly_initialiser_is_one_finding_at_the_line_of_its_worst_layer(tmp_path: Path) -> None:
    """Weights are created at the line of the whole model; the layers were made at lines of their own."""
    run, at = begun(), 3000.0
    for layer, ms in ((71, 400), (72, 1500), (71, 400)):
        run.span(at, at + ms, s.VARIABLE_INIT, "Orthogonal", shape=[1000, 1000], bytes=4_000_000,
                 site=site(70), made=site(layer))  # fmt: skip
        at += ms + 10
    run.span(at, at + 900, s.VARIABLE_INIT, "GlorotUniform", shape=[9, 9], bytes=324, site=site(70))
    (only,) = found(run, tmp_path, at + 1000)
    assert (only.rule, only.line) == ("HS201", 72)
    assert only.seconds_lost == pytest.approx(2.25, abs=0.1)


@pytest.mark.parametrize(
    ("attributes", "expected"), [({}, ["HS206"]), ({"library": True}, [])], ids=["line", "library"]
)
def test_layers_made_one_by_one_are_told_unless_a_library_builds_them(
    tmp_path: Path, attributes: dict[str, object], expected: list[str]
) -> None:
    run, at = begun(), 3000.0
    for _ in range(300):
        run.span(at, at + 6, s.MODEL_BUILD, "Dense", site=site(12), **attributes)
        at += 7
    assert [finding.rule for finding in found(run, tmp_path, at + 10)] == expected


@pytest.mark.parametrize(
    ("name", "path", "confidence"),
    [("load_model", "a.keras", "medium"), ("load_weights", "a.weights.h5", "low")],
)
def test_a_slow_load_is_doubtful_where_it_is_done_as_advised(
    tmp_path: Path, name: str, path: str, confidence: str
) -> None:
    run = begun().span(3000, 6000, s.LOAD, name, path=path, bytes=300_000_000, site=site(12))
    assert told(run, tmp_path, 6100) == [("HS203", 12, confidence)]


def test_another_way_to_do_it_is_told_after_what_can_be_mended(tmp_path: Path) -> None:
    """However much more it would save: who looks for the cause reads the first finding."""
    run = begun().span(3000, 4000, s.LOAD, "load_model", path="a.keras", bytes=300_000_000, site=site(12))
    for turn in range(3):
        called(run, 4010 + 5 * turn)
    load, lite = found(run, tmp_path, 4100)
    assert (load.rule, lite.rule) == ("HS203", "HS601")
    assert lite.seconds_lost > load.seconds_lost
    assert load.confidence == lite.confidence == "low"


@pytest.mark.parametrize(("written", "confidence"), [(False, "high"), (True, "low")])
def test_a_file_that_is_written_before_each_load_had_to_be_read(
    tmp_path: Path, written: bool, confidence: str
) -> None:
    """The best weights of each fold, say: the same path, and other weights."""
    run, at = begun(), 3000.0
    for _ in range(6):
        if written:
            run.span(at - 20, at - 10, s.SAVE, "save_weights", path="best.weights.h5", site=site(13))
        run.span(at, at + 300, s.LOAD, "load_weights", path="best.weights.h5", bytes=9000, site=site(14))
        at += 400
    assert told(run, tmp_path, at) == [("HS207", 14, confidence)]


def test_a_checkpoint_that_restores_by_reading_is_one_load(tmp_path: Path) -> None:
    run, at = begun(), 3000.0
    for _ in range(6):
        for name, ms in (("Checkpoint.read", 290), ("Checkpoint.restore", 300)):
            run.span(at, at + ms, s.LOAD, name, path="ckpt-1", bytes=9000, site=site(14))
        at += 400
    (only,) = found(run, tmp_path, at)
    assert (only.rule, only.line) == ("HS207", 14)
    assert "6 times, 0.30 s each: 1.5 s" in only.title


def test_what_closing_a_session_takes_belongs_to_the_graph_that_grew(tmp_path: Path) -> None:
    run, at = begun(), 3000.0
    for i in range(50):
        run.span(at, at + 20, s.SESSION_RUN, "Sum", ops=10 * i, added=10 if i else 0, first=True, graph=1,
                 site=site(82), by=[[FILE, 81, 10]])  # fmt: skip
        run.span(
            at + 21, at + 22, s.SESSION_RUN, "Sum", ops=10 * i, added=0, first=False, graph=1, site=site(82)
        )
        at += 23
    (open_session,) = found(run, tmp_path, at + 1)
    for k in range(100):
        run.sample(at + 20 * k, flags=IN_LIBRARY, leaf="tensorflow/python/client/session.py:close", line=80)
    run.lines = [line for line in run.lines if line[0] not in "zx"]
    (closed,) = found(run, tmp_path, at + 2000)
    assert (closed.rule, closed.line) == (open_session.rule, open_session.line) == ("HS501", 81)
    assert closed.seconds_lost - open_session.seconds_lost == pytest.approx(2.0, abs=0.1)


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


@pytest.mark.parametrize(("batches", "confidence"), [(2, "high"), (5, "low")])
def test_models_made_again_are_judged_by_the_batches_each_was_used_for(
    tmp_path: Path, batches: int, confidence: str
) -> None:
    """A batch of `fit` is one step, though a function is called in it."""
    run = begun()
    for i in range(10):
        at = 3000 + 400 * i
        run.mark(at, s.MODEL_CREATED, "Sequential", site=site(7))
        run.span(at, at + 150, s.VARIABLE_INIT, "glorot_uniform", shape=[8, 8], bytes=256, site=site(7))
        for batch in range(batches):
            begin = at + 200 + 20 * batch
            run.span(begin, begin + 15, s.BATCH, "train", steps=1)
            run.span(begin + 1, begin + 14, s.CALL, "one_step", fn=1, code=CODE, site=site(9))
    made = [f for f in found(run, tmp_path, 8000) if f.rule == "HS205"]
    assert [(f.line, f.confidence) for f in made] == [(7, confidence)]
    assert f"each for {batches} steps or fewer" in made[0].title


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


@pytest.mark.parametrize(("longer", "seconds"), [(0.0, 3.0), (0.11, 4.3), (0.4, 6.0)])
def test_letting_go_of_a_tensor_that_was_copied_counts(tmp_path: Path, longer: float, seconds: float) -> None:
    """It happens in no call, between one turn and the next; at most as much as copying it is told."""
    run, at = begun(), 3000.0
    for turn in range(300):
        called(run, at)
        at += 12 + longer * turn
    run.mark(
        at,
        s.CONCAT,
        site=site(11),
        count=300,
        grew=299,
        first=1000,
        last=300_000,
        ns=3_030_000_000,
        first_ns=3_000_000_000,
        last_ns=int(at * 1e6),
    )
    (only,) = found(run, tmp_path, at + 100)
    assert (only.rule, only.line) == ("HS504", 11)
    assert only.seconds_lost == pytest.approx(seconds, rel=0.1)
