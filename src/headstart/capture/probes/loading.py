"""Reading and writing models, weights and checkpoints, with the bytes on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...record.signals import LOAD, SAVE
from ..bus import Bus
from ._tools import span_around


def install(bus: Bus, module: Any) -> None:
    name = module.__name__
    if name.endswith("saving_api"):
        for function, kind in (
            ("load_model", LOAD),
            ("load_weights", LOAD),
            ("save_model", SAVE),
            ("save_weights", SAVE),
        ):
            if hasattr(module, function):
                _around(bus, module, function, kind, "filepath", function)
    elif name.endswith("saved_model.load"):
        _around(bus, module, "load_partial", LOAD, "export_dir", "saved_model.load")
    elif name.endswith("checkpoint.checkpoint"):
        for cls, method, kind in (
            ("Checkpoint", "restore", LOAD),
            ("Checkpoint", "read", LOAD),
            ("Checkpoint", "save", SAVE),
            ("Checkpoint", "write", SAVE),
        ):
            argument = "file_prefix" if kind == SAVE else "save_path"
            _around(bus, getattr(module, cls), method, kind, argument, f"Checkpoint.{method}")
    elif name.endswith("training.saver"):
        _around(bus, module.Saver, "restore", LOAD, "save_path", "Saver.restore")
        _around(bus, module.Saver, "save", SAVE, "save_path", "Saver.save")


def _around(bus: Bus, owner: Any, function: str, kind: str, argument: str, label: str) -> None:
    describe: Callable[..., dict[str, Any]] = lambda path: {"name": label, **_file_facts(path)}  # noqa: E731
    span_around(bus, owner, function, kind, label, describe, (argument,))


def _file_facts(path: Any) -> dict[str, Any]:
    try:
        text = os.fsdecode(path)
    except TypeError:
        return {}
    return {"path": text, "bytes": bytes_on_disk(text)}


def bytes_on_disk(path: str) -> int:
    """Size of a file, of all files below a folder, or of the files of a checkpoint prefix."""
    try:
        if os.path.isfile(path):
            return os.path.getsize(path)
        if os.path.isdir(path):
            return sum(
                os.path.getsize(os.path.join(top, f)) for top, _, files in os.walk(path) for f in files
            )
        folder, prefix = os.path.split(path)
        return sum(e.stat().st_size for e in os.scandir(folder or ".") if e.name.startswith(prefix + "."))
    except OSError:
        return 0
