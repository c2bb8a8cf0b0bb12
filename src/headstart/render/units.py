"""Numbers as people read them. One place, so that every renderer says the same."""

from __future__ import annotations


def seconds(value: float) -> str:
    """Three figures and a unit: 0.41 ms, 12.3 ms, 3.41 s, 33.4 s, 12 min 05 s."""
    size = abs(value)
    if size >= 600:
        minutes, rest = divmod(round(value), 60)
        return f"{minutes} min {rest:02d} s"
    if size >= 100:
        return f"{value:.0f} s"
    if size >= 9.995:
        return f"{value:.1f} s"
    if size >= 0.9995:
        return f"{value:.2f} s"
    milli = value * 1e3
    if size >= 0.09995:
        return f"{milli:.0f} ms"
    if size >= 0.009995:
        return f"{milli:.1f} ms"
    if size >= 0.00001:
        return f"{milli:.2f} ms"
    return "0 s" if size < 5e-8 else f"{value * 1e6:.1f} µs"


def interval(low: float, high: float) -> str:
    """`0.79–0.84 s`: the unit once where both ends share it."""
    first, second = seconds(low), seconds(high)
    number, _, unit = first.rpartition(" ")
    if unit == second.rpartition(" ")[2] and "min" not in first + second:
        return f"{number}–{second}"
    return f"{first} – {second}"


def share(value: float) -> str:
    """A part of a whole: 8.3 %, 41 %, < 0.1 %."""
    percent = value * 100
    if percent >= 9.95:
        return f"{percent:.0f} %"
    if percent >= 0.05 or percent <= 0:
        return f"{percent:.1f} %"
    return "< 0.1 %"


def times(value: float) -> str:
    """A factor: 1.4, 27, 1,300."""
    if value >= 100:
        return count(round(value, -(len(str(int(value))) - 2)))
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


def count(value: float) -> str:
    return f"{value:,.0f}"


def size(value: float) -> str:
    """Bytes in decimal units, as file managers show them."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 999.5:
            return (
                f"{value:.0f} {unit}" if unit in ("B", "kB") or abs(value) >= 9.95 else f"{value:.1f} {unit}"
            )
        value /= 1000
    return f"{value:.1f} TB"


def plural(number: int, noun: str, many: str | None = None) -> str:
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"
