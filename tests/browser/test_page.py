"""The HTML report in a real browser: it is clicked, zoomed, searched and read back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.render.sample import report

from .browser import Browser, open_browser

VIEW = "return window.headstart.timeline.view"


def pane(browser: Browser, section: str = "#timeline") -> Any:
    return browser.find(f"{section} .pane")


def press(browser: Browser, *keys: str, section: str = "#timeline") -> None:
    pane(browser, section).send_keys(*keys)
    browser.frame()


def click_bar(browser: Browser, name: str, times: int = 1) -> None:
    """Click on the first bar with this name, with a real mouse."""
    from selenium.webdriver.common.action_chains import ActionChains

    x, y = browser.run(
        """
        const t = window.headstart.timeline, names = t.options.names;
        for (const lane of t.lanes) for (let i = 0; i < lane.count; i++) if (names[lane.name[i]] === arguments[0]) {
          t.pane.scrollTop = Math.max(0, t.top(lane, i) - 100);
          t.pane.scrollIntoView({block: 'center', behavior: 'instant'});
          const from = Math.max(lane.start[i], t.view[0]), to = Math.min(lane.end[i], t.view[1]);
          return [t.x((from + to) / 2), t.top(lane, i) - t.pane.scrollTop + 8];
        }""",
        name,
    )
    size = pane(browser).size
    actions = ActionChains(browser.driver).move_to_element_with_offset(
        pane(browser), int(x - size["width"] / 2), int(y - size["height"] / 2)
    )
    for _ in range(times):
        actions = actions.click()
    actions.perform()
    browser.frame()


def test_the_answer_is_on_top(full: Browser) -> None:
    assert full.find("h1").text == "28.2 s to the first step"
    tiles = [tile.text for tile in full.find_all(".tile strong")]
    assert tiles == ["810 ms", "27 steps", "up to 6.62 s", "63.1 s"]


def test_the_ledger_adds_up_on_the_page(full: Browser) -> None:
    rows = full.find_all("#ledger > .card > .scroll tbody tr")
    figures = [row.find_elements("css selector", "td.num")[0].text for row in rows]
    total = sum(float(f.split()[0]) * (1e-3 if f.endswith("ms") else 1.0) for f in figures)
    assert total == pytest.approx(report().wall_seconds, rel=0.01)
    assert full.find("#ledger tfoot td.num").text == "63.1 s"


def test_findings_quote_the_line_and_say_what_to_change(full: Browser) -> None:
    first = full.find(".finding")
    assert "train_step(np.ones(3), step)" in first.find_element("css selector", ".hit").text
    assert "Pass a tensor" in first.text
    assert "5.72 s lost" in first.text


def test_a_click_tells_about_a_bar(full: Browser) -> None:
    click_bar(full, "trace train_step")
    facts = full.find("#timeline .facts").text
    assert "trace train_step" in facts
    assert "8.00 s" in facts
    assert "nodes 900" in facts.replace("\n", " ")


def test_a_double_click_fills_the_view_and_all_brings_it_back(full: Browser) -> None:
    click_bar(full, "trace train_step", times=2)
    low, high = full.run(VIEW)
    assert 10 < low < 12 < 20 < high < 22
    full.find("#timeline button[data-do=reset]").click()
    full.frame()
    assert full.run(VIEW) == [0, pytest.approx(report().wall_seconds)]


def test_buttons_zoom(full: Browser) -> None:
    low, high = full.run(VIEW)
    full.find("#timeline button[data-do=in]").click()
    closer = full.run(VIEW)
    assert closer[1] - closer[0] == pytest.approx((high - low) / 2)
    full.find("#timeline button[data-do=out]").click()
    assert full.run(VIEW) == pytest.approx([low, high])
    full.find("#timeline button[data-do=start]").click()
    assert full.run(VIEW)[1] == pytest.approx(report().time_to_first_step)


def test_the_wheel_zooms_where_the_mouse_is(full: Browser) -> None:
    full.run(
        """const p = window.headstart.timeline.pane, b = p.getBoundingClientRect();
        p.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, ctrlKey: true, clientX: b.left + b.width / 4,
        clientY: b.top + 50, cancelable: true}))"""
    )
    low, high = full.run(VIEW)
    wall = report().wall_seconds
    assert high - low < wall / 2
    assert low + (high - low) / 4 == pytest.approx(wall / 4, rel=0.01)


def test_dragging_moves(full: Browser) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    full.run("const t = window.headstart.timeline; t.show(10, 20); t.pane.scrollIntoView({block: 'center'})")
    full.frame()
    width = full.run("return window.headstart.timeline.width")
    ActionChains(full.driver).drag_and_drop_by_offset(pane(full), -int(width / 2), 0).perform()
    full.frame()
    assert full.run(VIEW) == pytest.approx([15, 25], abs=0.2)


def test_search_finds_counts_and_jumps(full: Browser) -> None:
    box = full.find("#timeline input[type=search]")
    box.send_keys("train_st")
    assert full.find("#timeline output").text == "1 found, 8.00 s"
    box.send_keys("\n")
    full.frame()
    low, high = full.run(VIEW)
    assert 10 < low < high < 22
    assert "trace train_step" in full.find("#timeline .facts").text
    box.clear()
    box.send_keys("no such thing")
    assert full.find("#timeline output").text == "nothing found"


def test_the_keyboard_does_it_all(full: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    press(full, " ")
    assert full.find("#timeline .facts strong").text != ""
    before = full.find("#timeline .facts").text
    press(full, Keys.ARROW_DOWN)
    press(full, Keys.ARROW_RIGHT)
    assert full.find("#timeline .facts").text != before
    press(full, Keys.ENTER)
    low, high = full.run(VIEW)
    assert high - low < report().wall_seconds
    press(full, Keys.ESCAPE)
    assert full.find("#timeline .facts").text == ""
    press(full, Keys.HOME)
    assert full.run(VIEW)[0] == 0
    press(full, "+")
    press(full, Keys.ARROW_RIGHT)
    assert full.run(VIEW)[0] > 0


def test_hovering_shows_a_name_and_a_time(full: Browser) -> None:
    full.run("window.headstart.timeline.pane.scrollTop = 0")
    click_bar(full, "tensorflow")
    full.run("window.headstart.timeline.hover(200, window.headstart.timeline.lanes[0].top + 25)")
    assert re.fullmatch(r".+ · [\d.]+ (ms|s|µs)", full.find("#timeline .tip").text)


def test_the_flame_graphs_hold_what_they_should(full: Browser) -> None:
    total = full.run("return window.headstart.flames.imports.options.total")
    assert total == pytest.approx(9.9, abs=0.01)
    names = full.run(
        """const f = window.headstart.flames.traces, lane = f.lanes[0];
        return lane.rows[0].map((i) => f.options.names[lane.name[i]])"""
    )
    assert names[0] == "train_step"
    press(full, " ", section="#flame-traces")
    assert "train_step" in full.find("#flame-traces .facts").text


def test_charts_show_the_data(full: Browser) -> None:
    count = full.run("return window.headstart.charts[0].data[1].length")
    assert count == len(report().steps.durations)
    assert full.run("return window.headstart.charts.length") == 2
    painted = full.run(
        """const c = document.querySelector('#steps-chart canvas');
        return new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"""
    )
    assert painted > 10


def test_retraces_unfold(full: Browser) -> None:
    details = full.find("#functions details")
    details.find_element("css selector", "summary").click()
    cells = [cell.text for cell in details.find_elements("css selector", "tbody tr:first-child td")]
    assert cells[:2] == ["step", "0 → 1"]
    assert "sample_program.py:11" in cells[3]


def test_the_theme_button_switches_and_is_remembered(full: Browser, pages: dict[str, Path]) -> None:
    assert full.run("return document.documentElement.dataset.theme") == "light"
    full.find("#theme").click()
    assert full.run("return document.documentElement.dataset.theme") == "dark"
    assert full.run("return window.headstart.timeline.options.theme().card") == "#1c1f25"
    full.run("localStorage.clear()")


def test_hostile_texts_stay_texts(chrome: Browser, pages: dict[str, Path]) -> None:
    chrome.console()
    chrome.open(pages["evil"])
    click = "const t = window.headstart.timeline; t.select(t.longest()); t.search('script')"
    chrome.run(click)
    chrome.frame()
    assert chrome.run("return window.pwned") is None
    assert chrome.find_all("main script, main img") == []
    assert "<script>" in chrome.find(".finding h3").text
    assert "<img src=x" in chrome.find("#measured").text
    assert chrome.console() == []


def test_a_report_without_its_run_still_has_its_tables(chrome: Browser, pages: dict[str, Path]) -> None:
    chrome.console()
    chrome.open(pages["bare"])
    assert chrome.find_all("#timeline") == []
    assert chrome.find("#ledger tfoot td.num").text == "63.1 s"
    assert chrome.console() == []


def test_a_phone_shows_all_without_sideways_scrolling(pages: dict[str, Path], tmp_path: Path) -> None:
    with open_browser(width=390, height=800) as phone:
        phone.open(pages["full"])
        assert phone.run("return document.documentElement.scrollWidth") <= 390
        assert phone.run("return window.headstart.timeline.width") > 300
        heights = phone.run(
            "return [...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect().height)"
        )
        assert min(heights) >= 32
        phone.driver.save_screenshot(str(tmp_path / "phone.png"))
        assert (tmp_path / "phone.png").stat().st_size > 10_000
