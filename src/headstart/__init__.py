"""headstart: makes TensorFlow programs start fast, and explains why they don't.

The public face is small and lazy: this module is imported inside other people's programs, so it must cost
nothing until a name is used.

    headstart.step()       mark a step that nothing can guess
    headstart.profile()    the ledger of a `with` block, in a program or a notebook
    headstart.keras        a callback for those who prefer code
"""

from ._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .capture.marks import step
    from .inprocess import profile

__all__ = ["__version__", "profile", "step"]

_LAZY = {"step": ".capture.marks", "profile": ".inprocess"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(_LAZY[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "keras"]
