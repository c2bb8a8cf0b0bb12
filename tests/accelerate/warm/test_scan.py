"""What a program sets before it imports TensorFlow, read from its source."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from headstart.accelerate.warm import contract
from headstart.accelerate.warm.checks import ENDS_AT
from headstart.accelerate.warm.scan import Scan, Unknown

LEVEL = "TF_CPP_MIN_LOG_LEVEL"


def scan(folder: Path, **given: str) -> dict[str, str | None]:
    found = Scan([str(folder)], ENDS_AT, contract.matters, given)
    found.script(str(folder / "main.py"))
    return found.changes


def lay_out(folder: Path, main: str, others: dict[str, str] | None = None) -> Path:
    for name, text in {"main.py": main, **(others or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


UNDERSTOOD = {
    "assignment": ("import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nimport tensorflow", {LEVEL: "3"}),
    "from-os": ("from os import environ\nenviron['KERAS_BACKEND'] = 'jax'\nimport keras", {"KERAS_BACKEND": "jax"}),
    "setdefault": ("import os\nos.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')\nimport tensorflow", {LEVEL: "2"}),
    "update": (
        "import os\nos.environ.update({'TF_CPP_MIN_LOG_LEVEL': '1'}, KERAS_BACKEND='tensorflow')\nimport tensorflow",
        {LEVEL: "1", "KERAS_BACKEND": "tensorflow"},
    ),
    "pop": ("import os\nos.environ.pop('TF_CPP_MIN_LOG_LEVEL', None)\nimport tensorflow", {LEVEL: None}),
    "delete": ("import os\ndel os.environ['TF_CPP_MIN_LOG_LEVEL']\nimport tensorflow", {LEVEL: None}),
    "last-wins": ("import os\nos.environ['TF_X'] = '1'\nos.environ['TF_X'] = '2'\nimport keras", {"TF_X": "2"}),
    "after-the-import": ("import os\nimport tensorflow\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'", {}),
    "between-numpy-and-tensorflow": (
        "import os\nimport numpy\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nfrom tensorflow import keras",
        {LEVEL: "3"},
    ),
    "in-try": ("import os\ntry:\n    os.environ['TF_X'] = '1'\n    import tensorflow\nfinally:\n    pass", {"TF_X": "1"}),
    "not-read-at-import": ("import os\nos.environ['MY_SETTING'] = compute()\nimport tensorflow", {}),
    "read-later": ("import os\nos.environ['TF_XLA_FLAGS'] = flags()\nimport tensorflow", {}),
    "reading": (
        "import os\nx = os.environ.get('TF_X'), os.environ['HOME'], dict(os.environ), {**os.environ}\nimport tensorflow",
        {},
    ),
    "function-after-the-import": (
        "import os\nimport tensorflow as tf\ndef f():\n    os.environ['TF_X'] = '1'\nf()",
        {},
    ),
    "function-not-called-before": (
        "import os\ndef f():\n    os.environ['TF_X'] = '1'\nimport tensorflow as tf\nf()",
        {},
    ),
    "subprocess": ("import os, subprocess\nsubprocess.run(['x'], env=dict(os.environ))\nimport tensorflow", {}),
    "broken": ("import os\nos.environ['TF_X'] = '1'\nx = = 2", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_understood(name: str, tmp_path: Path) -> None:
    source, changes = UNDERSTOOD[name]
    assert scan(lay_out(tmp_path, source)) == changes


UNKNOWN = {
    "computed-value": "import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = str(level)\nimport tensorflow",
    "computed-name": "import os\nos.environ[name] = '1'\nimport tensorflow",
    "condition": "import os\nif x:\n    os.environ['TF_X'] = '1'\nimport tensorflow",
    "loop": "import os\nfor n in names:\n    os.environ[n] = '1'\nimport tensorflow",
    "expression": "import os\nos.environ['TF_X'] = '1' if y else '2'\nimport tensorflow",
    "update-unknown": "import os\nos.environ.update(settings)\nimport tensorflow",
    "putenv": "import os\nos.putenv('TF_X', '1')\nimport tensorflow",
    "alias": "import os\ne = os.environ\ne['TF_X'] = '1'\nimport tensorflow",
    "handed-on": "import os\nsetup(os.environ)\nimport tensorflow",
    "dotenv": "from dotenv import load_dotenv\nload_dotenv()\nimport tensorflow",
    "called-function": "import os\ndef f():\n    os.environ['TF_X'] = '1'\nf()\nimport tensorflow",
    "lazy-import": "import os\ndef main():\n    os.environ['TF_X'] = '1'\n    import tensorflow\nmain()",
    "in-place-or": "import os\nos.environ |= {'TF_X': '1'}\nimport tensorflow",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unknown, match=r"main\.py:"):
        scan(lay_out(tmp_path, UNKNOWN[name]))


def test_setdefault_keeps_what_is_given(tmp_path: Path) -> None:
    lay_out(tmp_path, f"import os\nos.environ.setdefault('{LEVEL}', '2')\nimport tensorflow")
    assert scan(tmp_path, **{LEVEL: "0"}) == {}


def test_follows_the_users_modules(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        "import settings\nfrom pack import model",
        {
            "settings.py": "import os\nos.environ['TF_X'] = '1'",
            "pack/__init__.py": "from . import early",
            "pack/early.py": "import os\nos.environ['TF_Y'] = '2'",
            "pack/model.py": "import tensorflow\nimport os\nos.environ['TF_Z'] = '3'",
        },
    )
    assert scan(tmp_path) == {"TF_X": "1", "TF_Y": "2"}


def test_a_function_of_another_module_may_be_called(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        "from tools import setup\nsetup()\nimport tensorflow",
        {"tools.py": "import os\ndef setup():\n    os.environ['TF_X'] = '1'"},
    )
    with pytest.raises(Unknown, match=r"tools.py:3 may set TF_X"):
        scan(tmp_path)


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    circle = {"a.py": "import b", "b.py": "import a\nimport os\nos.environ['TF_X'] = '1'"}
    lay_out(tmp_path, "import a\nimport tensorflow", circle)
    assert scan(tmp_path) == {"TF_X": "1"}


def test_module_and_code(tmp_path: Path) -> None:
    package = {
        "pack/__init__.py": "import os\nos.environ['TF_X'] = '1'",
        "pack/__main__.py": "import tensorflow",
    }
    lay_out(tmp_path, "", package)
    by_module = Scan([str(tmp_path)], ENDS_AT, contract.matters, {})
    by_module.module("pack")
    by_code = Scan([str(tmp_path)], ENDS_AT, contract.matters, {})
    by_code.code("import os; os.environ['TF_X'] = '1'\nimport tensorflow")
    assert by_module.changes == by_code.changes == {"TF_X": "1"}


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_bytes(os.urandom(2000) + b"environ")
    assert scan(tmp_path) == {}
