"""An interrupted lab loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.lab import session
from headstart.lab.ledger import LedgerCheck

HEADER = {"mode": "quick", "seed": 3, "environment": {"cores": 2}}
CHECK = LedgerCheck(what="x", clock=1.0, ledger=1.01, difference=0.01, agrees=True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_goes_on_where_it_stopped() -> None:
    first = session.begin("quick", HEADER)
    first.add_run("a", {"seconds": 1.5, "steps": [1, 2]})
    first.add_run("a", {"seconds": 1.6})
    first.add_check("C01", CHECK)
    again = session.resume("quick", {**HEADER, "seed": 4})
    assert again is not None
    assert again.runs == first.runs
    assert again.checks == {"C01": CHECK}
    assert again.header["seed"] == 3
    again.add_run("b", {"seconds": 2.0})
    third = session.resume("quick", HEADER)
    assert third is not None
    assert sorted(third.runs) == ["a", "b"]


def test_a_killed_lab_loses_the_line_it_was_writing() -> None:
    first = session.begin("quick", HEADER)
    first.add_run("a", {"seconds": 1.5})
    with open(first.path, "a") as handle:
        handle.write('{"arm": "a", "notes": {"sec')
    again = session.resume("quick", HEADER)
    assert again is not None
    assert again.runs == {"a": [{"seconds": 1.5}]}


def test_other_machines_and_modes_are_not_mixed() -> None:
    session.begin("quick", HEADER).add_run("a", {"seconds": 1.5})
    assert session.resume("full", HEADER) is None
    assert session.resume("quick", {**HEADER, "environment": {"cores": 4}}) is None


def test_a_finished_lab_leaves_nothing_to_go_on_with() -> None:
    session.begin("quick", HEADER).end()
    assert session.resume("quick", HEADER) is None


def test_a_new_lab_forgets_the_old_one() -> None:
    session.begin("quick", HEADER).add_run("a", {"seconds": 1.5})
    session.begin("quick", HEADER)
    again = session.resume("quick", HEADER)
    assert again is not None
    assert again.runs == {}


def test_results_are_kept_and_old_ones_go(folder: Path) -> None:
    for number in range(session.KEPT_RESULTS + 3):
        session.keep(b'{"lab": "quick", "claims": [{"id": "C01", "seconds": %d}]}' % number, f"{number:03d}")
    assert len(list((folder / "lab" / "results").iterdir())) == session.KEPT_RESULTS
    assert session.last_durations() == {"quick/C01": session.KEPT_RESULTS + 2}
