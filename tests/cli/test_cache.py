"""`headstart cache`, on a store that holds a little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headstart.accelerate.cache import folder, usage, variants
from headstart.accelerate.cache.ledger import REFUSED, REPLAYED, Event, Ledger
from headstart.accelerate.cache.store import Store
from headstart.cli.main import main


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path / "cache"))
    return Store(folder.open_folder(tmp_path / "cache"))


def _fill(store: Store) -> str:
    key = "ab" * 32
    header = {"function": "step", "file": "train.py", "program": "train.py", "trace_seconds": 2.5, "nodes": 10,
              "of": key}  # fmt: skip
    variants.put(store, "traces", key, {"environment": {}}, header, {"functions": b"x" * 2000})
    ledger = Ledger([
        Event(REPLAYED, "step", "train.py", saved_seconds=2.0, key=key),
        *[Event(REFUSED, "other", "train.py", "while it is traced it prints")] * 3,
    ])  # fmt: skip
    usage.write(store.root, "train.py", ledger)
    usage.write(store.root, "train.py", ledger)
    return key


def test_info(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(store)
    assert main(["cache", "info"]) == 0
    text = capsys.readouterr().out
    assert "traces   1" in text
    assert "used     2 times in 2 runs, saving 4.0 s in all" in text
    assert main(["cache", "info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["entries"]["traces"] == 1
    assert facts["saved_seconds"] == 4.0


def test_list(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "list"]) == 0
    assert "nothing is kept yet" in capsys.readouterr().out
    _fill(store)
    assert main(["cache", "list"]) == 0
    assert "step  (train.py): traced in 2.5 s, 10 nodes" in capsys.readouterr().out
    assert main(["cache", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["uses"] == 2


def test_explain(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "explain"]) == 2
    assert "no run of any program" in capsys.readouterr().err
    _fill(store)
    for words in (["cache", "explain"], ["cache", "explain", "train.py"]):
        assert main(words) == 0
        text = capsys.readouterr().out
        assert "step: its kept trace was used, saving 2.0 s" in text
        assert text.count("other:") == 1
        assert "other: traced as always and not kept: while it is traced it prints (3 times)" in text
    assert main(["cache", "explain", "unknown.py"]) == 2


def test_prune_and_clear(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(store)
    assert main(["cache", "prune"]) == 0
    assert "freed 0 B" in capsys.readouterr().out
    assert main(["cache", "prune", "--max-size", "1K"]) == 0
    assert store.total_bytes() <= 1024
    assert main(["cache", "prune", "--max-size", "much"]) == 2
    _fill(store)
    assert main(["cache", "clear"]) == 0
    assert store.total_bytes() == 0


def test_verify_drops_what_is_damaged(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(store)
    assert main(["cache", "verify"]) == 0
    assert "2 of 2 entries are whole" in capsys.readouterr().out
    victim = store.paths()[0]
    victim.write_bytes(victim.read_bytes()[:-7])
    assert main(["cache", "verify"]) == 1
    assert "1 of 2 entries are whole" in capsys.readouterr().out
    assert main(["cache", "verify"]) == 0


def test_bad_words(store: Store) -> None:
    assert main(["cache", "burn"]) == 2
    assert main(["cache", "info", "more"]) == 2


def test_a_folder_of_somebody_else_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(shared))
    assert main(["cache", "info"]) == 2
    assert "others may write" in capsys.readouterr().err


def test_the_doctor_says_what_is_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    from headstart.cli import doctor

    known = {"tensorflow": "2.21.0", "keras": "3.15.1"}
    monkeypatch.setattr(doctor, "_version", known.get)
    monkeypatch.delenv("HEADSTART_CACHE", raising=False)

    def line() -> str:
        main(["doctor"])
        return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  caches"))

    assert " ok " in line()
    monkeypatch.setenv("HEADSTART_CACHE", "0")
    assert "off: HEADSTART_CACHE" in line()
    monkeypatch.delenv("HEADSTART_CACHE")
    known["tensorflow"] = "2.99.0"
    assert "off, since a guess could be a wrong reuse: TensorFlow 2.99.0" in line()
