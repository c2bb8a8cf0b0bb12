"""The standard library: which parts of it a trace may use.

Most of it is a plain function of its arguments and stands by Python's version. The rest reads the clock, the
machine, other processes, the stack. Where such a read can be seen while it happens (files, environment,
random state, printing) it is left to the recording; where it cannot, having the name in reach is enough to refuse.
"""

from __future__ import annotations

#: Functions of their arguments alone.
PURE = frozenset(
    """
    __future__ abc argparse array ast base64 binascii bisect builtins calendar cmath codecs collections
    colorsys configparser contextlib copy copyreg csv dataclasses decimal difflib enum errno fnmatch
    fractions functools graphlib hashlib heapq hmac html io itertools json keyword logging math numbers
    operator opcode pprint re reprlib shlex sre_compile statistics string struct textwrap token
    traceback types typing unicodedata warnings weakref zlib posixpath genericpath _functools
    _collections _operator _collections_abc _abc _io _struct _json _decimal _weakref _weakrefset _thread
    zipfile
    """.split()  # noqa: SIM905
)

#: Parts of modules that are not pure as a whole. A chain must start with one of these.
PARTS: dict[str, frozenset[str]] = {
    "os": frozenset(
        {"path", "sep", "fspath", "PathLike", "environ", "getenv", "linesep", "name", "pathsep", "curdir"}
    ),
    "os.path": frozenset(
        {"join", "basename", "dirname", "splitext", "split", "sep", "normpath", "isabs", "commonprefix"}
    ),
    "sys": frozenset(
        {"version_info", "version", "platform", "maxsize", "byteorder", "float_info", "flags", "argv",
         "stdout", "stderr", "exc_info", "getsizeof", "int_info", "maxunicode", "hexversion"}
    ),
    "inspect": frozenset({"signature", "isfunction", "isclass", "ismethod", "getfullargspec", "Parameter"}),
    "datetime": frozenset({"timedelta", "timezone"}),
    "threading": frozenset({"Lock", "RLock"}),
    "pathlib": frozenset({"PurePath", "PurePosixPath"}),
    # Drawing from the global generator is seen by the recording; a generator of one's own is not. Nor is a seed that
    # happens to be the one that was set before.
    "random": frozenset(
        {"random", "randint", "uniform", "choice", "choices", "shuffle", "sample", "gauss",
         "randrange", "normalvariate", "betavariate", "expovariate"}
    ),
    # Not the stack below, and not what is shown or said: that is the caller's.
    "traceback": frozenset(
        {"format_exc", "print_exc", "format_exception", "format_exception_only", "format_tb", "extract_tb",
         "TracebackException"}
    ),
    "warnings": frozenset({"warn", "warn_explicit", "catch_warnings", "simplefilter", "filterwarnings"}),
    "logging": frozenset(
        {"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log", "getLogger", "DEBUG",
         "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL", "NOTSET", "Logger", "LoggerAdapter",
         "getLevelName"}
    ),
}  # fmt: skip

#: What a logger that was asked for by name can be asked: it would not be seen.
OF_A_LOGGER = frozenset({"level", "handlers", "getEffectiveLevel", "hasHandlers"})

#: What a parser of the command line can be asked: it looks there by itself.
OF_ARGUMENTS = frozenset(
    {"parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"}
)

#: Modules whose functions read attributes of what they are given by names that they compute.
REFLECTIVE = frozenset({"builtins", "copy", "dataclasses", "pprint", "json", "pickle", "inspect"})
#: What does so where it was imported by its own name: functions and classes, by the module that they say they are from.
REFLECTIVE_PARTS: dict[str, frozenset[str]] = {
    "builtins": frozenset({"getattr", "hasattr", "vars", "dir", "setattr", "delattr"}),
    "copy": frozenset({"copy", "deepcopy", "replace"}),
    "dataclasses": frozenset({"asdict", "astuple", "replace"}),
    "json": frozenset({"dump", "dumps", "load", "loads"}),
    "operator": frozenset({"attrgetter", "methodcaller"}),
    "_operator": frozenset({"attrgetter", "methodcaller"}),
    "pprint": frozenset({"pformat", "pprint", "pp", "saferepr", "PrettyPrinter"}),
}

#: What is called on anything that was given for a file, or to be closed, by what is named below.
OF_A_FILE = frozenset(
    {"write", "writelines", "flush", "close", "closed", "read", "read1", "readinto", "readline", "readlines", "seek",
     "tell", "readable", "writable", "seekable"}
)  # fmt: skip
ON_FILES: dict[str, frozenset[str]] = {
    "builtins": frozenset({"print"}),
    "contextlib": frozenset({"closing", "redirect_stdout", "redirect_stderr"}),
    "csv": frozenset({"writer", "DictWriter"}),
    "_csv": frozenset({"writer"}),
    "io": frozenset({"TextIOWrapper", "BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}),
    "_io": frozenset({"TextIOWrapper", "BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair"}),
    "codecs": frozenset({"getreader", "getwriter", "StreamReader", "StreamWriter", "StreamReaderWriter", "EncodedFile"}),
    "configparser": frozenset({"ConfigParser", "RawConfigParser"}),
    "shlex": frozenset({"shlex"}),
    "traceback": frozenset({"print_exc"}),
    "zipfile": frozenset({"ZipFile", "is_zipfile"}),
}  # fmt: skip

#: Builtins that a trace may have in reach; what they do is either pure or seen by the recording.
REFUSED_BUILTINS: dict[str, str] = {
    "eval": "evaluates text as code",
    "exec": "evaluates text as code",
    "compile": "evaluates text as code",
    "globals": "reads its module's names by computed text",
    "locals": "reads its own names by computed text",
    "input": "reads from the terminal",
    "breakpoint": "stops in a debugger",
    "__import__": "imports modules by computed names",
    "id": "depends on where objects lie in memory",
}


def why_not_builtin(chain: tuple[str, ...]) -> str | None:
    """Why code that reads this on the module ``builtins`` cannot be kept, or ``None``."""
    return why_not_object("builtins", chain[0]) if chain else "it uses the module builtins as a value"


#: Classes whose instances or methods give what a later run need not get.
_REFUSED_CLASSES = frozenset(
    {"datetime.datetime", "datetime.date", "random.Random", "random.SystemRandom", "_random.Random",
     "pathlib.Path", "pathlib.PosixPath", "pathlib._local.Path", "pathlib._local.PosixPath",
     "threading.Thread", "threading.local", "_thread._local", "contextvars.ContextVar"}
)  # fmt: skip
_REFUSED_MODULES = frozenset(
    """
    time socket subprocess multiprocessing asyncio concurrent uuid secrets tempfile urllib http ssl
    select selectors signal ctypes gc sqlite3 shelve dbm mmap resource platform pickle marshal importlib
    runpy
    """.split()  # noqa: SIM905
)


def why_not_class(module: str, name: str) -> str | None:
    """Why a class of the standard library that is in reach of a trace cannot be kept, or ``None``."""
    if f"{module}.{name}" in _REFUSED_CLASSES or module.partition(".")[0] in _REFUSED_MODULES:
        return f"it can reach {module}.{name}, whose results a later run need not get"
    return None


def why_not_module(name: str, chains: frozenset[tuple[str, ...]]) -> str | None:
    """Why code that reads these chains on this module cannot be kept, or ``None``."""
    if name.partition(".")[0] in PURE and name not in PARTS:
        return None
    allowed = PARTS.get(name)
    for chain in sorted(chains):
        if not chain:
            return f"it uses the module {name} as a value"
        if allowed is None or chain[0] not in allowed:
            return f"it uses {'.'.join((name, *chain))}, whose result a later run need not get"
        if name == "os" and chain[0] == "path":
            reason = why_not_module("os.path", frozenset({chain[1:]}))
            if reason is not None:
                return reason
    return None


def why_not_object(module: str, name: str) -> str | None:
    """Why a function or class of the standard library that is in reach cannot be kept, or ``None``."""
    home = {"posixpath": "os.path", "genericpath": "os.path", "_random": "random", "posix": "os"}.get(
        module, module
    )
    if module == "builtins" and name in REFUSED_BUILTINS:
        return f"it uses {name}(), which {REFUSED_BUILTINS[name]}"
    return why_not_module(home, frozenset({(name,)}))
