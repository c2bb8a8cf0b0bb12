"""What a program finds when it starts: arguments, paths, `__main__`, environment, interpreter."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from ..program import Program, code, script

SHOW_START = """
    import json, os, sys
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    print(json.dumps({
        "argv": sys.argv,
        "orig_argv": sys.orig_argv,
        "cwd": os.getcwd(),
        "path": sys.path,
        "main": {
            "is_me": main.__dict__ is globals(),
            "name": __name__,
            "file": globals().get("__file__"),
            "package": __package__,
            "spec": spec and [spec.name, spec.origin, spec.parent],
            "loader": type(__loader__).__name__,
            "cached": str(globals().get("__cached__")),
            "doc": __doc__,
            "builtins": __builtins__ is sys.modules["builtins"],
            "annotations": globals().get("__annotations__"),
            "names": sorted(k for k in globals() if k not in ("json", "os", "sys", "main", "spec")),
        },
        "executable": sys.executable,
        "prefix": [sys.prefix, sys.base_prefix, sys.exec_prefix],
        "flags": str(sys.flags),
    }, indent=1))
"""

SHOW_INTERPRETER = """
    import sys, os, signal, threading, warnings, gc, builtins, time
    for name in ("displayhook", "excepthook", "unraisablehook", "breakpointhook"):
        print(name, getattr(sys, name) is getattr(sys, "__%s__" % name))
    print("threading hook", threading.excepthook is threading.__excepthook__)
    print("trace", sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())
    print("recursion", sys.getrecursionlimit(), "switch", sys.getswitchinterval())
    print("threads", threading.active_count(), [t.name for t in threading.enumerate()])
    print("main thread", threading.current_thread() is threading.main_thread())
    print("gc", gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.callbacks)
    print("warnings", warnings.filters)
    print("signals", [(int(s), str(signal.getsignal(s))) for s in sorted(signal.valid_signals())])
    print("mask", sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))))
    print("streams", [(s.encoding, s.errors, s.line_buffering, s.name, s.mode, s.newlines)
                      for s in (sys.stdin, sys.stdout, sys.stderr)])
    print("hooks", [getattr(h, "__name__", str(type(h))) for h in sys.path_hooks])
    print("finders", [getattr(f, "__name__", str(type(f))) for f in sys.meta_path])
    print("builtins", sorted(set(dir(builtins))))
    print("first descriptor", os.open(os.devnull, os.O_RDONLY))
    print("umask", os.umask(0o22), "group", os.getpgrp() == os.getpgid(os.getppid()), os.getsid(0) != 0)
    print("time", time.sleep.__module__, time.get_clock_info("monotonic").implementation)
    print("nice", os.nice(0))
    import resource
    print("limits", [resource.getrlimit(getattr(resource, n)) for n in dir(resource) if n.startswith("RLIMIT")])
"""

SHOW_ENVIRONMENT = """
    import os
    for key in sorted(os.environ):
        print(key, "=", os.environ[key])
    print(os.environ.get("HEADSTART_CAPTURE"), sorted(k for k in os.environ if "HEADSTART" in k))
    with open("/proc/self/environ", "rb") as handle:
        pass
"""

SHOW_MODULES = """
    import sys
    print(sorted(name for name in sys.modules if name.split(".")[0] in ("json", "logging", "threading", "msgspec",
        "rich", "tempfile", "subprocess", "ctypes", "sitecustomize", "usercustomize", "asyncio", "uuid")))
"""

ARGUMENTS = (
    "plain",
    "--quiet",
    "--json",
    "-m",
    "-c",
    "--",
    "",
    "two words",
    "naïve ☃ 日本",
    "*",
    "$HOME",
    "-",
)


def make_zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "app.zip", "w") as archive:
        archive.write(folder / "__main__.py", "__main__.py")
        archive.writestr("inner.py", "print('inner', __file__)\n")


def make_compressed_zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "app.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(folder / "__main__.py", "__main__.py")


def make_link(folder: Path) -> None:
    os.symlink("real/main.py", folder / "link.py")


PACKAGE = {
    "pack/__init__.py": "print('init', __name__)\n",
    "pack/__main__.py": SHOW_START + "\n    from . import other\n",
    "pack/other.py": "print('other', __name__, __package__)\n",
    "pack/tool.py": SHOW_START,
}
# headstart's own interpreter meets the user's sitecustomize as well; only the program's counts here.
OURS = "import sys\nOURS = 'headstart' in ''.join(sys.orig_argv[:4])\n"
CUSTOMISED = {
    "main.py": "import sys\nprint('main', [n for n in sys.modules if n.endswith('customize')], sys.path)\n",
    "mine/sitecustomize.py": OURS
    + "import os\nOURS or print(__file__, sys.path, os.environ.get('PYTHONPATH'))\n",
    "mine/usercustomize.py": OURS + "OURS or print('user', __file__)\n",
}

PROGRAMS = [
    script("script", SHOW_START, *ARGUMENTS),
    Program("script-in-folder", {"deep/er/main.py": SHOW_START}, ("deep/er/main.py", "x")),
    Program("script-dotted", {"main.py": SHOW_START}, ("./main.py",)),
    Program("script-from-elsewhere", {"a/main.py": SHOW_START, "b/x.txt": ""}, ("../a/main.py",), cwd="b"),
    Program("script-without-suffix", {"main": SHOW_START}, ("main",)),
    Program("script-with-spaces", {"my main.py": SHOW_START}, ("my main.py",)),
    Program("script-symlink", {"real/main.py": SHOW_START}, ("link.py",), prepare=make_link),
    Program("directory", {"app/__main__.py": SHOW_START}, ("app", "x")),
    Program("zip", {"__main__.py": SHOW_START + "\n    import inner\n"}, ("app.zip", "x"), prepare=make_zip),
    Program("zip-compressed", {"__main__.py": SHOW_START}, ("app.zip", "x"), prepare=make_compressed_zip),
    Program("zip-only-by-its-beginning", {"app.zip": "PK\x03\x04rubbish"}, ("app.zip",)),
    script("like-a-zip", "PK = 3\nprint(PK)"),
    Program(
        "from-a-pipe",
        {"main.py": "print(__file__)\n1 / 0"},
        ("/dev/stdin", "x"),
        shell='cat main.py | "$@"',
    ),
    Program("module", {"tool.py": SHOW_START}, ("-m", "tool", *ARGUMENTS)),
    Program("module-joined", {"tool.py": SHOW_START}, ("-mtool", "x")),
    Program("package", PACKAGE, ("-m", "pack", "x")),
    Program("module-in-package", PACKAGE, ("-m", "pack.tool", "x")),
    Program("module-missing", {}, ("-m", "no_such_module_here")),
    Program("package-without-main", {"pack/__init__.py": ""}, ("-m", "pack")),
    Program("module-of-library", {}, ("-m", "json.tool"), stdin=b'{"a": [1, 2]}'),
    Program("module-site", {}, ("-m", "site", "--user-site")),
    code("code", SHOW_START, *ARGUMENTS),
    Program("code-joined", {}, ("-cimport sys; print(sys.argv)", "x")),
    Program("code-empty", {}, ("-c", "")),
    Program("code-with-cookie", {}, ("-c", "# coding: latin-1\nprint('é')")),
    Program("code-not-text", {}, ("-c", "print('\udcff')")),
    script("interpreter", SHOW_INTERPRETER, mask=(r"0x[0-9a-f]+",)),
    script("modules", SHOW_MODULES),
    script("environment", SHOW_ENVIRONMENT),
    script(
        "environment-odd",
        SHOW_ENVIRONMENT,
        env={"EMPTY": "", "SNOW": "☃", "NEWLINE": "a\nb", "HEADSTART_DEBUG_THING": "1"},
    ),
    script("environment-clean", SHOW_ENVIRONMENT, env={"PYTHONPATH": None, "HOME": None}),
    Program(
        "pythonpath",
        {
            "main.py": SHOW_START + "\n    import helper, os; print(os.environ['PYTHONPATH'])\n",
            "lib/helper.py": "",
        },
        env={"PYTHONPATH": "lib:/nowhere:lib"},
    ),
    script(
        "pythonpath-empty", SHOW_START + "\n    print(os.environ['PYTHONPATH'])\n", env={"PYTHONPATH": ""}
    ),
    script(
        "pythonpath-blank-entry",
        SHOW_START + "\n    print(os.environ['PYTHONPATH'])\n",
        env={"PYTHONPATH": ":x:"},
    ),
    Program("own-sitecustomize", CUSTOMISED, env={"PYTHONPATH": "mine"}),
    Program(
        "own-sitecustomize-raises",
        {**CUSTOMISED, "mine/sitecustomize.py": OURS + "OURS or 1 / 0\n"},
        env={"PYTHONPATH": "mine"},
    ),
    Program(
        "own-sitecustomize-import-error",
        {**CUSTOMISED, "mine/sitecustomize.py": OURS + "if not OURS:\n    import no_such_thing\n"},
        env={"PYTHONPATH": "mine"},
    ),
    script("no-bytecode", "import sys; print(sys.dont_write_bytecode)", env={"PYTHONDONTWRITEBYTECODE": "1"}),
    Program(
        "bytecode",
        {"main.py": "import helper, os; print(sorted(os.listdir('__pycache__')))", "helper.py": ""},
        env={"PYTHONDONTWRITEBYTECODE": None},
    ),
    script("hash-seed", "print(hash('headstart'))", env={"PYTHONHASHSEED": "7"}),
    script("safe-path", SHOW_START, env={"PYTHONSAFEPATH": "1"}),
    script("optimised", "import sys; print(__debug__, sys.flags)\nassert False", env={"PYTHONOPTIMIZE": "1"}),
    script("unbuffered", SHOW_INTERPRETER, env={"PYTHONUNBUFFERED": "1"}, mask=(r"0x[0-9a-f]+",)),
    script("buffered", SHOW_INTERPRETER, env={"PYTHONUNBUFFERED": None}, mask=(r"0x[0-9a-f]+",)),
    script("locale-c", SHOW_INTERPRETER, env={"LC_ALL": "C", "LANG": None}, mask=(r"0x[0-9a-f]+",)),
    script("utf8-mode", SHOW_INTERPRETER, env={"PYTHONUTF8": "1"}, mask=(r"0x[0-9a-f]+",)),
    script("dev-mode", SHOW_INTERPRETER, env={"PYTHONDEVMODE": "1"}, mask=(r"0x[0-9a-f]+",)),
    script("shell-ignores-int", SHOW_INTERPRETER, shell='trap "" INT HUP; "$@"', mask=(r"0x[0-9a-f]+",)),
]
