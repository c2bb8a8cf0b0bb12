"""Change one thing after the cache is filled: the result must be what plain Python gives, every time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .harness import PROGRAMS, Ran, Runner, same, write
from .mutants import HARMLESS, MUTATIONS, program

QUICK = (
    "scale", "closure", "deep", "helper_inner", "file", "class_list", "unused",
    "loop environment", "loop patched with the library's", "loop patched layer", "loop global changed in between",
    "fit class_attribute", "fit lambda_constant", "fit attribute set later", "fit learning rate set later",
)  # fmt: skip


class Base:
    """The unchanged programs and a cache that they have filled."""

    def __init__(self, runner: Runner, folder: Path) -> None:
        self.runner = runner
        self.cache = folder / "cache"
        self.folder = folder
        for which in ("loop", "fit"):
            script = self.written(which, {})
            self.check(script, {}, runs=2)

    def written(self, which: str, changes: dict[str, str]) -> Path:
        folder = (
            self.folder / which
        )  # in place, as a user edits: the next run finds other files at the same paths
        script = write(folder, program(which, changes))
        shutil.copy(PROGRAMS / "shown.py", folder)
        return script

    def check(self, script: Path, environment: dict[str, str], runs: int) -> Ran:
        plain = self.runner.run(script, **environment)
        assert plain.code == 0, plain.stderr[-3000:]
        for _ in range(runs):
            ran = self.runner.run(script, cache=self.cache, **environment)
            same(plain, ran)
            assert ran.count("failed") == 0, ran.reasons("failed")
        return ran


@pytest.fixture(scope="module")
def base(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Base:
    return Base(runner, tmp_path_factory.mktemp("mutations"))


def check(base: Base, name: str) -> None:
    which, changes, environment = MUTATIONS[name]
    script = base.written(which, changes)
    first = base.check(script, environment, runs=1)
    if name in HARMLESS:
        assert first.count("replayed") >= 1, "a change that no trace can see made the cache useless"
    # Once more, with what the changed program has stored itself.
    base.check(script, environment, runs=1)


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", QUICK)
def test_a_changed_program_is_traced_anew(base: Base, name: str) -> None:
    check(base, name)


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("name", [name for name in MUTATIONS if name not in QUICK])
def test_a_changed_program_is_traced_anew_at_length(base: Base, name: str) -> None:
    check(base, name)


def test_there_are_enough_mutations() -> None:
    assert len(MUTATIONS) >= 60
    assert set(QUICK) <= set(MUTATIONS)
    assert set(MUTATIONS) >= HARMLESS


@pytest.mark.tensorflow
def test_the_unchanged_programs_are_still_found(base: Base) -> None:
    for which in ("loop", "fit"):
        ran = base.check(base.written(which, {}), {}, runs=1)
        assert ran.count("replayed") >= 1
        assert ran.count("stored") == 0
