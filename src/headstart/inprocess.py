"""`headstart.profile()`: the ledger of a part of a program that is already running, or of a notebook cell."""

from __future__ import annotations

import os
import sys
import tempfile
from types import TracebackType
from typing import TextIO

from .analyse.report import Report
from .capture import bootstrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import Reading


class profile:
    """Record what happens inside the `with` block, then print the ledger.

    The report is afterwards in `.report`. Imports that happened before the block cannot be seen; everything
    in the block can. Inside a program that `headstart profile` runs already, this does nothing.
    """

    def __init__(self, *, quiet: bool = False, file: TextIO | None = None) -> None:
        self.report: Report | None = None
        self.reading: Reading | None = None
        """The report with the run behind it, for pictures."""
        self._quiet = quiet
        self._file = file
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._record = ""

    def __enter__(self) -> profile:
        if bootstrap.active is None:
            self._folder = tempfile.TemporaryDirectory(prefix="headstart-")
            self._record = os.path.join(self._folder.name, "run.hsrun")
            bootstrap.start(
                {"record": self._record, "run": os.urandom(8).hex(), "argv": sys.argv}, origin="api"
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is None:
            return
        bootstrap.stop()
        from . import api

        reading = api.report_of([self._record])
        self.report, self.reading = reading.report, reading
        self._folder.cleanup()
        if not self._quiet:
            print(api.render("terminal", reading), file=self._file or sys.stderr)
