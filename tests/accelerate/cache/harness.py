"""Running small programs plainly and with the caches, and comparing what they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


def placed(name: str, folder: Path) -> Path:
    """A program of ours in a folder, with what all of them import."""
    shutil.copy(PROGRAMS / "shown.py", folder)
    return Path(shutil.copy(PROGRAMS / f"{name}.py", folder))


@dataclass(frozen=True)
class Ran:
    """One run of a program."""

    code: int
    stdout: str
    stderr: str
    events: tuple[dict[str, Any], ...] = ()
    counters: dict[str, int] | None = None

    def count(self, what: str) -> int:
        return sum(1 for event in self.events if event["what"] == what)

    def reasons(self, what: str = "refused") -> list[str]:
        return [event["reason"] for event in self.events if event["what"] == what]


class Runner:
    """Starts programs as children of a process that has TensorFlow imported."""

    def __init__(self) -> None:
        environment = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "OPENBLAS_NUM_THREADS": "1",
            "CUDA_VISIBLE_DEVICES": "-1",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("src")),
        }
        self._server = subprocess.Popen(
            [sys.executable, str(HERE / "forkserver.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert self._server.stdout is not None
        if self._server.stdout.readline().strip() != "ready":
            raise RuntimeError("TensorFlow could not be imported")

    def run(self, script: Path, *args: str, cache: Path | None = None, **environment: str) -> Ran:
        folder = script.parent
        out, err, report = (folder / f".{script.stem}.{kind}" for kind in ("out", "err", "report"))
        report.unlink(missing_ok=True)
        extra = dict(environment)
        if cache is not None:
            extra |= {
                "HEADSTART_CACHE_DIR": str(cache),
                "HEADSTART_CACHE_STRICT": extra.get("HEADSTART_CACHE_STRICT", "1"),
                "HEADSTART_CACHE_MIN_TRACE": "0",
                "HEADSTART_CACHE_REPORT": str(report),
            }
        request = {
            "argv": [str(script), *args],
            "folder": str(folder),
            "environment": extra,
            "cached": cache is not None,
            "stdout": str(out),
            "stderr": str(err),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        status = json.loads(self._server.stdout.readline())["status"]
        said = json.loads(report.read_text()) if report.exists() else {"events": [], "counters": None}
        return Ran(status, out.read_text(), err.read_text(), tuple(said["events"]), said["counters"])

    def stop(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(timeout=30)


def run_fresh(
    script: Path,
    *args: str,
    cache: Path | None = None,
    options: tuple[str, ...] = ("--no-warm",),
    **environment: str,
) -> Ran:
    """A process of its own, from the very start; with ``cache``, by ``headstart run``."""
    report = script.parent / f".{script.stem}.report"
    report.unlink(missing_ok=True)
    extra = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1", **environment}
    extra["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p.endswith("src"))
    command = [sys.executable]
    if cache is not None:
        extra |= {
            "HEADSTART_CACHE": "1",
            "HEADSTART_CACHE_DIR": str(cache),
            "HEADSTART_CACHE_STRICT": "1",
            "HEADSTART_CACHE_MIN_TRACE": "0",
            "HEADSTART_CACHE_REPORT": str(report),
        }
        command += ["-m", "headstart", "run", *options]
    done = subprocess.run(
        [*command, str(script), *args], capture_output=True, text=True, env=extra, cwd=script.parent
    )
    said = json.loads(report.read_text()) if report.exists() else {"events": [], "counters": None}
    return Ran(done.returncode, done.stdout, done.stderr, tuple(said["events"]), said["counters"])


def write(folder: Path, files: dict[str, str]) -> Path:
    """Writes the files of a program; the first is the one to run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder / next(iter(files))


def same(plain: Ran, other: Ran) -> None:
    """The same output and the same end; fails with what differs."""
    assert other.code == plain.code, other.stderr[-3000:]
    assert other.stdout == plain.stdout


def shown(stderr: str) -> str:
    """Without what differs from run to run: times, numbers of threads, addresses."""
    return re.sub(r"\d{4}-\d\d-\d\d \S+|\d{10}\.\d+ +\d+|0x[0-9a-f]+", "_", stderr)


def said(ran: Ran, whats: Iterable[str]) -> dict[str, int]:
    return {what: ran.count(what) for what in whats}
