"""Takes the pictures of docs/images from a report page, with a headless browser.

usage: python scripts/screenshots.py REPORT.html [FOLDER]
"""

from __future__ import annotations

import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from tests.browser.browser import open_browser

SHOTS = (
    ("report-light", 1280, "light"),
    ("report-dark", 1280, "dark"),
    ("report-phone", 390, "light"),
)


def main() -> None:
    page = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    for name, width, theme in SHOTS:
        with open_browser(width=width, height=900, theme=theme) as browser:
            browser.open(page)
            size = browser.run(
                "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            data = browser.cdp(
                "Page.captureScreenshot",
                captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": width, "height": size[1], "scale": 1},
            )["data"]
            (folder / f"{name}.png").write_bytes(base64.b64decode(data))
            print(f"{folder / name}.png  {size}")


if __name__ == "__main__":
    main()
