"""Which of the user's lines something is said to have happened at."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from headstart.capture.sites import user_site


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
