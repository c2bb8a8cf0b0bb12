"""A file that grows is read in whole lines, each once; one that grows too fast is skipped over."""

from __future__ import annotations

from pathlib import Path

from headstart.record.appended import Appended


def test_whole_lines_each_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    appended = Appended(path)
    assert appended.lines() == []
    path.write_bytes(b"one\ntw")
    assert appended.lines() == [b"one"]
    assert appended.lines() == []
    assert appended.rest == b"tw"
    with path.open("ab") as file:
        file.write(b"o\nthree\n")
    assert appended.lines() == [b"two", b"three"]
    assert (appended.rest, appended.size) == (b"", 14)


def test_what_grows_too_fast_is_skipped_over(tmp_path: Path) -> None:
    """The line that it lands in is not taken for a whole one."""
    path = tmp_path / "file"
    path.write_bytes(b"".join(b"line %03d\n" % number for number in range(100)))
    appended = Appended(path, most=22)
    first, *others = appended.lines()
    assert first.startswith(b"?")
    assert others == [b"line 098", b"line 099"]
    assert appended.size == 900
