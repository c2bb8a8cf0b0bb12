"""What the sampler's thread must not do to the program."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from headstart.capture.sampler import FAST_SECONDS, LOOKS_AT_TRACES, SLOW_SECONDS, _Sampler, describe
from headstart.record.signals import IMPORT, TRACE


@pytest.fixture
def collector() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("on", [True, False])
def test_no_garbage_is_collected_while_it_looks(on: bool) -> None:
    """The program's finalisers belong on the program's threads; and its switch stays as it has set it."""
    seen: list[tuple[Any, bool]] = []
    bus: Any = SimpleNamespace(
        main=threading.get_ident(), stack=[], put=lambda event: seen.append((event[0], gc.isenabled()))
    )
    sampler = _Sampler(bus)
    (gc.enable if on else gc.disable)()
    looking = threading.Thread(target=lambda: sampler._sample(threading.get_ident()))
    looking.start()
    looking.join()
    assert seen == [("p", False)]
    assert gc.isenabled() is on


def _defined(source: str, filename: str, space: dict[str, Any]) -> None:
    exec(compile(source, filename, "exec"), space)


def test_a_rewritten_function_is_named_with_what_it_called() -> None:
    """AutoGraph's code has another file and other lines; its function's name is the program's."""
    space: dict[str, Any] = {"look": lambda: describe(sys._getframe(1)), "__name__": "program"}
    packages = "/somewhere/site-packages/"
    _defined("def inner(): return look()", packages + "keras/src/layers/layer.py", space)
    _defined("def call(): return inner()", packages + "keras/src/models/sequential.py", space)
    _defined("def convert(f): return f()", packages + "tensorflow/python/autograph/impl/api.py", space)
    _defined("def tf__step(): return convert(call)", "/tmp/__autograph_generated_filexyz.py", space)
    _defined("def tf__own(): return look()", "/tmp/__autograph_generated_filexyz.py", space)
    _defined("def train(f): return convert(f)", "/home/a/train.py", space)

    _, site, entry, leaf, traced = space["train"](space["tf__step"])
    assert site == ("/home/a/train.py", 1, "train")
    assert entry == "tensorflow/python/autograph/impl/api.py:convert"
    assert leaf == "keras/src/layers/layer.py:inner"
    assert traced == "step → keras/src/models/sequential.py:call"
    assert space["train"](space["tf__own"])[4] == "own"
    assert space["train"](space["call"])[4] == ""


def test_it_looks_often_where_nobody_else_can_say_what_goes_on() -> None:
    bus: Any = SimpleNamespace(main=threading.get_ident(), stack=[], first_step_done=False)
    sampler = _Sampler(bus)
    assert sampler._period() == FAST_SECONDS
    bus.stack = [(0, IMPORT, "module")]
    assert sampler._period() == SLOW_SECONDS
    bus.stack = [(0, IMPORT, "module"), (1, TRACE, "step")]
    assert [sampler._period() for _ in range(LOOKS_AT_TRACES)] == [FAST_SECONDS] * LOOKS_AT_TRACES
    assert sampler._period() == SLOW_SECONDS, "a long trace is looked into seldom"
    bus.stack, bus.first_step_done = [], True
    assert sampler._period() == SLOW_SECONDS
