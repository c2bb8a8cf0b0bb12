"""`headstart doctor`."""

from __future__ import annotations

import os
import platform
import signal
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from typing import NamedTuple

from .._version import __version__
from ..launch.places import cache_folder
from ..supported import PYTHON, TENSORFLOW, tensorflow_trouble, version_pair

TENSORFLOW_NAMES = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos", "tf-nightly")
GOOD, LIMITED, OFF = "ok", "limited", "off"


class Check(NamedTuple):
    """One line of the doctor's: what was looked at, how it is, and what that means."""

    name: str
    state: str
    text: str


def main(argv: list[str]) -> int:
    """Say what this environment supports, what is off and why.

    usage: headstart doctor

    Nothing is imported from TensorFlow and nothing is changed. Exit status: 0, or 1 when something is off.
    """
    checks = [check for look in LOOKS for check in look()]
    width = max(len(check.name) for check in checks)
    print(f"headstart {__version__}")
    for check in checks:
        print(f"  {check.name:<{width}}  {check.state:<7}  {check.text}")
    return 1 if any(check.state == OFF for check in checks) else 0


def _python() -> Iterable[Check]:
    low, high = PYTHON
    state = GOOD if low <= sys.version_info[:2] <= high else LIMITED
    yield Check("Python", state, f"{platform.python_version()}, {sys.executable}")


def _platform() -> Iterable[Check]:
    name = f"{platform.system()} {platform.machine()}"
    if sys.platform.startswith("linux"):
        yield Check("platform", GOOD, name)
    else:
        yield Check("platform", LIMITED, f"{name}: made for Linux; `run` takes the cold path here")
    missing = [what for what in ("fork", "wait4") if not hasattr(os, what)]
    missing += [what for what in ("sigtimedwait", "pthread_sigmask") if not hasattr(signal, what)]
    if missing:
        yield Check("processes", OFF, f"this system has no {', '.join(missing)}: programs cannot be launched")
    else:
        yield Check("processes", GOOD, "fork, job control and signals as under a shell")
    if os.path.exists("/proc/self/io"):
        yield Check("/proc", GOOD, "memory and output of programs can be seen")
    else:
        yield Check(
            "/proc", LIMITED, "missing: no memory curve, and the live line cannot see a program's output"
        )


def _tensorflow() -> Iterable[Check]:
    found = [(name, version) for name in TENSORFLOW_NAMES if (version := _version(name))]
    if not found:
        text = "not installed here (programs without it can be profiled): pip install headstart[tensorflow]"
        yield Check("TensorFlow", LIMITED, text)
    for name, version in found[:1]:
        trouble = tensorflow_trouble(version)
        state = GOOD if trouble is None else OFF if version_pair(version) < TENSORFLOW[0] else LIMITED
        yield Check("TensorFlow", state, trouble or f"{name} {version}")
    keras = _version("keras")
    if keras and keras.startswith("2."):
        yield Check("Keras", OFF, f"{keras}: headstart knows Keras 3")
    elif keras:
        yield Check("Keras", GOOD, keras)
    if os.environ.get("TF_USE_LEGACY_KERAS", "") not in ("", "0", "false", "False"):
        yield Check("tf_keras", LIMITED, "TF_USE_LEGACY_KERAS is set: steps of Keras 2 loops may not be seen")


def _folders() -> Iterable[Check]:
    folder = cache_folder()
    probe = folder
    while not os.path.exists(probe):
        probe = os.path.dirname(probe)
    if not os.access(probe, os.W_OK | os.X_OK):
        yield Check(
            "cache folder", OFF, f"{folder} cannot be written: set HEADSTART_CACHE_DIR to one that can"
        )
    elif os.path.exists(folder) and os.stat(folder).st_uid != os.getuid():
        yield Check("cache folder", OFF, f"{folder} belongs to somebody else: set HEADSTART_CACHE_DIR")
    else:
        yield Check("cache folder", GOOD, folder)


def _accelerators() -> Iterable[Check]:
    from ..accelerate.cache.versions import KERAS, TENSORFLOW
    from ..accelerate.warm.caller import supported

    why = supported()
    if not why and os.environ.get("HEADSTART_WARM") == "0":
        why = "HEADSTART_WARM=0"
    yield Check(
        "warm runs", LIMITED if why else GOOD, f"off: {why}" if why else "`headstart run` forks programs"
    )
    found = {
        "TensorFlow": (next(filter(None, map(_version, TENSORFLOW_NAMES)), None), TENSORFLOW),
        "Keras": (_version("keras"), KERAS),
    }
    unknown = [
        f"{name} {version} (known: {', '.join(known)})"
        for name, (version, known) in found.items()
        if version and ".".join(version.split(".")[:2]) not in known
    ]
    if unknown:
        yield Check("caches", LIMITED, f"off, since a guess could be a wrong reuse: {'; '.join(unknown)}")
    elif os.environ.get("HEADSTART_CACHE", "1").lower() in ("0", "off", "no", "false"):
        yield Check("caches", LIMITED, "off: HEADSTART_CACHE is set so")
    elif found["TensorFlow"][0]:
        yield Check("caches", GOOD, "traces, graphs and compiled programs are kept between runs")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


LOOKS: list[Callable[[], Iterable[Check]]] = [_python, _platform, _tensorflow, _accelerators, _folders]
