"""The import hook: times each import and tells probes when their module has been loaded.

`importlib._bootstrap._find_and_load` is what every import of a module that is not loaded yet goes through;
imports of loaded modules never reach it and cost nothing. The replacement claims the import system's own
file name, so that the interpreter trims it from tracebacks as it trims its own frames.
"""

from __future__ import annotations

import _frozen_importlib
import _imp
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from ..record.signals import IMPORT, NATIVE, PROBE_OFF
from . import sites
from .bus import Bus, now

_bootstrap: Any = _frozen_importlib
Installer = Callable[[Any], None]
_waiting: dict[str, list[Installer]] = {}
_undo: list[Callable[[], None]] = []
_probed: set[str] = set()
"""Modules whose probes are in place; they stay when recording stops."""
_IMPORTLIB_FILE = _bootstrap._find_and_load.__code__.co_filename
_SAMPLER_STARTS_AT = ("tensorflow", "keras", "tf_keras")


def when_imported(name: str, installer: Installer) -> None:
    """Call `installer(module)` once the module is loaded; at once when it already is."""
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _probed.add(name)
        installer(module)
    else:
        _waiting.setdefault(name, []).append(installer)


def install(bus: Bus) -> None:
    from . import probes

    for name in probes.TABLE:
        if name not in _probed:
            when_imported(name, probes.installer(bus, name))
    _hook_imports(bus)
    _hook_native(bus)
    if any(name in sys.modules for name in _SAMPLER_STARTS_AT):
        _start_sampler(bus)


def close(bus: Bus) -> None:
    """Take the import hook out again (the process may live on, in a notebook)."""
    while _undo:
        _undo.pop()()
    _waiting.clear()


def _start_sampler(bus: Bus) -> None:
    from . import sampler

    sampler.start(bus)


def _hook_imports(bus: Bus) -> None:
    original = _bootstrap._find_and_load
    begin, end = bus.begin, bus.end

    def _find_and_load(name: str, import_: Any) -> Any:
        if name in _SAMPLER_STARTS_AT:
            _start_sampler(bus)
        stack = bus.stack
        outermost = not stack or stack[-1][1] != IMPORT
        span = begin(IMPORT, name)
        # A module of the program imports, too, and its line is the one to change. The libraries' need none.
        if outermost or sites.is_user_frame(_importing(sys._getframe(1))):
            site = sites.user_site(0)
            if site is not None:
                span[3] = {"site": site}
                if outermost:
                    bus.say_open()
        try:
            module = original(name, import_)
        except BaseException:
            span[3] = {**(span[3] or {}), "failed": True}
            end(span)
            raise
        end(span)
        if name in _waiting:
            _loaded(bus, name)
        return module

    # Frames of this file name are trimmed by the interpreter from tracebacks of failing imports.
    _find_and_load.__code__ = _find_and_load.__code__.replace(co_filename=_IMPORTLIB_FILE)
    _bootstrap._find_and_load = _find_and_load

    def undo() -> None:
        if _bootstrap._find_and_load is _find_and_load:
            _bootstrap._find_and_load = original

    _undo.append(undo)


def _importing(frame: FrameType | None) -> FrameType | None:
    """The frame of the import statement, behind those of the import system."""
    while frame is not None and frame.f_code.co_filename == _IMPORTLIB_FILE:
        frame = frame.f_back
    return frame


def arrived(bus: Bus, names: Iterable[str]) -> None:
    """Modules that came without an import of their own: a warm program is handed whole packages at once."""
    if any(name in _SAMPLER_STARTS_AT for name in names):
        _start_sampler(bus)
    for name in names:
        if name in _waiting:
            _loaded(bus, name)


def _loaded(bus: Bus, name: str) -> None:
    t0 = now()
    _probed.add(name)
    module = sys.modules.get(name)
    for installer in _waiting.pop(name, ()):
        try:
            installer(module)
        except Exception as error:
            bus.mark(PROBE_OFF, name, {"why": f"{type(error).__name__}: {error}"[:300]})
    bus.own_ns += now() - t0


def _hook_native(bus: Bus) -> None:
    """Loading an extension module is a dlopen (with all static initialisers), then its own init function."""
    for attribute, step in (("create_dynamic", "create"), ("exec_dynamic", "exec")):
        original = getattr(_imp, attribute)

        def load(*args: Any, _original: Any = original, _step: str = step) -> Any:
            spec = args[0]
            path = getattr(spec, "origin", None) or getattr(spec, "__file__", None) or "?"
            span = bus.begin(NATIVE, path, {"step": _step})
            try:
                return _original(*args)
            finally:
                bus.end(span)

        load.__code__ = load.__code__.replace(
            co_filename=_IMPORTLIB_FILE, co_name="_call_with_frames_removed"
        )
        setattr(_imp, attribute, load)
        _undo.append(lambda a=attribute, o=original: setattr(_imp, a, o))  # type: ignore[misc]
