"""The run as a speedscope file: one evented profile a thread (https://www.speedscope.app/file-format-schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from ..analyse.report import Event, Report
from ..record.nouns import Run
from .events import processes
from .json import sound


def render(report: Report, runs: Run | Sequence[Run]) -> bytes:
    behind = [runs] if isinstance(runs, Run) else list(runs)
    frames: dict[str, int] = {}
    profiles = []
    for process in processes(behind, most=10**9):
        for lane in process.lanes:
            if lane.kind == "steps" or not lane.events:
                continue
            name = lane.title if len(behind) == 1 else f"{process.title}: {lane.title}"
            profiles.append(_profile(name, lane.events, frames))
    content = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": f"headstart {report.headstart}",
        "name": " ".join(report.target.argv),
        "activeProfileIndex": min(1, max(0, len(profiles) - 1)),
        "shared": {"frames": [{"name": name} for name in frames]},
        "profiles": profiles,
    }
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        return msgspec.json.encode(sound(content))


def _profile(name: str, events: Sequence[Event], frames: dict[str, int]) -> dict[str, Any]:
    """Opens and closes in order. A child that outlives its parent is clipped: the format demands nesting."""
    found: list[dict[str, Any]] = []
    open_frames: list[tuple[int, int]] = []  # (end, frame)
    latest = 0

    def close(until: int) -> None:
        nonlocal latest
        while open_frames and open_frames[-1][0] <= until:
            end, frame = open_frames.pop()
            latest = max(latest, end)
            found.append({"type": "C", "frame": frame, "at": latest})

    first = 0
    for number, event in enumerate(events):
        start = round(event.start * 1e6)
        first = start if number == 0 else first
        close(start)
        latest = max(latest, start)
        end = max(round((event.start + event.seconds) * 1e6), latest)
        if open_frames:
            end = min(end, open_frames[-1][0])
        frame = frames.setdefault(event.name, len(frames))
        found.append({"type": "O", "frame": frame, "at": latest})
        open_frames.append((end, frame))
    close(10**18)
    return {
        "type": "evented",
        "name": name,
        "unit": "microseconds",
        "startValue": first,
        "endValue": latest,
        "events": found,
    }
