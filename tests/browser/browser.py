"""A headless Chromium for tests and screenshots: Debian's, through its own chromedriver, with no network."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
# Whatever a page asks for, it gets nothing from outside.
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"


def missing() -> str | None:
    """Why there can be no browser here; None when there can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed: pip install -e .[dev]"
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"there is no {program}: apt-get install chromium chromium-driver"
    return None


class Browser:
    """What the tests need, and no more."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path) -> None:
        """Open a page from disk and wait until its pictures are drawn."""
        self.driver.get(path.as_uri())
        self.wait(
            "return document.documentElement.dataset.ready === 'yes' || !document.getElementById('data')"
        )
        self.frame()

    def frame(self) -> None:
        """Wait until what was asked for is painted."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    def wait(self, script: str, seconds: float = 30) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(lambda d: d.execute_script(script))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def find(self, css: str) -> Any:
        return self.driver.find_element("css selector", css)

    def find_all(self, css: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", css)
        return found

    def console(self) -> list[str]:
        """Everything that the page or the browser complained about."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses other than files and data that were asked for (the browser's own pages aside)."""
        import json

        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "chrome:")):
                    found.append(url)
        return found


@contextmanager
def open_browser(
    width: int = 1280, height: int = 900, theme: str = "light", loopback: bool = False
) -> Iterator[Browser]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(prefix="headstart-browser-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        network = f"{NO_NETWORK}, EXCLUDE 127.0.0.1" if loopback else NO_NETWORK
        for flag in (*FLAGS, network, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
            )
            driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {
                    "features": [
                        {"name": "prefers-color-scheme", "value": theme},
                        {"name": "prefers-reduced-motion", "value": "reduce"},
                    ]
                },
            )
            yield Browser(driver)
        finally:
            driver.quit()
