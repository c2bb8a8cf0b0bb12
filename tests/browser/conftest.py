"""A browser for the module and pages to open in it. Without a browser these tests are skipped, and say why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from headstart.render import html
from tests.render.sample import report
from tests.render.test_trace import run

from .browser import Browser, missing, open_browser
from .runs import EVIL, busy_run

WHY_NOT = missing()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if WHY_NOT is None:
        return
    for item in items:
        if "tests/browser/" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.skip(reason=f"no browser tests: {WHY_NOT}"))


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    evil = report()
    evil_run = run()
    finding = msgspec.structs.replace(evil.findings[0], title=EVIL, advice=EVIL, file=f"/tmp/{EVIL}.py")
    evil = msgspec.structs.replace(
        evil,
        target=msgspec.structs.replace(evil.target, argv=[EVIL]),
        findings=[msgspec.structs.replace(finding, details={"source": EVIL})],
        notes=[EVIL],
        functions=[
            msgspec.structs.replace(
                evil.functions[0],
                name=EVIL,
                retraces=[
                    msgspec.structs.replace(
                        evil.functions[0].retraces[0], argument=EVIL, before=EVIL, after=EVIL
                    )
                ],
            )
        ],
        imports=[msgspec.structs.replace(evil.imports[0], module=EVIL)],
        initializers=[msgspec.structs.replace(evil.initializers[0], name=EVIL)],
        environment={EVIL: EVIL},
    )
    evil_run = msgspec.structs.replace(
        evil_run,
        spans=[msgspec.structs.replace(span, name=EVIL, attrs={"path": EVIL}) for span in evil_run.spans],
    )
    made = {
        "full": html.render(report(), busy_run(3000)),
        "evil": html.render(evil, evil_run),
        "bare": html.render(report(functions=[], findings=[], imports=[], libraries=[])),
    }
    found = {}
    for name, text in made.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(text, encoding="utf-8")
    return found


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def full(chrome: Browser, pages: dict[str, Path]) -> Iterator[Browser]:
    """The ordinary page, freshly opened; nothing may have gone wrong in it by the end of the test."""
    chrome.console()
    chrome.requests()
    chrome.open(pages["full"])
    yield chrome
    assert chrome.console() == []
    assert chrome.requests() == []
