"""Figures of the lab in words: seconds, factors, shares and bytes as one would say them."""

from __future__ import annotations

from .result import ClaimResult, PartResult

NEVER = 1e8
"""From here on a factor stands for "to nothing"."""


def seconds(value: float) -> str:
    if value == float("inf"):
        return "never (it fails)"
    if value >= 100:
        return f"{value:.0f} s"
    if value >= 1:
        return f"{value:.3g} s"
    if value >= 1e-3:
        return f"{value * 1e3:.3g} ms"
    return f"{value * 1e6:.3g} µs"


def size(value: float) -> str:
    if value >= 1e9:
        return f"{value / 1e9:.2f} GB"
    return f"{value / 1e6:.3g} MB" if value >= 1e6 else f"{value / 1e3:.0f} kB"


def quantity(value: float | None, unit: str) -> str:
    if value is None:
        return "not measured"
    if unit == "s":
        return seconds(value)
    return size(value) if unit == "bytes" else f"{value:.3g}"


def times(value: float) -> str:
    if value >= NEVER:
        return "∞×"
    if value <= 1 / NEVER:
        return "0×"
    if value >= 100:
        return f"{_round(value):,.0f}×"
    return f"{value:.1f}×" if value >= 10 else f"{value:.2f}×"


def _round(value: float) -> float:
    """To two figures: a factor of thousands is not known better."""
    step = 10.0 ** (len(str(int(value))) - 2)
    return round(value / step) * step


def share(value: float) -> str:
    return f"{100 * value:.0f} %" if abs(value) >= 0.1 else f"{100 * value:.1f} %"


def effect(result: ClaimResult) -> str:
    """The effect with its interval; empty where nothing was measured."""
    if result.effect is None or result.interval is None:
        return ""
    form = share if result.unit == "share" else times
    low, high = result.interval
    return f"{form(result.effect)} ({form(low)} to {form(high)})"


def comparison(part: PartResult) -> str:
    """One comparison in a sentence."""
    if part.ratio is None or part.interval is None:
        return f"{part.slow}, {part.fast}: not measured" + (f" (needs {part.needs})" if part.needs else "")
    slow, fast = quantity(part.slow_value, part.unit), quantity(part.fast_value, part.unit)
    sides = f"{part.slow} {slow}, {part.fast} {fast}"
    low, high = part.interval
    if part.share:
        found = f"{share(1 - 1 / part.ratio)} of it ({share(1 - 1 / low)} to {share(1 - 1 / high)})"
    else:
        found = f"{times(part.ratio)} ({times(low)} to {times(high)})"
    return f"{sides}: {found}"


def clock(value: float) -> str:
    """Minutes and seconds."""
    whole = round(value)
    return f"{whole // 60}:{whole % 60:02d}"
