"""Numbers as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headstart.render import units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"),
        (0.0000042, "4.2 µs"),
        (0.00041, "0.41 ms"),
        (0.0123, "12.3 ms"),
        (0.412, "412 ms"),
        (0.9996, "1.00 s"),
        (3.414, "3.41 s"),
        (9.996, "10.0 s"),
        (33.44, "33.4 s"),
        (133.4, "133 s"),
        (725.0, "12 min 05 s"),
    ],
)
def test_seconds(value: float, text: str) -> None:
    assert units.seconds(value) == text


@given(st.floats(0, 1e7))
def test_seconds_are_short_and_have_a_unit(value: float) -> None:
    text = units.seconds(value)
    assert text.endswith("s")
    assert len(text) <= 16


def test_other_units() -> None:
    assert units.share(0.0832) == "8.3 %"
    assert units.share(0.41) == "41 %"
    assert units.share(0.0001) == "< 0.1 %"
    assert units.size(94_000_000) == "94 MB"
    assert units.size(1_930_000_000) == "1.9 GB"
    assert units.size(12) == "12 B"
    assert units.times(1.44) == "1.4"
    assert units.times(27.2) == "27"
    assert units.times(1342) == "1,300"
    assert units.interval(0.0009, 1.2) == "0.90 ms – 1.20 s"
    assert units.plural(1, "run") == "1 run"
    assert units.plural(1200, "run") == "1,200 runs"
