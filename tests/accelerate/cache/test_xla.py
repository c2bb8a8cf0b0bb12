"""Compiled programs are kept, and the program does not notice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from headstart.accelerate.cache.store import Store

from .harness import PROGRAMS, run_fresh, same, shown


@pytest.mark.soak
@pytest.mark.tensorflow
@pytest.mark.parametrize("level", ["0", "2"])
def test_compiled_programs_are_kept(tmp_path: Path, level: str) -> None:
    shutil.copy(PROGRAMS / "shown.py", tmp_path)
    script, cache = Path(shutil.copy(PROGRAMS / "jitted.py", tmp_path)), tmp_path / "cache"
    plain = run_fresh(script, TF_CPP_MIN_LOG_LEVEL=level)
    store = Store(cache / "kept-v1")
    counts = []
    for number in range(3):
        ran = run_fresh(script, cache=cache, TF_CPP_MIN_LOG_LEVEL=level)
        same(plain, ran)
        assert ran.count("failed") == 0, ran.reasons("failed")
        assert shown(ran.stderr) == shown(plain.stderr), number
        counts.append(sum(entry.kind == "xla" for entry in store.entries()))
        assert not list((store.root / "work").glob("xla-*"))
    assert counts[0] >= 1
    assert counts == [counts[0]] * 3  # what the first run has compiled, the others have found
    for entry in [entry for entry in store.entries() if entry.kind == "xla"]:
        data = entry.path.read_bytes()
        entry.path.write_bytes(data[: len(data) // 2])
    same(plain, run_fresh(script, cache=cache, TF_CPP_MIN_LOG_LEVEL=level))
