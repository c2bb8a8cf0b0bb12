"""Names by which code asks for what is hardly ever asked for: it counts only where some code has one of them."""

from __future__ import annotations

#: Names by which code asks for what stands beside other code, and does nothing there.
OF_TEXT = frozenset({"__doc__", "getdoc"})
OF_ANNOTATIONS = frozenset(
    {"__annotations__", "get_type_hints", "get_annotations", "signature", "getfullargspec",
     "from_callable"}
)  # fmt: skip
OF_PLACES = frozenset(
    {"co_firstlineno", "co_filename", "co_lines", "co_positions", "co_lnotab", "co_linetable"}
)
OF_PARAMETERS = frozenset(
    {"__orig_bases__", "__parameters__", "__type_params__", "get_original_bases", "get_type_hints"}
)
#: What Keras' loops leave on a model between traces.
OF_LOOPS = frozenset({"history", "stop_training", "stop_evaluating", "stop_predicting"})
#: What a path is asked about the disk, by names that little else has. (That it is opened, or a folder listed, is seen.)
OF_THE_DISK = frozenset(
    {"exists", "is_file", "is_dir", "is_symlink", "is_mount", "stat", "lstat", "resolve", "expanduser", "samefile",
     "readlink", "cwd", "absolute"}
)  # fmt: skip
#: What a date is asked about now and here: the time, and the zone of the machine.
OF_THE_CLOCK = frozenset({"now", "utcnow", "today", "timestamp", "fromtimestamp", "astimezone"})
OF_THE_HOME = frozenset({"__module__"})
OF_SLOTS = frozenset({"__slots__"})
#: What a module says of itself, by the name of each.
OF_MODULES = frozenset({"__file__", "__package__", "__path__", "__annotations__", "__doc__", "__cached__"})
RARELY_ASKED = (
    OF_TEXT | OF_ANNOTATIONS | OF_PLACES | OF_PARAMETERS | OF_LOOPS | OF_THE_DISK | OF_THE_CLOCK | OF_THE_HOME
    | OF_SLOTS | OF_MODULES
)  # fmt: skip
