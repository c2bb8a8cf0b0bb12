"""Names by which code asks for what is hardly ever asked for: it counts only where some code has one of them."""

from __future__ import annotations

#: Names by which code asks for what stands beside other code, and does nothing there.
OF_TEXT = frozenset({"__doc__", "getdoc"})
OF_ANNOTATIONS = frozenset(
    {"__annotations__", "get_type_hints", "get_annotations", "signature", "getfullargspec"}
)
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
     "readlink"}
)  # fmt: skip
RARELY_ASKED = OF_TEXT | OF_ANNOTATIONS | OF_PLACES | OF_PARAMETERS | OF_LOOPS | OF_THE_DISK
