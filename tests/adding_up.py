"""What holds of every ledger, whatever the program."""

from __future__ import annotations

from typing import Any

import pytest

from headstart.analyse.report import PHASES


def adds_up(report: dict[str, Any]) -> None:
    seconds = {row["id"]: row["seconds"] for row in report["phases"]}
    assert set(seconds) <= set(PHASES)
    assert sum(seconds.values()) == pytest.approx(report["wall_seconds"], rel=0.01)
    assert seconds.get("unattributed", 0.0) <= 0.05 * report["wall_seconds"]
    first = report["time_to_first_step"]
    if first is not None:
        before = {row["id"]: row["before_first_step_seconds"] for row in report["phases"]}
        assert sum(before.values()) == pytest.approx(first, rel=0.01)
        assert before.get("unattributed", 0.0) <= 0.05 * first
    assert report["target"]["exit_code"] == 0
    # Whether the steps of a short program settle, and what else is running, is the machine's affair.
    others = ("The steps were still settling", "The machine was busy")
    assert [note for note in report["notes"] if not note.startswith(others)] == []
