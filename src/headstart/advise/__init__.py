"""Names causes: rules look at an analysed run and say which line costs what, and what to write instead."""

from __future__ import annotations

from ..analyse.model import Analysis
from ..analyse.report import Report


def find_causes(analysis: Analysis) -> Report:
    """The report with its findings, worst first."""
    return analysis.report
