"""The HTML report without a browser: self-contained, small, guarded. tests/browser looks at it in one."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser

import msgspec
import pytest

from headstart.analyse.report import Function
from headstart.record.nouns import Span
from headstart.render import flame, html
from headstart.render.events import processes
from headstart.render.payload import pack

from .sample import report
from .test_trace import START, run


class Outline(HTMLParser):
    """Collects what a page refers to, and checks that its elements close in order."""

    VOID = ("meta", "link", "br", "input", "img")

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for key, value in attrs if key in ("src", "href", "action") and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_it_refers_to_nothing_outside() -> None:
    page = html.render(report(), run())
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert "@import" not in page
    assert not re.search(r"url\((?!data:)", page)


def test_scripts_run_by_their_hash_alone() -> None:
    page = html.render(report(), run())
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]


def test_an_ordinary_run_is_small() -> None:
    spans = [
        Span(START + i * 1_000_000, START + i * 1_000_000 + 900_000, 71, "import", f"package.module{i}", {})
        for i in range(9000)
    ]
    page = html.render(report(), run(spans=spans, end_ns=START + 10_000_000_000, open_spans=[]))
    assert len(page) < 500_000


def test_the_head_says_what_it_is() -> None:
    head = html.render(report())[:4096]
    assert "<html" in head
    assert 'content="headstart' in head


def test_paths_that_are_not_utf8_do_not_break_it() -> None:
    made = report()
    odd = msgspec.structs.replace(made.target, argv=["caf\udce9.py"])
    text = html.render(
        msgspec.structs.replace(made, target=odd),
        run(spans=[Span(START, START + 5, 71, "import", "x\udce9", {})]),
    )
    text.encode("utf-8")
    assert "caf\\udce9.py" in text


def test_no_findings_is_said() -> None:
    assert "No cause worth mending was found." in html.render(report(findings=[]))


def unpacked() -> dict[str, object]:
    found: dict[str, object] = json.loads(zlib.decompress(base64.b64decode(pack(report(), [run()]))))
    return found


def test_the_packed_data_holds_every_span() -> None:
    data = unpacked()
    lanes = {lane["title"]: lane for lane in data["processes"][0]["lanes"]}  # type: ignore[index]
    assert set(lanes) == {"phases", "steps", "main thread", "thread 1"}
    main = lanes["main thread"]
    names = [data["names"][n] for n in main["n"]]  # type: ignore[index]
    assert names == ["tensorflow", "a.so", "train batch", "train batch", "shutdown"]
    assert main["s"] == [1000, 1000, 18000, 10000, 5000]
    assert main["d"] == [8000, 2000, 10000, 1000, 5000]
    assert main["l"] == [0, 1, 0, 0, 0]


def test_very_many_spans_are_thinned_to_the_longest() -> None:
    spans = [Span(START + i * 10_000, START + i * 10_000 + i, 71, "call", f"f{i}", {}) for i in range(1000)]
    (process,) = processes([run(spans=spans, open_spans=[])], most=100)
    kept = next(lane for lane in process.lanes if lane.title == "main thread").events
    assert 90 <= len(kept) <= 110
    assert min(event.seconds for event in kept) > 0.8e-6


def test_the_flame_graph_of_imports_closes_gaps() -> None:
    spans = [
        Span(START, START + 100, 71, "import", "a", {}),
        Span(START + 10, START + 60, 71, "import", "a.b", {}),
        Span(START + 5000, START + 5100, 71, "import", "c", {}),
    ]
    bars = flame.imports([run(spans=spans)])
    assert [(b.name, round(b.start * 1e9), round(b.seconds * 1e9), b.depth) for b in bars] == [
        ("a", 0, 100, 0),
        ("a.b", 10, 50, 1),
        ("c", 100, 100, 0),
    ]


def test_the_flame_graph_of_traces_splits_by_line() -> None:
    function = Function(
        name="f",
        file="/a/t.py",
        line=1,
        traces=1,
        trace_seconds=4.0,
        optimize_seconds=1.0,
        nodes=100,
        retraces=[],
        lines=[("/a/t.py", 2, 75), ("/a/t.py", 3, 25)],
    )
    bars = flame.traces(report(functions=[function]))
    assert [(b.name, b.start, b.seconds, b.depth) for b in bars] == [
        ("f", 0.0, 5.0, 0),
        ("tracing", 0.0, 4.0, 1),
        ("/a/t.py:2", 0.0, pytest.approx(3.0), 2),
        ("/a/t.py:3", pytest.approx(3.0), pytest.approx(1.0), 2),
        ("graph optimization", 4.0, 1.0, 1),
    ]
