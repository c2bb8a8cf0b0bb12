"""The lines of a program that was given with `-c`: from 3.13 on, `python` keeps them for tracebacks."""

from __future__ import annotations

import _warnings
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

_FILE = "<string>"


def remember(text: str) -> None:
    """As the interpreter does it. Called when the program's modules are in place: the module that holds the lines must
    be the one that the program will find."""
    import linecache

    # 3.13.0 knows lines by the name of the file, its successors by the names and places of what is in it.
    code = compiled(text) if hasattr(linecache, "_interactive_cache") else _FILE
    register: Any = getattr(linecache, "_register_code", None)
    if code is not None and register is not None:
        register(code, text, _FILE)


def compiled(text: str) -> CodeType | None:
    """None where it is no program: the interpreter will say so, and will warn of it, for a second time."""
    filters: list[Any] = vars(sys.modules.get("warnings", _warnings))["filters"]
    filters.insert(0, ("ignore", None, Warning, None, 0))
    vars(_warnings)["_filters_mutated"]()
    try:
        return compile(text, _FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    finally:
        del filters[0]
        vars(_warnings)["_filters_mutated"]()
