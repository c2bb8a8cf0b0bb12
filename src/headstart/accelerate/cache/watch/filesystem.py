"""Files that TensorFlow opens itself (``tf.io.gfile``, checkpoints, records): Python's audit events do not tell of
these."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .standin import StandIns

#: Modules of TensorFlow's, and the name in each of native code that looks at files.
_NATIVE = (
    ("tensorflow.python.lib.io.file_io", "_pywrap_file_io"),
    ("tensorflow.python.lib.io.tf_record", "_pywrap_record_io"),
    ("tensorflow.python.training.py_checkpoint_reader", "CheckpointReader"),
)


class NativeFiles:
    """Whether a trace asked TensorFlow for a file."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._refuse = refuse
        self._stand_ins = StandIns()

    def start(self) -> None:
        for where, name in _NATIVE:
            module = sys.modules.get(where)
            native = getattr(module, name, None)
            if native is not None:
                self._stand_ins.put(module, name, _Telling(native, name, self._see))

    def _see(self, name: str) -> None:
        self._refuse(f"while it is traced it has TensorFlow look at files ({name})")

    def stop(self) -> None:
        self._stand_ins.take_back()


class _Telling:
    """Stands for a native module or class and tells what of it is asked for. That itself is then called with no frame
    of ours below it, which would show in an error; where the class is called, the frame says that it is TensorFlow's.
    """

    def __init__(self, native: Any, name: str, tell: Callable[[str], None]) -> None:
        self._native = native
        self._name = name
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        self._tell(name)
        return getattr(self._native, name)

    def __call__(self, *args: Any) -> Any:
        self._tell(self._name)
        return self._native(*args)
