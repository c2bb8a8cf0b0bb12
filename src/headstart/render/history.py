"""The history of a program as text and as a plot."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .._version import __version__
from ..analyse.noise import BEYOND_TOTAL, Noise, Pair
from ..analyse.resample import FEWEST_RUNS, fast_mean
from ..history.entry import Entry
from . import units
from .html import page
from .layout import Paper, bar, clean, cut, left, right
from .markup import card, esc, section

LEAST_CHANGE = 0.05
"""Runs of two commits were not interleaved: the machine of another day alone differs by a few per cent."""


class Group(NamedTuple):
    """Runs of one commit that follow one another."""

    commit: str | None
    at: float
    seconds: list[float]
    verdict: str
    """"slower" | "faster" | "": against the commit before, beyond doubt."""

    @property
    def typical(self) -> float:
        return fast_mean(self.seconds)


def measured(entry: Entry) -> float:
    """Time to first step; the whole run for programs without steps."""
    return entry.wall if entry.time_to_first_step is None else entry.time_to_first_step


def groups(entries: Sequence[Entry]) -> list[Group]:
    """By commit, in order. Warm and cold runs of one commit are told apart."""
    found: list[Group] = []
    last: object = ()
    for entry in entries:
        key = (entry.commit, entry.warm)
        if found and key == last:
            found[-1].seconds.append(measured(entry))
            found[-1] = found[-1]._replace(at=entry.at)
        else:
            found.append(Group(entry.commit, entry.at, [measured(entry)], ""))
        last = key
    return _judged(found)


def _judged(found: list[Group]) -> list[Group]:
    """Each commit against the one before it. The noise is that of all of them together."""
    pairs = [Pair("", a.seconds, b.seconds) for a, b in pairwise(found)]
    noise = Noise(pairs, 0.0)
    judged = found[:1]
    for pair, group in zip(pairs, found[1:], strict=True):
        verdict = ""
        if pair.runs >= FEWEST_RUNS and noise.is_beyond(pair, BEYOND_TOTAL):
            change = fast_mean(pair.new) / fast_mean(pair.old) - 1
            verdict = "slower" if change > LEAST_CHANGE else "faster" if change < -LEAST_CHANGE else ""
        judged.append(group._replace(verdict=verdict))
    return judged


def text(
    program: str, entries: Sequence[Entry], *, width: int = 80, color: bool = False, unicode: bool = True
) -> str:
    paper = Paper(width, color, unicode)
    what = "time to first step" if any(e.time_to_first_step is not None for e in entries) else "whole run"
    paper.title(cut(clean(program), paper.width - 34), f"{what}, {units.plural(len(entries), 'run')}")
    found = groups(entries)
    largest = max((group.typical for group in found), default=1.0) or 1.0
    room = max(8, paper.width - 56)
    for group in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(group.at))
        commit = left((group.commit or "-")[:9], 9)
        mark, style = {"slower": ("▲", "red"), "faster": ("▼", "green")}.get(group.verdict, (" ", "cyan"))
        line = f"  {when}  {commit} {right(units.plural(len(group.seconds), 'run'), 9)}"
        line += f" {right(units.seconds(group.typical), 10)} "
        paper.add(line + paper.paint(f"{mark} {bar(group.typical / largest, room)}", style))
    return paper.text()


def plot(histories: Sequence[tuple[str, Sequence[Entry]]]) -> str:
    """A page with one plot a program; it needs no script."""
    body = (
        '<section id="answer" aria-labelledby="answer-title"><h1 id="answer-title" class="long">'
        "Time to first step, run by run</h1></section>"
    )
    for number, (program, entries) in enumerate(histories):
        if entries:
            body += section(f"program-{number}", program, card(_svg(program, entries)))
    return page("headstart: history", __version__, body, None)


WIDE, HIGH, LEFT, BOTTOM = 960, 300, 70, 40
LABEL = 64
"""The room that a short commit takes."""


def _ticks(top: float) -> list[float]:
    """Round values from 0 up to the top, four to nine of them."""
    power = 10.0 ** math.floor(math.log10(top))
    step = next(power * part for part in (0.1, 0.2, 0.5, 1, 2) if top / (power * part) < 8)
    return [step * number for number in range(int(top / step) + 1)]


def _svg(program: str, entries: Sequence[Entry]) -> str:
    values = [measured(entry) for entry in entries]
    top = max(values) * 1.1 or 1.0
    step = (WIDE - LEFT - 20) / max(1, len(values) - 1)

    def x(index: float) -> float:
        return LEFT + index * step if len(values) > 1 else (LEFT + WIDE) / 2

    def y(value: float) -> float:
        return 10 + (HIGH - BOTTOM - 10) * (1 - value / top)

    parts = []
    for value in _ticks(top):
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDE - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="var(--line)"/>'
        )
        label = esc(units.seconds(value))
        parts.append(
            f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="var(--soft)">{label}</text>'
        )
    at, free = 0, 0.0
    for group in groups(entries):
        first, last = x(at) - step * 0.4, x(at + len(group.seconds) - 1) + step * 0.4
        css = {"slower": "var(--bad)", "faster": "var(--good)"}.get(group.verdict, "var(--accent)")
        level = y(group.typical)
        parts.append(
            f'<line x1="{max(first, LEFT):.1f}" x2="{min(last, WIDE - 10):.1f}" y1="{level:.1f}" y2="{level:.1f}" '
            f'stroke="{css}" stroke-width="3"/>'
        )
        middle = (max(first, LEFT) + min(last, WIDE - 10)) / 2
        if middle - LABEL / 2 >= free:  # those that would overlap the one before are left out
            free = middle + LABEL / 2
            name = esc((group.commit or "none")[:7])
            parts.append(
                f'<text x="{middle:.1f}" y="{HIGH - 14}" text-anchor="middle" fill="var(--soft)">{name}</text>'
            )
        at += len(group.seconds)
    for index, (entry, value) in enumerate(zip(entries, values, strict=True)):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.at))
        title = esc(f"{when}, {(entry.commit or 'no commit')[:9]}: {units.seconds(value)}")
        spot = f'<circle cx="{x(index):.1f}" cy="{y(value):.1f}" r="4" fill="var(--p-imports)">'
        parts.append(f"{spot}<title>{title}</title></circle>")
    summary = f"{program}: {units.plural(len(values), 'run')}, the last {units.seconds(values[-1])}"
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{esc(summary)}" width="100%" '
        f'font-size="12" font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
    )
