"""Names the causes: one file a rule in `rules/`, detectors over the analysed run, text that people act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analyse.model import Analysis
    from ..analyse.report import Report


def find_causes(analysis: Analysis) -> Report:
    """The run's report with its findings. What a busy machine cost is nobody's fault, and in none of them."""
    import msgspec

    from ..analyse.build import analyse
    from ..analyse.undisturbed import undisturbed
    from .findings import find

    quiet = undisturbed(analysis.run)
    findings = find(analysis if quiet is None else analyse(quiet))
    return msgspec.structs.replace(analysis.report, findings=findings)


def preload() -> None:
    """Load all rules, while nobody is waiting for them."""
    from . import findings
    from .catalogue import all_rules

    _ = findings
    all_rules()
