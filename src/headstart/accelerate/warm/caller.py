"""What a program inherits from whoever starts it, gathered by the launcher and sent to the server."""

from __future__ import annotations

import os
import sys

from . import contract
from .protocol import MOST_DESCRIPTORS, encode_request, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..program import Program


class Unsuitable(Exception):
    """This run cannot be made warm; the text says why."""


class Caller:
    """The state of this process before we changed any of it."""

    def __init__(self) -> None:
        self.status = contract.read_status()
        self.terminal = contract.terminal_of_session()
        self.identity = contract.identity(self.status, self.terminal)
        self.descriptors = inherited()
        self.cwd = os.getcwdb()
        if any(not os.path.isabs(entry) for entry in (os.environ.get("PYTHONPATH") or "/").split(os.pathsep)):
            raise Unsuitable("PYTHONPATH holds a folder that depends on the current one")

    def request(self, program: Program, options: Mapping[str, str]) -> bytes:
        if program.kind == "script" and not os.path.isfile(program.what):
            raise Unsuitable("what is read from a pipe is read once")  # and looked through, before a warm run
        encode = os.fsencode
        lines = dict(line.split(b":\t", 1) for line in self.status.splitlines() if b":\t" in line)
        numbers = (int(lines[b"Umask"], 8), os.getpriority(os.PRIO_PROCESS, 0), os.getpid(), os.getsid(0))
        return encode_request(
            [
                b"run",
                self.identity,
                pack([encode(program.kind), encode(program.what), *map(encode, program.words)]),
                pack([name + b"=" + value for name, value in os.environb.items()]),
                self.cwd,
                pack([b"%d" % number for number in self.descriptors]),
                pack([b"%d" % number for number in numbers]),
                pack([lines[b"SigIgn"], lines[b"SigBlk"], *limits()]),
                pack([encode(f"{name}={value}") for name, value in options.items()]),
            ]
        )


def inherited() -> list[int]:
    """The descriptors that a program started here inherits: the first three where open, and all that are not
    close-on-exec (Python makes its own so, a caller's are not)."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        try:
            if os.get_inheritable(number):
                found.append(number)
        except OSError:
            pass  # the descriptor of the listing itself
    if len(found) > MOST_DESCRIPTORS:
        raise Unsuitable(f"{len(found)} open descriptors are too many to pass on")
    return sorted(found)


def limits() -> list[bytes]:
    """All resource limits, as the kernel prints them."""
    import resource

    found = []
    for number in range(resource.RLIM_NLIMITS if hasattr(resource, "RLIM_NLIMITS") else 16):
        try:
            soft, hard = resource.getrlimit(number)
        except (ValueError, OSError):
            continue
        found.append(b"%d:%d:%d" % (number, soft, hard))
    return found


def supported() -> str:
    """Why this platform cannot run warm; empty if it can."""
    if sys.platform != "linux":
        return f"no warm runs on {sys.platform}"
    if not hasattr(os, "fork"):
        return "this Python cannot fork"
    return ""
