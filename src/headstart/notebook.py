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
        reading = _fresh(cell) if "--fresh" in words else _here(shell, cell)
        return None if reading is None else ReportView(reading, text_only="--text" in words)

    shell.register_magic_function(headstart, magic_kind="cell", magic_name="headstart")


def _here(shell: Any, cell: str) -> api.Reading | None:
    """Run it in the kernel. Errors are shown by IPython itself, as for any cell."""
    from .inprocess import profile

    with profile(quiet=True) as recorded:
        shell.run_cell(cell)
    if recorded.reading is None:
        print("headstart: this kernel is being profiled as a whole already", file=sys.stderr)
    return recorded.reading


def _fresh(cell: str) -> api.Reading | None:
    """Run it as a program of its own; its output appears under the cell."""
    with tempfile.TemporaryDirectory(prefix="headstart-") as folder:
        program, record = os.path.join(folder, "cell.py"), os.path.join(folder, "run.hsrun")
        with open(program, "w", encoding="utf-8") as handle:
            handle.write(cell)
        command = [sys.executable, "-m", "headstart", "profile", "--quiet", "--record", record, program]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)
        return api.report_of([record]) if os.path.exists(record) else None
