"""A record read while it is written is the same run as one read at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.cli import meanwhile
from headstart.record import signals as s
from headstart.record.following import Following
from headstart.record.nouns import Run
from headstart.record.reader import RecordError, read_run
from tests.made_runs import MadeRun


def whole() -> bytes:
    made = MadeRun(boot_ms=20)
    for number in range(40):
        made = made.span(100 + number, 101 + number, s.IMPORT, f"module_{number}")
        made = made.sample(100 + number, leaf="é → ü")
    return made.closed(400).exit(420).text().encode()


@settings(max_examples=60, deadline=None)
@given(cuts=st.lists(st.integers(0, len(whole())), max_size=8), end=st.integers(0, len(whole())))
def test_however_it_grows_and_wherever_it_ends(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], end: int
) -> None:
    path = tmp_path_factory.mktemp("following") / "run.hsrun"
    following, data, at = Following(path), whole()[:end], 0
    for cut in [*sorted(min(cut, end) for cut in cuts), end]:
        with path.open("ab") as file:
            file.write(data[at:cut])
        at = cut
        following.look()
    assert outcome(following.run) == outcome(lambda: read_run(path))


def outcome(read: Callable[[], Run]) -> Run | str:
    try:
        return read()
    except RecordError as error:
        return str(error)


def test_half_a_line_that_the_launcher_ends(tmp_path: Path) -> None:
    """A killed process leaves half a line; the trailer begins with a line end."""
    path, data = tmp_path / "run.hsrun", whole()
    path.write_bytes(data[:-300])
    following = Following(path)
    following.look()
    with path.open("ab") as file:
        file.write(b'\n["x",420000000,{"status":null,"signal":9,"maxrss_kb":1}]\n')
    run = following.run()
    assert run == read_run(path)
    assert run.dropped_lines == 1


def test_what_is_read_so_far_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.hsrun"
    following = Following(path)
    following.look()
    assert following.so_far() is None
    path.write_bytes(whole()[:2000])
    following.look()
    so_far = following.so_far()
    assert so_far is not None
    assert so_far.cut
    assert len(so_far.spans) == following.spans > 5


@pytest.mark.parametrize("kept", [meanwhile.KEPT, 10])
def test_the_report_of_a_followed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """The same whether it was followed to the end or given up as too large."""
    from headstart import api

    path, looks = tmp_path / "run.hsrun", iter((False, False, True))
    path.write_bytes(whole()[:3000])
    ended = Event()
    monkeypatch.setattr(ended, "wait", lambda _: next(looks))
    monkeypatch.setattr(meanwhile, "KEPT", kept)
    monkeypatch.setattr(meanwhile, "PRACTISE_FROM", 5)
    monkeypatch.setattr(meanwhile.gc, "disable", lambda: None)
    practised: list[str] = []
    render = api.render
    monkeypatch.setattr(api, "render", lambda kind, reading: (practised.append(kind), render(kind, reading)))
    following = meanwhile.follow(str(path), ["json"], ended)
    assert (following is not None) is (kept > 10)
    assert practised == (list(meanwhile.PRACTISED) if kept > 10 else [])
    path.write_bytes(whole())
    assert meanwhile.reading_of(str(path), following).report == api.report_of([str(path)]).report


def test_a_run_that_is_none_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.hsrun"
    path.write_bytes(b"something else\n")
    following = Following(path)
    following.look()
    assert following.so_far() is None
    with pytest.raises(RecordError, match="is not a headstart run file"):
        following.run()


def test_what_goes_wrong_while_following_is_left_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, looks = tmp_path / "run.hsrun", iter((False, True))
    path.write_bytes(whole())
    ended = Event()
    monkeypatch.setattr(ended, "wait", lambda _: next(looks))
    monkeypatch.setattr(meanwhile.gc, "disable", lambda: None)

    def failing(_: Following) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(Following, "look", failing)
        following = meanwhile.follow(str(path), ["json"], ended)
    assert following is None
    assert meanwhile.reading_of(str(path), following).report.counts["modules"] == 40
