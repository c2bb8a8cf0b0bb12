"""The lines of `-c` programs. What the interpreter itself does is compared in `tests/launch`, on 3.13 and later."""

from __future__ import annotations

import linecache
import warnings
from types import CodeType
from typing import Any

import pytest

from headstart.accelerate import codelines

TEXT = "def f():\n    return 1 is 1\nf()\n"


def test_a_linecache_that_knows_lines_by_their_code(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: list[tuple[Any, str, str]] = []
    monkeypatch.setattr(linecache, "_interactive_cache", {}, raising=False)
    monkeypatch.setattr(linecache, "_register_code", lambda *given: registered.append(given), raising=False)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        codelines.remember(TEXT)
        assert list(warnings.filters) == before
    assert heard == []
    ((code, text, name),) = registered
    assert isinstance(code, CodeType)
    assert code.co_filename == name == "<string>"
    assert text == TEXT
    codelines.remember("def f(:\n")
    assert len(registered) == 1


def test_one_that_knows_them_by_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: list[tuple[Any, str, str]] = []
    monkeypatch.delattr(linecache, "_interactive_cache", raising=False)
    monkeypatch.setattr(linecache, "_register_code", lambda *given: registered.append(given), raising=False)
    codelines.remember(TEXT)
    assert registered == [("<string>", TEXT, "<string>")]
