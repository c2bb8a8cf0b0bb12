"""The outputs that `profile` and `report` share, as options and as claimed files."""

from __future__ import annotations

from ..errors import UsageError
from .options import Option, Values
from .outputs import Output, claim, refuse_doubles

REPORT_OPTIONS = (
    Option("json", "write the report as JSON", "FILE"),
    Option("html", "write the report as one self-contained page", "FILE"),
    Option("trace", "write a Chrome/Perfetto trace", "FILE"),
    Option("speedscope", "write a file for speedscope", "FILE"),
    Option("prometheus", "write the figures in Prometheus' text format", "FILE"),
)
FORCE = Option("force", "replace output files that headstart did not write", setting=False)


def claim_reports(values: Values, *others: str | None) -> list[Output]:
    """Claim every report that was asked for. `others` are names that none of them may have."""
    wanted = [(option.name, path) for option in REPORT_OPTIONS if (path := values.text(option.name))]
    names = [*(path for _, path in wanted), *(path for path in others if path)]
    if "-" in names:
        raise UsageError("a report goes to a file: give a name instead of -")
    refuse_doubles(names)
    return [claim(kind, path, values.flag("force")) for kind, path in wanted]
