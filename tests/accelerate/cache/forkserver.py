"""Runs programs in children of one process that has TensorFlow imported: the import is paid once for a whole suite.

A fork before TensorFlow has started its runtime is safe; every child is a process of its own from there on. Reads
one JSON request per line, answers with one line when the child has ended.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import traceback
from typing import Any


def serve() -> None:
    import keras
    import numpy
    import tensorflow

    assert keras
    assert numpy
    assert tensorflow
    requests, sys.stdin = sys.stdin, open(os.devnull)  # noqa: SIM115
    answers = os.dup(1)
    os.write(answers, b"ready\n")
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _child(request)
        status = os.waitpid(child, 0)[1]
        os.write(answers, (json.dumps({"status": os.waitstatus_to_exitcode(status)}) + "\n").encode())


def _child(request: dict[str, Any]) -> None:
    code = 1
    try:
        for number, name in ((1, "stdout"), (2, "stderr")):
            file = os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, number)
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.argv = request["argv"]
        sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
        if request["cached"]:
            from headstart.accelerate import inplace
            from headstart.accelerate.cache import activation

            activation.begin({}, inplace.watch_functions())
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
            code = 0
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
        if request["cached"]:
            activation._end(activation.engine())
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
