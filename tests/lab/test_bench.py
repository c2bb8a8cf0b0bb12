"""Runs of arms in real processes, with programs that need no TensorFlow."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from headstart.lab.bench import ArmFailed, Bench, arm_key, read_notes
from headstart.lab.claim import Arm, Twin
from headstart.lab.ledger import check
from headstart.lab.quantities import phases, wall

PROGRAM = """\
import sys
from headstart.lab.arm import clock, laps, note

print("noise on stdout")
print("noise on stderr", file=sys.stderr)
with clock("sum"):
    total = sum(range(100000))
note(total=total, laps=len(laps(lambda: None, 7)), argv=len(sys.argv))
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, dict(os.environ), share=False)


def test_a_run_brings_its_notes(bench: Bench) -> None:
    before = time.monotonic_ns()
    measured = bench.run(Arm(name="sum up", program=PROGRAM))
    start_ns, end_ns = measured.windows["sum"]
    assert before < start_ns <= end_ns < time.monotonic_ns()
    assert measured.notes["sum"] == (end_ns - start_ns) / 1e9
    assert {name: measured.notes[name] for name in ("total", "laps", "argv")} == {
        "total": 4999950000,
        "laps": 7,
        "argv": 1,
    }
    assert measured.notes["process_seconds"] > measured.notes["sum"]


def test_an_arm_is_a_program_by_itself(tmp_path: Path) -> None:
    """Without the lab it prints what it measures."""
    import subprocess
    import sys

    path = tmp_path / "arm.py"
    path.write_text(PROGRAM)
    environ = {name: value for name, value in os.environ.items() if name != "HEADSTART_LAB_NOTES"}
    done = subprocess.run(
        [sys.executable, str(path)], env=environ, capture_output=True, text=True, check=True
    )
    assert '{"note": {"total": 4999950000, "laps": 7, "argv": 1}}' in done.stdout


def test_the_environment_of_an_arm(bench: Bench) -> None:
    text = "import os\nfrom headstart.lab.arm import note\nnote(level=os.environ['LEVEL'])\n"
    assert bench.run(Arm(name="a", program=text, environ={"LEVEL": "3"})).notes["level"] == "3"


def test_a_failing_program_says_why(bench: Bench) -> None:
    with pytest.raises(ArmFailed, match="status 1: ZeroDivisionError"):
        bench.run(Arm(name="a", program="1 / 0\n"))


def test_a_program_that_hangs_is_ended(bench: Bench) -> None:
    with pytest.raises(ArmFailed, match="status 124"):
        bench.run(Arm(name="a", program="import threading\nthreading.Event().wait()\n", timeout=1.0))


def test_setup_runs_once_for_all_that_share_it(bench: Bench) -> None:
    setup = "open('made', 'a').write('x')\n"
    program = "from headstart.lab.arm import note\nnote(made=len(open('made').read()))\n"
    for name in ("a", "b"):
        arm = Arm(name=name, program=program + f"# {name}\n", setup=setup)
        assert [bench.run(arm).notes["made"] for _ in range(2)] == [1, 1]


def test_a_failing_setup_says_why(bench: Bench) -> None:
    with pytest.raises(ArmFailed, match=r"set-up.*no disk"):
        bench.run(Arm(name="a", program="1\n", setup="raise OSError('no disk')\n"))


def test_what_makes_arms_the_same() -> None:
    arm = Arm(name="a", program="1\n")
    assert arm_key(arm) == arm_key(Arm(name="another name", program="1\n"))
    different = [
        Arm(name="a", program="2\n"),
        Arm(name="a", program="1\n", via="run"),
        Arm(name="a", program="1\n", environ={"X": "1"}),
        Arm(name="a", program="1\n", setup="1\n"),
    ]
    assert len({arm_key(each) for each in [arm, *different]}) == 5


def test_half_a_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text('{"note": {"a": 1}}\n{"note": {"b"')
    assert read_notes(path) == ({"a": 1}, {})
    assert read_notes(tmp_path / "none") == ({}, {})


def test_record_and_outside_clock_agree(bench: Bench) -> None:
    """The lab's own check, on a program that only thinks."""
    text = PROGRAM.replace("100000", "30000000")
    measured = bench.run(Arm(name="think", program=text), recorded=True)
    found = check(Twin("think", "thinking", "sum", phases("user-code")), measured)
    assert found.agrees, found
    assert found.phases["user-code"] == pytest.approx(measured.notes["sum"], rel=0.05)
    whole = check(Twin("think", "all of it", "process_seconds", wall), measured)
    assert whole.ledger is not None
    assert whole.ledger <= measured.notes["process_seconds"]


def test_a_disagreement_is_seen(bench: Bench) -> None:
    measured = bench.run(Arm(name="think", program=PROGRAM), recorded=True)
    found = check(Twin("think", "thinking", "sum", phases("tracing")), measured)
    assert not found.agrees
    assert found.difference == -1.0
    missing = check(Twin("think", "thinking", "no such clock", phases("tracing")), measured)
    assert "did not note" in missing.trouble
    assert "no record" in check(Twin("think", "x", "sum", wall), measured._replace(record=None)).trouble
