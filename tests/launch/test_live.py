"""The live line: what it says, when it is silent, and that it never touches the program's own output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headstart.launch.lasttime import recall, remember
from headstart.launch.live import LiveLine
from headstart.launch.tail import Tail
from headstart.launch.target import Target

from .program import script
from .runners import HEADSTART, PYTHON
from .terminal import Terminal

SECOND = 1_000_000_000


class FakeRow:
    """Stands in for the terminal."""

    def __init__(self) -> None:
        self.text: str | None = None

    def show(self, text: str) -> None:
        self.text = text

    def release(self) -> None:
        self.text = None


class Bench:
    """A live line with everything around it made up."""

    def __init__(self, folder: Path, last_time: dict[str, float] | None = None) -> None:
        self.path = folder / "record"
        self.path.write_bytes(b'{"headstart_record":1}\n')
        self.row = FakeRow()
        self.now = 0
        self.output = 0
        self.line = LiveLine(
            self.row,  # type: ignore[arg-type]
            Tail(str(self.path)),
            pid=0,
            start_ns=0,
            last_time=last_time or {},
            clock=lambda: self.now,
            written=lambda pid: self.output + self.path.stat().st_size,
        )

    def append(self, *lines: object) -> None:
        with self.path.open("a") as handle:
            for line in lines:
                handle.write(json.dumps(line, separators=(",", ":")) + "\n")

    def at(self, seconds: float) -> str | None:
        self.now = int(seconds * SECOND)
        self.line.tick()
        return self.row.text


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_waits_for_silence(bench: Bench) -> None:
    assert bench.at(0.2) is None
    assert bench.at(0.9) is None
    assert bench.at(1.0) is not None


def test_output_hides_it_until_silence_returns(bench: Bench) -> None:
    assert bench.at(2) is not None
    bench.output = 10
    assert bench.at(2.2) is None
    assert bench.at(3.1) is None
    assert bench.at(3.3) is not None


def test_the_record_is_no_output(bench: Bench) -> None:
    assert bench.at(2) is not None
    bench.append(["c", 1, {"rss": 5}], ["o", 1, []])
    assert bench.at(2.2) is not None


def test_says_what_and_for_how_long(bench: Bench) -> None:
    bench.append(["o", SECOND, [[SECOND // 2, "import", "tensorflow"], [SECOND, "import", "numpy"]]])
    assert bench.at(4) == "headstart   4.0 s · importing tensorflow 3.5 s"


def test_the_newest_snapshot_counts(bench: Bench) -> None:
    bench.append(
        ["o", 1, [[0, "import", "tensorflow"]]], ["o", 2, [[0, "fit", "fit"], [SECOND, "trace", "step"]]]
    )
    assert bench.at(2) == "headstart   2.0 s · tracing step 1.0 s"


def test_nothing_open(bench: Bench) -> None:
    bench.append(["o", 1, []])
    assert bench.at(1.5) == "headstart   1.5 s · in the program's own code"


def test_what_has_ended_is_no_longer_going_on(bench: Bench) -> None:
    bench.append(
        ["o", 5, [[5, "import", "pandas"], [6, "import", "numpy"]]], ["s", 6, 7, 1, "import", "numpy", None]
    )
    assert bench.at(2) == "headstart   2.0 s · importing pandas 2.0 s"
    bench.append(["s", 5, 8, 1, "import", "pandas", None])
    assert bench.at(3) == "headstart   3.0 s · in the program's own code"


def test_last_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"importing tensorflow": 3.2, "": 33.1})
    bench.append(["o", 1, [[0, "import", "tensorflow"]]])
    assert bench.at(2) == (
        "headstart   2.0 s · importing tensorflow 2.0 s (last time 3.2 s) · first step after 33.1 s last time"
    )


def test_the_first_step_ends_it_for_good(bench: Bench) -> None:
    assert bench.at(2) is not None
    bench.append(["m", 1, 1, "first-step-done", "train", None])
    assert bench.at(2.2) is None
    assert bench.line.period > 60


def test_a_cut_or_foreign_line_does_not_matter(bench: Bench) -> None:
    with bench.path.open("ab") as handle:
        handle.write(b'["o",1,[["x"]]]\n["o",2,7]\n["o",3,[[0,"imp')
    assert bench.at(2) == "headstart   2.0 s · in the program's own code"
    with bench.path.open("ab") as handle:
        handle.write(b'ort","keras"]]]\n')
    assert bench.at(3) == "headstart   3.0 s · importing keras 3.0 s"


def test_a_flood_is_skipped_over(bench: Bench) -> None:
    with bench.path.open("ab") as handle:
        handle.write(b'["s",0,0,0,"import","x",null]\n' * 100_000)
    bench.append(["o", 1, [[0, "import", "keras"]]])
    assert bench.at(2) == "headstart   2.0 s · importing keras 2.0 s"


def test_remembers_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path))
    target = Target("script", "train.py", ["train.py"])
    assert recall(target) == {}
    remember(
        target, [("import", "tensorflow", 3.0), ("import", "tensorflow", 0.7), ("import", "os", 0.1)], 9.5
    )
    assert recall(target) == {"": 9.5, "importing tensorflow": 3.0}
    assert recall(Target("script", "other.py", ["other.py"])) == {}


# --- on a real terminal -------------------------------------------------------------------------------------

TALKS = """
    import sys
    print("one", end=" ", flush=True)
    sys.stdin.readline()
    for number in range(40):
        print("line", number)
    print("half", end="", flush=True)
    sys.stdin.readline()
    print("last", flush=True)
"""


def talk(command: tuple[str, ...], folder: Path, live: bool) -> Terminal:
    """Run the talkative program; with `live`, wait for the live line before each answer."""
    script("talks", TALKS).lay_out(folder)
    terminal = Terminal([*command, "main.py"], folder)
    for said in (b"one ", b"half"):
        terminal.read_until(said)
        if live:
            terminal.wait_for_row("headstart")
            assert "headstart" in terminal.rows[-1]
            assert "own code" in terminal.rows[-1]
        terminal.send(b"\n")
    terminal.finish()
    return terminal


def test_output_is_untouched_on_a_terminal(tmp_path: Path) -> None:
    """The live line came and went twice, around output that scrolled the screen and half lines: what the
    program wrote is on the screen as without it."""
    plain = talk(PYTHON, tmp_path / "x", live=False)
    shown = talk((*HEADSTART, "profile"), tmp_path / "x", live=True)
    assert len(plain.text) > 40
    assert shown.text[: len(plain.text)] == plain.text
    assert shown.text[len(plain.text)].startswith("headstart")  # the report follows at once
    assert shown.screen.margins is None


@pytest.mark.parametrize(
    ("options", "env"),
    [(("--quiet",), {}), ((), {"TERM": "dumb"}), ((), {"TERM": None}), ((), {"HEADSTART_QUIET": "1"})],
)
def test_no_live_line(options: tuple[str, ...], env: dict[str, str | None], tmp_path: Path) -> None:
    program = script("silent", "import time\ntime.sleep(2)")
    program.lay_out(tmp_path / "x")
    terminal = Terminal([*HEADSTART, "profile", *options, "main.py"], tmp_path / "x", env)
    terminal.finish()
    assert b"program's own code" not in terminal.output
    assert b"\x1b7" not in terminal.output
