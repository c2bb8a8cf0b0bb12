"""headstart: makes TensorFlow programs start fast, and explains why they don't.

The public face is small and lazy: this module is imported inside other people's programs, so it
must cost nothing until a name is used.
"""

from ._version import __version__

__all__ = ["__version__"]
