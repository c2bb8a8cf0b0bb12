"""Names the causes: one file a rule in `rules/`, detectors over the analysed run, text that people act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analyse.model import Analysis
    from ..analyse.report import Report


def find_causes(analysis: Analysis) -> Report:
    """The run's report with its findings."""
    import msgspec

    from .findings import find

    return msgspec.structs.replace(analysis.report, findings=find(analysis))


def preload() -> None:
    """Load all rules, while nobody is waiting for them."""
    from . import findings
    from .catalogue import all_rules

    _ = findings
    all_rules()
