"""Waiting for child processes."""

from __future__ import annotations

import os
from typing import Any

from ...record.signals import EXTERNAL
from ..bus import Bus
from ._tools import span_around


def install(bus: Bus, module: Any) -> None:
    for method in ("wait", "communicate"):
        span_around(
            bus,
            module.Popen,
            method,
            EXTERNAL,
            describe=lambda self: {"what": "process", "name": _program(self.args)},
            arguments=("self",),
            when=bus.on_main,
        )


def _program(args: Any) -> str:
    first = args if isinstance(args, (str, bytes, os.PathLike)) else (args[0] if args else "")
    return os.fsdecode(first)[:80]
