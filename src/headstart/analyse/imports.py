"""Imports with their own and total time, and the native libraries that they loaded."""

from __future__ import annotations

from ..record import signals as s
from ..record.nouns import Span
from .report import ImportedModule, Library

KEPT_IMPORTS = 400
"""Modules in the report: the heaviest by total time. All are in the record."""


def import_rows(spans: list[Span]) -> list[ImportedModule]:
    """Spans are the main thread's, in nesting order."""
    rows: list[_Row] = []
    stack: list[_Row] = []
    for span in spans:
        if span.kind not in (s.IMPORT, s.NATIVE):
            continue
        while stack and stack[-1].span.end_ns <= span.start_ns:
            stack.pop()
        if stack:
            stack[-1].inside_ns += span.end_ns - span.start_ns
        outer = stack[-1] if stack else None
        row = _Row(span, 0 if outer is None else outer.depth + (outer.span.kind == s.IMPORT))
        stack.append(row)
        if span.kind == s.IMPORT:
            rows.append(row)
    rows = [row for row in rows if not row.span.attrs.get("failed")]
    rows.sort(key=lambda row: row.span.start_ns - row.span.end_ns)
    return [row.finished() for row in rows[:KEPT_IMPORTS]]


class _Row:
    def __init__(self, span: Span, depth: int) -> None:
        self.span = span
        self.depth = depth
        self.inside_ns = 0

    def finished(self) -> ImportedModule:
        span, site = self.span, self.span.site
        return ImportedModule(
            module=span.name,
            seconds=span.seconds,
            self_seconds=max(0, span.end_ns - span.start_ns - self.inside_ns) / 1e9,
            depth=self.depth,
            file=site[0] if site else None,
            line=site[1] if site else None,
        )


def library_rows(spans: list[Span]) -> list[Library]:
    seconds: dict[str, float] = {}
    covered_until = 0
    for span in spans:
        if span.kind == s.NATIVE:
            own = max(0, span.end_ns - max(span.start_ns, covered_until)) / 1e9
            covered_until = max(covered_until, span.end_ns)
            seconds[span.name] = seconds.get(span.name, 0.0) + own
    rows = [Library(path=path, seconds=value) for path, value in seconds.items()]
    rows.sort(key=lambda row: -row.seconds)
    return rows
