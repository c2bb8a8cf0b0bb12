"""Splicing a probe into a function changes nothing that the program can see."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from headstart.capture import splice as splicing
from headstart.capture.splice import CannotSplice, splice
from headstart.capture.splice_cache import SpliceCache

SOURCE = '''
import functools


def deco(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)
    return inner


def fails(x):
    """With a docstring."""
    y = x + 1
    if y:
        raise ValueError(
            "no", y)
    return y


def countdown(n):
    return n if n == 0 else countdown(n - 1)


def many(a, b=2, *rest, c=3, **more):
    try:
        return (a, b, rest, c, more)
    finally:
        pass


class Base:
    def hello(self, x):
        return ("base", x)


class Child(Base):
    def __init__(self, x):
        self.__x = x

    @deco
    def hello(self, x,
              *rest):
        z = [self.__x for _ in range(1)]
        def nested():
            return x
        return super().hello(nested() + z[0])

    @staticmethod
    def fixed(x):
        return x * 2

    @classmethod
    def made(cls, x): return cls(x)


def generator(n):
    for i in range(n):
        yield i


async def later(x):
    return x
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = tmp_path / "spliced_library.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("spliced_library", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "spliced_library", loaded)
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(splicing, "cache", SpliceCache())
    spec.loader.exec_module(loaded)
    return loaded


def probe(function: Any, **options: Any) -> list[Any]:
    """Splice a probe that writes down what it sees."""
    log: list[Any] = []

    def enter(*values: Any) -> str:
        log.append(("enter", values))
        return "token"

    splice(function, enter, lambda token: log.append(("leave", token)), **options)
    return log


def outcome(call: Callable[[Any], Any], module: ModuleType) -> str:
    """The result, or the traceback from here on: always called from this line, so that two can be compared."""
    try:
        return repr(call(module))
    except Exception:
        return traceback.format_exc()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("fails", lambda m: m.fails(1)),
        ("fails", lambda m: m.fails(-1)),
        ("fails", lambda m: m.fails()),
        ("countdown", lambda m: m.countdown(5)),
        ("many", lambda m: m.many(1, 2, 3, 4, c=5, d=6)),
        ("Child.hello", lambda m: m.Child(3).hello(4)),
        ("Child.hello", lambda m: m.Child(None).hello(4)),
        ("Child.fixed", lambda m: m.Child.fixed(4)),
        ("Child.made", lambda m: type(m.Child.made(4)).__name__),
    ],
)
def test_same_results_and_same_tracebacks(module: ModuleType, name: str, call: Callable[[Any], Any]) -> None:
    before = outcome(call, module)
    owner: Any = module
    for part in name.split("."):
        owner = owner.__dict__[part]
    log = probe(owner)
    after = outcome(call, module)
    assert after == before
    if "missing 1 required" not in before:
        assert log[0][0] == "enter"
        assert log.count(("leave", "token")) == sum(1 for entry in log if entry[0] == "enter")


def test_the_hook_gets_the_named_arguments(module: ModuleType) -> None:
    log = probe(module.many, arguments=("c", "a"))
    module.many(1, c=9)
    assert log[0] == ("enter", (9, 1))


def test_a_result_hook_sees_and_passes_on_the_result(module: ModuleType) -> None:
    seen: list[Any] = []

    def result(token: Any, value: Any) -> Any:
        seen.append(value)
        return value

    splice(module.Child.fixed, lambda x: x, lambda token: None, result)
    assert module.Child.fixed(21) == 42
    assert seen == [42]


def test_it_can_be_taken_out_again(module: ModuleType) -> None:
    original = module.fails.__code__
    restore = splice(module.fails, lambda x: None, lambda token: None)
    assert module.fails.__code__ is not original
    restore()
    assert module.fails.__code__ is original


def test_everyone_who_holds_the_function_is_probed(module: ModuleType) -> None:
    held = module.Child.hello
    log = probe(module.Child.__dict__["hello"])
    held(module.Child(1), 2)
    assert len(log) == 2


def test_names_and_lines_stay(module: ModuleType) -> None:
    before = module.fails.__code__
    probe(module.fails)
    after = module.fails.__code__
    assert after is not before
    same = ("co_name", "co_filename", "co_firstlineno", "co_argcount", "co_freevars", "co_flags")
    assert [getattr(after, field) for field in same] == [getattr(before, field) for field in same]
    assert module.fails.__doc__ == "With a docstring."


def test_a_parameter_that_is_not_there_is_refused(module: ModuleType) -> None:
    with pytest.raises(CannotSplice, match="no parameter 'nope'"):
        probe(module.fails, arguments=("nope",))


def test_functions_without_source_are_refused(module: ModuleType) -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(CannotSplice):
        probe(space["f"])
    with pytest.raises(CannotSplice):
        probe(len)


def test_recompiled_code_is_remembered(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    probe(module.fails)
    splicing.cache.save()
    monkeypatch.setattr(splicing, "cache", SpliceCache())
    monkeypatch.setattr("headstart.capture.recompile.recompile", None)  # must not be needed again
    consts = compile(SOURCE, module.__file__ or "", "exec").co_consts
    module.fails.__code__ = next(code for code in consts if getattr(code, "co_name", "") == "fails")
    log = probe(module.fails)
    with pytest.raises(ValueError, match="no"):
        module.fails(1)
    assert [entry[0] for entry in log] == ["enter", "leave"]


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 500])
def test_a_damaged_memory_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes) -> None:
    monkeypatch.setenv("HEADSTART_CACHE_DIR", str(tmp_path))
    path = tmp_path / "splices" / f"{sys.implementation.cache_tag}.bin"
    path.parent.mkdir()
    path.write_bytes(damage)
    assert SpliceCache().get(("anything", 0, 0)) is None


def test_a_flipped_bit_in_the_memory_is_noticed(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    probe(module.fails)
    splicing.cache.save()
    (path,) = (
        Path(p)
        for p in Path(sys.modules["spliced_library"].__file__ or "").parent.glob("cache/splices/*.bin")
    )
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(bytes(data))
    fresh = SpliceCache()
    assert fresh.get(("x",)) is None
    assert fresh._codes == {}
