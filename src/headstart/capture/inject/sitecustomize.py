"""Starts the capture in a Python process that `headstart` launched, then gets out of the way.

Found through PYTHONPATH, so it may be met by any Python that the program starts: it must parse everywhere,
do nothing without our variable, and hand over to a sitecustomize of the user's own.
"""
# mypy: ignore-errors

import os
import sys


def _start(here):
    config = os.environ.pop("HEADSTART_CAPTURE", None)
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry != here]
    if entries and entries != [""]:
        os.environ["PYTHONPATH"] = os.pathsep.join(entries)
    else:
        os.environ.pop("PYTHONPATH", None)
        if '"pythonpath": ""' in (config or ""):
            os.environ["PYTHONPATH"] = ""  # empty is not the same as missing, to those who look
    if not config or sys.version_info < (3, 10):
        return
    # The package is found beside this file, whatever the environment of this interpreter holds.
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    added = root not in sys.path
    if added:
        sys.path.append(root)
    try:
        from headstart.capture import bootstrap

        bootstrap.start_from_environment(config)
    except Exception:
        # A broken capture must never break the program: it runs unobserved and the launcher says so.
        if os.environ.get("HEADSTART_DEBUG"):
            raise
    finally:
        if added:
            sys.path[:] = [entry for entry in sys.path if entry != root]


def _hand_over(here):
    """Undo our presence on the path and load the sitecustomize that would have been loaded without us."""
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sitecustomize", None)
    if spec is None or spec.loader is None:
        # The very error that `site` expects when there is none: it leaves no trace of us.
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    module = type(sys)("sitecustomize")
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_here = os.path.dirname(os.path.abspath(__file__))
_start(_here)
_hand_over(_here)
