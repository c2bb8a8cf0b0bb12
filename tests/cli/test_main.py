"""The command table: help, version, and that nothing is imported which is not needed."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import headstart
from headstart.cli.main import COMMANDS, main

from .commands import headstart as run

# Each of these costs milliseconds; none is needed before a program starts.
HEAVY = {
    "argparse", "asyncio", "dataclasses", "difflib", "importlib.metadata", "inspect", "logging", "msgspec", "numpy",
    "pathlib", "platformdirs", "rich", "subprocess", "tempfile", "threading", "tomllib", "typing", "uuid",
}  # fmt: skip


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"headstart {headstart.__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name, (_, summary) in COMMANDS.items():
        assert f"  {name}" in text
        assert summary in text


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exists_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = import_module(f"headstart.cli.{COMMANDS[name][0]}")
    assert main([name, "--help"]) == 0
    first = capsys.readouterr().out
    assert f"usage: headstart {name}" in first
    for option in getattr(module, "OPTIONS", ()):
        assert f"--{option.name}" in first
    assert main(["help", name]) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    "module", ["headstart", "headstart.cli.main", "headstart.cli.profile", "headstart.cli.run"]
)
def test_light_imports(module: str) -> None:
    """Counted, not timed: what is loaded before a program starts."""
    code = f"import sys; bare = set(sys.modules); import {module}; print(*sorted(set(sys.modules) - bare))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & HEAVY


def test_as_a_module_too(tmp_path: Path) -> None:
    """`python -m headstart` works in a folder whose modules would shadow what headstart imports."""
    for name in ("json", "signal", "ctypes", "threading", "msgspec", "resource"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "main.py").write_text("print('ran')\n")
    command = [sys.executable, "-m", "headstart", "profile", "main.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert "Where the" in done.stderr


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["-O"], "False"),
        (["-X", "dev", "-W", "ignore"], "True"),
        (["-B", "-O"], "False"),
        (["-I"], "True"),
        ([], "True"),
    ],
)
def test_interpreter_flags_reach_the_program(flags: list[str], shown: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import sys\nprint(__debug__, sys.orig_argv[1:])\n")
    kept = [flag for flag in flags if flag != "-I"]
    command = [sys.executable, *flags, "-m", "headstart", "profile", "-q", "main.py", "x"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"{shown} {[*kept, 'main.py', 'x']}\n", done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    done = run("--help", cwd=tmp_path, shell='"$@" | true; echo done')
    assert done.stdout == "done\n"
    assert "Traceback" not in done.stderr
