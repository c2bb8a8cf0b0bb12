"""Watching a real trace: what did it read that a key cannot hold, and what did it do besides tracing?

Everything here is in force only while one function is traced for the store, in the thread that traces it, and
undone after.
"""

from .window import Seen, Window

__all__ = ["Seen", "Window"]
