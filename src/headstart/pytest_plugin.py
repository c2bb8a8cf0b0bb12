"""Guards for tests: a start that got worse fails like any other regression.

    @pytest.mark.headstart_startup(traces={"train_step": 1}, no_retrace_after=3, imports=3000)
    def test_training_starts_well(headstart_startup):
        headstart_startup("train.py", "--epochs", "1")

The fixture runs the program under `headstart profile` in a process of its own, checks the marker's budget and
that of `[tool.headstart.budget]`, and returns the report. `headstart_traces` counts the traces of a tf.function
of the test itself. Limits are counts wherever they can be: a busy machine does not break them.

pytest imports this module in every project beside which headstart is installed: it must cost nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .analyse.report import Report

MARKER = "headstart_startup"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "headstart_startup(**budget): limits for what the headstart_startup fixture runs: traces={name: n}, "
        "no_retrace_after=steps, imports=n, forbid_imports=[…], nodes=n, first_step=steady_steps, forbid=[rules], "
        "time_to_first_step=seconds",
    )


@pytest.fixture
def headstart_startup(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Report]:
    """Run a program under headstart, check its budget, return its report.

    Arguments are those of `python`: a script, or "-m" and a module, or "-c" and code, then the program's own.
    `cwd`, `env` and `timeout` are as for subprocess.run. A program that fails fails the test.
    """
    marks = [mark.kwargs for mark in request.node.iter_markers(MARKER)]
    limits: dict[str, Any] = {}
    for kwargs in reversed(marks):  # the nearest mark wins
        limits.update(kwargs)
    count = 0

    def run(*words: str | os.PathLike[str], **options: Any) -> Report:
        nonlocal count
        count += 1
        record = str(tmp_path / f"startup-{count}.hsrun")
        return _run(record, [os.fspath(word) for word in words], limits, options)

    return run


def _run(record: str, words: list[str], limits: dict[str, Any], options: dict[str, Any]) -> Report:
    __tracebackhide__ = True
    command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", record, *words]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).strip().split("\n")[-15:])
        pytest.fail(f"{' '.join(words)} ended with status {done.returncode}:\n{tail}", pytrace=False)
    from . import api
    from .analyse.budget import Budget, BudgetError, check, read_budget
    from .cli.settings import project_settings
    from .render.breaches import text

    reading = api.report_of([record])
    budgets: list[Budget] = []
    project = project_settings().get("budget")
    wrong = None
    try:
        budgets += [read_budget(project)] if isinstance(project, dict) else []
        budgets += [read_budget(limits)] if limits else []
    except BudgetError as error:
        wrong = str(error)
    if wrong is not None:  # out here, pytest shows no exception that this one followed
        pytest.fail(f"the budget is wrong: {wrong}", pytrace=False)
    broken = [breach for budget in budgets for breach in check(budget, reading.report, reading.runs)]
    if broken:
        pytest.fail(f"{' '.join(words)} is over its start-up budget\n\n{text(broken)}", pytrace=False)
    return reading.report


@pytest.fixture
def headstart_traces() -> Callable[..., AbstractContextManager[None]]:
    """`with headstart_traces(train_step, at_most=1): …` fails when the body traces the tf.function more often."""
    return _count_traces


@contextmanager
def _count_traces(function: Any, *, at_most: int = 0) -> Iterator[None]:
    __tracebackhide__ = True
    try:
        counter = function.experimental_get_tracing_count
    except AttributeError:
        raise TypeError(f"headstart_traces needs a tf.function, not {type(function).__name__}") from None
    before = counter()
    yield
    traced = counter() - before
    if traced > at_most:
        code = getattr(getattr(function, "python_function", None), "__code__", None)
        name = getattr(code, "co_name", None) or str(function)
        from .analyse.budget import Breach
        from .render.breaches import text

        breach = Breach(
            limit="traces",
            title=f"{name} was traced {traced} times here, at most {at_most} allowed",
            advice="Something in its arguments changes: a Python number, a shape, a new object. "
            "`headstart profile` on a program that does this names it.",
            file=getattr(code, "co_filename", None),
            line=getattr(code, "co_firstlineno", None),
        )
        pytest.fail(text([breach]), pytrace=False)
