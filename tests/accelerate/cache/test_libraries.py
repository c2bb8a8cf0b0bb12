"""Whoever changes a library is noticed: here a module that claims to be one of NumPy's."""

from __future__ import annotations

import copyreg
import enum
import functools
import json
import math
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from headstart.accelerate import inplace
from headstart.accelerate.cache import dictversions
from headstart.accelerate.cache.fingerprint.bytecode import content_digest
from headstart.accelerate.cache.libraries import Libraries

NAME = "numpy.pretended"


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


def library_function(code: str = "def function(v): return v") -> Any:
    space: dict[str, Any] = {"__name__": NAME}
    exec(compile(code, f"{sys.prefix}/lib/site-packages/numpy/pretended.py", "exec"), space)
    return space["function"]


@pytest.fixture
def module() -> Iterator[Any]:
    made: Any = types.ModuleType(NAME)
    made.function = library_function()
    made.other = library_function("\n\ndef function(v): return -v")
    made.number = 1
    made.mode = Mode.ONE
    made.table = {"a": made.function, "b": made.other}
    made.listed = [made.function]
    made.nested = {"a": [made.function]}
    made.Kind = type("Kind", (), {"__module__": NAME, "method": made.function, "setting": 1})
    sys.modules[NAME] = made
    yield made
    del sys.modules[NAME]


def patch(module: Any, name: str, value: Any) -> None:
    setattr(module, name, value)


CHANGES: dict[str, Any] = {
    "another of its functions": lambda m: patch(m, "function", m.other),
    "a number": lambda m: patch(m, "number", 2),
    "a number of another type": lambda m: patch(m, "number", 1.5),
    "a mode": lambda m: patch(m, "mode", Mode.TWO),
    "a method": lambda m: patch(m.Kind, "method", m.other),
    "a setting of a class": lambda m: patch(m.Kind, "setting", 2),
    "a registry": lambda m: m.table.update(a=m.other),
    "a registry the other way round": lambda m: m.table.update(a=m.other, b=m.function),
    "a partial": lambda m: patch(m, "function", functools.partial(m.other, 1)),
    "a new function": lambda m: patch(m, "more", m.other),
    "a function less": lambda m: delattr(m, "other"),
    "a method less": lambda m: delattr(m.Kind, "method"),
    "a list": lambda m: m.listed.append(m.other),
    "a list in a registry": lambda m: m.nested["a"].append(m.other),
    "a class in its place": lambda m: patch(m, "Kind", type("Kind", (), {"__module__": NAME, "setting": 2})),
    "its dictionary": lambda m: vars(m).update(number=3),
    "its dictionary, by code that ran often": lambda m: [
        vars(m).__setitem__("number", n) for n in range(1, 99)
    ],
}


@pytest.mark.parametrize("rounds", [1, 2, 4])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(module: Any, name: str, rounds: int) -> None:
    libraries = Libraries()
    before, foreign = libraries.digests()
    for _ in range(rounds):
        assert libraries.digests()[0] == before
    CHANGES[name](module)
    after, _ = libraries.digests()
    assert after[NAME] != before[NAME]
    assert {key for key in before if before[key] != after[key]} == {NAME}
    assert foreign == [] or all(NAME not in place for place, _ in foreign)


def test_what_counts_its_changes_is_not_compared_again(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = Libraries()
    first = libraries.digests()
    assert libraries.digests() == first
    looked: list[str] = []
    look = Libraries._look
    monkeypatch.setattr(Libraries, "_look", lambda *args: looked.append(args[3]) or look(*args))
    assert libraries.digests() == first
    assert looked == []
    module.number = 2
    libraries.digests()
    assert looked == [NAME, f"{NAME}.Kind"]


IN_PLACE: dict[str, Any] = {
    "its defaults": lambda f: setattr(f, "__defaults__", (1.5,)),
    "its defaults by name": lambda f: setattr(f, "__kwdefaults__", {"v": 1.5}),
    "no defaults": lambda f: delattr(f, "__defaults__"),
    "a constant in its code": lambda f: setattr(
        f, "__code__", f.__code__.replace(co_consts=(*f.__code__.co_consts, 1.5))
    ),
    "other code": lambda f: setattr(f, "__code__", library_function("def function(v): return -v").__code__),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_functions_that_are_changed_in_place_are_handed_out(module: Any, name: str) -> None:
    libraries = Libraries()
    libraries.changed = inplace.watch_functions()
    before = libraries.digests()[1]
    kept = f"{NAME}.function", content_digest(module.function.__code__)

    def of_the_programs(v: Any) -> Any:
        return v

    IN_PLACE[name](module.function)
    of_the_programs.__defaults__ = (1.5,)
    told = [put for put in libraries.digests()[1] if put not in before]
    assert [put[0] for put in told] == [f"{NAME}.function"] * 2
    assert (told[0] != kept) == ("code" in name)
    assert told[1][1] is module.function


def test_a_registry_that_gets_a_list_is_looked_into_from_then_on(module: Any) -> None:
    libraries = Libraries()
    for _ in range(3):
        libraries.digests()
    module.table["a"] = inner = [module.function]
    before = [libraries.digests()[0] for _ in range(3)][-1]
    inner.append(module.other)
    assert libraries.digests()[0][NAME] != before[NAME]


def test_without_counts_everything_is_compared(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictversions, "KNOWN", False)
    for change in ("a method", "a number", "a registry"):
        test_changes_are_seen(module, change, 2)


def test_the_python_in_use_is_known_to_count() -> None:
    known = sys.implementation.name == "cpython" and (3, 10) <= sys.version_info[:2] <= (3, 13)
    assert known == dictversions.KNOWN


def test_a_module_in_the_place_of_another_is_seen(module: Any) -> None:
    libraries = Libraries()
    before = [libraries.digests()[0] for _ in range(3)][-1]
    other = types.ModuleType(NAME)
    vars(other).update({**vars(module), "number": 2})
    sys.modules[NAME] = other
    assert libraries.digests()[0][NAME] != before[NAME]
    sys.modules[NAME] = module
    assert libraries.digests()[0] == before


def test_arguments_of_partials_are_told_apart(module: Any) -> None:
    digests = set()
    for number in (1, 2):
        module.function = functools.partial(module.other, number)
        digests.add(Libraries().digests()[0][NAME])
    assert len(digests) == 2


def mine(v: Any) -> Any:
    return v * 2


class Mine:
    def method(self, v: Any) -> Any:
        return v


@pytest.mark.parametrize(
    "put",
    [mine, lambda v: v, functools.partial(mine, 1), Mine().method, Mine(), Mine],
    ids=["function", "lambda", "partial", "method", "object", "class"],
)
def test_what_the_program_has_put_there_is_handed_out(module: Any, put: Any) -> None:
    libraries = Libraries()
    libraries.digests()
    module.function = put
    places = [place for place, _ in libraries.digests()[1]]
    assert f"{NAME}.function" in places


def test_a_function_put_into_a_registry_is_handed_out(module: Any) -> None:
    libraries = Libraries()
    libraries.digests()
    module.table["c"] = mine
    assert any(value is mine for _, value in libraries.digests()[1])


def test_a_patched_standard_library_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = Libraries()
    before = [place for place, _ in libraries.digests()[1]]
    monkeypatch.setattr(math, "sqrt", mine)
    after = [place for place, _ in libraries.digests()[1]]
    assert set(after) - set(before) == {"math.sqrt"}


def test_a_patched_class_of_the_standard_library_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = Libraries()
    before = [place for place, _ in libraries.digests()[1]]
    monkeypatch.setattr(json.JSONEncoder, "default", mine)
    after = [place for place, _ in libraries.digests()[1]]
    assert set(after) - set(before) == {"json.encoder.JSONEncoder.default"}


def test_a_way_to_copy_is_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(copyreg.dispatch_table, Mine, mine)
    assert any(value is mine for _, value in Libraries().digests()[1])
