"""The environment of the target: the user's own, plus what brings the capture in."""

from __future__ import annotations

import json
import os

from ..record.format import CONFIG_VARIABLE

# Found by its place, not imported: `launch` and `capture` do not know each other.
INJECT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "capture", "inject")


def capture_environment(environ: dict[str, str], record: str, start_ns: int, run: str) -> dict[str, str]:
    """`environ` with the capture injected; the capture takes itself out again before user code runs."""
    pythonpath = environ.get("PYTHONPATH")
    config = {"record": record, "start_ns": start_ns, "pythonpath": pythonpath, "run": run}
    return {
        **environ,
        # An empty PYTHONPATH means the current directory to no Python, so it must not become a trailing ":".
        "PYTHONPATH": INJECT + os.pathsep + pythonpath if pythonpath else INJECT,
        CONFIG_VARIABLE: json.dumps(config),
    }
