"""Makes the pictures of docs/images again: the page of a real profile, light, dark and on a phone.

usage: python scripts/screenshots.py [REPORT.html [FOLDER]]

Without a page, examples/digits_fit.py is profiled to get one.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.browser import open_browser  # noqa: E402

SHOTS = (("report-light", 1280, "light"), ("report-dark", 1280, "dark"), ("report-phone", 390, "light"))
TALLEST = 3000


def main(words: list[str]) -> None:
    folder = Path(words[1]) if len(words) > 1 else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(words[0]).resolve() if words else profile(Path(scratch) / "report.html")
        for name, width, theme in SHOTS:
            shoot(page, folder / f"{name}.png", width, theme)


def profile(page: Path) -> Path:
    command = [sys.executable, "-m", "headstart", "profile", "-q", "--html", page, "examples/digits_fit.py"]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return page


def shoot(page: Path, picture: Path, width: int, theme: str) -> None:
    with open_browser(width=width, height=900, theme=theme) as browser:
        browser.open(page)
        height = min(TALLEST, browser.run("return document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = browser.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    picture.write_bytes(base64.b64decode(shot["data"]))
    print(f"{picture}: {width} x {height}")


if __name__ == "__main__":
    main(sys.argv[1:])
