"""Change one thing after the cache is filled: the result must be what plain Python gives, every time.

That is only a test if the change makes a difference, and if the cache is used: both are checked as well.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from .harness import PROGRAMS, Ran, Runner, same, write
from .mutable import program
from .mutants import HARMLESS, MAY_BE_SAME, MUTATIONS

QUICK = (
    "scale", "closure", "deep", "helper_inner", "file", "unused",
    "loop environment", "loop patched with the library's", "loop patched layer",
    "fit class_attribute", "fit attribute set later", "fit learning rate set later",
    "calls factor", "calls stale value",
    "registers conversion", "registers dispatch", "registers method", "registers lazy", "registers kind",
)  # fmt: skip
PROGRAMS_TO_CHANGE = ("loop", "fit", "calls", "registers")
#: How many programs with several changes at once are tried at length.
TOGETHER = 24


class Base:
    """The unchanged programs and a cache that they have filled."""

    def __init__(self, runner: Runner, folder: Path) -> None:
        self.runner = runner
        self.cache = folder / "cache"
        self.folder = folder
        self.plain = {}
        #: Whether the second run of each changed program has found what its first one has kept.
        self.used: dict[str, bool] = {}
        for which in PROGRAMS_TO_CHANGE:
            script = self.written(which, {})
            self.plain[which] = self.plainly(script, {})
            for _ in range(2):
                ran = self.check(self.plain[which], script, {})
            assert ran.count("replayed") >= 1, [(e["what"], e["reason"]) for e in ran.events]

    def written(self, which: str, changes: dict[str, str]) -> Path:
        folder = (
            self.folder / which
        )  # in place, as a user edits: the next run finds other files at the same paths
        script = write(folder, program(which, changes))
        shutil.copy(PROGRAMS / "shown.py", folder)
        return script

    def plainly(self, script: Path, environment: dict[str, str]) -> Ran:
        plain = self.runner.run(script, **environment)
        assert plain.code == 0, plain.stderr[-3000:]
        return plain

    def check(self, plain: Ran, script: Path, environment: dict[str, str]) -> Ran:
        ran = self.runner.run(script, cache=self.cache, **environment)
        same(plain, ran)
        assert ran.count("failed") == 0, ran.reasons("failed")
        assert ran.count("mismatch") == 0, ran.reasons("mismatch")
        return ran


@pytest.fixture(scope="module")
def base(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Base:
    return Base(runner, tmp_path_factory.mktemp("mutations"))


def check(base: Base, name: str) -> None:
    which, changes, environment = MUTATIONS[name]
    script = base.written(which, changes)
    plain = base.plainly(script, environment)
    assert plain.stdout != base.plain[which].stdout or name in MAY_BE_SAME, "the change changes nothing"
    first = base.check(plain, script, environment)
    if name in HARMLESS:
        assert first.count("replayed") >= 1, "a change that no trace can see made the cache useless"
    # Once more, with what the changed program has stored itself.
    second = base.check(plain, script, environment)
    base.used[name] = second.count("replayed") >= 1
    assert base.used[name] or name not in QUICK, [
        (e["what"], e["function"], e["reason"]) for e in second.events
    ]


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", QUICK)
def test_a_changed_program_is_traced_anew(base: Base, name: str) -> None:
    check(base, name)


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("name", [name for name in MUTATIONS if name not in QUICK])
def test_a_changed_program_is_traced_anew_at_length(base: Base, name: str) -> None:
    check(base, name)


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("seed", range(TOGETHER))
def test_several_changes_at_once(base: Base, seed: int) -> None:
    """Places and values drawn at random; a program that fails plainly must fail in the same way."""
    rng = random.Random(seed)
    which = rng.choice(PROGRAMS_TO_CHANGE)
    changes: dict[str, str] = {}
    environment: dict[str, str] = {}
    for _, chosen, variables in rng.sample(
        [m for m in MUTATIONS.values() if m[0] == which], rng.randint(2, 4)
    ):
        changes.update(chosen)
        environment.update(variables)
    script = base.written(which, changes)
    plain = base.runner.run(script, **environment)
    for _ in range(2):
        ran = base.runner.run(script, cache=base.cache, **environment)
        assert ran.code == plain.code
        assert ran.stdout == plain.stdout
        assert ran.count("failed") == 0, ran.reasons("failed")


def test_there_are_enough_mutations() -> None:
    assert len(MUTATIONS) >= 60
    assert set(QUICK) <= set(MUTATIONS)
    assert set(MUTATIONS) >= HARMLESS | MAY_BE_SAME


@pytest.mark.tensorflow
def test_the_unchanged_programs_are_still_found(base: Base) -> None:
    for which in PROGRAMS_TO_CHANGE:
        ran = base.check(base.plain[which], base.written(which, {}), {})
        assert ran.count("replayed") >= 1
        assert ran.count("stored") == 0


@pytest.mark.soak
@pytest.mark.tensorflow
def test_changed_programs_have_used_the_cache(base: Base) -> None:
    """The last test: where nothing is kept, nothing wrong can be found."""
    unused = sorted(name for name, used in base.used.items() if not used)
    assert len(unused) <= len(base.used) * 0.1, unused
