"""Byte code that is read while a native library is loaded: used for the very file that is asked for, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# A package with a native module in it, imported under the stand-ins; the record is that of the run before.
DRIVER = """
import os, sys, threading, time
sys.path.insert(0, sys.argv[1])
from headstart.accelerate import ahead, folders
ahead.LEAST_SECONDS = 0.0
folders.SETTLED_SECONDS = float(os.environ.get("SETTLED", 0))
reading = ahead.Ahead()
read = []
inner = ahead.Ahead._read_ahead
ahead.Ahead._read_ahead = lambda self, path: (inner(self, path), read.append(path))
fsencode = os.fsencode
def while_it_reads(path):
    # In the thread that loads the library: it takes as long as there is something to read.
    wanted = sum(name not in sys.modules for name, _ in reading._listed)
    until = time.monotonic() + 20
    while threading.current_thread() is not threading.main_thread() and len(read) < wanted and time.monotonic() < until:
        time.sleep(0.001)
    return fsencode(path)
os.fsencode = while_it_reads
looked = []
find_spec = ahead._importer.FileFinder.find_spec
def looking(finder, name, target=None):
    looked.extend([name] * name.startswith("package."))
    return find_spec(finder, name, target)
ahead._importer.FileFinder.find_spec = looking
def in_place():
    return [
        ahead._importer.FileFinder.__dict__["find_spec"], ahead._importer.cache_from_source,
        ahead._importer.FileLoader.__dict__["get_data"], ahead._importer._compile_bytecode, ahead._imp.create_dynamic,
    ]
own = in_place()
reading.begin()
try:
    import package
    print("value", package.value, package.third.__code__.co_filename)
    for made in (package.second, package.inner):
        spec = made.__spec__
        of_loader = type(spec.loader), spec.loader.name, spec.loader.path
        print("spec", spec.name, spec.origin, spec.cached, spec.has_location, spec.submodule_search_locations, of_loader,
              made.__file__, made.__cached__, made.__package__, vars(made).get("__path__"), sep="|", end="; ")
    print()
except BaseException as problem:
    print(type(problem).__name__, problem)
unused = len(reading._ready)
print("met", reading.end())
print("put back", all(a is b for a, b in zip(own, in_place())))
print("looked", *looked)
print("read", len(read), "unused", unused)
"""
NATIVE = "_lsprof"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    package = tmp_path / "site-packages" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        f"import {NATIVE}\nfrom . import first, second, inner\nfrom .third import third\nvalue = first.one + second.two + third()\n"
    )
    (package / "inner").mkdir()
    (package / "inner" / "__init__.py").write_text("")
    (package / "first.py").write_text("one = 1\n")
    (package / "second.py").write_text("two = 20\n")
    (package / "third.py").write_text("def third():\n    return 300\n")
    return package.parent


def run(site: Path, tmp_path: Path, **more: str) -> dict[str, str]:
    environ = {**os.environ, "HEADSTART_CACHE_DIR": str(tmp_path / "cache"), **more}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(site)], env=environ, capture_output=True, text=True, check=True
    )
    words = [line.replace("spec|", "spec ", 1).partition(" ") for line in done.stdout.splitlines()]
    return {first: rest for first, _, rest in words}


@pytest.fixture
def recorded(site: Path, tmp_path: Path) -> Path:
    first = run(site, tmp_path)  # writes the byte code
    assert first["read"] == "0 unused 0"
    run(site, tmp_path)  # puts on record what it imports
    assert len(list((tmp_path / "cache" / "ahead").iterdir())) == 1
    return site


def test_what_was_read_is_used(recorded: Path, tmp_path: Path) -> None:
    found = run(recorded, tmp_path)
    assert found["value"] == f"321 {recorded / 'package' / 'third.py'}"
    assert found["looked"] == ""
    assert found["met"] == "True"
    assert found["put"] == "back True"
    assert found["read"] == "4 unused 0"


def test_a_changed_source_counts(recorded: Path, tmp_path: Path) -> None:
    (recorded / "package" / "second.py").write_text("two = 20_000\n")
    found = run(recorded, tmp_path)
    assert found["value"].startswith("20301 ")
    assert found["read"].startswith("4 ")


def test_a_module_says_of_itself_what_it_says_otherwise(recorded: Path, tmp_path: Path) -> None:
    looked_for = run(recorded, tmp_path / "elsewhere")
    assert looked_for["looked"] != ""
    assert run(recorded, tmp_path)["spec"] == looked_for["spec"]


def test_a_package_in_place_of_a_module_counts(recorded: Path, tmp_path: Path) -> None:
    folder = recorded / "package"
    times = folder.stat()
    (folder / "second").mkdir()
    (folder / "second" / "__init__.py").write_text("two = 20_000\n")
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))  # as unpackers do
    found = run(recorded, tmp_path)
    assert found["value"].startswith("20301 ")
    assert "package.second" in found["looked"]


def test_a_module_in_place_of_a_package_counts(recorded: Path, tmp_path: Path) -> None:
    test_a_package_in_place_of_a_module_counts(recorded, tmp_path)
    run(recorded, tmp_path)
    assert run(recorded, tmp_path)["looked"] == ""
    for file in (recorded / "package" / "second").rglob("*.py*"):
        file.unlink()
    found = run(recorded, tmp_path)
    assert found["value"].startswith("321 ")


def test_native_code_in_place_of_a_module_counts(recorded: Path, tmp_path: Path) -> None:
    suffix = __import__("importlib.machinery").machinery.EXTENSION_SUFFIXES[-1]
    (recorded / "package" / f"second{suffix}").write_bytes(b"no library")
    assert "ImportError" in run(recorded, tmp_path)


def test_a_folder_that_was_changed_just_now_is_looked_into(site: Path, tmp_path: Path) -> None:
    for _ in range(3):
        found = run(site, tmp_path, SETTLED="1000")
    assert found["looked"] == "package.first package.second package.inner package.third"
    run(site, tmp_path)  # now it is not so recent any more
    assert run(site, tmp_path)["looked"] == ""


def test_where_links_lead_is_looked_up(site: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "second.py"
    (site / "package" / "second.py").rename(elsewhere)
    (site / "package" / "second.py").symlink_to(elsewhere)
    for _ in range(3):
        found = run(site, tmp_path)
        assert found["value"].startswith("321 ")
    assert "package.second" in found["looked"]
    elsewhere.unlink()
    assert "ImportError" in run(site, tmp_path)


def test_other_byte_code_is_looked_up(recorded: Path, tmp_path: Path) -> None:
    optimised = run(recorded, tmp_path, PYTHONOPTIMIZE="1")
    assert optimised["spec"].count("second.cpython") == optimised["spec"].count(".opt-1.pyc") - 2 == 2


def test_a_removed_module_is_missing(recorded: Path, tmp_path: Path) -> None:
    (recorded / "package" / "second.py").unlink()
    found = run(recorded, tmp_path)
    assert "ImportError" in found


@pytest.mark.parametrize(
    "content", [b"", b"short", bytes(40), b"N"], ids=["none", "short", "zeros", "no code"]
)
def test_damaged_byte_code_is_as_always(recorded: Path, tmp_path: Path, content: bytes) -> None:
    (damaged,) = (recorded / "package" / "__pycache__").glob("second.*.pyc")
    damaged.write_bytes(damaged.read_bytes()[:16] + content)
    plain = subprocess.run(
        [sys.executable, "-B", "-c", "try:\n import package\nexcept BaseException as p: print(type(p).__name__, p)"],
        env={**os.environ, "PYTHONPATH": str(recorded)}, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    found = run(recorded, tmp_path)
    if plain:
        first, _, rest = plain.partition(" ")
        assert found[first] == rest
    else:
        assert found["value"].startswith("321 ")


def test_a_library_that_cannot_be_loaded_fails_as_always(recorded: Path, tmp_path: Path) -> None:
    suffix = __import__("importlib.machinery").machinery.EXTENSION_SUFFIXES[0]
    (recorded / f"{NATIVE}{suffix}").write_bytes(b"no library")
    found = run(recorded, tmp_path)
    assert "ImportError" in found
    assert found["put"] == "back True"


def test_a_record_that_others_may_write_is_not_read(recorded: Path, tmp_path: Path) -> None:
    (record,) = (tmp_path / "cache" / "ahead").iterdir()
    record.chmod(0o666)
    assert run(recorded, tmp_path)["read"].startswith("0 ")


@pytest.mark.parametrize("text", ["", "another form\nx\ny\tz", "headstart ahead 2", "\0\n\n\n"])
def test_a_record_that_is_none(recorded: Path, tmp_path: Path, text: str) -> None:
    (record,) = (tmp_path / "cache" / "ahead").iterdir()
    record.write_text(text)
    assert run(recorded, tmp_path)["value"].startswith("321 ")


def test_a_package_without_native_code_leaves_no_record(site: Path, tmp_path: Path) -> None:
    package = site / "package" / "__init__.py"
    package.write_text(package.read_text().replace(f"import {NATIVE}\n", ""))
    assert run(site, tmp_path)["met"] == "False"
    assert not (tmp_path / "cache" / "ahead").exists()
