"""What all suites share."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Programs inherit what is ignored. Under `nohup`, or in the background of a script, that would be the very signals
    that tests send."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What judges by times runs alone. The many cases of `make soak` would take too long so; there are two at a time."""
    here = Path(__file__).parent
    for item in items:
        suite = item.path.relative_to(here).parts[0]
        if suite == "lab" or (suite == "cases" and item.get_closest_marker("soak") is None):
            item.add_marker("alone")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The verdicts on the programs in `cases/`, whichever process they were reached in."""
    from tests.cases.judging import FOR_THE_TABLE, table_of

    properties = [
        (report.nodeid, value)
        for reports in (terminalreporter.stats.get("passed", ()), terminalreporter.stats.get("failed", ()))
        for report in reports
        for name, value in report.user_properties
        if name == FOR_THE_TABLE
    ]
    if properties:
        terminalreporter.section("cases")
        terminalreporter.write_line(
            table_of({at.rpartition("[")[2].rstrip("]"): kept for at, kept in properties})
        )


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
            # Output that waits in a buffer is what most people's programs have.
            "PYTHONUNBUFFERED",
            "PYTHONDONTWRITEBYTECODE",
        ):
            patch.delenv(name, raising=False)
        yield folder
        # Warm servers that tests have started would stay for half an hour.
        subprocess.run([Path(sys.executable).with_name("headstart"), "warm", "stop"], capture_output=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can get to; pytest's own can be entered by one user only, and stay so."""
    folder = Path(tempfile.mkdtemp(prefix="headstart-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
