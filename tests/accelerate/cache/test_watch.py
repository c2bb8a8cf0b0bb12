"""What is seen of the world while something is traced; here any code stands for a trace."""

from __future__ import annotations

import linecache
import logging
import os
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from headstart.accelerate.cache.watch import world
from headstart.accelerate.cache.watch.files import Files


def test_variables_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERE", "yes")
    monkeypatch.delenv("GONE", raising=False)
    data = os.environ._data  # type: ignore[attr-defined]
    watched = world.Environment()
    watched.start()
    assert os.environ.get("THERE") == "yes"
    assert os.getenv("GONE") is None
    assert "GONE" not in os.environ
    with pytest.raises(KeyError) as caught:
        os.environ["GONE"]
    assert not any("headstart" in frame.filename for frame in traceback.extract_tb(caught.tb)[1:])
    os.environ["SET"] = "now"
    watched.stop()
    assert watched.read == {"THERE": "yes", "GONE": world._ABSENT}
    assert os.environ._data is data  # type: ignore[attr-defined]
    assert os.environ["SET"] == "now"
    del os.environ["SET"]
    for name, value in watched.read.items():
        assert world.environment_value(name) == value


def test_all_variables() -> None:
    watched = world.Environment()
    watched.start()
    copied = dict(os.environ)
    watched.stop()
    assert copied == dict(os.environ)
    assert watched.read["*"] == world.environment_value("*")


def test_what_is_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _said()


def _said() -> None:
    reasons: list[str] = []

    def state() -> tuple[object, ...]:
        logger = logging.Logger
        return sys.stdout, sys.stderr, list(warnings.filters), logger.callHandlers, logger.isEnabledFor

    before = state()
    printing = world.Printing(reasons.append)
    printing.start()
    logging.getLogger("quiet.one").debug("not said")
    assert not printing.warned
    warnings.warn("not shown", stacklevel=1)
    assert reasons == []
    assert printing.warned
    assert ("quiet.one", logging.DEBUG) in printing.silent
    print("said")
    printing.stop()
    assert set(reasons) == {"while it is traced it prints"}
    assert state() == before
    assert world.is_silent("quiet.one", logging.DEBUG)
    logging.getLogger("quiet.one").setLevel(logging.DEBUG)
    assert not world.is_silent("quiet.one", logging.DEBUG)
    logging.getLogger("quiet.one").setLevel(logging.NOTSET)
    assert not world.is_silent("no.such.logger", logging.DEBUG)
    assert "no.such.logger" not in logging.root.manager.loggerDict


def test_filters_of_warnings_are_told_apart() -> None:
    before = world.warning_filters()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert world.warning_filters() != before
    assert world.warning_filters() == before


def test_files(tmp_path: Path) -> None:
    reasons: list[str] = []
    (tmp_path / "read.txt").write_text("x")
    files = Files(reasons.append)
    files.start()
    (tmp_path / "read.txt").read_text()
    assert list(files.read) == [str(tmp_path / "read.txt")]
    assert reasons == []
    (tmp_path / "written.txt").write_text("x")
    os.listdir(tmp_path)
    files.stop()
    (tmp_path / "later.txt").write_text("x")
    assert reasons == [
        f"while it is traced it writes {tmp_path / 'written.txt'}",
        "while it is traced it does os.listdir",
    ]


def test_source_that_is_read_as_data_is_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("settings_as_text.py", "settings_imported.py", "settings_shown.py"):
        (tmp_path / name).write_text("A = 1\n")
    reasons: list[str] = []
    files = Files(reasons.append)
    files.start()
    try:
        __import__("settings_imported")
        linecache.getline(str(tmp_path / "settings_shown.py"), 1)
        (tmp_path / "settings_as_text.py").read_text()
    finally:
        files.stop()
        sys.modules.pop("settings_imported", None)
    assert list(files.read) == [str(tmp_path / "settings_as_text.py")]
