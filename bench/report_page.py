"""The HTML report with very many events: size, first paint, and how long a frame takes while zooming."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from headstart.render import html

from ._measure import ROOT

sys.path.insert(0, str(ROOT))

SIZES = (5_000, 200_000)
FRAMES = """
const done = arguments[0], t = window.headstart.timeline, times = [];
let left = 60;
const began = performance.now();
const step = () => {
  t.zoom(left > 30 ? 0.8 : 1.25, t.width * 0.3);
  requestAnimationFrame(() => {
    times.push(t.lastPaint);
    if (--left) step(); else done([performance.now() - began, times.sort((a, b) => a - b)]);
  });
};
step();
"""


def main() -> str:
    from tests.browser.browser import missing, open_browser
    from tests.browser.runs import busy_run
    from tests.render.sample import report

    why = missing()
    if why:
        return f"## The HTML report\n\nNot measured: {why}.\n"
    rows = []
    for count in SIZES:
        run = busy_run(count)
        began = time.perf_counter()
        page = html.render(report(), run)
        made = time.perf_counter() - began
        with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
            path = Path(folder) / "report.html"
            path.write_text(page, encoding="utf-8")
            browser.open(path)
            paint = browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
            ready = browser.run("return performance.now()")
            total, times = browser.driver.execute_async_script(FRAMES)
        rows.append(
            f"| {count:,} | {made:.2f} s | {len(page) / 1e6:.2f} MB | {paint / 1e3:.2f} s | {ready / 1e3:.2f} s "
            f"| {times[30]:.1f} ms | {times[57]:.1f} ms | {60 / total * 1e3:.0f} |"
        )
        print(rows[-1], file=sys.stderr)
    return (
        "## The HTML report\n\n"
        "A made-up run in headless Chromium (software drawing). First paint is the browser's own "
        "`first-contentful-paint`; pictures are ready when the timeline is drawn; then 60 zoom steps.\n\n"
        "| events | made in | size | first paint | pictures ready | zoom: paint, median | 95th percentile "
        "| frames/s |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n" + "\n".join(rows) + "\n"
    )
