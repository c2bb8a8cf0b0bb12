"""Detectors of what is built, initialised and loaded, on made-up runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.record import signals as s
from headstart.record.format import IN_LIBRARY

from .made import CODE, begun, found, site, told


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


@pytest.mark.parametrize(("flags", "expected"), [(IN_LIBRARY, ["HS204"]), (0, [])], ids=["computed", "read"])
def test_a_large_weight_whose_value_is_computed_first(
    tmp_path: Path, flags: int, expected: list[str]
) -> None:
    """`tf.Variable(tf.random.normal(...))`: creating it takes nothing. What the user's own code reads is needed."""
    run = begun()
    for at in range(3000, 5000, 50):
        run.sample(at, flags, entry="tensorflow/python/ops/random_ops.py", line=70)
    run.span(5000, 5020, s.VARIABLE_INIT, "value", shape=[3000000, 64], bytes=768_000_000, site=site(70))
    assert [finding.rule for finding in found(run, tmp_path, 5100)] == expected


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
