"""Many runs, one after the other and at once: none fails, and nothing is left over."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import HEADSTART, Place, wait_until

CODE = "import sys, json; print(json.dumps(int(sys.argv[1]) ** 2))"


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def check(place: Place, in_a_row: int, at_once: int) -> None:
    pid = place.start()
    for n in range(3):
        place.warm("-c", CODE, str(n))
    settle(place, 3)
    before = descriptors(pid)
    memory = int(place.servers()[0]["memory_bytes"])
    for n in range(in_a_row):
        assert place.warm("-c", CODE, str(n)).stdout == b"%d\n" % n**2
    command = [HEADSTART, "run", "--only-warm", "-c", CODE]
    started = [
        subprocess.Popen([*command, str(n)], env=place.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        for n in range(at_once)
    ]
    assert [job.communicate(timeout=120)[0] for job in started] == [b"%d\n" % n**2 for n in range(at_once)]
    assert all(job.returncode == 0 for job in started)
    settle(place, 3 + in_a_row + at_once)
    # One socket; no descriptor more than before.
    assert len(list(Path(place.sockets).glob("*.sock"))) == 1
    assert descriptors(pid) == before
    assert int(place.servers()[0]["memory_bytes"]) < memory + (4 << 20)


def settle(place: Place, runs: int) -> None:
    """Until all is over: one server, the pair that it keeps ready, and no run that still has a descriptor."""
    wait_until(lambda: len(place.processes()) == 3)
    wait_until(lambda: int(place.servers()[0]["runs"]) == runs)


def test_some(place: Place) -> None:
    check(place, 12, 6)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_many(place: Place) -> None:
    check(place, 200, 16)
