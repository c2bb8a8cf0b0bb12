"""A cache that is damaged, read-only, full or shared: the program does not notice."""

from __future__ import annotations

import os
import random
import shutil
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headstart.accelerate.cache import activation, versions
from headstart.accelerate.cache.engine import Engine
from headstart.accelerate.cache.options import CacheOptions
from headstart.accelerate.cache.store import Store

from .harness import PROGRAMS, Ran, Runner, placed, run_fresh, same


def prepared(folder: Path, name: str = "loop") -> Path:
    shutil.copy(PROGRAMS / "shown.py", folder)
    return Path(shutil.copy(PROGRAMS / f"{name}.py", folder))


def damage(folder: Path, rng: random.Random) -> int:
    """Breaks every entry in one of several ways; how many there were."""
    paths = sorted(folder.rglob("*.entry"))
    for path in paths:
        data = bytearray(path.read_bytes())
        way = rng.randrange(5)
        if way == 0:
            data = data[: rng.randrange(len(data))]
        elif way == 1:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif way == 2:
            data = bytearray(os.urandom(len(data)))
        elif way == 3:
            data += b"more"
        else:  # a whole entry, of another name
            data = bytearray(rng.choice(paths).read_bytes()[:-1])
        path.write_bytes(bytes(data))
    return len(paths)


def check_damaged(runner: Runner, folder: Path, rounds: int) -> None:
    script, cache = prepared(folder), folder / "cache"
    plain = runner.run(script)
    same(plain, runner.run(script, cache=cache))
    for number in range(rounds):
        assert damage(cache, random.Random(number)) >= 3
        ran = runner.run(script, cache=cache)
        same(plain, ran)
        assert ran.counters is not None
        assert ran.counters["damaged"] >= 1
        assert ran.count("failed") == 0
        same(plain, runner.run(script, cache=cache))  # it was written anew, and is used


@pytest.mark.tensorflow
def test_damaged_entries_are_traced_anew(runner: Runner, tmp_path: Path) -> None:
    check_damaged(runner, tmp_path, 1)


@pytest.mark.soak
@pytest.mark.tensorflow
def test_damaged_entries_are_traced_anew_at_length(runner: Runner, tmp_path: Path) -> None:
    check_damaged(runner, tmp_path, 12)


@pytest.mark.soak
@pytest.mark.tensorflow
def test_read_only_cache(runner: Runner, tmp_path: Path) -> None:
    script, cache = prepared(tmp_path), tmp_path / "cache"
    plain = runner.run(script)
    same(plain, runner.run(script, cache=cache))
    for path in [cache, *cache.rglob("*")]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        ran = runner.run(script, cache=cache)
        same(plain, ran)
        assert ran.count("replayed") >= 1
    finally:
        for path in [cache, *cache.rglob("*")]:
            path.chmod(0o700)


@pytest.mark.soak
@pytest.mark.tensorflow
def test_no_room(runner: Runner, tmp_path: Path) -> None:
    script = prepared(tmp_path)
    plain = runner.run(script)
    for _ in range(2):
        ran = runner.run(script, cache=tmp_path / "cache", HEADSTART_CACHE_MAX_BYTES="2000")
        same(plain, ran)
        assert ran.counters is not None
        assert ran.counters["failed_writes"] >= 1


@pytest.mark.soak
@pytest.mark.tensorflow
def test_sixteen_processes_fill_and_read_one_cache(tmp_path: Path) -> None:
    """Four at a time, sixteen in all, each of them filling or reading."""
    script, cache = prepared(tmp_path), tmp_path / "cache"
    plain = run_fresh(script)

    def one(number: int) -> Ran:
        own = tmp_path / f"{number}"
        own.mkdir()
        return run_fresh(prepared(own), cache=cache)

    with ThreadPoolExecutor(4) as pool:
        for ran in pool.map(one, range(16)):
            same(plain, ran)
            assert ran.count("failed") == 0, ran.reasons("failed")
    again = run_fresh(script, cache=cache)
    same(plain, again)
    assert again.count("replayed") >= 1
    assert not list(cache.rglob("*.partial-*"))


@pytest.mark.tensorflow
def test_verifying_traces_for_real_and_agrees(runner: Runner, tmp_path: Path) -> None:
    script, cache = prepared(tmp_path), tmp_path / "cache"
    plain = runner.run(script)
    same(plain, runner.run(script, cache=cache))
    ran = runner.run(script, cache=cache, HEADSTART_CACHE_VERIFY="1")
    same(plain, ran)
    assert ran.count("verified") >= 1
    assert ran.count("compared") >= 1, ran.reasons("uncompared")
    assert ran.count("mismatch") == 0, ran.reasons("mismatch")


EMBEDDED = """
import tensorflow as tf

for _ in range(int(__import__("sys").argv[1])):
    tf.constant(1)
    tf.function(lambda x: x + 1)(tf.constant(1))  # takes running numbers
table = tf.Variable(tf.ones((20, 4)))

@tf.function
def look(x):
    return tf.reduce_sum(tf.nn.embedding_lookup(table, x))

print(float(look(tf.constant([1, 2]))))
"""


@pytest.mark.tensorflow
def test_verifying_knows_an_argument_by_the_name_that_it_had_in_the_graph(
    runner: Runner, tmp_path: Path
) -> None:
    """A lookup is to be placed with its table, which in the graph is called by a running number."""
    script = tmp_path / "embedded.py"
    script.write_text(EMBEDDED)
    runner.run(script, "1", cache=tmp_path / "cache")
    ran = runner.run(script, "5", cache=tmp_path / "cache", HEADSTART_CACHE_VERIFY="1")
    assert "look" in [event["function"] for event in ran.events if event["what"] == "verified"], ran.events
    assert ran.reasons("mismatch") == []


@pytest.mark.tensorflow
def test_verifying_leaves_on_layers_what_the_trace_leaves(runner: Runner, tmp_path: Path) -> None:
    script, cache = placed("losses", tmp_path), tmp_path / "cache"
    plain = runner.run(script)
    same(plain, runner.run(script, cache=cache))
    ran = runner.run(script, cache=cache, HEADSTART_CACHE_VERIFY="1")
    same(plain, ran)
    assert ran.count("verified") >= 8
    assert ran.count("mismatch") == 0, ran.reasons("mismatch")


def test_one_run_in_so_many_verifies(tmp_path: Path) -> None:
    def verifying(one_in: int) -> list[bool]:
        options = CacheOptions(folder=tmp_path / "cache", verify_one_in=one_in)
        return [Engine(options).verifying for _ in range(200)]

    assert not any(verifying(0))
    assert all(verifying(1))
    assert 0 < sum(verifying(4)) < 200


def test_an_unknown_tensorflow_switches_them_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "tensorflow_version", lambda: "2.99.0")
    engine = Engine(CacheOptions(folder=tmp_path / "cache"))
    activation._install(engine)
    assert not engine.on
    assert "TensorFlow 2.99.0 is not one of those that the caches know" in engine.ledger.sentence()


def test_what_starts_the_caches_knows_the_same_versions() -> None:
    from headstart.accelerate import activate

    assert activate.KNOWN == versions.TENSORFLOW


TIMES = """
import tensorflow as tf

@tf.function
def times(v):
    return v * 1234.5

print(times(tf.constant([1.0, 2.0])).numpy().tolist())
"""


def falsify(cache: Path) -> int:
    """Puts another number into every kept graph, and seals it again; how many there were."""
    store = Store(cache / "kept-v1")
    before, after = (struct.pack("<f", number) for number in (1234.5, 4321.5))
    changed = 0
    for listed in list(store.entries()):
        entry = store.get(listed.kind, listed.key)
        if entry is not None and before in entry.sections.get("functions", b""):
            sections = {name: data.replace(before, after) for name, data in entry.sections.items()}
            assert store.put(listed.kind, listed.key, dict(entry.header), sections)
            changed += 1
    return changed


@pytest.mark.tensorflow
def test_verifying_finds_a_wrong_graph_and_drops_it(runner: Runner, tmp_path: Path) -> None:
    script, cache = tmp_path / "times.py", tmp_path / "cache"
    script.write_text(TIMES)
    plain = runner.run(script)
    same(plain, runner.run(script, cache=cache))
    assert falsify(cache) == 1
    wrong = runner.run(script, cache=cache)
    assert wrong.stdout == "[4321.5, 8643.0]\n", "the kept graph is not what is run: this test tests nothing"
    found = runner.run(script, cache=cache, HEADSTART_CACHE_VERIFY="1")
    same(plain, found)
    assert found.count("mismatch") == 1
    assert "was kept" in found.reasons("mismatch")[0]
    after = runner.run(script, cache=cache)
    same(plain, after)
    assert after.count("stored") == 1
