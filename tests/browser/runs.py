"""Made-up runs of any size."""

from __future__ import annotations

import random

import msgspec

from headstart.record.nouns import Counters, Run, Span
from tests.render.test_trace import START, run

EVIL = "<script>window.pwned=1</script><img src=x onerror='window.pwned=2'>\"'&amp;</style></title>]]>"


def busy_run(events: int, seed: int = 1) -> Run:
    """A start of 40 s: nested imports, then traces, then steps; a second thread that waits for the network."""
    rng = random.Random(seed)
    end = START + 40_000_000_000
    spans: list[Span] = [Span(START + 100_000_000, START + 10_000_000_000, 71, "import", "tensorflow", {})]
    imports = events // 2
    _nest(spans, rng, START + 100_000_000, START + 10_000_000_000, 1, imports)
    spans.append(
        Span(
            START + 12_000_000_000, START + 20_000_000_000, 71, "trace", "train_step", {"fn": 1, "nodes": 900}
        )
    )
    left = events - len(spans)
    width = 20_000_000_000 // max(1, left)
    for number in range(left):
        begin = START + 20_000_000_000 + number * width
        if number % 8 == 7:
            spans.append(Span(begin, begin + width // 2, 99, "external-wait", f"host {number}", {}))
        else:
            spans.append(Span(begin, begin + width * 9 // 10, 71, "batch", "train", {"steps": 1}))
    counters = [Counters(START + i * 400_000_000, {"rss": 10_000_000 * i}) for i in range(100)]
    return msgspec.structs.replace(run(), spans=spans, counters=counters, end_ns=end, open_spans=[])


def _nest(spans: list[Span], rng: random.Random, begin: int, end: int, depth: int, budget: int) -> None:
    """Split a stretch among modules, and each of those among its own."""
    if budget <= 0:
        return
    parts = budget if depth > 25 or budget < 4 else rng.randint(2, 4)
    width = (end - begin) // parts
    for number in range(parts):
        first = begin + number * width
        last = first + width * 19 // 20
        spans.append(Span(first, last, 71, "import", f"package{depth}.module{number}", {}))
        if parts < budget:
            _nest(spans, rng, first + 1, last - 1, depth + 1, budget // parts - 1)
