"""What importing does beyond its own modules: recorded in the server, taken back, done again in the program.

Covers what a program can tell apart: output, warnings, environment variables, the lists
`sys.meta_path`, `sys.path_hooks`, `sys.path` and `warnings.filters`, names added to `builtins`, loggers, draws from
the global random generator, and the hooks and settings of `sys` and `gc`.
"""

from __future__ import annotations

import builtins
import gc
import sys
import warnings
from collections.abc import Callable
from typing import Any

from .environ import Spy, put
from .loggers import Loggers
from .output import Capture, replay
from .randomness import Tap

Action = Callable[[], None]

_warnings: Any = warnings
_LISTS: dict[str, Callable[[], list[Any]]] = {
    "meta_path": lambda: sys.meta_path,
    "path_hooks": lambda: sys.path_hooks,
    "path": lambda: sys.path,
    "filters": lambda: _warnings.filters,
}
_SETTINGS: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.getswitchinterval, sys.setswitchinterval),
    (gc.get_threshold, lambda value: gc.set_threshold(*value)),
    (gc.isenabled, lambda value: gc.enable() if value else gc.disable()),
    *(
        (lambda name=name: getattr(sys, name), lambda value, name=name: setattr(sys, name, value))
        for name in ("excepthook", "displayhook", "unraisablehook", "breakpointhook")
    ),
    (lambda: builtins.__build_class__, lambda value: setattr(builtins, "__build_class__", value)),
]
_EVERYTHING = ("always", None, Warning, None, 0)


class Effects:
    """`found` lists (module, what to do again) in order of happening, after `stop`."""

    def __init__(self, output: Capture, loading: list[str]) -> None:
        self.found: list[tuple[str, Action]] = []
        self.reads: dict[str, str | None] = {}
        """The environment variables that were looked at, with what was found."""
        self.readers: dict[str, set[str]] = {}
        """The modules that looked at them."""
        self._output = output
        self._loading = loading
        """The modules that are being loaded, innermost last."""
        self._random = Tap()

    def start(self) -> None:
        self._lists_at_start = {name: list(get()) for name, get in _LISTS.items()}
        # Every warning is recorded; the program's own filters decide about it when it is given again.
        _warnings.filters[:] = [_EVERYTHING]
        _warnings._filters_mutated()
        self._lists = {name: list(get()) for name, get in _LISTS.items()}
        self._settings = [get() for get, _ in _SETTINGS]
        self._settings_at_start = list(self._settings)
        self._builtins = dict(vars(builtins))
        self._names_at_start = frozenset(self._builtins)
        self._showwarning = warnings.showwarning
        warnings.showwarning = self._warned
        self._environ = Spy.install(self._read)
        self._random.start()
        self._loggers = Loggers()

    def stop(self) -> None:
        """Take everything back."""
        self.look()
        self._random.stop()
        self._loggers.take_back()
        warnings.showwarning = self._showwarning
        self._environ.remove()
        for (_, put_setting), value in zip(_SETTINGS, self._settings_at_start, strict=True):
            put_setting(value)
        for name, get in _LISTS.items():
            get()[:] = self._lists_at_start[name]
        _warnings._filters_mutated()
        for name in set(vars(builtins)) - set(self._names_at_start):
            if not name.startswith("__pybind11"):  # native modules find each other by this
                delattr(builtins, name)

    def look(self) -> None:
        """Attribute what has changed since the last look to the module that is being loaded."""
        for number, data in self._output.fresh():
            self._add(lambda n=number, d=data: replay(n, d))  # type: ignore[misc]
        for name, get in _LISTS.items():
            now = get()
            if now != self._lists[name]:
                self._add(change_of(get, self._lists[name], list(now)))
                self._lists[name] = list(now)
        for at, (get_setting, put_setting) in enumerate(_SETTINGS):
            value = get_setting()
            if value != self._settings[at]:
                self._settings[at] = value
                self._add(lambda p=put_setting, v=value: p(v))  # type: ignore[misc]
        if len(vars(builtins)) != len(self._builtins):
            for name in set(vars(builtins)) - set(self._builtins):
                value = self._builtins[name] = getattr(builtins, name)
                self._add(lambda n=name, v=value: setattr(builtins, n, v))  # type: ignore[misc]
        for variable, text in self._environ.written():
            self._add(lambda n=variable, v=text: put(n, v))  # type: ignore[misc]

        for action in (self._random.fresh(), self._loggers.fresh()):
            if action is not None:
                self._add(action)

    def _add(self, action: Action) -> None:
        self.found.append((self._loading[-1], action))

    def _read(self, name: str, value: str | None) -> None:
        self.reads.setdefault(name, value)
        self.readers.setdefault(name, set()).add(self._loading[-1])

    def _warned(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        self._add(lambda: warn_again(message, category, filename, lineno))


def warn_again(message: Any, category: Any, filename: str, lineno: int) -> None:
    for name, module in sys.modules.items():
        if getattr(module, "__file__", None) == filename:
            registry = vars(module).setdefault("__warningregistry__", {})
            registry.clear()
            warnings.warn_explicit(message, category, filename, lineno, name, registry)
            return
    warnings.warn_explicit(message, category, filename, lineno)


def change_of(get: Callable[[], list[Any]], before: list[Any], after: list[Any]) -> Action:
    """The same insertions and removals on whatever the list holds by then."""
    gone = [item for item in before if item not in after]
    new = [(at, item) for at, item in enumerate(after) if item not in before]

    def again() -> None:
        target = get()
        for item in gone:
            if item in target:
                target.remove(item)
        for at, item in new:
            if item in target:
                target.remove(item)
            previous = after[at - 1] if at else None
            if not at:
                target.insert(0, item)
            elif previous in target:
                target.insert(target.index(previous) + 1, item)
            else:
                target.append(item)
        _warnings._filters_mutated()

    return again
