"""How many ops and kernels TensorFlow's libraries register: counted once for each build, then remembered.

Counting means reading two large lists, so it happens when the program is over, and only the first time.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from .bus import Bus, now
from .splice_cache import cache_folder

_SESSION = "tensorflow.python.client.pywrap_tf_session"


def report(bus: Bus) -> None:
    """Put the counts into the record. Never imports anything of TensorFlow that the program did not."""
    session = sys.modules.get(_SESSION)
    library = getattr(sys.modules.get("tensorflow"), "__file__", None)
    if session is None or not library:
        return
    t0 = now()
    try:
        counts = _remembered(library) or _count_and_remember(session, library)
        if counts:
            bus.fact(registered_ops=counts[0], registered_kernels=counts[1])
    except Exception:
        pass
    bus.own_ns += now() - t0


def _place(library: str) -> str:
    status = os.stat(library)
    name = f"{status.st_dev:x}-{status.st_ino:x}-{status.st_mtime_ns:x}.txt"
    return os.path.join(cache_folder(), "registered", name)


def _remembered(library: str) -> tuple[int, int] | None:
    try:
        with open(_place(library), "rb") as handle:
            ops, kernels = handle.read(64).split()
        return int(ops), int(kernels)
    except (OSError, ValueError):
        return None


def _count_and_remember(session: Any, library: str) -> tuple[int, int] | None:
    ops = _length(session.TF_GetAllOpList(), "tensorflow.core.framework.op_def_pb2", "OpList", "op")
    kernels = _length(
        session.TF_GetAllRegisteredKernels(),
        "tensorflow.core.framework.kernel_def_pb2",
        "KernelList",
        "kernel",
    )
    if not ops or not kernels:
        return None
    path = _place(library)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "w") as handle:
            handle.write(f"{ops} {kernels}")
        os.replace(temporary, path)
    except OSError:
        pass
    return ops, kernels


def _length(buffer: Any, module: str, message: str, field: str) -> int:
    """Entries in a serialised list of TensorFlow's."""
    kind = getattr(sys.modules.get(module), message, None)
    if kind is None:
        return 0
    data = buffer if isinstance(buffer, bytes) else sys.modules[_SESSION].TF_GetBuffer(buffer)
    return len(getattr(kind.FromString(data), field))
