"""What a server and a caller must have in common: the interpreter, the rights, the place in the system, and
every environment variable that was read while the server imported its packages.

The rule for variables is by name, and errs on the side of asking too much: a variable that only *may* be read
at import belongs to the key. Reads by Python code are recorded while the server imports (`journal.py`) and
added to these.
"""

from __future__ import annotations

import os
import sys

from ..._version import __version__
from .protocol import MAGIC, pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Read by the interpreter, the C library, the dynamic loader, or by native code when its library is loaded.
PREFIXES = (
    *("PYTHON", "LC_", "LD_", "MALLOC_", "GLIBC_", "TF_", "TFLITE_", "KERAS_", "NPY_", "NUMPY_", "OMP_"),
    *("OPENBLAS_", "GOTO_", "MKL_", "KMP_", "GOMP_", "BLIS_", "GCS_", "HDF5_", "H5PY_", "GRPC_", "ABSL_"),
    *("PROTOCOL_BUFFERS_", "CUDA_", "NVIDIA_", "ROCM_", "HIP_", "NCCL_", "DNNL_"),
)
NAMES = frozenset(("LANG", "LANGUAGE", "HOME", "COVERAGE_PROCESS_START", "SETUPTOOLS_USE_DISTUTILS"))
# Read when a device, a graph or a session is made: the forked program may still set them.
LATER = frozenset(
    (
        *("TF_XLA_FLAGS", "TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_GRAPH_CACHING"),
        *("TF_DETERMINISTIC_OPS", "TF_CONFIG", "TF_CUDNN_DETERMINISTIC"),
    )
)
# Read by Python code at import, without a trace in what was imported: where to find `uname`.
HARMLESS = frozenset(("PATH",))
_STATUS = (b"Uid:", b"Gid:", b"Groups:", b"Cap", b"NoNewPrivs:", b"Seccomp:", b"Cpus_allowed:")
_SPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def matters(name: str) -> bool:
    """Whether this variable is of those that may be read at import."""
    return (name.startswith(PREFIXES) or name in NAMES) and name not in LATER


def read_status() -> bytes:
    """What the kernel says of this process; read once, used for several things."""
    with open("/proc/self/status", "rb", 0) as handle:
        return handle.read()


def identity(status: bytes, terminal: str) -> bytes:
    """All but the environment, as bytes that are equal or not."""
    rights = [line for line in status.splitlines() if line.startswith(_STATUS)]
    with open("/proc/self/cgroup", "rb", 0) as handle:
        rights.append(handle.read())
    for space in _SPACES:
        rights.append(str(os.stat(f"/proc/self/ns/{space}").st_ino).encode())
    parts = (
        __version__,
        sys.version,
        sys.executable,
        sys.prefix,
        repr(sys.flags),
        repr(sys._xoptions),
        terminal,
    )
    return pack([MAGIC, *(os.fsencode(part) for part in parts), *rights])


def terminal_of_session() -> str:
    """Names the terminal session that this process belongs to; empty without a controlling terminal.

    A server can only put a program into its own session, and on a terminal the session is what makes Ctrl-C,
    Ctrl-Z, background reads and /dev/tty work: a terminal has servers of its own.
    """
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return ""
    session = os.getsid(0)
    try:
        with open(f"/proc/{session}/stat", "rb", 0) as handle:
            started = handle.read().rpartition(b")")[2].split()[19].decode()
    except OSError:
        started = "gone"
    return f"{session}-{started}"


def encode_key(ident: bytes, environ: Mapping[str, str | None]) -> bytes:
    """The content of a server's key file."""
    items = [
        os.fsencode(name if value is None else f"{name}={value}") for name, value in sorted(environ.items())
    ]
    return len(ident).to_bytes(4, "big") + ident + pack(items)


def decode_key(data: bytes) -> tuple[bytes, dict[bytes, bytes | None]]:
    size = int.from_bytes(data[:4], "big")
    variables: dict[bytes, bytes | None] = {}
    for item in unpack(data[4 + size :]):
        name, equals, value = item.partition(b"=")
        variables[name] = value if equals else None
    return data[4 : 4 + size], variables


def differing(wanted: Mapping[bytes, bytes | None], environ: Mapping[bytes, bytes]) -> list[str]:
    """The names of the variables that the caller has otherwise than the server had when it imported."""
    names = [name for name, value in wanted.items() if environ.get(name) != value]
    names += [name for name in environ if name not in wanted and matters(os.fsdecode(name))]
    return sorted(os.fsdecode(name) for name in names)


def keyed(environ: Mapping[str, str], also: Iterable[str] = ()) -> dict[str, str]:
    """The part of an environment that a server is started with."""
    chosen = set(also)
    return {name: value for name, value in environ.items() if matters(name) or name in chosen}


def changed(environ: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """The environment after the program has set, or removed, these."""
    merged = {**environ, **changes}
    return {name: value for name, value in merged.items() if value is not None}
