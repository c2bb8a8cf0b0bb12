"""Whatever kills the program or headstart, and whenever: the record can be read."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from headstart.record.reader import RecordError, read_run
from headstart.record.signals import IMPORT

from .program import environment, script
from .runners import HEADSTART

# Imports, spans, children and plain work, so that a kill meets the record in all its states.
BUSY = """
    import os, sys
    for name in ("json", "email.message", "http.client", "decimal", "sqlite3", "xml.dom.minidom", "asyncio",
                 "unittest", "ctypes", "concurrent.futures", "logging.config", "zipfile", "tarfile", "csv"):
        __import__(name)
    import time
    while True:
        time.sleep(0.0005)
        for name in [n for n in sys.modules if n.startswith(("json", "csv", "email"))]:
            del sys.modules[name]
        import json, csv, email.message
"""
TENSORFLOW = """
    import tensorflow as tf
    @tf.function
    def f(x):
        return x @ x
    while True:
        for n in range(1, 40):
            f(tf.ones([n, n]))
"""
QUICK, WHOLE = 6, 50


def moments(count: int, within: float) -> list[float]:
    draw = random.Random(count)
    return [draw.uniform(0, within) for _ in range(count)]


@pytest.mark.parametrize("delay", moments(QUICK, 0.4))
def test_program_killed(delay: float, tmp_path: Path) -> None:
    check_program_killed(BUSY, delay, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("delay", moments(WHOLE, 1.0))
def test_program_killed_soak(delay: float, tmp_path: Path) -> None:
    check_program_killed(BUSY, delay, tmp_path)


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("delay", moments(WHOLE, 8.0))
def test_tensorflow_killed(delay: float, tmp_path: Path) -> None:
    check_program_killed(TENSORFLOW, delay, tmp_path)


@pytest.mark.parametrize("delay", moments(QUICK, 0.4))
def test_headstart_killed(delay: float, tmp_path: Path) -> None:
    check_headstart_killed(delay, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("delay", moments(WHOLE, 1.0))
def test_headstart_killed_soak(delay: float, tmp_path: Path) -> None:
    check_headstart_killed(delay, tmp_path)


def check_program_killed(source: str, delay: float, folder: Path) -> None:
    process = start(source, folder)
    child = child_of(process)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    run = read_run(folder / "run.hsrun")
    assert run.exit is not None
    assert run.exit["signal"] == signal.SIGKILL
    assert run.end_ns == run.exit["at_ns"]
    assert all(span.end_ns <= run.end_ns for span in run.spans)


def test_killed_in_an_import_long_before_tensorflow(tmp_path: Path) -> None:
    """No sampler is there yet to say what is going on."""
    slow = "import sys, time; sys.stdout.write('importing'); sys.stdout.flush(); time.sleep(600)"
    process = start("import slow", tmp_path, slow=slow)
    assert process.stdout is not None
    assert process.stdout.read(9) == b"importing"
    os.kill(child_of(process), signal.SIGKILL)
    process.communicate(timeout=60)
    run = read_run(tmp_path / "run.hsrun")
    assert [(span.kind, span.name) for span in run.open_spans] == [(IMPORT, "slow")]
    assert run.open_spans[0].end_ns == run.end_ns


def test_headstart_killed_once_the_program_works(tmp_path: Path) -> None:
    """At a moment drawn at random an empty record can be right; here it cannot."""
    process = start("import json, sys, time; print('at work', flush=True); time.sleep(600)", tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == b"at work\n"
    process.kill()
    process.communicate(timeout=60)
    run = read_run(tmp_path / "run.hsrun")
    assert run.cut
    assert "json" in [span.name for span in run.spans if span.kind == IMPORT]


def check_headstart_killed(delay: float, folder: Path) -> None:
    process = start(BUSY, folder)
    child_of(process)
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=60)
    try:
        run = read_run(folder / "run.hsrun")
    except RecordError as error:
        # Both died before Python itself had started: there is nothing to read, and it says so.
        assert "empty" in str(error)  # noqa: PT017
    else:
        assert run.cut


def start(source: str, folder: Path, **modules: str) -> subprocess.Popen[bytes]:
    program = script("busy", source)
    program.lay_out(folder / "x")
    for name, text in modules.items():
        (folder / "x" / f"{name}.py").write_text(text)
    return subprocess.Popen(
        [*HEADSTART, "profile", "--quiet", "--record", str(folder / "run.hsrun"), *program.words],
        cwd=folder / "x",
        env=environment({"TF_CPP_MIN_LOG_LEVEL": "3"}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def child_of(process: subprocess.Popen[bytes]) -> int:
    """The program's process, as soon as there is one."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not (children := path.read_text().split()):
        assert process.poll() is None
    return int(children[0])
