"""The script that a warm server is started with: `python enter.py FOLDER`.

Its first act is to note which modules a fresh interpreter has, so nothing may be imported above that line.
"""

import sys

baseline = list(sys.modules)
folder = sys.argv[1]
del sys.path[0]  # the folder of this script, where a program has its own

from headstart.accelerate.warm import server  # noqa: E402

server.main(baseline, folder)
