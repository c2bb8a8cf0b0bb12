"""What happens to a report besides being shown: it is remembered, and sent where the environment asks for it.

Nothing here may spoil the run: what fails is said in one line.
"""

from __future__ import annotations

import os
import sys

from ..errors import HeadstartError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import api

OFF = ("off", "0", "no", "false")


def preload() -> None:
    """Load what `remember_in` needs, while there is time."""
    from ..history import entry, store  # noqa: F401

    store.default_path()


def remember_in(where: str | None, reading: api.Reading) -> None:
    """Add the run to the history, unless that is off."""
    if where is not None and where.lower() in OFF:
        return
    from ..history.entry import entry_of
    from ..history.store import open_store

    try:
        open_store(where).add(entry_of(reading.report))
    except (HeadstartError, OSError) as error:
        print(f"headstart: not remembered: {error}", file=sys.stderr)


def export(reading: api.Reading) -> None:
    """Send spans and metrics over OTLP where OTEL_EXPORTER_OTLP_ENDPOINT says so."""
    if not any(os.environ.get(f"OTEL_EXPORTER_OTLP_{kind}ENDPOINT") for kind in ("", "TRACES_", "METRICS_")):
        return
    from ..render.otlp import metrics, traces
    from .otlp import send

    for signal, payload in (("traces", traces), ("metrics", metrics)):
        trouble = send(signal, payload(reading.report, reading.runs))
        if trouble:
            print(f"headstart: OpenTelemetry {signal} not sent: {trouble}", file=sys.stderr)
