"""The store: whole or nothing, whatever happens on disk."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.accelerate.cache import entry as entry_form
from headstart.accelerate.cache import folder, store
from headstart.accelerate.cache.entry import DamagedEntry, Entry
from headstart.accelerate.cache.store import Store

KEY = "ab" * 32


class Clock:
    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return folder.open_folder(tmp_path / "cache")


def key_of(number: int) -> str:
    return f"{number:064x}"


def test_what_was_put_is_what_is_got(root: Path) -> None:
    kept = Store(root)
    assert kept.put("traces", KEY, {"function": "step"}, {"graph": b"\x00\x01", "empty": b""})
    found = Store(root).get("traces", KEY)
    assert found is not None
    assert found.header["function"] == "step"
    assert found.sections == {"graph": b"\x00\x01", "empty": b""}


def test_kinds_do_not_mix(root: Path) -> None:
    kept = Store(root)
    kept.put("traces", KEY, {})
    assert kept.get("graphs", KEY) is None
    (root / "graphs" / "ab").mkdir(parents=True)
    os.link(kept.path("traces", KEY), kept.path("graphs", KEY))
    assert kept.get("graphs", KEY) is None  # sealed under another name: not what was asked for
    assert kept.counters.damaged == 1


@given(st.dictionaries(st.text(max_size=8), st.binary(max_size=64), max_size=4))
def test_encoding_is_faithful(sections: dict[str, bytes]) -> None:
    assert entry_form.decode(entry_form.encode(Entry({"n": 1}, sections))).sections == sections


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_damage(data: bytes) -> None:
    with pytest.raises(DamagedEntry):
        entry_form.decode(data)
    with pytest.raises(DamagedEntry):
        entry_form.decode(entry_form.MAGIC + data)


def damage(data: bytes, chance: random.Random) -> bytes:
    """One of the ways in which files go bad; never the same bytes again."""
    way = chance.randrange(6)
    if way == 0:
        return data[: chance.randrange(len(data))]
    if way == 1:
        at = chance.randrange(len(data))
        return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
    if way == 2:
        at, size = chance.randrange(len(data)), chance.randrange(1, 64)
        return data[:at] + data[at + size :]
    if way == 3:
        return data + bytes(chance.randrange(256) for _ in range(chance.randrange(1, 32)))
    if way == 4:
        at = chance.randrange(len(data))
        return data[:at] + bytes(len(data) - at + 1)
    at = chance.randrange(len(data))
    return data[:at] + bytes(chance.randrange(256) for _ in range(8)) + b"!" + data[at + 8 :]


def check_damage(root: Path, rounds: int) -> None:
    kept = Store(root)
    kept.put("traces", KEY, {"function": "step"}, {"graph": bytes(range(256)) * 4})
    path = kept.path("traces", KEY)
    good = path.read_bytes()
    chance = random.Random(7)
    for number in range(rounds):
        bad = damage(good, chance)
        assert bad != good
        path.write_bytes(bad)
        assert kept.get("traces", KEY) is None, f"damage number {number} was read as good"
        assert not path.exists(), "a damaged entry must be dropped"
    assert kept.counters.damaged == rounds


def test_damaged_entries_are_misses_and_dropped(root: Path) -> None:
    check_damage(root, 1_000)


@pytest.mark.soak
def test_ten_thousand_damaged_entries(root: Path) -> None:
    check_damage(root, 10_000)


def test_least_recently_used_goes_first(root: Path) -> None:
    clock = Clock()
    kept = Store(root, max_bytes=4_000, clock=clock)
    for number in range(3):
        kept.put("traces", key_of(number), {}, {"x": bytes(1_000)})
    assert kept.get("traces", key_of(0)) is not None
    kept.put("traces", key_of(3), {}, {"x": bytes(1_000)})
    assert kept.total_bytes() <= 4_000
    assert kept.get("traces", key_of(0)) is not None, "just used"
    assert kept.get("traces", key_of(3)) is not None, "just written"
    assert kept.get("traces", key_of(1)) is None


def test_an_entry_larger_than_the_cache_is_not_kept(root: Path) -> None:
    kept = Store(root, max_bytes=500)
    assert not kept.put("traces", KEY, {}, {"x": bytes(1_000)})
    assert kept.counters.failed_writes == 1
    assert kept.total_bytes() == 0


def test_a_clock_set_back_does_no_harm(root: Path) -> None:
    clock = Clock(now=2_000_000_000.0)
    kept = Store(root, max_bytes=4_000, clock=clock)
    kept.put("traces", key_of(0), {}, {"x": bytes(1_000)})
    (root / "traces" / f"x{store._PARTIAL}1").write_bytes(bytes(3_000))
    clock.now = 5.0
    for number in range(1, 9):
        kept.put("traces", key_of(number), {}, {"x": bytes(1_000)})
        assert kept.total_bytes() <= 4_000 + 3_000
    assert kept.get("traces", key_of(8)) is not None
    assert not (root / "traces" / f"x{store._PARTIAL}1").exists()


def test_what_dead_processes_left_is_swept(root: Path) -> None:
    now = 1_000_000_000.0
    store = Store(root, clock=lambda: now)
    for name, age in (("old", 10 * 86400), ("new", 60)):
        folder = root / "work" / name
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x")
        os.utime(folder, (now - age, now - age))
    store.sweep()
    assert [path.name for path in (root / "work").iterdir()] == ["new"]
    Store(root / "nothing").sweep()


def test_prune_and_clear(root: Path) -> None:
    kept = Store(root, clock=Clock())
    for number in range(4):
        kept.put("traces", key_of(number), {}, {"x": bytes(1_000)})
    assert kept.prune(max_bytes=2_600) > 0
    assert {e.key for e in kept.entries()} == {key_of(2), key_of(3)}
    assert kept.clear() > 0
    assert list(kept.entries()) == []


def test_listing_skips_what_cannot_be_read(root: Path) -> None:
    kept = Store(root)
    kept.put("traces", KEY, {"function": "step"})
    kept.path("traces", key_of(1)).parent.mkdir(parents=True)
    kept.path("traces", key_of(1)).write_bytes(b"junk")
    kept.path("traces", key_of(2)).parent.mkdir(parents=True, exist_ok=True)
    kept.path("traces", key_of(2)).write_bytes(entry_form.MAGIC + b"\xff\xff\xff\xff{}")
    listed = list(kept.entries())
    assert [(e.kind, e.key, e.header["function"]) for e in listed] == [("traces", KEY, "step")]


@pytest.mark.parametrize("bad", ["", "XY", "../up", "ab/cd", "AB" * 32])
def test_keys_are_hex_and_nothing_else(root: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="not a kind and a key"):
        Store(root).path("traces", bad)


def test_folder_is_private(tmp_path: Path) -> None:
    root = folder.open_folder(tmp_path / "cache")
    Store(root).put("traces", KEY, {})
    for found in [tmp_path / "cache", *(tmp_path / "cache").rglob("*")]:
        assert not found.stat().st_mode & 0o077, f"{found} can be read by others"


def test_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    os.chmod(tmp_path / "cache", 0o777)
    with pytest.raises(folder.RefusedFolder, match="others may write"):
        folder.open_folder(tmp_path / "cache")


def test_folder_of_someone_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(folder.RefusedFolder, match="another user"):
        folder.open_folder(tmp_path / "cache")


def test_entry_of_someone_else_is_a_miss(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store(root)
    kept.put("traces", KEY, {})
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert kept.get("traces", KEY) is None


def test_entry_that_is_a_link_is_a_miss(root: Path, tmp_path: Path) -> None:
    kept = Store(root)
    kept.put("traces", KEY, {})
    path = kept.path("traces", KEY)
    os.rename(path, tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert kept.get("traces", KEY) is None


def test_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(folder.RefusedFolder):
        folder.open_folder(tmp_path / "cache")


def test_chosen_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path / "mine"))
    assert folder.default_folder() == tmp_path / "mine"
    monkeypatch.delenv("HEADSTART_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folder.default_folder() == tmp_path / "headstart"


def test_full_disk_is_a_failed_write(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) > 100:
            return written(descriptor, data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    kept = Store(root)
    assert not kept.put("traces", KEY, {}, {"x": bytes(1_000)})
    assert kept.counters.failed_writes == 1
    monkeypatch.undo()
    assert list((root / "traces").rglob("*.*")) == [], "half a file was left behind"
    assert kept.get("traces", KEY) is None


def test_a_real_limit_on_file_size_is_a_failed_write(root: Path) -> None:
    """The kernel itself refuses to write on: the same path as a full disk, without a stub."""
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from headstart.accelerate.cache.store import Store\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "kept = Store(Path(sys.argv[1]))\n"
        "print(kept.put('traces', 'ab' * 32, {}, {'x': bytes(100_000)}), kept.counters.failed_writes)\n"
    )
    assert hasattr(signal, "SIGXFSZ")
    assert hasattr(resource, "RLIMIT_FSIZE")
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1"]
    assert [p for p in root.rglob("*") if p.is_file()] == []


_READ_ONLY = """
import os, sys
from pathlib import Path
from headstart.accelerate.cache.store import Store
os.setuid(int(sys.argv[2]))
kept = Store(Path(sys.argv[1]))
assert kept.put("traces", "ab" * 32, {"function": "step"})
folders = [kept.root, *(p for p in kept.root.rglob("*") if p.is_dir())]
for found in folders:
    os.chmod(found, 0o500)
assert kept.get("traces", "ab" * 32) is not None
assert not kept.put("traces", "cd" * 32, {})
assert not kept.put("graphs", "cd" * 32, {})
assert not kept.drop("traces", "ab" * 32)
assert kept.prune(0) == 0
assert kept.counters.failed_writes == 2
"""


def test_read_only_cache_reads_and_does_not_write(open_folder: Path) -> None:
    root = open_folder / "cache"
    root.mkdir(mode=0o700)
    somebody = os.geteuid()
    if somebody == 0:  # the superuser may write anywhere, so become somebody else
        somebody = 65534
        os.chown(root, somebody, somebody)
    subprocess.run([sys.executable, "-c", _READ_ONLY, str(root), str(somebody)], check=True)


_WORKER = """
import random, sys
from pathlib import Path
from headstart.accelerate.cache.store import Store
kept, me = Store(Path(sys.argv[1]), max_bytes=int(sys.argv[3])), int(sys.argv[2])
chance = random.Random(me)
for turn in range(int(sys.argv[4])):
    number = chance.randrange(12)
    key = f"{number:064x}"
    found = kept.get("traces", key)
    if found is None:
        kept.put("traces", key, {"n": number}, {"x": bytes([number]) * (2_000 + 500 * number)})
    else:
        assert found.header["n"] == number
        assert found.sections["x"] == bytes([number]) * (2_000 + 500 * number)
    if chance.random() < 0.05:
        kept.drop("traces", key)
assert kept.counters.damaged == 0, "another process's half-written entry was seen"
assert kept.counters.failed_writes == 0
"""


def run_workers(root: Path, workers: int, turns: int) -> None:
    # The cap is lower than what they write together: eviction races with reading and writing.
    args = [sys.executable, "-c", _WORKER, str(root)]
    started = [
        subprocess.Popen([*args, str(n), "30000", str(turns)], stderr=subprocess.PIPE) for n in range(workers)
    ]
    failures = [text for text in (p.communicate()[1] for p in started) if text]
    assert failures == []
    assert all(p.returncode == 0 for p in started)
    assert [p for p in root.rglob("*") if store._PARTIAL in p.name] == []


def test_sixteen_processes_share_one_store(root: Path) -> None:
    run_workers(root, workers=16, turns=150)


@pytest.mark.soak
def test_sixteen_processes_share_one_store_for_long(root: Path) -> None:
    run_workers(root, workers=16, turns=3_000)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 900)), max_size=30))
def test_the_store_never_outgrows_its_limit(tmp_path_factory: pytest.TempPathFactory, writes: list) -> None:
    kept = Store(folder.open_folder(tmp_path_factory.mktemp("c") / "cache"), max_bytes=3_000, clock=Clock())
    model: dict[str, bytes] = {}
    for number, size in writes:
        model[key_of(number)] = bytes([number]) * size
        assert kept.put("traces", key_of(number), {}, {"x": model[key_of(number)]})
        assert kept.total_bytes() <= 3_000
        found = kept.get("traces", key_of(number))
        assert found is not None
        assert found.sections["x"] == model[key_of(number)]
    for key, value in model.items():
        found = kept.get("traces", key)
        assert found is None or found.sections["x"] == value
