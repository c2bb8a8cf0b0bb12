"""What the package imports is what its metadata asks for: a developer's environment hides a missing line."""

from __future__ import annotations

import ast
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

import headstart

SOURCE = Path(headstart.__file__).parent
THE_USERS_OWN = {"tensorflow", "keras", "tf_keras", "numpy", "pytest", "IPython"}
"""Imported only where the user's program, test run or notebook has imported them before."""


def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def _third_party() -> dict[str, set[str]]:
    """Module to the files that import it."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for name in _imported(path) - set(sys.stdlib_module_names) - {"headstart"}:
            found.setdefault(name, set()).add(str(path.relative_to(SOURCE)))
    return found


def _asked_for(extra: str | None) -> set[str]:
    names = set()
    for line in requires("headstart") or ():
        requirement, _, marker = line.partition(";")
        if (f'extra == "{extra}"' in marker.replace("'", '"')) if extra else "extra" not in marker:
            names.add("".join(c if c.isalnum() or c in "-_" else " " for c in requirement).split()[0])
    return names


def test_every_import_is_asked_for() -> None:
    allowed = _asked_for(None) | _asked_for("history") | THE_USERS_OWN
    unknown = {name: files for name, files in _third_party().items() if name not in allowed}
    assert unknown == {}


def test_nothing_is_asked_for_in_vain() -> None:
    assert _asked_for(None) - set(_third_party()) == set()


@pytest.mark.parametrize("extra", [None, "history", "bench", "dev", "examples", "tensorflow"])
def test_every_dependency_is_justified(extra: str | None) -> None:
    page = (SOURCE.parent.parent / "docs" / "dependencies.md").read_text()
    assert [name for name in _asked_for(extra) if name != "headstart" and name not in page] == []
