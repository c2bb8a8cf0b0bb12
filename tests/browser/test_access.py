"""What a Lighthouse audit would look at: contrast, labels, headings, keyboard."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from .browser import Browser, open_browser

LEVEL = """
const level = (rgb) => {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(level(a), level(b)) + 0.05) / (Math.min(level(a), level(b)) + 0.05);
const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
"""

CONTRAST = (
    LEVEL
    + """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0.99) return c.slice(0, 3);
  }
  return [255, 255, 255];
};
const poor = [];
for (const element of document.querySelectorAll('main *, .bar *')) {
  const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !element.getBoundingClientRect().width || element.closest('[hidden], noscript')) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const ratio = contrast(parse(style.color).slice(0, 3), behind(element));
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) poor.push([element.tagName, element.textContent.slice(0, 30), ratio]);
}
return poor;
"""
)

UNNAMED = """
const named = (e) => e.getAttribute('aria-label') || e.textContent.trim() || e.getAttribute('title');
return [...document.querySelectorAll('button, input, [tabindex], a, [role=img], [role=application]')]
  .filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80));
"""

HEADINGS = "return [...document.querySelectorAll('h1, h2, h3')].map((h) => Number(h.tagName[1]))"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read(pages: dict[str, Path], theme: str) -> None:
    with open_browser(theme=theme) as browser:
        browser.open(pages["full"])
        assert browser.run("return document.documentElement.dataset.theme") == theme
        for details in browser.find_all("details"):
            browser.run("arguments[0].open = true", details)
        assert browser.run(CONTRAST) == []


def test_labels_on_bars_can_be_read(full: Browser) -> None:
    ratios = full.run(
        LEVEL
        + """const t = window.headstart.timeline.options.theme();
        return t.colours.map((c, i) => contrast(hex(c), hex(t.text[i])))"""
    )
    assert min(ratios) >= 4.5


def test_everything_that_can_be_used_has_a_name(full: Browser) -> None:
    assert full.run(UNNAMED) == []


def test_headings_skip_no_level(full: Browser) -> None:
    levels = full.run(HEADINGS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_identities_are_unique_and_sections_are_labelled(full: Browser) -> None:
    identities = full.run("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(identities) == len(set(identities))
    unlabelled = full.run(
        """return [...document.querySelectorAll('section')].filter((s) =>
        !document.getElementById(s.getAttribute('aria-labelledby'))).map((s) => s.id)"""
    )
    assert unlabelled == []


def test_links_lead_somewhere(full: Browser) -> None:
    dead = full.run(
        """return [...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))
        .filter((href) => !document.querySelector(href))"""
    )
    assert dead == []


def test_tab_reaches_the_pictures(full: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    seen: list[str] = []
    for _ in range(60):
        full.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(full.run("return document.activeElement.className || document.activeElement.tagName"))
        if seen.count("pane") == 3:
            break
    assert seen.count("pane") == 3
    assert full.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_language_title_and_viewport_are_set(full: Browser) -> None:
    assert full.find("html").get_attribute("lang") == "en"
    assert full.driver.title == "headstart: train.py --epochs 2"
    assert "width=device-width" in full.find("meta[name=viewport]").get_attribute("content")


SPOILED = {
    "contrast": (
        "const p = document.querySelector('.soft, .command'); p.style.color = getComputedStyle(document.body).backgroundColor",
        CONTRAST,
    ),
    "a button without a name": (
        "document.querySelector('main').append(document.createElement('button'))",
        UNNAMED,
    ),
    "a picture without a name": (
        "document.querySelector('[role=img]').removeAttribute('aria-label')",
        UNNAMED,
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_these_checks_can_fail(full: Browser, what: str) -> None:
    spoil, check = SPOILED[what]
    assert full.run(check) == []
    full.run(spoil)
    assert len(full.run(check)) == 1


def test_tab_order_can_be_seen_to_break(full: Browser) -> None:
    """The keyboard test above would notice a picture that Tab no longer reaches."""
    from selenium.webdriver.common.keys import Keys

    full.run("document.querySelector('#timeline .pane').tabIndex = -1")
    reached = set()
    for _ in range(60):
        full.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(
            full.run(
                "return document.activeElement.closest('section')?.id + document.activeElement.className"
            )
        )
    assert "timelinepane" not in reached
    assert "flame-importspane" in reached
