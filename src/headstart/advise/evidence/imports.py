"""Imports at a line of the user's code, what each cost, and whether anything of it ran."""

from __future__ import annotations

from dataclasses import dataclass

from ...analyse.model import Analysis
from ...record import format as record
from ...record import signals as s
from ...record.nouns import Span
from ..draft import Interval
from ..static.source import is_tensorflow
from .spans import Inside, total_seconds, within

_WORK = (
    s.DEVICE_INIT, s.TRACE, s.MODEL_BUILD, s.VARIABLE_INIT, s.SESSION_RUN, s.FIT, s.LOAD, s.CALL, s.MODEL_CALL,
    s.DATASET, s.CONVERT, s.SAVE, s.GRADIENT, s.LITE_SETUP, s.LITE_RUN,
)  # fmt: skip


@dataclass(frozen=True)
class Imported:
    """All that one import statement loaded."""

    package: str
    file: str
    line: int
    seconds: float
    """Without what other lines of the program imported meanwhile: a module of its own is not at fault for those."""
    spans: tuple[Span, ...]
    elsewhere: tuple[Span, ...] = ()
    """What other lines imported meanwhile."""

    @property
    def claims(self) -> tuple[Interval, ...]:
        found: list[Interval] = []
        for span in self.spans:
            start = span.start_ns
            for inner in Inside(self.elsewhere).spans:
                if span.start_ns <= inner.start_ns < span.end_ns:
                    found.append((start, inner.start_ns))
                    start = inner.end_ns
            found.append((start, span.end_ns))
        return tuple(found)


def user_imports(run: Analysis) -> list[Imported]:
    """By line of the user's code: the outermost imports there."""
    by_line: dict[tuple[str, int], list[Span]] = {}
    for span in run.spans(s.IMPORT):
        # Ours come first at the line that imports TensorFlow, and on a slow machine they are seen.
        own = span.name.split(".")[0] == "headstart"
        if span.site is not None and not span.attrs.get("failed") and not own:
            by_line.setdefault((span.site[0], span.site[1]), []).append(span)
    return [_imported(file, line, Inside(spans).spans, by_line) for (file, line), spans in by_line.items()]


def _imported(
    file: str, line: int, spans: list[Span], by_line: dict[tuple[str, int], list[Span]]
) -> Imported:
    elsewhere = [
        inner
        for place, others in by_line.items()
        if place != (file, line)
        for inner in others
        if any(x.start_ns < inner.start_ns and inner.end_ns <= x.end_ns for x in spans)
    ]
    seconds = total_seconds(spans) - total_seconds(elsewhere)
    return Imported(spans[0].name.split(".")[0], file, line, seconds, tuple(spans), tuple(elsewhere))


def came_to_its_end(run: Analysis) -> bool:
    """Whether the program has done what it was to do. One that fails may do so before it uses what it imports; one
    that somebody ends from outside, such as a service, has had its time."""
    code = run.report.target.exit_code
    return code is not None and (code == 0 or code >= 128)


def tensorflow_worked(run: Analysis) -> bool:
    """Anything of TensorFlow or Keras ran that a probe or the sampler could see."""
    imports = Inside(run.spans(s.IMPORT))
    if any(imports.at(span.start_ns) is None for kind in _WORK for span in run.spans(kind)):
        return True
    seen = [
        x
        for x in run.run.samples
        if x.flags & record.IN_LIBRARY and not x.flags & record.IN_IMPORT and imports.at(x.at_ns) is None
    ]
    return len(seen) >= 3


def ran(run: Analysis, package: str) -> bool:
    """The sampler saw a function of the package running, outside imports."""
    imports = Inside(run.spans(s.IMPORT))
    return any(
        x.leaf.startswith((f"{package}/", f"{package}.py:")) and imports.at(x.at_ns) is None
        for x in run.run.samples
        if not x.flags & record.IN_IMPORT
    )


def without_shared(run: Analysis, imported: Imported, used: set[str]) -> float:
    """Seconds of an import, without the libraries inside it that the program needs in any case."""
    shared = list(imported.elsewhere)
    for span in imported.spans:
        inner = within(run.spans(s.IMPORT), span.start_ns + 1, span.end_ns)
        shared += [part for part in inner if part.name.split(".")[0] in used]
    return total_seconds(imported.spans) - total_seconds(shared)


def needs_tensorflow(package: str) -> bool:
    return is_tensorflow(package)
