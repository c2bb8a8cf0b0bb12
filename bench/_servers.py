"""A cache and a warm interpreter of the benchmark's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._measure import HEADSTART

# The interpreter under the name that the installed command gives it: the two must be the same program.
PYTHON = Path(HEADSTART).read_text(encoding="utf-8").splitlines()[0].removeprefix("#!").strip()


@contextmanager
def server() -> Iterator[dict[str, str]]:
    """The environment in which runs find them."""
    folder = tempfile.mkdtemp(prefix="headstart-bench-")
    env = {"HEADSTART_CACHE_DIR": folder, "TF_CPP_MIN_LOG_LEVEL": "2"}
    try:
        headstart(env, "warm", "start")
        yield env
    finally:
        headstart(env, "warm", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def headstart(env: dict[str, str], *words: str) -> bytes:
    command = [HEADSTART, *words]
    return subprocess.run(command, env={**os.environ, **env}, check=True, stdout=subprocess.PIPE).stdout
