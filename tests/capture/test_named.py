"""What the user's code has a name for, found from another thread and without a trace left behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from headstart.capture.named import named_containers


class Thing:
    pass


class Buffer:
    shared: list[int] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.items = [1, 2]
        self.inner = Thing()
        self.inner.deep = {"a": 1}  # type: ignore[attr-defined]


def names_seen(program: Callable[[threading.Event, threading.Event], None]) -> set[str]:
    """The names found while the program waits in the middle, asked from this thread."""
    ready, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=program, args=(ready, go))
    thread.start()
    ready.wait()
    try:
        assert thread.ident is not None
        return {path.text() for _, path in named_containers(thread.ident)}
    finally:
        go.set()
        thread.join()


def test_variables_attributes_and_enclosing_functions() -> None:
    def program(ready: threading.Event, go: threading.Event) -> None:
        kept: list[int] = []
        buffer = Buffer()

        def inner() -> None:
            mine = {1, 2}
            kept.append(len(mine))
            ready.set()
            go.wait()

        inner()
        del buffer

    found = names_seen(program)
    assert {"kept", "mine", "buffer.items", "buffer.inner.deep"} <= found


def test_nothing_is_kept_alive() -> None:
    """A copy of the variables that stayed with the frame would hold what the function has let go."""
    gone: list[bool] = []

    def program(ready: threading.Event, go: threading.Event) -> None:
        thing = Thing()
        watch = weakref.ref(thing)
        ready.set()
        go.wait()
        del thing
        gc.collect()
        gone.append(watch() is None)

    names_seen(program)
    assert gone == [True]


def test_the_programs_own_copy_of_its_variables_is_left_alone() -> None:
    kept: list[dict[str, object]] = []

    def program(ready: threading.Event, go: threading.Event) -> None:
        number = 7
        mine = locals()
        ready.set()
        go.wait()
        kept.append(dict(mine))
        del number

    names_seen(program)
    assert kept[0]["number"] == 7


def test_modules_and_classes_of_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text("CACHE = [1, 2, 3]\nclass Kept:\n    all = [4]\n")
    program = tmp_path / "main.py"
    program.write_text(
        textwrap.dedent(
            """
            import threading
            import store
            from headstart.capture.named import named_containers

            found = []
            def look():
                found.extend(path.text() for _, path in named_containers(threading.main_thread().ident))
            here = [1]
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
            print(*found)
            """
        )
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    words = set(done.stdout.split())
    assert {"here", "store.CACHE", "store.Kept.all"} <= words
    assert not [word for word in words if word.startswith(("threading", "sys"))]


@pytest.mark.parametrize("kind", [list, dict, set])
def test_no_code_of_the_program_runs(kind: type) -> None:
    class Loud:
        def __getattr__(self, name: str) -> object:
            raise SystemExit("asked")

        @property
        def shown(self) -> object:
            raise SystemExit("asked")

    def program(ready: threading.Event, go: threading.Event) -> None:
        loud = Loud()
        kept = kind()
        ready.set()
        go.wait()
        del loud, kept

    assert "kept" in names_seen(program)


def test_a_watch_that_fails_is_let_go_and_said() -> None:
    from headstart.capture.sampler import _Sampler

    seen: list[int] = []

    def broken(rss: int) -> None:
        raise ValueError("no")

    class Bus:
        main = 0
        on_memory = [broken, seen.append]  # noqa: RUF012
        marks: list[tuple[str, str, dict[str, str]]] = []  # noqa: RUF012

        def mark(self, kind: str, name: str, attrs: dict[str, str]) -> None:
            self.marks.append((kind, name, attrs))

    bus = Bus()
    sampler = _Sampler(bus)  # type: ignore[arg-type]
    sampler._tell(1)
    sampler._tell(2)
    assert seen == [1, 2]
    assert [(kind, attrs["why"]) for kind, _, attrs in bus.marks] == [("probe-off", "ValueError: no")]
