"""``python -m headstart.accelerate.cache.driver SCRIPT ARGS``: a program with the caches on and nothing else."""

from __future__ import annotations

import runpy
import sys


def main() -> None:
    from headstart.accelerate.cache import activate

    del sys.argv[0]
    if not sys.argv:
        raise SystemExit("usage: python -m headstart.accelerate.cache.driver SCRIPT [ARGS…]")
    sys.path[0] = __import__("os").path.dirname(__import__("os").path.abspath(sys.argv[0]))
    activate()
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
