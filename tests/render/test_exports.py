"""speedscope, Prometheus and OpenTelemetry."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.cli import otlp as sender
from headstart.record.nouns import Span
from headstart.render import otlp, prometheus, speedscope

from .sample import report
from .test_trace import START, run

# --- speedscope -------------------------------------------------------------------------------------------------


def check_nesting(profile: dict[str, Any]) -> None:
    """What speedscope demands: closes match opens, time never goes back."""
    stack, at = [], profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= at
        at = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
    assert stack == []
    assert profile["endValue"] >= at


def test_speedscope_has_a_profile_for_each_thread() -> None:
    data = json.loads(speedscope.render(report(), run()))
    assert [profile["name"] for profile in data["profiles"]] == ["phases", "main thread", "thread 1"]
    assert data["profiles"][data["activeProfileIndex"]]["name"] == "main thread"
    for profile in data["profiles"]:
        check_nesting(profile)
    names = {frame["name"] for frame in data["shared"]["frames"]}
    assert {"tensorflow", "a.so", "train batch", "imports"} <= names


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=30))
@settings(deadline=None)
def test_speedscope_nests_whatever_the_record_says(pairs: list[tuple[int, int]]) -> None:
    spans = [
        Span(START + a * 1000, START + (a + b) * 1000, 99, "call", f"f{n}", {})
        for n, (a, b) in enumerate(pairs)
    ]
    data = json.loads(speedscope.render(report(), run(spans=spans, open_spans=[])))
    for profile in data["profiles"]:
        check_nesting(profile)


# --- Prometheus -------------------------------------------------------------------------------------------------

LINE = re.compile(r'^[a-z_]+\{([a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\} -?[0-9.e+-]+$')


def test_prometheus_lines_are_well_formed() -> None:
    made = report()
    odd = msgspec.structs.replace(made.target, argv=['a "b"\\c\nd'])
    lines = prometheus.render(msgspec.structs.replace(made, target=odd)).strip().split("\n")
    for line in lines:
        assert line.startswith(("# HELP ", "# TYPE ")) or LINE.match(line), line
    samples = [line for line in lines if line.startswith("headstart_phase_seconds{")]
    assert sum(float(line.rpartition(" ")[2]) for line in samples) == pytest.approx(made.wall_seconds)
    assert 'headstart_finding_seconds{program="a \\"b\\"\\\\c\\nd",rule="HS301"} 5.72' in lines


def test_prometheus_leaves_out_what_is_unknown() -> None:
    text = prometheus.render(report(time_to_first_step=None))
    assert "time_to_first_step" not in text
    assert "before_first_step" not in text


# --- OpenTelemetry ------------------------------------------------------------------------------------------------


class Collector(HTTPServer):
    """Takes what a collector takes, and keeps it."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        pass


def as_proto(body: bytes, kind: str) -> Any:
    """Read it with OpenTelemetry's own definitions. In JSON, OTLP writes identities in hex, protobuf in base64."""
    pytest.importorskip("opentelemetry.proto")
    from google.protobuf import json_format
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    def recode(match: re.Match[str]) -> str:
        return f'"{match[1]}":"{base64.b64encode(bytes.fromhex(match[2])).decode()}"'

    text = re.sub(r'"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"', recode, body.decode())
    message = ExportTraceServiceRequest() if kind == "traces" else ExportMetricsServiceRequest()
    return json_format.Parse(text, message)


def test_spans_are_what_the_standard_defines() -> None:
    request = as_proto(otlp.traces(report(), [run()]), "traces")
    spans = request.resource_spans[0].scope_spans[0].spans
    by_name = {span.name: span for span in spans}
    root = by_name["train.py --epochs 2"]
    assert {len(span.trace_id) for span in spans} == {16}
    assert {len(span.span_id) for span in spans} == {8}
    assert len({span.span_id for span in spans}) == len(spans)
    assert by_name["tensorflow"].parent_span_id == root.span_id
    assert by_name["a.so"].parent_span_id == by_name["tensorflow"].span_id
    assert by_name["tensorflow"].end_time_unix_nano - by_name["tensorflow"].start_time_unix_nano == 8_000_000
    assert all(
        root.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano for span in spans
    )


def test_metrics_are_what_the_standard_defines() -> None:
    request = as_proto(otlp.metrics(report(), [run()]), "metrics")
    metrics = {m.name: m for m in request.resource_metrics[0].scope_metrics[0].metrics}
    (point,) = metrics["headstart.time_to_first_step"].gauge.data_points
    assert point.as_double == pytest.approx(report().time_to_first_step)
    phases = metrics["headstart.phase"].gauge.data_points
    assert sum(point.as_double for point in phases) == pytest.approx(report().wall_seconds)


def test_a_profile_is_sent_where_the_environment_says(tmp_path: Path) -> None:
    collector = Collector()
    (tmp_path / "hello.py").write_text("import json")
    env = {
        **os.environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url + "/",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b,x=y",
    }
    command = [sys.executable, "-m", "headstart", "profile", "hello.py"]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
    collector.shutdown()
    assert [path for path, _, _ in collector.seen] == ["/v1/traces", "/v1/metrics"]
    _, headers, body = collector.seen[0]
    headers = {key.lower(): value for key, value in headers.items()}
    assert (headers["api-key"], headers["x"], headers["content-type"]) == ("a b", "y", "application/json")
    assert as_proto(body, "traces").resource_spans[0].scope_spans[0].spans[0].name == "hello.py"


def test_a_collector_that_refuses_spoils_nothing(tmp_path: Path) -> None:
    collector = Collector(status=500)
    (tmp_path / "hello.py").write_text("raise SystemExit(4)")
    for url in (collector.url, "http://127.0.0.1:1", "ftp://x"):
        env = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        command = [sys.executable, "-m", "headstart", "profile", "hello.py"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 4
        assert "OpenTelemetry traces not sent" in done.stderr
    collector.shutdown()


def test_an_address_of_its_own_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://a/spans")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://b")
    assert sender.endpoint("traces") == "http://a/spans"
    assert sender.endpoint("metrics") == "http://b/v1/metrics"
