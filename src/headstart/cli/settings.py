"""Finds `[tool.headstart]` in the nearest pyproject.toml."""

from __future__ import annotations

import os
import sys

from ..errors import UsageError


def project_settings() -> dict[str, object]:
    """The settings of the project around the current folder, empty when it has none."""
    try:
        path = _nearest_project_file(os.getcwd())
    except OSError:  # the folder has been deleted under us; the program may not care
        return {}
    if path is None:
        return {}
    try:
        with open(path, "rb") as handle:
            data = handle.read()
    except OSError:
        return {}
    # Most projects say nothing about headstart: do not pay for a TOML parser to find that out.
    if b"tool.headstart" not in data:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        settings = tomllib.loads(data.decode()).get("tool", {}).get("headstart", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read [tool.headstart] in {path}: {error}") from None
    if not isinstance(settings, dict):
        raise UsageError(f"tool.headstart in {path} must be a table")
    return settings


def _nearest_project_file(start: str) -> str | None:
    folder = start
    while True:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
