"""Judges findings on the programs in `cases/`: the cause must be found at its line, and nothing else.

The header and the markers of a program are blanked before it runs, so that nothing can read the answer; line
numbers stay. `python -m tests.cases.judging [--keep FOLDER] [NAME…]` prints the table for all programs, or for
those whose names contain one of the words. With a folder, verdicts stay there and the table shows all that it
holds, so that the whole can be measured piece by piece on a quiet machine.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "cases"
MARK = re.compile(r"[ \t]*# <<[<~][^\n]*")
FOR_THE_TABLE = "verdict"
"""The property under which a test hands its verdict on."""
NEUTRAL = frozenset({"traced-twice"})
"""True of nearly every Keras fit: neither expected nor wrong."""
SLUGS = {
    "tf-function-recreated": "function-recreated",
    "keras-compile-in-loop": "compile-in-loop",
    "xla-recompile-varying-shape": "xla-recompile",
    "graph-growth-ops-in-loop": "growing-graph",
    "eager-training-loop": "eager-hot-loop",
    "memory-tensors-kept": "growing-memory",
    "gradient-tape-kept-open": "tape-kept-open",
    "slow-initializer": "costly-initializer",
    "load-model-in-loop": "load-in-loop",
    "from-generator-per-element": "python-in-pipeline",
    "keras-predict-in-loop": "predict-in-loop",
    "slow-import": "heavy-import",
}
"""Cause in a header → slug, where they differ."""


@dataclass(frozen=True)
class Case:
    """One program, with what its header says."""

    path: Path
    cause: str | None
    """The slug of the rule that must come first; None for a healthy program."""
    places: frozenset[tuple[str, int]]
    """(file name, line) of the culprit and of other acceptable lines."""
    arguments: tuple[str, ...] = ()
    module: str | None = None
    """Run with -m under this name."""

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass
class Verdict:
    """What came out for one program."""

    case: Case
    wall: float
    """The program's, by its ledger."""
    status: int
    findings: list[dict[str, Any]] = field(default_factory=list)
    output: str = ""
    outside: float = 0.0
    """The whole command's, by a clock outside."""
    report: dict[str, Any] = field(default_factory=dict)

    def kept(self) -> dict[str, Any]:
        """What the table needs, as plain data."""
        names = ("wall", "status", "findings", "outside")
        return {name: getattr(self, name) for name in names}

    @property
    def counted(self) -> list[dict[str, Any]]:
        return [f for f in self.findings if f["slug"] not in NEUTRAL]

    @property
    def first(self) -> dict[str, Any] | None:
        findings = self.findings if self.case.cause in NEUTRAL else self.counted
        return findings[0] if findings else None

    @property
    def problems(self) -> list[str]:
        """Why the verdict is wrong; empty when it is right."""
        if self.status != 0:
            return [f"the program ended with status {self.status}: {self.output[-2000:]}"]
        if self.case.cause is None:
            return [
                f"false alarm: {f['rule']} {f['slug']} ({f['confidence']}) at line {f['line']}: {f['title']}"
                for f in self.counted
                if f["confidence"] in ("medium", "high")
            ]
        first = self.first
        if first is None:
            return [f"nothing found, {self.case.cause} expected"]
        wrong = []
        if first["slug"] != self.case.cause:
            wrong.append(f"{first['slug']} at line {first['line']} found first, {self.case.cause} expected")
        elif (os.path.basename(first["file"]), first["line"]) not in self.case.places:
            wrong.append(
                f"found at {first['file']}:{first['line']}, expected one of {sorted(self.case.places)}"
            )
        return wrong


def read_case(path: Path) -> Case:
    text = path.read_text()
    found = re.search(r"^# cause: (\S+)", text, re.MULTILINE)
    cause = found.group(1) if found and not path.stem.endswith("_fixed") else None
    cause = None if cause in (None, "none") else SLUGS.get(cause, cause)
    places = frozenset(
        (file.name, number)
        for file in (path, *package_of(path))
        for number, line in enumerate(file.read_text().split("\n"), 1)
        if MARK.search(line)
    )
    arguments = re.search(r"^# arguments: (.*)$", text, re.MULTILINE)
    module = re.search(r"^# module: (\S+)", text, re.MULTILINE)
    return Case(
        path,
        cause,
        places,
        tuple(arguments.group(1).split()) if arguments else (),
        module.group(1) if module else None,
    )


def package_of(path: Path) -> list[Path]:
    """The files of a program that consists of several."""
    return sorted(path.with_name(path.stem + "_pkg").glob("*.py"))


def blanked(text: str) -> str:
    """The program without header and markers, every line where it was."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if not line.startswith("#"):
            break
        lines[index] = ""
    return "\n".join(MARK.sub("", line) for line in lines)


def judge(case: Case, folder: Path) -> Verdict:
    """Run the program under `headstart profile` in a folder of its own."""
    program = folder / case.path.name
    program.write_text(blanked(case.path.read_text()))
    for file in package_of(case.path):
        copy = folder / file.parent.name / file.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(blanked(file.read_text()))
    report = folder / "report.json"
    target = ["-m", case.module] if case.module else [str(program)]
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--json", str(report), *target]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    began = time.monotonic()
    done = subprocess.run(
        [*command, *case.arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=280
    )
    outside = time.monotonic() - began
    found = json.loads(report.read_text()) if report.exists() else {"findings": [], "wall_seconds": outside}
    output = done.stdout + done.stderr
    return Verdict(case, found["wall_seconds"], done.returncode, found["findings"], output, outside, found)


def all_cases(folder: Path = CASES) -> list[Case]:
    return [read_case(path) for path in sorted(folder.glob("*.py"))]


def table(verdicts: list[Verdict]) -> str:
    """cause, line, expected, found, seconds lost, measured saving, the outside clock over the ledger."""
    by_name = {v.case.name: v for v in verdicts}
    rows = [("program", "expected", "found", "line", "lost s", "saved s", "clock", "", "")]
    for verdict in verdicts:
        first = verdict.first
        fixed = by_name.get(verdict.case.name + "_fixed")
        saving = verdict.wall - fixed.wall if fixed is not None and verdict.case.cause else None
        near = (
            "" if saving is None or first is None or close(first["seconds_lost"], saving) else "seconds off"
        )
        rows.append(
            (
                verdict.case.name,
                verdict.case.cause or "–",
                f"{first['slug']} ({first['confidence']})" if first else "–",
                f"{first['line']}" if first else "",
                f"{first['seconds_lost']:.1f}" if first else "",
                f"{saving:.1f}" if saving is not None else "",
                f"{100 * (verdict.outside / verdict.wall - 1):+.1f} %" if verdict.outside else "",
                near,
                "; ".join(verdict.problems)[:90] or "ok",
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def close(lost: float, saving: float) -> bool:
    """Is the estimate as near to the measured saving as is asked of it?"""
    return abs(lost - saving) <= max(0.5, 0.35 * abs(saving))


def table_of(kept: dict[str, dict[str, Any]]) -> str:
    """The table of verdicts that were kept, by the names of their programs."""
    return table([Verdict(case, **kept[case.name]) for case in all_cases() if case.name in kept])


def main(names: list[str]) -> int:
    import tempfile

    keep = None
    if names[:1] == ["--keep"]:
        keep, names = Path(names[1]), names[2:]
        keep.mkdir(parents=True, exist_ok=True)
    verdicts = []
    for case in all_cases():
        if names and not any(name in case.name for name in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            verdict = judge(case, Path(folder))
        verdicts.append(verdict)
        if keep is not None:
            (keep / f"{case.name}.json").write_text(json.dumps(verdict.kept()))
        print(
            f"{'ok ' if not verdict.problems else 'BAD'} {case.name} {verdict.wall:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    earlier = sorted(keep.glob("*.json")) if keep is not None else []
    print(table_of({file.stem: json.loads(file.read_text()) for file in earlier}) if earlier else table(verdicts))
    return int(any(v.problems for v in verdicts))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
