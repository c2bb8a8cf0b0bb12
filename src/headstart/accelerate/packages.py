"""Where installed packages live; what is elsewhere is the user's own."""

from __future__ import annotations

import os
import sys


def package_folders() -> tuple[str, ...]:
    found = [os.path.dirname(os.__file__)]
    found += [entry for entry in sys.path if os.path.basename(entry) in ("site-packages", "dist-packages")]
    return tuple(entry + os.sep for entry in found)
