"""What makes a process unfit to be forked, or an import unfit to be done ahead: threads, children, open
descriptors, a started TensorFlow."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple


class State(NamedTuple):
    """What an import must leave as it was."""

    threads: int
    children: bool
    descriptors: frozenset[str]
    tensorflow: bool


def settle() -> None:
    """OpenBLAS keeps idle threads that it gives up before a fork and makes again when it needs them: fork once
    so that only threads are counted that would be lost."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def state() -> State:
    if threads() > 1:
        settle()
    try:
        children = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None or _has_children()
    except ChildProcessError:
        children = False
    descriptors = frozenset(_descriptors())
    return State(threads(), children, descriptors, tensorflow_started())


def _has_children() -> bool:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as handle:
            return bool(handle.read().strip())
    except OSError:
        return True


def _descriptors() -> list[str]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
        except OSError:
            pass  # the listing itself
    return found


def difference(before: State) -> str:
    """What has become worse, in words; empty if nothing."""
    now = state()
    if now.threads > before.threads:
        return f"starts {now.threads - before.threads} threads"
    if now.children and not before.children:
        return "starts a process"
    opened = now.descriptors - before.descriptors
    if opened:
        return f"opens {sorted(opened)[0]}"
    if now.tensorflow and not before.tensorflow:
        return "starts TensorFlow's runtime"
    return ""


def tensorflow_started(modules: Any = None) -> bool:
    """Whether TensorFlow's runtime is up in this process: it does not survive a fork."""
    context = (modules or sys.modules).get("tensorflow.python.eager.context")
    current = getattr(context, "_context", None)
    return bool(getattr(current, "_initialized", False))


def fit_to_fork(modules: Any) -> str:
    """Why this process must not be forked; empty if it may."""
    count = threads()
    if count != 1:
        return f"{count} threads are running"
    if tensorflow_started(modules):
        return "TensorFlow's runtime has started"
    return ""
