"""The script that a warm server is started with: `python enter.py FOLDER MARK`.

Its first act is to note which modules a fresh interpreter has, so nothing may be imported above that line.
"""

import sys

_baseline = list(sys.modules)
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]  # the folder of this script, where a program has its own

import os  # noqa: E402

# Found the way that the launcher found it, also where headstart is not installed but on PYTHONPATH.
_root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_added = _root not in sys.path
if _added:
    sys.path.append(_root)
from headstart.accelerate.warm.graph import Graph  # noqa: E402
from headstart.accelerate.warm.registered import Registrations  # noqa: E402

_graph = Graph()
_graph.start()
_registrations = Registrations(_graph.loading)
from headstart.accelerate.warm.life import live  # noqa: E402

if _added:
    sys.path.remove(_root)

try:
    live(_baseline, _graph, _registrations, sys.argv[1], sys.argv[2])
except Exception:
    pass
os._exit(0)  # taking apart what was imported would only take time
