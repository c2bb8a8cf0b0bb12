"""Initialising variables: what it took, and what filling memory of that size takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...analyse.model import Analysis
from ...record import signals as s
from ...record.nouns import Span
from .places import Place, by_place, place
from .spans import Inside, total_seconds, within

BYTES_PER_SECOND = 4e8
"""Random numbers into fresh memory on one core (100 million weights in 0.8 s, build included)."""
SECONDS_PER_VARIABLE = 0.004


def of_model(run: Analysis) -> list[Span]:
    """Variables that the program made itself: not an optimizer's, not those of a file being loaded."""
    others = Inside(run.spans(s.OPTIMIZER_BUILD, s.LOAD))
    return [span for span in run.spans(s.VARIABLE_INIT) if others.at(span.start_ns) is None]


def home(span: Span) -> Place | None:
    """The line that made the layer, where that is known; else the line at which the weight was created."""
    made = span.attrs.get("made")
    return (made[0], made[1]) if made else place(span)


def by_home(spans: Iterable[Span]) -> dict[Place, list[Span]]:
    return by_place(spans, home)


def own_seconds(run: Analysis, spans: Sequence[Span]) -> float:
    """Without what merely happened first in them: starting the runtime, importing, tracing."""
    other = run.spans(s.DEVICE_INIT, s.IMPORT)
    inner = [part for span in spans for part in within(other, span.start_ns, span.end_ns)]
    return total_seconds(spans) - total_seconds(inner)


def bytes_of(spans: Iterable[Span]) -> int:
    return sum(int(span.attrs.get("bytes") or 0) for span in spans)


def expected_seconds(spans: Sequence[Span]) -> float:
    return bytes_of(spans) / BYTES_PER_SECOND + SECONDS_PER_VARIABLE * len(spans)
