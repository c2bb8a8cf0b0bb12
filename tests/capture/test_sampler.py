"""What the sampler's thread must not do to the program."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from headstart.capture.sampler import _Sampler


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
