"""What this machine has: kept with the results, and what some experiments need.

Looking at it is also the lab's first process: it reads TensorFlow's files from disk, so that no measured start
has to. That is the warm-up run, and it is never counted.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .._version import __version__
from ..launch.surroundings import cores, processor

NEEDS = {
    "gpu": "a GPU that TensorFlow can use",
    "litert": "the ai-edge-litert package",
    "headstart run": "`headstart run`",
    "disk": "3 GB of free disk in the temporary folder",
}
"""What arms and contrasts may need, in words."""

_LOOK = """
import json
import tensorflow as tf
import keras, numpy
print("LAB" + json.dumps({
    "tensorflow": tf.__version__,
    "keras": keras.__version__,
    "numpy": numpy.__version__,
    "gpus": [d.name for d in tf.config.list_physical_devices("GPU")],
}))
"""
_SETTINGS = ("TF_", "XLA_", "KERAS_", "OMP_", "OPENBLAS_", "CUDA_", "ONEDNN_")


def look(scratch: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    """The facts of this machine and of its TensorFlow; "trouble" says why there is none."""
    facts: dict[str, Any] = {
        "headstart": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": processor() or platform.processor() or "unknown",
        "cores": cores(),
        "memory_bytes": _memory(),
        "settings": {name: value for name, value in environ.items() if name.startswith(_SETTINGS)},
    }
    done = subprocess.run(
        [sys.executable, "-c", _LOOK],
        cwd=scratch,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        start_new_session=True,
    )
    line = next((text for text in done.stdout.splitlines() if text.startswith("LAB")), None)
    if line is None:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {**facts, "trouble": f"TensorFlow cannot be imported by {sys.executable}: {last}"}
    return {**facts, **json.loads(line[3:])}


def absent(facts: Mapping[str, Any], scratch: Path, environ: Mapping[str, str]) -> set[str]:
    """Which of `NEEDS` this machine does not have."""
    missing = set()
    if not facts.get("gpus"):
        missing.add("gpu")
    if find_spec("ai_edge_litert") is None:
        missing.add("litert")
    if shutil.disk_usage(scratch).free < 3 << 30:
        missing.add("disk")
    if not _runs(scratch, environ):
        missing.add("headstart run")
    return missing


def same_machine(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether measurements may be put together: all but what changes from minute to minute."""
    return {**one} == {**other}


def _runs(scratch: Path, environ: Mapping[str, str]) -> bool:
    """Whether `headstart run` is there and runs a program as `python` would."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "headstart", "run", "--no-warm", "-c", "print(6 * 7)"],
            cwd=scratch,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout == "42\n"


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return 0
