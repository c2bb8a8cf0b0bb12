"""Files that headstart writes: claimed before the program runs, written whole or not at all.

A report never replaces something that headstart did not write, unless told to with --force; and two runs that
were given the same name both keep their report (docs/decisions/0003).
"""

from __future__ import annotations

import os
import stat

from ..errors import HeadstartError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What the first kilobytes of each kind of report contain, and of no other file.
_SIGNATURES: dict[str, tuple[bytes, ...]] = {
    "json": (b'"schema"', b'"headstart"'),
    "html": (b"<html", b'content="headstart'),
    "trace": (b'"displayTimeUnit"', b'"headstart"'),
    "record": (b'{"headstart_record"',),
    "markdown": (b"### headstart",),
    "page": (b"written by `headstart lab`",),
    "speedscope": (b"speedscope.app", b'"headstart '),
    "prometheus": (b"# HELP headstart_",),
}
_HEAD_BYTES = 4096
Identity = tuple[int, int, int, int]


class Output:
    """One file to be written at the end."""

    __slots__ = ("before", "kind", "path", "special")

    def __init__(self, kind: str, path: str, before: Identity | None, special: bool) -> None:
        self.kind = kind
        self.path = path
        self.before = before
        """What was there when the name was claimed, None for nothing."""
        self.special = special
        """A device or a pipe: written to, never replaced."""


def claim(kind: str, path: str, force: bool = False) -> Output:
    """Check that a report can be written there, before anything else is done."""
    path = os.path.realpath(path)  # a symbolic link stays one: what it points to is replaced
    folder = os.path.dirname(path)
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        if not os.path.isdir(folder):
            raise HeadstartError(f"cannot write {path}: there is no folder {folder}") from None
        facts = None
    except OSError as error:
        raise HeadstartError(f"cannot write {path}: {error.strerror}") from None
    if facts is not None:
        if stat.S_ISDIR(facts.st_mode):
            raise HeadstartError(f"cannot write {path}: it is a directory")
        if not stat.S_ISREG(facts.st_mode):
            if not os.access(path, os.W_OK):
                raise HeadstartError(f"cannot write {path}: permission denied")
            return Output(kind, path, None, special=True)
        if not force and facts.st_size and not looks_like(kind, path):
            raise HeadstartError(
                f"{path} exists and is not headstart's own {kind}: give another name, or --force"
            )
    try:
        scratch = _scratch(path)
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.unlink(scratch)
    except OSError as error:
        raise HeadstartError(f"cannot write in {folder}: {error.strerror}") from None
    return Output(kind, path, None if facts is None else _identity(facts), special=False)


def refuse_doubles(paths: Sequence[str]) -> None:
    """Two reports cannot share a name."""
    seen: set[str] = set()
    for path in map(os.path.realpath, paths):
        if path in seen:
            raise UsageError(f"{path} is given for two outputs")
        seen.add(path)


def looks_like(kind: str, path: str) -> bool:
    """Whether a file was written by headstart as this kind of output."""
    try:
        with open(path, "rb") as handle:
            head = handle.read(_HEAD_BYTES)
    except OSError:
        return False
    return all(mark in head for mark in _SIGNATURES[kind])


def write(output: Output, content: str | bytes) -> str:
    """Write a claimed file and return its path, which differs from the claimed one when another run took that
    name meanwhile."""
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    if output.special:
        _write_special(output, data)
        return output.path
    scratch = _scratch(output.path)
    try:
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return _publish(scratch, output)
    except OSError as error:
        raise HeadstartError(
            f"could not write the {output.kind} to {output.path}: {error.strerror}"
        ) from None
    finally:
        try:
            os.unlink(scratch)
        except OSError:
            pass


def _publish(scratch: str, output: Output) -> str:
    try:
        now: Identity | None = _identity(os.stat(output.path))
    except FileNotFoundError:
        now = None
    if now == output.before and now is not None:
        os.replace(scratch, output.path)
        return output.path
    if now is None and _link(scratch, output.path):
        return output.path
    base, suffix = os.path.splitext(output.path)
    for number in range(2, 10_000):
        other = f"{base}.{number}{suffix}"
        if _link(scratch, other):
            return other
    raise FileExistsError(17, "every name beside it is taken")


def _link(scratch: str, path: str) -> bool:
    """Give the finished file its name, unless somebody has taken it."""
    try:
        os.link(scratch, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        os.replace(scratch, path)
    return True


def _write_special(output: Output, data: bytes) -> None:
    try:
        with open(output.path, "wb", buffering=0) as handle:
            view = memoryview(data)
            while view:
                view = view[handle.write(view) :]
    except OSError as error:
        raise HeadstartError(
            f"could not write the {output.kind} to {output.path}: {error.strerror}"
        ) from None


def _scratch(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{os.getpid()}-{os.urandom(4).hex()}.tmp")


def _identity(facts: os.stat_result) -> Identity:
    return facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_size
