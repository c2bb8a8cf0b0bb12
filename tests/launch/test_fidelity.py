"""Every program of the table behaves under headstart as under plain `python`: output, errors, exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import Outcome, Program
from .programs import PROGRAMS
from .runners import PYTHON, RUNNERS


@pytest.fixture(scope="session")
def plain() -> dict[str, Outcome]:
    """What plain `python` did, kept so that each program has one oracle for all runners."""
    return {}


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fidelity")


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_like_plain_python(program: Program, runner: str, plain: dict[str, Outcome], floor: Path) -> None:
    folder = floor / program.name
    if program.name not in plain:
        plain[program.name] = program.run(PYTHON, folder)
    assert program.run(RUNNERS[runner], folder) == plain[program.name]


def test_names_are_unique() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(names) == len(set(names))
