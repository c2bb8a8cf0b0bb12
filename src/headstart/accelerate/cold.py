"""The cold path: the program runs in this very process, as `python` would run it, with the garbage collector
held off while TensorFlow is imported, and byte code read on one processor while the other loads native code.

An import makes millions of objects that live forever; the collector keeps looking through all of them for
garbage, for nothing. Holding it off changes no result: garbage is found a little later.
"""

from __future__ import annotations

import _frozen_importlib
import gc
import os
import sys

from . import activate as _activate
from . import ahead as _ahead
from .program import Program
from .stage import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

# Packages whose import is worth it, and that run no program of the user's while they are imported.
HEAVY = frozenset(
    [
        "tensorflow",
        "keras",
        "tf_keras",
        "tensorflow_probability",
        "tensorflow_datasets",
        "tensorflow_hub",
        "tensorflow_text",
        "keras_hub",
        "numpy",
        "scipy",
        "sklearn",
        "pandas",
        "matplotlib",
        "transformers",
    ]
)
# A program that has made more objects than this before the import keeps them in the collector's sight. Those of the
# first import are Python's own; what a later one finds, the program has made, and may want to see collected.
_MOST_FROZEN = 200_000
_MOST_FROZEN_LATER = 1_000
if TYPE_CHECKING:
    _bootstrap: Any
_bootstrap = _frozen_importlib
_FILE = _bootstrap._find_and_load_unlocked.__code__.co_filename


class Pause:
    """Holds the collector off during an outermost import; what the import itself sets stays set.

    The threshold does it, not `gc.disable`: a package that switches the collector off or on while it is being
    imported gets what it asked for.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._before = (0, 0, 0)
        self._few = False
        self._most = _MOST_FROZEN

    def begin(self) -> bool:
        """Whether this import is an outermost one."""
        self._depth += 1
        if self._depth > 1:
            return False
        self._before = gc.get_threshold()
        self._few = len(gc.get_objects()) < self._most
        gc.set_threshold(0, *self._before[1:])
        return True

    def end(self) -> None:
        self._depth -= 1
        if self._depth == 0 and gc.get_threshold() == (0, *self._before[1:]):
            gc.set_threshold(*self._before)
            if self._few and gc.isenabled() and self._before[0]:
                # All that the import made stays: later collections need not look at it again.
                gc.freeze()
                self._most = _MOST_FROZEN_LATER


def speed_up_imports(ahead: _ahead.Ahead | None) -> None:
    """Hold the collector off in imports of heavy packages from now on, and read ahead in them."""
    original = _bootstrap._find_and_load
    pause = Pause()
    watched, arrived = _activate.watched, _activate.arrived

    def _find_and_load(name: str, import_: Any) -> Any:
        nonlocal ahead
        if name.partition(".")[0] not in HEAVY:
            return original(name, import_)
        outermost = pause.begin()
        reading = ahead if outermost else None
        if reading is not None:
            reading.begin()
        try:
            module = original(name, import_)
        finally:
            if reading is not None and reading.end():
                ahead = None
            pause.end()
        if watched():
            arrived([name])
        return module

    # Frames of this file name are trimmed by the interpreter from tracebacks of failing imports.
    _find_and_load.__code__ = _find_and_load.__code__.replace(co_filename=_FILE)
    _bootstrap._find_and_load = _find_and_load


def fresh_modules() -> list[str]:
    """The modules that an interpreter has before its program starts. They stand first in `sys.modules`: what
    follows was imported by the `headstart` command, whose first import shows where it begins."""
    main = sys.modules["__main__"]
    ours = {"headstart"}
    if getattr(main, "__spec__", None) is not None:
        ours.add("runpy")  # python -m headstart
    elif "re" in vars(main):
        ours.add("re")  # the script that installers write
    found = []
    for name in sys.modules:
        if name in ours:
            break
        found.append(name)
    return found


def program_path() -> list[str]:
    """`sys.path` without the entry of the `headstart` command itself."""
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None or getattr(sys.flags, "safe_path", False):
        return list(sys.path)  # `python -m headstart` has taken it out already
    return sys.path[1:]


def run(
    program: Program, options: Mapping[str, str], ending: Callable[[dict[str, Any]], None] | None
) -> NoReturn:
    """Become the program. Does not return: its end is the end of this process. `ending` is called when the program
    is over, with the modules that it has imported."""
    keep = set(fresh_modules())
    path = program_path()

    def opening() -> None:
        for name in [name for name in sys.modules if name not in keep]:
            del sys.modules[name]
        sys.path_importer_cache.pop(os.path.dirname(sys.argv[0]), None)
        speed_up_imports(_ahead.Ahead() if "no-cache" not in options and _ahead.worth_it() else None)
        _activate.activate(options)
        if ending is not None:
            import atexit

            # First registered, last run.
            atexit.register(lambda: ending({n: m for n, m in sys.modules.items() if n not in keep}))
            if "atexit" not in keep:
                del sys.modules["atexit"]

    Stage(program, path, opening).perform()
