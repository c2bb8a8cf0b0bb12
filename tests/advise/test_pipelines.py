"""Waiting for data inside Keras' loops, told from what tf.data says of the running pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headstart.advise.evidence.looking import Look, Stage, waiting_share
from headstart.record import signals as s
from tests.made_runs import MadeRun

from .made import begun, found, site, told

SECOND = 10**9


def look(at: float, elements: int, *, cpu: float, buffered: int = 0, processed: float = 0.0) -> Look:
    """A pipeline that ends in a prefetch; times in seconds."""
    prefetch = Stage("Prefetch", elements, 0, buffered, {"buffer_size": 2}, 1)
    mapped = Stage("Map", elements, int(processed * SECOND), 0, {}, 1)
    root = Stage("Root", elements, 0, 0, {}, 1)
    return Look(int(at * SECOND), int(cpu * SECOND), int(cpu * SECOND), (root, prefetch, mapped))


def test_an_empty_buffer_and_an_idle_processor_are_waiting() -> None:
    assert waiting_share([[look(0, 0, cpu=0), look(1, 10, cpu=0.1)]]) == pytest.approx(0.9)


def test_a_full_buffer_is_no_waiting() -> None:
    assert waiting_share([[look(0, 0, cpu=0), look(1, 10, cpu=0.1, buffered=2)]]) == 0.0


def test_what_the_pipeline_burns_is_not_computing() -> None:
    busy = [look(0, 0, cpu=0), look(1, 10, cpu=0.9, processed=0.8)]
    assert waiting_share([busy]) == pytest.approx(0.9)


def test_where_nothing_moved_nothing_is_known() -> None:
    assert waiting_share([[look(0, 5, cpu=0), look(1, 5, cpu=1)], [look(2, 0, cpu=1)], []]) is None


def test_a_stage_that_was_taken_out_tells_nothing() -> None:
    """At the end of its elements: its processing time is gone, which is no computing of anybody's."""
    looks = [look(0, 0, cpu=0), look(1, 10, cpu=0.9, processed=0.8), look(3, 15, cpu=2.7, processed=0.1)]
    assert waiting_share([looks]) == pytest.approx(0.9)


def _epochs(
    count: int, each_ms: int, looks: int, python: float = 0.9, buffered: int = 0, uneven: bool = False
) -> MadeRun:
    """A `fit` over a slow generator; only the first epoch was looked into. Uneven steps: every other is quick."""
    run, start = begun(), 3000
    node: dict[str, Any] = {"site": site(30), "depth": 0}
    run.span(2900, 2901, s.DATASET, "FlatMap", id=1, inputs=[], **node)
    run.span(2902, 2903, s.DATASET, "Prefetch", id=2, inputs=[1], **node)
    end = start + count * each_ms
    run.span(start, end, s.FIT, "fit", model=1, site=site(30), nested=False)
    for epoch in range(count):
        at = start + epoch * each_ms
        run.span(at, at + 1, s.ITERATOR, "create", iterator=epoch + 1, dataset=2, site=site(30))
        each = (each_ms - 1) / 10
        for step in range(10):
            long = each / 20 if uneven and step % 2 else each
            run.span(at + 1 + step * each, at + 1 + step * each + long, s.BATCH, "train", steps=1)
        for i in range(looks if epoch == 0 else 0):
            nodes = [["Root", i, 0, 0, {}, 1], ["Prefetch", i, 0, buffered, {"buffer_size": 2}, 1]]
            nodes.append(["Generator", i, 0, 0, {}, 0])
            run.mark(
                at + i * each_ms / looks,
                s.LOOK,
                "pipeline",
                iterator=epoch + 1,
                cpu=0,
                compute=0,
                nodes=nodes,
            )
    run.mark(end, s.PYTHON_CALLS, "rows", token="t", calls=10 * count, ns=int(python * count * each_ms * 1e6),
             first_ns=start * 10**6, last_ns=end * 10**6, site=site(30))  # fmt: skip
    return run


def test_python_in_a_pipeline_follows_from_the_debug_mode(tmp_path: Path) -> None:
    run = _epochs(12, 200, looks=4)
    run.mark(2500, s.DATA_DEBUG, "datasets", on=True, site=site(7))
    (only,) = found(run, tmp_path, 6000)
    assert (only.rule, only.line, only.confidence) == ("HS313", 7, "high")


def test_epochs_too_short_for_a_look_are_judged_by_the_others(tmp_path: Path) -> None:
    (only,) = found(_epochs(12, 200, looks=4), tmp_path, 6000)
    assert (only.rule, only.line, only.confidence) == ("HS402", 30, "high")
    assert only.seconds_lost == pytest.approx(12 * 0.2, rel=0.2)


def test_a_generator_that_costs_less_than_a_second_is_silent(tmp_path: Path) -> None:
    assert found(_epochs(3, 200, looks=4), tmp_path, 6000) == []


def test_where_nobody_could_look_python_must_have_run_most_of_the_time(tmp_path: Path) -> None:
    (only,) = found(_epochs(12, 200, looks=0), tmp_path, 6000)
    assert (only.rule, only.confidence) == ("HS402", "medium")
    assert found(_epochs(12, 200, looks=0, python=0.4), tmp_path, 6000) == []


def test_python_that_runs_all_the_time_also_holds_up_steps_that_need_not_wait(tmp_path: Path) -> None:
    """The buffer is never empty, yet half of the steps are slow: they had to wait for the interpreter's lock."""
    (only,) = found(_epochs(24, 200, looks=4, buffered=2, uneven=True), tmp_path, 9000)
    assert (only.rule, only.line) == ("HS402", 30)
    # The first step of an epoch is not counted: it also waits for the pipeline to begin.
    assert only.seconds_lost == pytest.approx(24 * 4 * 0.019, rel=0.1)
    even = _epochs(24, 200, looks=4, buffered=2)
    assert found(even, tmp_path, 9000) == []


def _mapped(random: bool, running: list[Any], busy: float = 1.0) -> MadeRun:
    """Four epochs of `fit` behind a map that the steps wait for; Keras makes an iterator more than it reads for each."""
    run, start, each_ms = begun(), 3000, 1000
    run.span(2800, 2880, s.TRACE, "Dataset_map_prepare", fn=7, code="structured_function.py:230:wrapped_fn",
             n=0, depth=0, args=[], nodes=40, concrete="__inference_Dataset_map_prepare_7",
             site=site(30), **({"random": True} if random else {}))  # fmt: skip
    run.span(2900, 2901, s.DATASET, "Map", id=1, inputs=[], site=site(30), depth=0, code="train.py:9:prepare")
    run.span(2902, 2903, s.DATASET, "Batch", id=2, inputs=[1], site=site(30), depth=1)
    run.span(start, start + 4 * each_ms, s.FIT, "fit", model=1, site=site(31), nested=False)
    for epoch in range(4):
        at = start + epoch * each_ms
        for number in (2 * epoch, 2 * epoch + 1):
            run.span(at + number % 2, at + number % 2 + 1, s.ITERATOR, "create", iterator=number + 1, dataset=2,
                     site=site(31))  # fmt: skip
        for step in range(10):
            run.span(at + 5 + 98 * step, at + 5 + 98 * (step + 1), s.BATCH, "train", steps=1)
        for i in range(10):
            stages = [["Root", i, 0, 0, {}, 1], [running[0], i, int(busy * i * 98e6), 0, running[1], 1]]
            run.mark(
                at + 5 + 98 * i, s.LOOK, "pipeline", iterator=2 * epoch + 2, cpu=0, compute=0, nodes=stages
            )
    return run


def test_epochs_are_counted_by_what_was_read(tmp_path: Path) -> None:
    (only,) = found(_mapped(False, ["ParallelMap", {"parallelism": 2}]), tmp_path, 8000)
    assert (only.rule, only.line) == ("HS404", 30)
    assert "ran 4 times" in only.title


@pytest.mark.parametrize("busy", [1.0, 1.4])
def test_random_elements_are_not_for_a_cache_but_for_more_cores(tmp_path: Path, busy: float) -> None:
    """Fused with the batch, tf.data says that one element is made at a time; its operations may use two threads."""
    (only,) = found(_mapped(True, ["MapAndBatch", {"parallelism": 1}], busy), tmp_path, 8000)
    assert (only.rule, only.line) == ("HS406", 30)


def test_random_elements_made_on_all_cores_are_as_they_should_be(tmp_path: Path) -> None:
    assert found(_mapped(True, ["MapAndBatch", {"parallelism": 2}], 1.8), tmp_path, 8000) == []


@pytest.mark.parametrize(("decoding", "expected"), [(0.9, [("HS404", 29)]), (0.1, [])])
def test_what_comes_before_random_elements_is_for_a_cache_if_it_is_most_of_the_work(
    tmp_path: Path, decoding: float, expected: list[tuple[str, int]]
) -> None:
    """Four epochs of a second each: images are decoded at line 29, turned at random at line 30."""
    run = begun()
    run.span(2800, 2880, s.TRACE, "Dataset_map_turn", fn=7, code="structured_function.py:230:wrapped_fn",
             n=0, depth=0, args=[], nodes=40, concrete="__inference_Dataset_map_turn_7", site=site(30),
             random=True)  # fmt: skip
    for number, (name, line) in enumerate([("ParallelMap", 29), ("ParallelMap", 30), ("Batch", 30)], 1):
        run.span(2900 + number, 2901 + number, s.DATASET, name, id=number, inputs=[number - 1], depth=number,
                 site=site(line), **({} if name == "Batch" else {"code": "train.py:9:f"}))  # fmt: skip
    run.span(3000, 7000, s.FIT, "fit", model=1, site=site(31), nested=False)
    for epoch in range(4):
        at = 3000 + epoch * 1000
        run.span(at, at + 1, s.ITERATOR, "create", iterator=epoch + 1, dataset=3, site=site(31))
        for step in range(10):
            run.span(at + 5 + 98 * step, at + 5 + 98 * (step + 1), s.BATCH, "train", steps=1)
        for i in range(10):
            work = [int(part * i * 180e6) for part in (1 - decoding, decoding)]
            stages = [["Root", i, 0, 0, {}, 1], ["MapAndBatch", i, work[0], 0, {"parallelism": 2}, 1]]
            stages.append(["ParallelMapV2", i, work[1], 0, {"parallelism": 2}, 1])
            run.mark(at + 5 + 98 * i, s.LOOK, "pipeline", iterator=epoch + 1, cpu=0, compute=0, nodes=stages)
    assert [(f.rule, f.line) for f in found(run, tmp_path, 8000)] == expected


@pytest.mark.parametrize(("busy", "expected"), [(0.5, [("HS401", 30)]), (1.0, [])])
def test_a_prefetch_saves_what_the_processors_have_left(
    tmp_path: Path, busy: float, expected: list[tuple[str, int]]
) -> None:
    """Steps and data take turns, 100 ms each. Where both keep both processors busy, nothing can be had from doing them
    at the same time."""
    run, at = begun(), 3000
    run.lines.append(["f", {"environment": {"cores": "2"}, "looks": True}])
    run.span(2900, 2901, s.DATASET, "Batch", id=1, inputs=[], site=site(30), depth=0)
    run.span(2990, 2991, s.ITERATOR, "create", iterator=1, dataset=1, site=site(31))
    for turn in range(20):
        start = at + 200 * turn
        run.span(start, start + 100, s.NEXT, "next", iterator=1, first=turn == 0, site=site(31))
        run.span(start + 100, start + 200, s.CALL, "step", fn=1, code="train.py:5:step", site=site(32))
    for i in range(41):
        run.counters(2950 + 100 * i, rss=10**9, cpu=int(i * 100e6 * 2 * busy))
    assert [(f.rule, f.line) for f in found(run, tmp_path, 8000)] == expected


@pytest.mark.parametrize(("step", "expected"), [(10, [("HS401", 30)]), (1, [])])
def test_a_prefetch_hides_no_wait_behind_the_trace_of_the_first_step(
    tmp_path: Path, step: int, expected: list[tuple[str, int]]
) -> None:
    """A first step that is traced for 900 ms, then a hundred that wait for 10 ms each: those that compute for 1 ms hide
    0.1 s of that second, those that compute for 10 ms all of it."""
    run, at = begun(), 3000
    run.lines.append(["f", {"environment": {"cores": "2"}, "looks": True}])
    run.span(2900, 2901, s.DATASET, "Batch", id=1, inputs=[], site=site(30), depth=0)
    run.span(2990, 2991, s.ITERATOR, "create", iterator=1, dataset=1, site=site(31))
    for turn in range(101):
        run.span(at, at + 10, s.NEXT, "next", iterator=1, first=turn == 0, site=site(31))
        traced = 900 if turn == 0 else 0
        run.span(
            at + 10, at + 10 + traced + step, s.CALL, "step", fn=1, code="train.py:5:step", site=site(32)
        )
        if traced:
            run.span(at + 10, at + 10 + traced, s.TRACE, "step", fn=1, code="train.py:5:step", n=0, depth=0,
                     args=[], nodes=40, concrete="__inference_step_1", site=site(32))  # fmt: skip
        at += 10 + traced + step
    assert [(f.rule, f.line) for f in found(run, tmp_path, 8000)] == expected


@pytest.mark.parametrize(("read_between", "expected"), [(True, [("HS506", 30)]), (False, [])])
def test_a_chain_joined_from_parts_and_then_read_is_no_chain_that_grows(
    tmp_path: Path, read_between: bool, expected: list[tuple[str, int]]
) -> None:
    """Twenty parts and twenty passes, some slower than others; only where passes find it longer has it grown."""
    run = begun()
    for i in range(20):
        joined, at = (3000 + 200 * i if read_between else 2900 + i), 3010 + 200 * i
        run.span(joined, joined + 1, s.DATASET, "Concatenate", id=i + 1, inputs=[i or None], depth=i + 1,
                 site=site(30))  # fmt: skip
        run.span(at, at + 1, s.ITERATOR, "create", iterator=i + 1, dataset=20, site=site(31))
        run.span(at + 1, at + (170 if i else 20), s.CALL, "step", fn=1, code="train.py:5:step", site=site(32))
    run.lines.sort(key=lambda line: line[1])
    late = 3010 + 200 * 20
    run.span(late, late + 1, s.ITERATOR, "create", iterator=40, dataset=20, site=site(31))
    run.span(late + 1, late + 900, s.CALL, "step", fn=1, code="train.py:5:step", site=site(32))
    assert [(f.rule, f.line) for f in found(run, tmp_path, 9000)] == expected


def _buffer_behind(chain: list[tuple[str, int | None]]) -> MadeRun:
    """A first batch that waits for 3 s; the nodes of the chain are numbered from 1, each with its input."""
    run = begun()
    for number, (name, source) in enumerate(chain, 1):
        run.span(2800 + number, 2801 + number, s.DATASET, name, id=number, inputs=[source], depth=number,
                 site=site(29))  # fmt: skip
    count = len(chain)
    run.span(
        2900, 2901, s.DATASET, "Shuffle", id=count + 1, inputs=[count], buffer=2000, depth=9, site=site(30)
    )
    run.span(
        2910, 2911, s.DATASET, "Batch", id=count + 2, inputs=[count + 1], batch=10, depth=10, site=site(31)
    )
    run.span(2990, 2991, s.ITERATOR, "create", iterator=1, dataset=count + 2, site=site(32))
    run.span(3000, 6000, s.NEXT, "next", iterator=1, first=True, site=site(32))
    for step in range(10):
        at = 6000 + 20 * step
        run.span(at, at + 10, s.CALL, "step", fn=1, code="train.py:5:step", site=site(33))
        run.span(at + 10, at + 12, s.NEXT, "next", iterator=1, site=site(32))
    return run


@pytest.mark.parametrize(
    ("chain", "confidence"),
    [
        ([("TensorSlice", None), ("TFRecordDatasetV2", 1)], "low"),
        ([("TensorSlice", None), ("TFRecordDatasetV2", 1), ("Map", 2)], "high"),
        ([("TensorSlice", None), ("TFRecordDatasetV2", None), ("ParallelInterleave", 1)], "low"),
        ([("TensorSlice", None), ("TextLineDatasetV2", None), ("Map", 2), ("Interleave", 1)], "high"),
        ([("Tensor", None), ("Generator", None), ("FlatMap", 1)], "high"),
    ],
)
def test_a_buffer_of_raw_records_is_as_advised(
    tmp_path: Path, chain: list[tuple[str, int | None]], confidence: str
) -> None:
    (only,) = found(_buffer_behind(chain), tmp_path, 7000)
    assert (only.rule, only.line, only.confidence) == ("HS403", 30, confidence)


@pytest.mark.parametrize(
    ("anew", "in_memory", "expected"),
    [(True, True, [("HS408", 30, "low")]), (False, True, []), (True, False, [])],
    ids=["made anew", "kept", "in a file"],
)
def test_a_cache_that_is_made_anew_for_each_pass_is_never_read(
    tmp_path: Path, anew: bool, in_memory: bool, expected: list[tuple[str, int, str]]
) -> None:
    """Four epochs over what a function returns, each waiting 0.9 s; the cache is that of the call, or the first one's."""
    run = begun()
    for epoch in range(4):
        at, first = 3000 + 1000 * epoch, 1 + 2 * epoch
        if anew or not epoch:
            run.span(at, at + 1, s.DATASET, "Cache", id=first, inputs=[], depth=1, site=site(30),
                     in_memory=in_memory)  # fmt: skip
        cache = first if anew else 1
        run.span(at + 1, at + 2, s.DATASET, "Batch", id=first + 1, inputs=[cache], depth=2, site=site(31))
        run.span(at + 3, at + 4, s.ITERATOR, "create", iterator=epoch + 1, dataset=first + 1, site=site(32))
        for step in range(10):
            start = at + 5 + 95 * step
            run.span(start, start + 90, s.NEXT, "next", iterator=epoch + 1, first=step == 0, site=site(32))
            run.span(start + 90, start + 94, s.CALL, "step", fn=1, code="train.py:5:step", site=site(33))
        run.span(at + 956, at + 957, s.NEXT, "next", iterator=epoch + 1, site=site(32))
        run.lines[-1][-1]["end"] = True
    assert told(run, tmp_path, 8000) == expected
