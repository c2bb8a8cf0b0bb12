"""What all suites share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Tests keep out of the user's caches, and what they leave goes with them."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADSTART_CACHE_DIR", str(folder))
        patch.setenv("HEADSTART_HISTORY", str(folder / "history.sqlite"))
        for name in (
            "HEADSTART_QUIET",
            "HEADSTART_JSON",
            "HEADSTART_HTML",
            "HEADSTART_TRACE",
            "HEADSTART_RECORD",
        ):
            patch.delenv(name, raising=False)
        yield folder
        # Warm servers that tests have started would stay for half an hour.
        subprocess.run([Path(sys.executable).with_name("headstart"), "warm", "stop"], capture_output=True)
