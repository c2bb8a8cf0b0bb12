"""Numbers and names as a finding says them."""

from __future__ import annotations

import os


def secs(value: float) -> str:
    """0.0002 → "200 µs", 0.04 → "40 ms", 3.21 → "3.2 s"."""
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s"


def size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if abs(count) < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def file_name(path: str | None) -> str:
    return os.path.basename(path) if path else "a file"


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
