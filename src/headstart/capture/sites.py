"""Whose code is this file? And which line of the user's own code are we under?"""

from __future__ import annotations

import os
import sys
from types import FrameType

USER, LIBRARY, OTHER = 0, 1, 2
"""The user's own code; TensorFlow or Keras; everything else (standard library, other packages, ourselves)."""

_LIBRARIES = ("tensorflow", "keras", "tf_keras", "tensorflow_", "keras_", "tf2onnx")
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_ANYTHING = 0x04 | 0x08
"""Flags of code that takes *args and **kwargs: CO_VARARGS and CO_VARKEYWORDS of `inspect`."""
_kinds: dict[str, int] = {}


def kind_of(filename: str) -> int:
    """Classify a code object's file name; remembered, since the sampler asks all the time."""
    kind = _kinds.get(filename)
    if kind is None:
        kind = _kinds[filename] = _classify(filename)
    return kind


def _classify(filename: str) -> int:
    for mark in _PACKAGES:
        at = filename.rfind(mark)
        if at >= 0:
            package = filename[at + len(mark) :].split(os.sep, 1)[0]
            known = package in _LIBRARIES or package.startswith(("tensorflow_", "keras_"))
            return LIBRARY if known else OTHER
    if filename.startswith((_OWN, _STDLIB)):
        return OTHER
    if filename.startswith("<"):
        # `-c` code, the prompt and notebook cells are the user's; frozen modules and generated code are not.
        return USER if filename in ("<string>", "<stdin>") or filename.startswith("<ipython") else OTHER
    if is_rewritten(filename):
        # TensorFlow's rewriting of the user's function: its line numbers are not the user's.
        return OTHER
    return USER


def is_rewritten(filename: str) -> bool:
    """Whether AutoGraph made it."""
    return "__autograph_generated_file" in filename


def is_user_frame(frame: FrameType | None) -> bool:
    if frame is None:
        return False
    filename = frame.f_code.co_filename
    if kind_of(filename) != USER:
        return False
    # Libraries also run generated code named "<string>"; the user's is that of __main__.
    return filename != "<string>" or frame.f_globals.get("__name__") == "__main__"


def user_site(depth: int = 1) -> list[object] | None:
    """[file, line, function] of the innermost frame of user code above the caller."""
    frame: FrameType | None = sys._getframe(depth + 1) if depth >= 0 else None
    return site_of(frame)


def site_of(frame: FrameType | None) -> list[object] | None:
    while frame is not None:
        if is_user_frame(frame) and not (passes_on(frame) and is_user_frame(frame.f_back)):
            return [frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name]
        frame = frame.f_back
    return None


def site_of_making(made: object, depth: int = 1) -> list[object] | None:
    """As :func:`user_site`, for an object that is being made: its own `__init__` is not where it was asked for."""
    frame: FrameType | None = sys._getframe(depth + 1)
    asked = frame
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__init__" and code.co_argcount:
            if frame.f_locals.get(code.co_varnames[0]) is made:
                asked = frame.f_back
        elif is_user_frame(frame):
            break
        frame = frame.f_back
    return site_of(asked) or user_site(depth + 1)


def passes_on(frame: FrameType) -> bool:
    """Whether the frame is a decorator's: called with anything, it is calling with anything, `fn(*args, **kwargs)`.

    What is passed is decided by its caller, which is where there is something to change.
    """
    code = frame.f_code
    if code.co_flags & _ANYTHING != _ANYTHING or frame.f_lasti < 0:
        return False
    # Nothing is imported for this, lest it be timed as the program's import: `inspect`, and so TensorFlow, has it.
    codes = getattr(sys.modules.get("opcode"), "opmap", {})
    return code.co_code[frame.f_lasti] == codes.get("CALL_FUNCTION_EX")


def site_and_callee(depth: int = 1) -> tuple[list[object] | None, str]:
    """As :func:`user_site`, and the file of what that line called."""
    frame: FrameType | None = sys._getframe(depth + 1)
    callee = ""
    while frame is not None and not is_user_frame(frame):
        callee = frame.f_code.co_filename
        frame = frame.f_back
    return site_of(frame), callee


def short(filename: str) -> str:
    """`package/module.py` for a file in site-packages, for the sampler's labels."""
    for mark in _PACKAGES:
        at = filename.rfind(mark)
        if at >= 0:
            return filename[at + len(mark) :]
    return filename.rsplit(os.sep, 1)[-1]
