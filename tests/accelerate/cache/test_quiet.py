"""Lines of TensorFlow's about its caches stay off stderr; all else passes, whole and in order."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from headstart.accelerate import activate
from headstart.accelerate.cache import quiet

SCRIPT = """
import os, sys
from headstart.accelerate.cache import quiet
with quiet.without((b"OURS",)):
    for part in {parts!r}:
        os.write(2, part)
os.write(2, b"after\\n")
"""
HEADER = b"WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([b"one\n", b"OURS two\n", b"three\n"], b"one\nthree\n"),
        ([b"\n", b"OURS\n"], b"\n"),
        ([b"no end"], b"no end"),
        ([b"spl", b"it\nOU", b"RS split\nlast\n"], b"split\nlast\n"),
        ([HEADER, b"OURS\n", b"next\n"], b"next\n"),
        ([HEADER + b"OURS\nnext\n"], b"next\n"),
        ([HEADER, b"other\n", b"OURS\n"], HEADER + b"other\n"),
        ([b"x" * 100_000 + b"\n", b"OURS\n"], b"x" * 100_000 + b"\n"),
        ([], b""),
    ],
)
def test_only_our_lines_are_left_out(parts: list[bytes], expected: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(parts=parts)],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("src"))},
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stderr == expected + b"after\n"


def test_words_about_compiled_programs_that_were_kept() -> None:
    """As TensorFlow 2.21 writes them on a processor whose features LLVM lists with preferences of its own."""
    lines = (
        b"E0000 00:00:1794867965.018003    6125 cpu_aot_loader.cc:220] Loading XLA:CPU AOT result. Target machine "
        b"feature +prefer-no-gather is not  supported on the host machine. Machine type used for XLA:CPU compilation "
        b"doesn't match the machine type for execution. Compile machine features: [+64bit] vs host machine features: "
        b"[64bit]. This could lead to execution errors such as SIGILL.",
        b"I0000 00:00:1794867965.027340    6125 device_compiler.h:208] Compiled cluster using XLA!",
    )
    ours = [any(part in line for part in quiet.XLA_LINES) for line in lines]
    assert ours == [True, False]


def test_without_stderr() -> None:
    code = SCRIPT.format(parts=[]).replace('os.write(2, b"after\\n")', "print('ended')")
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -c "$1" 2>&-', sys.executable, code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("src"))},
        timeout=60,
    )
    assert done.stdout == b"ended\n"


@pytest.mark.parametrize("given", [None, "--tf_xla_auto_jit=2"])
def test_the_flag_is_there_while_the_runtime_starts_and_then_gone(
    given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADSTART_CACHE", "1")
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(activate, "xla_folder", "")
    if given is None:
        monkeypatch.delenv("TF_XLA_FLAGS", raising=False)
    else:
        monkeypatch.setenv("TF_XLA_FLAGS", given)
    seen: list[str] = []

    def really() -> str:
        """What the process itself has: Python's copy must not change."""
        return subprocess.run(
            ["/bin/sh", "-c", 'printf %s "$TF_XLA_FLAGS"'], stdout=subprocess.PIPE
        ).stdout.decode()

    class Context:
        def ensure_initialized(self) -> str:
            seen.append(really())
            return "started"

        def _initialize_physical_devices(self) -> None:
            raise AssertionError("not asked for")

    original = Context.ensure_initialized
    module: Any = types.SimpleNamespace(Context=Context)
    activate._before_the_runtime(module)
    before = dict(os.environ)
    assert Context().ensure_initialized() == "started"
    folder = tmp_path / "kept-v1" / "work"
    flag = f"--tf_xla_persistent_cache_directory={folder}/xla-"
    assert seen[0].startswith(f"{given} {flag}" if given else flag)
    assert really() == (given or "")
    assert dict(os.environ) == before
    assert Context.ensure_initialized is original
    assert activate.xla_folder


def test_a_folder_of_the_programs_own_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADSTART_CACHE", "1")
    monkeypatch.setenv("TF_XLA_FLAGS", "--tf_xla_persistent_cache_directory=/mine")
    monkeypatch.setattr(activate, "xla_folder", "")
    activate._announce_folder()()
    assert not activate.xla_folder
