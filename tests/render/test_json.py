"""The JSON report is the product's contract: names, order and sums."""

from __future__ import annotations

import json

import msgspec
import pytest

from headstart.analyse.report import PHASES
from headstart.render import json as json_renderer

from .sample import report

CONTRACT: dict[str, object] = {
    "schema": None,
    "headstart": None,
    "target": ["argv", "exit_code", "python", "tensorflow", "keras"],
    "wall_seconds": None,
    "time_to_first_step": None,
    "phases": ["id", "seconds", "share"],
    "steps": [
        "count",
        "kind",
        "first_seconds",
        "steady_median_seconds",
        "steady_ci95",
        "warmup_steps",
        "trend",
    ],
    "epochs": ["index", "seconds"],
    "memory": ["rss_start", "rss_peak", "rss_per_step"],
    "functions": ["name", "file", "line", "traces", "trace_seconds", "optimize_seconds", "nodes", "retraces"],
    "imports": ["module", "seconds", "self_seconds"],
    "libraries": ["path", "seconds"],
    "findings": [
        "rule",
        "slug",
        "title",
        "file",
        "line",
        "seconds_lost",
        "confidence",
        "advice",
        "fix_available",
    ],
    "overhead": ["seconds", "share"],
}


def test_every_name_of_the_contract_is_there() -> None:
    data = json.loads(json_renderer.render(report()))
    for name, fields in CONTRACT.items():
        assert name in data
        item = data[name][0] if isinstance(data[name], list) else data[name]
        for field in fields or []:  # type: ignore[attr-defined]
            assert field in item, f"{name}.{field}"
    assert set(data["steps"]["trend"]) == {"slope_seconds_per_step", "p_value", "growing"}
    assert {"argument", "before", "after", "file", "line", "seconds"} <= set(
        data["functions"][0]["retraces"][0]
    )
    assert data["schema"] == 1
    assert [phase["id"] for phase in data["phases"]] == list(PHASES)


def test_phases_add_up() -> None:
    data = json.loads(json_renderer.render(report()))
    assert sum(phase["seconds"] for phase in data["phases"]) == pytest.approx(data["wall_seconds"])


def test_what_is_unknown_is_null() -> None:
    data = json.loads(json_renderer.render(report(time_to_first_step=None)))
    assert data["time_to_first_step"] is None


def test_it_reads_back() -> None:
    assert json_renderer.parse(json_renderer.render(report())) == report()


def test_paths_that_are_not_utf8_survive() -> None:
    made = report()
    target = msgspec.structs.replace(made.target, argv=["caf\udce9.py"])
    data = json.loads(json_renderer.render(msgspec.structs.replace(made, target=target)))
    assert data["target"]["argv"] == ["caf\\udce9.py"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"schema": 1}', b"\xff\xfe"])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a headstart report"):
        json_renderer.parse(data)


def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="schema 2"):
        json_renderer.parse(json_renderer.render(report(schema=2)))
