"""`python -m headstart` is `headstart`."""

import sys

if not getattr(sys.flags, "safe_path", False):
    # `-m` put the current folder first: the program's modules must not shadow what headstart imports.
    del sys.path[0]

from headstart.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
