"""Pages of every kind of run: several ranks, no steps, a crash, no TensorFlow, a cut record, steps not settled."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from headstart.analyse.report import NO_STEPS, Memory, Report
from headstart.record.nouns import Run
from headstart.render import html
from tests.render.sample import report
from tests.render.test_trace import START, run

from .browser import Browser


def ranks() -> list[Run]:
    others = []
    for number in (1, 2):
        header = msgspec.structs.replace(
            run().header,
            pid=71 + number,
            main_tid=71 + number,
            rank=str(number),
            start_ns=START - number * 1_000_000,
        )
        spans = [msgspec.structs.replace(s, tid=71 + number if s.tid == 71 else s.tid) for s in run().spans]
        others.append(run(header=header, spans=spans))
    first = run(header=msgspec.structs.replace(run().header, rank="0"))
    return [first, *others]


def show(chrome: Browser, tmp_path: Path, made: Report, runs: Run | list[Run] | None = None) -> Browser:
    page = tmp_path / "page.html"
    page.write_text(html.render(made, run() if runs is None else runs), encoding="utf-8")
    chrome.console()
    chrome.requests()
    chrome.open(page)
    assert chrome.console() == []
    assert chrome.requests() == []
    return chrome


def test_ranks_have_lanes_of_their_own_on_one_clock(chrome: Browser, tmp_path: Path) -> None:
    show(chrome, tmp_path, report(), ranks())
    titles = chrome.run("return window.headstart.timeline.lanes.map((l) => l.title)")
    for number in "012":
        assert any(title.startswith(f"rank {number}") for title in titles), titles
    starts = chrome.run(
        """const t = window.headstart.timeline, names = t.options.names;
        return t.lanes.flatMap((l) => [...l.start].filter((_, i) => names[l.name[i]] === 'tensorflow'))"""
    )
    # All imported it at the same moment: 3 ms after the rank that started first, 1 ms after the one that did last.
    assert starts == pytest.approx([0.003] * 3, abs=1e-6)


def test_a_program_without_steps(chrome: Browser, tmp_path: Path) -> None:
    show(chrome, tmp_path, report(time_to_first_step=None, steps=NO_STEPS, epochs=[]))
    assert chrome.find("h1").text == "63.1 s in all, no step seen"
    assert chrome.find_all("#steps-chart canvas") == []


def test_a_program_that_crashed(chrome: Browser, tmp_path: Path) -> None:
    target = msgspec.structs.replace(report().target, exit_code=139, signal=11)
    show(chrome, tmp_path, report(target=target, time_to_first_step=None, steps=NO_STEPS))
    assert "ended by signal 11" in chrome.find("#answer").text


def test_a_cut_record_says_so_first(chrome: Browser, tmp_path: Path) -> None:
    target = msgspec.structs.replace(report().target, exit_code=None, cut=True)
    show(chrome, tmp_path, report(target=target, notes=["The record ends before `train` did."]))
    assert "then the record is cut" in chrome.find("#answer").text
    assert chrome.find(".notes").text == "The record ends before train did."
    assert chrome.find(".notes code").text == "train"


def test_a_program_without_tensorflow(chrome: Browser, tmp_path: Path) -> None:
    target = msgspec.structs.replace(report().target, tensorflow=None, keras=None)
    nothing = Memory(rss_start=None, rss_peak=None, rss_per_step=None)
    show(
        chrome,
        tmp_path,
        report(
            target=target, findings=[], functions=[], steps=NO_STEPS, time_to_first_step=None, memory=nothing
        ),
    )
    assert "uses no TensorFlow" in chrome.find("#findings").text


def test_the_surroundings_are_told(chrome: Browser, tmp_path: Path) -> None:
    show(chrome, tmp_path, report(environment={"processor": "Z80", "cores": "2"}))
    assert "processor: Z80; cores: 2" in chrome.find("#measured").text
