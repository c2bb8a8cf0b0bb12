"""A process that has imported TensorFlow and forks an arm of an experiment for each line it is given.

A quick lab cannot afford to import TensorFlow for each of some hundred runs. The import is all that the arms
share: after it no TensorFlow thread runs and no device is initialised, so each forked arm still meets a runtime
that has done nothing. Arms that measure the start of a process never come here.

One JSON line in: {"program", "log", "environ", "timeout"}; one out: {"pid", "status", "seconds"}.
Run by `headstart profile`, every arm gets a record of its own (`RECORD.PID`).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any


def main() -> int:
    import gc

    import tensorflow

    # Parts that load when first touched, which each arm would otherwise load anew.
    _ = (tensorflow.keras.Sequential, tensorflow.keras.layers.Dense, tensorflow.compat.v1.Session)
    gc.collect()
    _answer({"ready": True, "version": tensorflow.__version__})
    for line in sys.stdin:
        _answer(_run(json.loads(line)))
    return 0


def _answer(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _run(order: dict[str, Any]) -> dict[str, Any]:
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _become(order)
    status = _wait(pid, start + order["timeout"])
    return {"pid": pid, "status": status, "seconds": time.monotonic() - start}


def _wait(pid: int, deadline: float) -> int:
    """The exit status as a shell shows it; an arm that takes too long is ended (124, as `timeout` has it)."""
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return 124
        time.sleep(0.002)


def _become(order: dict[str, Any]) -> None:
    """Be the arm: run its program as `__main__`, then go without tidying up the whole interpreter, which takes
    longer than most arms."""
    status = 1
    try:
        path = order["program"]
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(os.path.dirname(path))
        os.environ.update(order["environ"])
        sys.argv = [path]
        sys.path[0] = os.path.dirname(path)
        import runpy

        runpy.run_path(path, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        _leave(status)


def _leave(status: int) -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        bootstrap = sys.modules.get("headstart.capture.bootstrap")
        if bootstrap is not None:
            bootstrap.stop()
    finally:
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
