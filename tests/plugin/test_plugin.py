"""The pytest plugin, in a pytest of its own, and `profile --check`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = "import json, string\nprint('hello')\n"


def run_pytest(folder: Path, test: str, **files: str) -> subprocess.CompletedProcess[str]:
    for name, content in files.items():
        (folder / name.replace("_py", ".py").replace("_toml", ".toml")).write_text(content)
    (folder / "test_it.py").write_text(test)
    # By name where the installed headstart does not offer it itself yet; pytest takes it once either way.
    probe = (
        "from importlib.metadata import entry_points as e; print(len(e(group='pytest11', name='headstart')))"
    )
    offered = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout.strip()
    plugin = [] if offered != "0" else ["-p", "headstart.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", *plugin]
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env)


def test_the_fixture_returns_the_report(tmp_path: Path) -> None:
    test = """
def test_start(headstart_startup):
    report = headstart_startup("hello.py", "x")
    assert report.target.exit_code == 0
    assert report.counts["modules"] > 0
    assert headstart_startup("-c", "pass").target.exit_code == 0
"""
    done = run_pytest(tmp_path, test, hello_py=PLAIN)
    assert done.returncode == 0, done.stdout


def test_a_broken_budget_fails_and_reads_like_a_finding(tmp_path: Path) -> None:
    test = """
import pytest

@pytest.mark.headstart_startup(imports=0, forbid_imports=["string"])
def test_start(headstart_startup):
    headstart_startup("hello.py")
"""
    done = run_pytest(tmp_path, test, hello_py="import string\n")
    assert done.returncode == 1
    assert "hello.py is over its start-up budget" in done.stdout
    assert "string was imported, the budget forbids it" in done.stdout
    assert "hello.py:1  import string" in done.stdout
    assert "→ Import it where it is used" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_project_s_budget_counts_too_and_the_nearest_mark_wins(tmp_path: Path) -> None:
    project = '[tool.headstart.budget]\nforbid-imports = ["json"]\n'
    test = """
import pytest
pytestmark = pytest.mark.headstart_startup(imports=0)

@pytest.mark.headstart_startup(imports=100000)
def test_start(headstart_startup):
    headstart_startup("hello.py")
"""
    done = run_pytest(tmp_path, test, hello_py=PLAIN, pyproject_toml=project)
    assert "json was imported, the budget forbids it" in done.stdout
    assert "modules were imported" not in done.stdout


def test_a_failing_program_and_a_wrong_budget_are_told(tmp_path: Path) -> None:
    test = """
import pytest

def test_failing(headstart_startup):
    headstart_startup("-c", "raise ValueError('no luck')")

@pytest.mark.headstart_startup(luck=3)
def test_wrong(headstart_startup):
    headstart_startup("-c", "pass")

def test_no_function(headstart_traces):
    with headstart_traces(len):
        pass
"""
    done = run_pytest(tmp_path, test)
    assert "ended with status 1" in done.stdout
    assert "ValueError: no luck" in done.stdout
    assert "the budget is wrong" in done.stdout
    assert "During handling of" not in done.stdout
    assert "headstart_traces needs a tf.function" in done.stdout
    assert "3 failed" in done.stdout


def test_the_plugin_costs_nothing_where_it_is_not_used(tmp_path: Path) -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import headstart.pytest_plugin\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['headstart', 'headstart._version', 'headstart.pytest_plugin']"


@pytest.mark.tensorflow
def test_traces_are_counted(tmp_path: Path) -> None:
    program = """
import tensorflow as tf

@tf.function
def double(x):
    return x * 2

for step in range(6):
    double(step)
"""
    test = """
import pytest

@pytest.mark.headstart_startup(traces={"double": 1})
def test_program(headstart_startup):
    headstart_startup("steps.py")

def test_in_process(headstart_traces):
    import tensorflow as tf
    function = tf.function(lambda x: x + 1)
    with headstart_traces(function, at_most=1):
        function(tf.constant(1)), function(tf.constant(2))
    with headstart_traces(function, at_most=1):
        function(1), function(2)
"""
    done = run_pytest(tmp_path, test, steps_py=program)
    assert "double was traced 6 times, the budget allows 1" in done.stdout
    assert "steps.py:9  double(step)" in done.stdout
    assert "was traced 2 times here, at most 1 allowed" in done.stdout
    assert "2 failed" in done.stdout


def check(
    folder: Path, budget: str | None, code: str = PLAIN, **environment: str
) -> subprocess.CompletedProcess[str]:
    (folder / "hello.py").write_text(code)
    if budget is not None:
        (folder / "pyproject.toml").write_text(f"[tool.headstart.budget]\n{budget}\n")
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--check", "hello.py"]
    env = {**os.environ, "GITHUB_ACTIONS": "", **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env)


def test_profile_check(tmp_path: Path) -> None:
    done = check(tmp_path, "imports = 100000")
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert "within the start-up budget" in done.stderr
    done = check(tmp_path, "imports = 0")
    assert (done.returncode, done.stdout) == (1, "hello\n")
    assert "modules were imported, the budget allows 0" in done.stderr


def test_the_program_s_own_failure_is_the_status(tmp_path: Path) -> None:
    assert check(tmp_path, "imports = 0", "import json; raise SystemExit(5)").returncode == 5


def test_annotations_for_github(tmp_path: Path) -> None:
    done = check(tmp_path, 'forbid-imports = ["json"]', "import json\n", GITHUB_ACTIONS="true")
    assert done.returncode == 1
    assert (
        "::error title=headstart%3A json was imported%2C the budget forbids it,file=hello.py,line=1::"
        in done.stdout
    )


def test_a_check_without_a_budget_is_refused_before_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    done = check(tmp_path, None)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--check needs a [tool.headstart.budget]" in done.stderr
    done = check(tmp_path, "luck = 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no limit 'luck'" in done.stderr
