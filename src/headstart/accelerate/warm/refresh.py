"""State that a package makes once, at its import, and that must be each program's own: seeds, secrets, clocks,
folders. Renewed in the forked program before it can see any of it."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from typing import Any


def hide_frozen() -> None:
    """What the server has frozen does not count as frozen by the program. Called once, in the server, when that
    is done: to count is to touch every object."""
    kept = gc.get_freeze_count()
    count = gc.get_freeze_count

    def get_freeze_count() -> int:
        """Return the number of objects in the permanent generation."""
        return max(count() - kept, 0)

    gc.get_freeze_count = get_freeze_count


def _random(module: Any) -> None:
    module.seed()


def _numpy_random(module: Any) -> None:
    module._rand.seed()


def _logging(module: Any) -> None:
    if hasattr(module, "_startTime"):
        # Seconds until Python 3.12, nanoseconds from 3.13 on.
        module._startTime = time.time_ns() if isinstance(module._startTime, int) else time.time()


def _process(module: Any) -> None:
    module.ORIGINAL_DIR = os.path.abspath(os.getcwd())
    module.current_process().authkey = os.urandom(32)


def _tensorflow_log(module: Any) -> None:
    """TensorFlow gives its log a handler of its own unless the program has set up logging by then."""
    logger, module._logger = module._logger, None
    if logger is not None:
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
        module.get_logger()


def _threading(module: Any) -> None:
    main = module.main_thread()
    if hasattr(main, "_native_id"):
        main._native_id = module.get_native_id()


REFRESHERS: dict[str, Callable[[Any], None]] = {
    "random": _random,
    "numpy.random.mtrand": _numpy_random,
    "logging": _logging,
    "multiprocessing.process": _process,
    "threading": _threading,
    "tensorflow.python.platform.tf_logging": _tensorflow_log,
}
