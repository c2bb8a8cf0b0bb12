"""Files are claimed before and written whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headstart.cli.outputs import claim, looks_like, write
from headstart.errors import HeadstartError

REPORT = '{"schema": 1, "headstart": "0"}'


def test_writes_what_it_is_given(tmp_path: Path) -> None:
    output = claim("json", str(tmp_path / "out.json"))
    assert list(tmp_path.iterdir()) == []
    assert write(output, REPORT) == str(tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == REPORT
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_bytes_and_odd_texts(tmp_path: Path) -> None:
    write(claim("json", str(tmp_path / "a")), b"\xff\x00")
    write(claim("json", str(tmp_path / "b")), "caf\udce9 ☃")
    assert (tmp_path / "a").read_bytes() == b"\xff\x00"
    assert (tmp_path / "b").read_bytes() == b"caf\xe9 \xe2\x98\x83"


def test_the_users_umask_decides(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(claim("json", str(tmp_path / "out")), REPORT)
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


def test_a_name_taken_meanwhile_is_left_alone(tmp_path: Path) -> None:
    output = claim("json", str(tmp_path / "out.json"))
    (tmp_path / "out.json").write_text("theirs")
    assert write(output, REPORT) == str(tmp_path / "out.2.json")
    assert (tmp_path / "out.json").read_text() == "theirs"
    again = write(output, REPORT)
    assert again == str(tmp_path / "out.3.json")


def test_a_report_replaced_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text(REPORT)
    output = claim("json", str(path))
    path.write_text(REPORT + " theirs")
    assert write(output, REPORT) == str(tmp_path / "out.2.json")
    assert path.read_text() == REPORT + " theirs"


def test_a_report_deleted_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text(REPORT)
    output = claim("json", str(path))
    path.unlink()
    assert write(output, REPORT) == str(path)


def test_a_folder_that_went_away(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    output = claim("json", str(tmp_path / "sub" / "out.json"))
    (tmp_path / "sub").rmdir()
    with pytest.raises(HeadstartError, match="could not write the json"):
        write(output, REPORT)


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    output = claim("json", str(tmp_path / "out.json"))
    assert write(output, REPORT) == str(tmp_path / "out.json")
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write(claim("json", str(tmp_path / "pipe")), REPORT)
    assert os.read(reader, 1000).decode() == REPORT
    os.close(reader)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("json", REPORT, True),
        ("json", '{"schema": 1}', False),
        ("trace", '{"displayTimeUnit":"ms","otherData":{"headstart":"0"}', True),
        ("trace", REPORT, False),
        ("record", '{"headstart_record":1}\n', True),
        ("record", "headstart_record\n", False),
    ],
)
def test_recognises_its_own(kind: str, text: str, expected: bool, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(text)
    assert looks_like(kind, str(tmp_path / "f")) is expected
