"""The one place where `headstart run` reaches into a program: called at its start, warm or cold.

What speeds a program up beyond its imports (kept traces, graphs, compiled programs, weights) is switched on
from here. The call is made before the program's first line, in its process, with `sys.modules` as in a fresh
interpreter; so nothing may be imported here, and nothing done that the program could notice, until it imports
TensorFlow. `watch` calls back at that moment.
"""

from __future__ import annotations

from ..launch.places import cache_folder
from . import inplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Hook = Callable[[Any], None]

_waiting: dict[str, list[Hook]] = {}


def activate(options: Mapping[str, str]) -> None:
    """Switch on what the options of `headstart run` ask for. `options` holds the long names of those that were
    given ("no-cache", "verify", "verbose"), and in a warm run "warm": the seconds that its imports have taken
    the server.

    To hook in, call `watch` here; what the hook needs it imports when it is called.
    """
    if "no-cache" not in options and "capture" not in options:
        watch("tensorflow", lambda module: _stand_by(module, options))


def _stand_by(tensorflow: Any, options: Mapping[str, str]) -> None:
    """TensorFlow is there. The caches are loaded when it is about to trace for the first time: until then there is
    nothing for them to do, and a program that only imports TensorFlow finds nothing of them."""
    import sys

    if ".".join(str(getattr(tensorflow, "__version__", "")).split(".")[:2]) in KNOWN:
        _before_the_runtime(sys.modules.get("tensorflow.python.eager.context"))
    # An old TensorFlow has no such module; the caches do not know it.
    module: Any = sys.modules.get(_TRACING)
    inner: Any = getattr(module, _CREATE, None)
    if inner is None:
        return
    changed = inplace.watch_functions()

    def _create_concrete_function(*args: Any, **kwargs: Any) -> Any:
        if getattr(module, _CREATE) is _create_concrete_function:
            setattr(module, _CREATE, inner)
            _begin(options, changed)
        create = getattr(module, _CREATE)
        return create(*args, **kwargs)

    # A frame of TensorFlow's own file is left out of tracebacks where TensorFlow leaves out its own.
    _create_concrete_function.__code__ = _create_concrete_function.__code__.replace(
        co_filename=inner.__code__.co_filename
    )
    _create_concrete_function.__wrapped__ = inner  # type: ignore[attr-defined]
    setattr(module, _CREATE, _create_concrete_function)


def _begin(options: Mapping[str, str], changed: Iterable[Any]) -> None:
    """The program must go on whatever becomes of us."""
    import os

    if _switched_off():
        return
    try:
        begin: Any = prepared
        if begin is None:
            from .cache import activation

            begin = activation.begin
        # By value: this module may be there twice, once with the launcher and once with the caches.
        begin({**options, "xla-folder": xla_folder}, changed)
    except Exception:
        if os.environ.get("HEADSTART_CACHE_STRICT") == "1":
            raise


#: What switches the caches on, where it is loaded already: in a program that is forked from a warm interpreter.
prepared: Callable[[Mapping[str, str], Iterable[Any]], None] | None = None


def _switched_off() -> bool:
    import os

    return os.environ.get("HEADSTART_CACHE", "1").lower() in ("0", "off", "no", "false")


#: Where TensorFlow keeps compiled programs in this process: a folder of its own, emptied by nobody else.
xla_folder = ""


def _before_the_runtime(context: Any) -> None:
    """TensorFlow reads its flags for XLA once, when its runtime starts: the folder for compiled programs is in the
    environment then, and at no other time."""
    kind: Any = getattr(context, "Context", None)
    names = [name for name in ("ensure_initialized", "_initialize_physical_devices") if hasattr(kind, name)]
    originals = {name: getattr(kind, name) for name in names}

    def wrap(inner: Any) -> Any:
        def start(self: Any, *args: Any, **kwargs: Any) -> Any:
            for name, original in originals.items():
                setattr(kind, name, original)
            restore = _announce_folder()
            try:
                return inner(self, *args, **kwargs)
            finally:
                restore()

        start.__code__ = start.__code__.replace(co_filename=inner.__code__.co_filename)
        return start

    for name, original in originals.items():
        setattr(kind, name, wrap(original))


def _announce_folder() -> Callable[[], None]:
    global xla_folder
    import os

    given = os.environ.get(_FLAGS)
    off = os.environ.get("HEADSTART_CACHE_OFF", "") + (given or "")
    if "persistent_cache" in off or "xla" in off.split(",") or _switched_off():
        return lambda: None
    xla_folder = os.path.join(cache_folder(), _WORK, f"xla-{os.getpid()}-{os.urandom(6).hex()}")
    if any(c.isspace() or c in "\"'=\\" for c in xla_folder):
        xla_folder = ""  # it could not be written as a flag
        return lambda: None
    # Not through os.environ: the program must not see it.
    os.putenv(_FLAGS, f"{given or ''} --tf_xla_persistent_cache_directory={xla_folder}".strip())
    return lambda: os.putenv(_FLAGS, given) if given is not None else os.unsetenv(_FLAGS)


#: Releases of TensorFlow that have the flag; on any other, an unknown flag would end the program.
KNOWN = ("2.16", "2.17", "2.18", "2.19", "2.20", "2.21")
_FLAGS = "TF_XLA_FLAGS"
_WORK = "kept-v1/work"  # as in `cache.folder` and `cache.graphs`
_TRACING = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
_CREATE = "_create_concrete_function"


def watch(name: str, hook: Hook) -> None:
    """Call `hook(module)` when the program has imported this module, before its import returns. In a warm run
    all modules of a package arrive at once; in a cold one, only those of the packages in `cold.HEAVY` are seen."""
    _waiting.setdefault(name, []).append(hook)


def arrived(names: Iterable[str]) -> None:
    """Called by the import hooks, warm and cold, with the modules that have been imported."""
    import sys

    for name in names:
        for hook in _waiting.pop(name, ()):
            hook(sys.modules[name])


def watched() -> bool:
    """Whether anybody waits for anything."""
    return bool(_waiting)
