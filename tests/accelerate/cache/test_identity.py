"""With the caches, every program says what it says without them: losses, weights bit by bit, random streams.

Each program is run plainly, then three times with one cache: empty, filled, and filled by a second run.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .harness import PROGRAMS, Runner, run_fresh, same

#: Program and arguments, and the least number of traces that the last run must have found in the cache.
CASES = {
    "sequential": ((), 3),
    "functional": ((), 3),
    "weighted": ((), 2),
    "losses": ((), 8),
    "subclassed": ((), 2),
    "unbuilt": ((), 7),
    "noisy": ((), 0),
    "uncalled": ((), 7),
    "attention": ((), 1),
    "train_step": ((), 1),
    "loop": ((), 2),
    "module": ((), 2),
    "calling": ((), 8),
    "trainers": ((), 4),
    "adversaries": ((), 1),
    "callbacks": ((), 2),
    "mixed": (("mixed_bfloat16",), 1),
    "mixed16": (("mixed_float16",), 1),
    "resume": ((), 3),
    "jitted": ((), 1),
    "convolution": ((), 2),
    "on_batch": ((), 1),
    "models": ((), 4),
    "lstm": ((), 1),
    "unseeded": ((), 2),
    "lifetimes": ((), 3),
    "failing": ((), 7),
    "failing1": (("metrics", "unbuilt"), 2),
}
#: What a first run, whose cache is empty, must have built ahead of Keras' traces, so that each is made once.
AHEAD = {
    "sequential": ["loss, optimizer, metrics"],
    "functional": ["loss, optimizer, metrics"],
    "unbuilt": [*["model, loss, optimizer, metrics"] * 3, "model, loss", "loss, optimizer, metrics"],
}
QUICK = (
    "attention",
    "sequential",
    "loop",
    "train_step",
    "trainers",
    "adversaries",
    "unbuilt",
    "losses",
    "noisy",
    "unseeded",
    "failing1",
)


def check(runner: Runner, folder: Path, case: str) -> None:
    args, least = CASES[case]
    name = {"mixed16": "mixed", "failing1": "failing"}.get(case, case)
    shutil.copy(PROGRAMS / "shown.py", folder)
    script = Path(shutil.copy(PROGRAMS / f"{name}.py", folder))
    plain = runner.run(script, *args)
    assert plain.code == 0, plain.stderr[-3000:]
    runs = [runner.run(script, *args, cache=folder / "cache") for _ in range(3)]
    for ran in runs:
        same(plain, ran)
        assert ran.count("failed") == 0, ran.reasons("failed")
    if case in AHEAD:
        assert runs[0].reasons("prebuilt") == AHEAD[case]
    assert runs[2].count("replayed") >= least, [(e["what"], e["reason"]) for e in runs[2].events]


@pytest.mark.tensorflow
@pytest.mark.parametrize("case", QUICK)
def test_same_with_the_caches(runner: Runner, tmp_path: Path, case: str) -> None:
    check(runner, tmp_path, case)


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("case", [case for case in CASES if case not in QUICK])
def test_same_with_the_caches_at_length(runner: Runner, tmp_path: Path, case: str) -> None:
    check(runner, tmp_path, case)


@pytest.mark.tensorflow
def test_nothing_of_tensorflow_runs_before_the_first_call(tmp_path: Path) -> None:
    script = Path(shutil.copy(PROGRAMS / "first_operation.py", tmp_path))
    first, again = (run_fresh(script, cache=tmp_path / "cache") for _ in range(2))
    assert first.stdout == again.stdout
    assert again.count("replayed") == 2, [(e["what"], e["reason"]) for e in again.events]
