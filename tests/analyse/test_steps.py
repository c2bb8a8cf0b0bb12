"""Steps are found without markers, whatever the shape of the loop."""

from __future__ import annotations

from pathlib import Path

from headstart.analyse.build import analyse
from headstart.analyse.model import Analysis
from headstart.record import signals as s
from tests.made_runs import MadeRun


def analysed(run: MadeRun, folder: Path, end: float = 10_000) -> Analysis:
    return analyse(run.exit(end).read(folder))


def test_keras_batches_win_over_their_own_function_calls(tmp_path: Path) -> None:
    run = MadeRun().span(100, 900, s.FIT, "fit", site=["train.py", 30, "main"])
    for index in range(5):
        start = 150 + index * 100
        run.span(start, start + 90, s.BATCH, "train", steps=1, index=index)
        run.span(start + 5, start + 85, s.CALL, "multi_step_on_iterator", fn=1, code="k", under="fit")
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("fit", 5)
    assert found.steps.site == ("train.py", 30, "main")
    assert found.report.time_to_first_step == 0.24


def test_several_steps_in_one_execution(tmp_path: Path) -> None:
    run = MadeRun().span(100, 900, s.BATCH, "train", steps=4).span(900, 1300, s.BATCH, "train", steps=4)
    found = analysed(run, tmp_path)
    assert found.steps.total == 8
    assert found.steps.durations[0] == 0.2
    assert found.report.steps.first_seconds == 0.8


def test_a_function_made_anew_each_time_is_one_loop(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(6):
        run.span(100 + index * 50, 140 + index * 50, s.CALL, "descend", fn=index, code="a.py:3:descend")
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("function", 6)


def test_the_function_with_a_gradient_is_the_step(tmp_path: Path) -> None:
    run = MadeRun()
    run.span(100, 200, s.CALL, "train", code="t").span(100, 190, s.TRACE, "train", code="t")
    run.span(120, 130, s.GRADIENT)
    run.span(200, 1000, s.CALL, "measure", code="m").span(1000, 1900, s.CALL, "measure", code="m")
    run.span(1900, 1910, s.CALL, "train", code="t")
    found = analysed(run, tmp_path)
    assert found.steps.code == "t"


def test_what_hooks_and_savers_run_at_the_line_of_the_step_is_no_step(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(4):
        start = 600 + index * 10
        run.span(start, start + 1, s.SESSION_RUN, "train", site=["a.py", 9, "m"], first=index == 0, cpu=0)
        run.span(start + 2, start + 9, s.SESSION_RUN, "save", site=["a.py", 9, "m"], library=True, cpu=0)
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("session", 4)
    assert found.report.steps.first_seconds == 0.001


def test_a_line_that_runs_many_things_once_each_is_not_the_loop(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(6):
        run.span(
            100 + index * 50,
            140 + index * 50,
            s.SESSION_RUN,
            f"init{index}",
            site=["a.py", 5, "m"],
            first=True,
        )
    for index in range(20):
        run.span(600 + index, 600.5 + index, s.SESSION_RUN, "train", site=["a.py", 9, "m"], first=index == 0)
    found = analysed(run, tmp_path)
    assert (found.steps.site, found.steps.total) == (("a.py", 9, "m"), 20)


def test_sessions_by_the_line_that_runs_them(tmp_path: Path) -> None:
    run = MadeRun().span(100, 500, s.SESSION_RUN, "init", site=["a.py", 5, "m"], first=True, cpu=0)
    for index in range(4):
        run.span(600 + index, 600.5 + index, s.SESSION_RUN, "loss", site=["a.py", 9, "m"], cpu=0)
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("session", 4)
    assert found.steps.site == ("a.py", 9, "m")


def test_eager_steps_run_from_tape_to_update(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(3):
        at = 100 + index * 100
        run.span(at + 40, at + 60, s.TAPE_GRADIENT, site=["a.py", 7, "m"], opened_ns=at * 1_000_000)
        run.span(at + 65, at + 80, s.APPLY_GRADIENTS, "Adam")
    found = analysed(run, tmp_path)
    assert found.steps.kind == "eager"
    assert found.steps.intervals_ns[0] == (100_000_000, 180_000_000)
    assert {row.id for row in found.report.phases if row.seconds > 0} >= {"first-step", "steady-steps"}


def test_a_tape_that_stays_open_still_has_steps(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(3):
        run.span(
            140 + index * 100,
            160 + index * 100,
            s.TAPE_GRADIENT,
            site=["a.py", 7, "m"],
            opened_ns=100_000_000,
        )
    found = analysed(run, tmp_path)
    assert [end - start for start, end in found.steps.intervals_ns] == [60_000_000, 100_000_000, 100_000_000]


def test_predict_called_again_and_again_counts_calls(tmp_path: Path) -> None:
    run = MadeRun()
    for index in range(5):
        run.span(100 + index * 10, 109 + index * 10, s.FIT, "predict", site=["a.py", 3, "m"])
        run.span(102 + index * 10, 103 + index * 10, s.BATCH, "predict", steps=1)
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("predict", 5)
    assert found.steps.durations[0] == 0.009


def test_evaluation_inside_fit_is_no_step(tmp_path: Path) -> None:
    run = MadeRun().span(100, 1000, s.FIT, "fit")
    run.span(110, 200, s.BATCH, "train", steps=1).span(200, 300, s.BATCH, "train", steps=1)
    run.span(300, 900, s.FIT, "evaluate", nested=True).span(310, 800, s.BATCH, "test", steps=1)
    found = analysed(run, tmp_path)
    assert found.steps.total == 2
    assert {row.id: row.seconds for row in found.report.phases}["evaluation"] == 0.6


def test_marked_steps_come_first(tmp_path: Path) -> None:
    run = MadeRun().span(100, 500, s.CALL, "f", code="c").span(500, 900, s.CALL, "f", code="c")
    run.span(1000, 1010, s.STEP, "step").span(1010, 1020, s.STEP, "step")
    found = analysed(run, tmp_path)
    assert (found.steps.kind, found.steps.total) == ("marked", 2)


def test_bare_marks_end_steps(tmp_path: Path) -> None:
    run = MadeRun().span(60, 500, s.IMPORT, "tensorflow").mark(700, s.STEP).mark(800, s.STEP)
    found = analysed(run, tmp_path)
    assert found.steps.intervals_ns == [(500_000_000, 700_000_000), (700_000_000, 800_000_000)]


def test_no_steps(tmp_path: Path) -> None:
    report = analysed(MadeRun().span(60, 500, s.IMPORT, "numpy"), tmp_path).report
    assert report.time_to_first_step is None
    assert (report.steps.count, report.steps.kind) == (0, None)
