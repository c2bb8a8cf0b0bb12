"""Small text files that one run leaves for the next, one an environment: losing one costs speed, nothing else."""

from __future__ import annotations

import _imp
import os
import sys


def name() -> str:
    """What tells this interpreter with its packages from others."""
    return _imp.source_hash(1, os.fsencode(f"{sys.prefix}\n{sys.version}")).hex() + ".txt"


def write(path: str, text: str) -> bool:
    """Whole or not at all: another run may be reading or writing."""
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.rename(temporary, path)
    except OSError:
        return False
    return True
