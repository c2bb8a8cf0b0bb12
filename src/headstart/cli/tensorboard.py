"""`--tensorboard FOLDER`: an event file beside TensorFlow's own."""

from __future__ import annotations

import os

from ..errors import HeadstartError
from .options import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import api

TENSORBOARD = Option("tensorboard", "add scalars and the ledger to a TensorBoard log folder", "FOLDER")


def check_folder(path: str) -> None:
    """Make it where it is missing; told before the program runs when it cannot be written to."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise HeadstartError(f"cannot make the folder {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise HeadstartError(f"cannot write in {path}: permission denied")


def add(path: str, reading: api.Reading) -> None:
    """One more event file; none is ever replaced."""
    import platform
    import time

    from ..render.tensorboard import render

    now = time.time()
    name = f"events.out.tfevents.{now:.6f}.{platform.node()}.headstart.{os.getpid()}"
    try:
        with open(os.path.join(path, name), "xb") as handle:
            handle.write(render(reading.report, unix_seconds=now))
    except OSError as error:
        raise HeadstartError(f"could not write to {path}: {error.strerror}") from None
