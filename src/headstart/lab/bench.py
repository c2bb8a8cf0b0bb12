"""The bench: runs one arm once and brings home what it measured."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .arm import NOTES_VARIABLE
from .claim import Arm
from .processes import Ended, Forker, Lost, run_fresh

Windows = dict[str, tuple[int, int]]


class Measured(NamedTuple):
    """One run of an arm."""

    notes: dict[str, Any]
    """What the arm noted, the seconds of its clocks, and `process_seconds` by the lab's own clock."""
    windows: Windows
    """When each clock of the arm began and ended."""
    record: Path | None
    """headstart's record of the same run, where it was asked for."""


class ArmFailed(Exception):
    """The program of an arm did not end well; the text is what it said last."""


class Bench:
    """Runs arms in one scratch folder. `share` lets arms that measure no process start be forked."""

    def __init__(self, scratch: Path, environ: dict[str, str], share: bool) -> None:
        self.scratch = scratch
        self.share = share and hasattr(os, "fork")
        self.environ = environ
        self._forkers: dict[bool, Forker] = {}
        self._ready: set[str] = set()
        self._count = 0

    def run(self, arm: Arm, recorded: bool = False) -> Measured:
        """Run an arm once, under headstart's capture if `recorded`."""
        program = self.prepare(arm)
        self._count += 1
        notes = program.with_name(f"notes-{self._count}.jsonl")
        log = program.with_name("output.log")
        environ = {**arm.environ, NOTES_VARIABLE: str(notes)}
        if self.share and not arm.fresh and arm.via == "python":
            ended, record = self._forked(program, environ, log, arm.timeout, recorded)
        else:
            ended, record = self._fresh(arm, program, environ, log, recorded)
        if ended.status != 0:
            raise ArmFailed(f"{arm.name} ended with status {ended.status}: {_last_words(log)}")
        found, windows = read_notes(notes)
        notes.unlink(missing_ok=True)
        found["process_seconds"] = ended.seconds
        return Measured(found, windows, record)

    def prepare(self, arm: Arm) -> Path:
        """The arm's program as a file, in a folder that arms with the same set-up share, once that has run."""
        place = self.scratch / f"set-{_digest(arm.setup)}" if arm.setup else self.scratch / arm_key(arm)
        place.mkdir(parents=True, exist_ok=True)
        if arm.setup and place.name not in self._ready:
            setup = Arm(name=f"{arm.name} (set-up)", program=arm.setup, environ=arm.environ, timeout=600.0)
            path = place / "setup.py"
            path.write_text(setup.program, encoding="utf-8")
            words = [sys.executable, str(path)]
            log = place / "setup.log"
            ended = run_fresh(words, {**self.environ, **arm.environ}, place, log, setup.timeout)
            if ended.status != 0:
                raise ArmFailed(f"{setup.name} ended with status {ended.status}: {_last_words(log)}")
        self._ready.add(place.name)
        program = place / f"{arm.name.replace(' ', '_')}_{arm_key(arm)[:6]}.py"
        if not program.exists():
            program.write_text(arm.program, encoding="utf-8")
            if arm.via == "run":  # the first run fills what later runs take from
                words = [sys.executable, "-m", "headstart", "run", str(program)]
                for _ in range(2):
                    run_fresh(
                        words, {**self.environ, **arm.environ}, place, place / "output.log", arm.timeout
                    )
        return program

    def close(self) -> None:
        for forker in self._forkers.values():
            forker.close()
        self._forkers.clear()

    def _forked(
        self, program: Path, environ: dict[str, str], log: Path, timeout: float, recorded: bool
    ) -> tuple[Ended, Path | None]:
        for last_try in (False, True):
            try:
                forker = self._forker(recorded)
                ended = forker.run(program, environ, log, timeout)
                return ended, forker.record_of(ended.pid)
            except Lost as lost:
                dead = self._forkers.pop(recorded, None)
                if dead is not None:
                    dead.close()
                if last_try:
                    raise ArmFailed(str(lost)) from None
        raise AssertionError

    def _forker(self, recorded: bool) -> Forker:
        if recorded not in self._forkers:
            record = self.scratch / f"forked-{len(self._forkers)}.hsrun" if recorded else None
            forker = Forker(self.environ, self.scratch / "forker.log", record)
            self._forkers[recorded] = forker
            # The first fork pays for pages that later ones find ready; it is not measured.
            warm_up = self.scratch / "warm_up.py"
            warm_up.write_text(_WARM_UP, encoding="utf-8")
            forker.run(warm_up, {}, self.scratch / "forker.log", 120.0)
        return self._forkers[recorded]

    def _fresh(
        self, arm: Arm, program: Path, environ: dict[str, str], log: Path, recorded: bool
    ) -> tuple[Ended, Path | None]:
        words = [sys.executable]
        record = None
        if arm.via == "run":
            words += ["-m", "headstart", "run"]
        elif recorded:
            record = program.with_name(f"run-{self._count}.hsrun")
            words += ["-m", "headstart", "profile", "--quiet", "--record", str(record)]
        words.append(str(program))
        return run_fresh(words, {**self.environ, **environ}, program.parent, log, arm.timeout), record


_WARM_UP = """\
import tensorflow as tf
tf.function(lambda x: tf.reduce_sum(x * 2.0))(tf.ones((8, 8)))
"""


def arm_key(arm: Arm) -> str:
    """Arms with the same key are the same program run in the same way: their runs serve every claim."""
    parts = [arm.program, arm.via, arm.setup, str(arm.fresh), json.dumps(dict(arm.environ), sort_keys=True)]
    return _digest(*parts)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def read_notes(path: Path) -> tuple[dict[str, Any], Windows]:
    """What an arm wrote, last value first come; half a line at the end is left out."""
    notes: dict[str, Any] = {}
    windows: Windows = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return notes, windows
    for text in lines:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if "clock" in line:
            windows[line["clock"]] = (line["start_ns"], line["end_ns"])
            notes[line["clock"]] = (line["end_ns"] - line["start_ns"]) / 1e9
        else:
            notes.update(line["note"])
    return notes, windows


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:300] if lines else "it said nothing"
