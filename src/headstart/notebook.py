"""`%%headstart` for notebooks: the ledger of a cell, as a page under the cell.

    %load_ext headstart.notebook

    %%headstart
    model.fit(x, y)

By default the cell runs in the kernel, as always, and what it defines stays. With `--fresh` it runs as a program
in a process of its own, so that imports and the rest of a true start are part of the ledger.
"""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from typing import Any

from . import api
from .render import terminal
from .render.html import render as render_page

OPTIONS = ("--fresh", "--text")


class ReportView:
    """A report as a notebook shows it: a page of its own in a frame, or text where there is no HTML."""

    def __init__(self, reading: api.Reading, *, text_only: bool = False) -> None:
        self.reading = reading
        self._text_only = text_only

    @property
    def report(self) -> Any:
        return self.reading.report

    def __repr__(self) -> str:
        return terminal.render(self.reading.report, width=100)

    def _repr_html_(self) -> str | None:
        if self._text_only:
            return None
        page = html.escape(render_page(self.reading.report, self.reading.runs), quote=True)
        # The frame may run its own scripts and nothing else: it cannot reach the notebook.
        return (
            '<iframe title="headstart report" sandbox="allow-scripts" loading="lazy" '
            f'style="width:100%;height:680px;border:0;border-radius:12px" srcdoc="{page}"></iframe>'
        )


class CellFailed(Exception):
    """Ends a cell whose code failed, so that "run all" and nbconvert stop there as they do without `%%headstart`.
    The error itself has been shown by then, with its own traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def show(record: str) -> ReportView:
    """The report of a stored run, as the last value of a cell."""
    return ReportView(api.report_of([record]))


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext headstart.notebook`."""

    def headstart(line: str, cell: str) -> ReportView | None:
        words = line.split()
        unknown = [word for word in words if word not in OPTIONS]
        if unknown:
            print(
                f"headstart: no such option: {unknown[0]}. There are: {', '.join(OPTIONS)}", file=sys.stderr
            )
            return None
        reading, failure = _fresh(cell) if "--fresh" in words else _here(shell, cell)
        view = None if reading is None else ReportView(reading, text_only="--text" in words)
        if failure is None:
            return view
        if view is not None:
            from IPython import display

            put_out: Any = display.display  # untyped in IPython
            put_out(view)
        raise CellFailed(failure)

    shell.register_magic_function(headstart, magic_kind="cell", magic_name="headstart")


def _here(shell: Any, cell: str) -> tuple[api.Reading | None, str | None]:
    """Run it in the kernel: the reading, and how it failed. Errors are shown by IPython itself, as for any cell."""
    from .inprocess import profile

    with profile(quiet=True) as recorded:
        result = shell.run_cell(cell)
    if recorded.reading is None:
        print("headstart: this kernel is being profiled as a whole already", file=sys.stderr)
    error = result.error_before_exec or result.error_in_exec
    return recorded.reading, None if error is None else f"{type(error).__name__}: {error}"


def _fresh(cell: str) -> tuple[api.Reading | None, str | None]:
    """Run it as a program of its own; its output appears under the cell."""
    with tempfile.TemporaryDirectory(prefix="headstart-") as folder:
        program, record = os.path.join(folder, "cell.py"), os.path.join(folder, "run.hsrun")
        with open(program, "w", encoding="utf-8") as handle:
            handle.write(cell)
        command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", record, program]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)
        reading = api.report_of([record]) if os.path.exists(record) else None
        return reading, f"the program ended with status {done.returncode}" if done.returncode else None
