"""Which of the user's lines something is said to have happened at."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from headstart.capture.sites import site_of_making, user_site


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return inner


names: dict[str, Any] = {}
exec(
    compile("def library(ask, *args, **kwargs):\n    return ask()", "/x/site-packages/keras/a.py", "exec"),
    names,
)
library = names["library"]


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def test_a_decorator_is_not_where_the_call_was_written() -> None:
    found, here = decorated(decorated(library))(user_site, scale=2.0), line()
    assert found[1:] == [here, "test_a_decorator_is_not_where_the_call_was_written"]


def test_a_function_of_anything_that_calls_with_its_own_arguments_is_where_it_was_written() -> None:
    def train(*args: Any, **kwargs: Any) -> tuple[Any, int]:
        return library(user_site, len(args)), line()

    found, here = train(1, rate=0.1)
    assert found[1:] == [here, "train"]


def test_an_object_is_made_where_it_is_asked_for() -> None:
    """Not in its own class, however many of these there are; but in the `__init__` of another."""

    class Base:
        def __init__(self) -> None:
            self.site = library(functools.partial(site_of_making, self, 0))

    class Model(Base):
        def __init__(self) -> None:
            super().__init__()

    class Trainer:
        def __init__(self) -> None:
            self.model, self.line = Model(), line()

    model, here = Model(), line()
    assert model.site[1:] == [here, "test_an_object_is_made_where_it_is_asked_for"]
    trainer = Trainer()
    assert trainer.model.site[1:] == [trainer.line, "__init__"]
