"""What an item of a container holds, whatever it is made of, and which container is named."""

from __future__ import annotations

import threading
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from headstart.capture.probes.holders import PARTS, _bytes, largest_holders

Transition = namedtuple("Transition", "state action")


@dataclass
class Step:
    state: Any
    reward: float = 0.0


class Slotted:
    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state


class Loud(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise AssertionError("code of the program ran")


ARRAY = np.zeros(1000, "float32")


@pytest.mark.parametrize(
    "item",
    [
        ARRAY,
        (1, ARRAY),
        Transition(ARRAY, 3),
        Step(ARRAY),
        Slotted(ARRAY),
        (7, {"loss": 0.5, "gradients": [ARRAY]}),
        Loud([ARRAY]),
    ],
    ids=lambda item: type(item).__name__,
)
def test_arrays_are_found_in_records_of_all_kinds(item: Any) -> None:
    assert _bytes(item) == 4000


def test_objects_that_hold_everything_are_not_walked() -> None:
    agent = Step(Step(Step(ARRAY)))
    assert _bytes(agent) == 0
    assert _bytes([ARRAY] * (PARTS + 1)) == 0


def _named(**held: Any) -> dict[str, dict[str, Any]]:
    ready, go = threading.Event(), threading.Event()

    def program() -> None:
        history = held
        ready.set()
        go.wait()
        del history

    thread = threading.Thread(target=program)
    thread.start()
    ready.wait()
    try:
        assert thread.ident is not None
        return {holder["name"]: holder for holder in largest_holders(thread.ident)}
    finally:
        go.set()
        thread.join()


def test_a_list_in_a_dictionary_has_a_name() -> None:
    outputs = [np.zeros(100_000) for _ in range(20)]
    found = _named(outputs=outputs, loss=[0.5] * 20)
    assert found['history["outputs"]']["items"] == 20
    by_epoch = defaultdict(list, {3: outputs})
    assert 'history["kept"][3]' in _named(kept=by_epoch)


def test_a_bound_is_told() -> None:
    arrays = [np.zeros(100_000) for _ in range(20)]
    assert _named(memory=deque(arrays, maxlen=50))['history["memory"]']["most"] == 50
    assert "most" not in _named(memory=deque(arrays))['history["memory"]']
