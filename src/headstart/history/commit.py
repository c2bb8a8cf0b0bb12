"""Which commit a folder stands at, read from git's files: starting git would take longer than all the rest."""

from __future__ import annotations

import os


def repository(folder: str) -> tuple[str | None, str | None]:
    """(root of the working tree, commit) around a folder; None where there is none."""
    while True:
        git = os.path.join(folder, ".git")
        if os.path.exists(git):
            return folder, _head(git)
        above = os.path.dirname(folder)
        if above == folder:
            return None, None
        folder = above


def _head(git: str) -> str | None:
    try:
        if os.path.isfile(git):  # a worktree or a submodule: a file that says where
            with open(git, encoding="utf-8") as handle:
                git = os.path.join(os.path.dirname(git), handle.read().partition("gitdir:")[2].strip())
        head = _read(os.path.join(git, "HEAD"))
        if not head.startswith("ref:"):
            return head or None
        return _resolve(git, head[4:].strip())
    except (OSError, UnicodeDecodeError):
        return None


def _resolve(git: str, name: str) -> str | None:
    folders = [git]
    try:
        folders.append(os.path.join(git, _read(os.path.join(git, "commondir"))))
    except OSError:
        pass
    for folder in folders:
        try:
            return _read(os.path.join(folder, name))
        except OSError:
            pass
        try:
            with open(os.path.join(folder, "packed-refs"), encoding="utf-8") as handle:
                for line in handle:
                    commit, _, ref = line.strip().partition(" ")
                    if ref == name:
                        return commit
        except OSError:
            pass
    return None


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as handle:
        return handle.read().strip()
