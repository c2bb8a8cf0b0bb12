"""The text report: golden files, and properties that hold at every width."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.analyse.report import NO_STEPS, Finding, Memory, Overhead, Report, Target
from headstart.render import terminal
from headstart.render.layout import cut, width_of
from headstart.render.source import quote, short_path

from .sample import SCRIPT, report

GOLDEN = Path(__file__).parent / "golden"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def check_golden(name: str, text: str) -> None:
    """Compare with the kept text; HEADSTART_GOLDEN=1 rewrites it for a reader to look at."""
    path = GOLDEN / name
    if os.environ.get("HEADSTART_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _stand_in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent)


def bare(**changes: object) -> Report:
    """A program without TensorFlow and without steps."""
    made = report(
        target=Target(argv=["hello.py"], exit_code=0, python="3.11.7", tensorflow=None, keras=None),
        time_to_first_step=None,
        steps=NO_STEPS,
        epochs=[],
        memory=Memory(rss_start=None, rss_peak=None, rss_per_step=None),
        functions=[],
        imports=[],
        libraries=[],
        findings=[],
        overhead=Overhead(seconds=0.0, share=0.0),
        initializers=[],
        notes=[],
        counts={},
    )
    return msgspec.structs.replace(made, **changes)


def test_the_whole_report() -> None:
    check_golden("full.txt", terminal.render(report(), width=80))


def test_the_whole_report_in_ascii() -> None:
    text = terminal.render(report(), width=80, unicode=False)
    assert text.isascii()
    check_golden("ascii.txt", text)


def test_a_program_without_steps() -> None:
    check_golden("bare.txt", terminal.render(bare(), width=80))


def test_colour_changes_nothing_but_colour() -> None:
    plain, colored = terminal.render(report()), terminal.render(report(), color=True)
    assert "\x1b[" not in plain
    assert "\x1b[" in colored
    assert [line.rstrip() for line in ANSI.sub("", colored).split("\n")] == plain.split("\n")


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
def test_no_line_is_too_wide(width: int) -> None:
    for line in terminal.render(report(), width=width).split("\n"):
        assert width_of(line) <= width, line


def test_the_ledger_adds_up_as_printed() -> None:
    text = terminal.render(report())
    rows = text.split("Where the")[1].split("\n\n")[0].split("\n")[1:]
    total = 0.0
    for row in rows:
        found = re.search(r"([\d.]+) (ms|s) +(?:< )?[\d.]+ % ", row)
        assert found, row
        total += float(found[1]) * (1e-3 if found[2] == "ms" else 1)
    assert total == pytest.approx(report().wall_seconds, rel=0.01)


def test_the_answer_comes_first() -> None:
    head = terminal.render(report()).split("Where the")[0]
    assert "28.2 s from process start to the end of the first step" in head
    assert "810 ms per steady step (95 %: 790–840 ms)" in head
    assert "as long as 27 steady ones" in head


def test_a_finding_takes_at_most_five_lines_and_quotes_the_line() -> None:
    block = terminal.render(report()).split("What to change")[1].split("\n\n")[0]
    parts = re.split(r"\n  (?=HS)", block)[1:]
    assert len(parts) == 2
    assert all(len(part.split("\n")) <= 5 for part in parts)
    assert "train_step(np.ones(3), step)" in parts[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"exit_code": None, "cut": True}, "cut after"),
        ({"exit_code": 137, "signal": 9}, "ended by signal 9"),
        ({"exit_code": 3}, "exit 3 after"),
    ],
)
def test_how_it_ended(changes: dict[str, object], expected: str) -> None:
    made = report()
    text = terminal.render(
        msgspec.structs.replace(made, target=msgspec.structs.replace(made.target, **changes))
    )
    assert expected in text.split("\n")[1]


nasty = st.text(st.characters(codec=None), max_size=60)


@given(nasty, nasty, st.integers(60, 130), st.booleans())
@settings(max_examples=150, deadline=None)
def test_hostile_text_neither_breaks_the_table_nor_reaches_the_terminal(
    name: str, advice: str, width: int, color: bool
) -> None:
    made = report()
    finding = Finding(
        rule="HS301",
        slug="x",
        title=name,
        file=name or None,
        line=1,
        seconds_lost=1.0,
        confidence="high",
        advice=advice,
        fix_available=False,
    )
    made = msgspec.structs.replace(
        made,
        findings=[finding],
        notes=[name],
        functions=[msgspec.structs.replace(made.functions[0], name=name, file=advice)],
        imports=[msgspec.structs.replace(made.imports[0], module=name)],
        initializers=[msgspec.structs.replace(made.initializers[0], name=name)],
    )
    text = terminal.render(made, width=width, color=color)
    text.encode("utf-8")
    plain = ANSI.sub("", text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain)
    assert all(width_of(line) <= min(width, 120) for line in plain.split("\n"))


@given(st.text(max_size=40), st.integers(0, 40), st.booleans())
def test_cut_keeps_its_width(text: str, width: int, keep_end: bool) -> None:
    assert width_of(cut(text, width, keep_end=keep_end)) <= max(width, 0)


def test_quoting() -> None:
    assert quote(SCRIPT, 2) == "import tensorflow as tf"
    assert quote(SCRIPT, 3) is None
    assert quote(SCRIPT, 999) is None
    assert quote("/nowhere/at/all.py", 1) is None
    assert quote(None, 1) is None
    assert short_path("/a/lib/python3.11/site-packages/keras/src/x.py") == "keras/src/x.py"
