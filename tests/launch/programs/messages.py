"""Warnings, logs, stacks and what else a program says about itself: no frame and no line of headstart's."""

from __future__ import annotations

from ..program import Program, code, script

WARN = """
    import warnings
    def f(level):
        warnings.warn(f"level {level}", stacklevel=level)
    for level in (1, 2, 3, 4, 9):
        f(level)
    warnings.warn("old", DeprecationWarning)
    warnings.warn("future", FutureWarning)
"""

STACKS = """
    import traceback, inspect, sys
    def f():
        # The import system's own frames are the interpreter's business.
        print("".join(e for e in traceback.format_stack() if "importlib" not in e), file=sys.stderr)
        print([(i.filename, i.lineno, i.function) for i in inspect.stack() if "importlib" not in i.filename])
    f()
    class C:
        f()
    list(map(lambda _: f(), [1]))
"""

FAULT = """
    import faulthandler, sys
    faulthandler.dump_traceback(sys.stderr)
    faulthandler.enable()
    print(faulthandler.is_enabled())
    import resource, os, signal
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)
"""

TRACE = """
    import sys
    seen = []
    def trace(frame, event, arg):
        seen.append((frame.f_code.co_filename, frame.f_lineno, event))
        return trace
    sys.settrace(trace)
    def f():
        import helper
        return open("helper.py").read()
    f()
    sys.settrace(None)
    # What runs inside an import statement is seen with its own file names; the program's lines are the point.
    print([s for s in seen if s[0].endswith(("main.py", "helper.py"))])
"""

IMPORTS = """
    import importlib, importlib.util, sys, helper
    print(helper.__spec__.origin, helper.__loader__.__class__.__name__, helper.__file__)
    print(importlib.util.find_spec("helper"), importlib.util.find_spec("no_such"))
    importlib.reload(helper)
    print(__import__("helper") is helper, importlib.import_module("helper") is helper)
    print(type(importlib.import_module), importlib.import_module.__module__, __import__.__name__)
    class Finder:
        def find_spec(self, name, path=None, target=None):
            print("asked for", name)
    sys.meta_path.insert(0, Finder())
    try:
        import made_up
    except ImportError as error:
        print(repr(error), error.name)
    del sys.modules["helper"]
    import helper
"""

PROGRAMS = [
    script("warnings", WARN),
    script("warnings-error", WARN, env={"PYTHONWARNINGS": "error"}),
    script("warnings-all", WARN, env={"PYTHONWARNINGS": "always"}),
    script(
        "warnings-ignore", WARN, env={"PYTHONWARNINGS": "ignore::UserWarning,default::DeprecationWarning"}
    ),
    Program("warnings-in-module", {"main.py": "import helper\nhelper.f()", "helper.py": WARN}),
    code("warnings-in-code", WARN),
    script(
        "warnings-resource",
        "open('main.py')\nprint('x')",
        env={"PYTHONWARNINGS": "always"},
        mask=(r"0x[0-9a-f]+",),
    ),
    script("encoding-warning", "print(open('main.py').readline())", env={"PYTHONWARNDEFAULTENCODING": "1"}),
    script("syntax-warning", "x = 1\nprint(x is 1)"),
    script("stacks", STACKS),
    Program("stacks-in-module", {"main.py": "import helper", "helper.py": STACKS}),
    Program("stacks-in-m", {"tool.py": STACKS}, ("-m", "tool")),
    code("stacks-in-code", STACKS),
    script("faulthandler", FAULT, mask=(r"0x[0-9a-f]+",)),
    script(
        "faulthandler-by-variable",
        "import faulthandler; print(faulthandler.is_enabled())",
        env={"PYTHONFAULTHANDLER": "1"},
    ),
    script(
        "current-frames",
        "import sys, traceback\nfor f in sys._current_frames().values():\n    traceback.print_stack(f)",
    ),
    Program("settrace", {"main.py": TRACE, "helper.py": "x = 1\n"}),
    script(
        "setprofile",
        "import sys\nseen = []\nsys.setprofile(lambda f, e, a: seen.append((f.f_code.co_filename, f.f_code.co_name, e)))\n"
        "def f():\n    return [1].count(1)\nf()\nsys.setprofile(None)\nprint(seen)",
    ),
    script(
        "cprofile", "import cProfile\np = cProfile.Profile()\np.runcall(sum, [1])\nprint(len(p.getstats()))"
    ),
    Program(
        "imports",
        {"main.py": IMPORTS, "helper.py": "print('helper loaded', __name__)\n"},
        mask=(r"0x[0-9a-f]+",),
    ),
    script(
        "main-taken-away",
        "import sys\ndel sys.modules['__main__']\nimport decimal, random\nprint(decimal.Decimal(1))\n1 / 0",
    ),
    Program(
        "inspect-source",
        {
            "main.py": "import inspect, sys\ndef f():\n    return 1\nprint(inspect.getsource(f), inspect.getsourcefile(f))\n"
            "print(inspect.getmodule(f).__name__, inspect.getmodule(inspect.currentframe()))"
        },
    ),
    script(
        "logging",
        "import logging\nlogging.basicConfig(format='%(filename)s:%(lineno)d %(processName)s %(threadName)s %(message)s')\nlogging.warning('hello')\nlogging.exception('x')",
    ),
    script(
        "print-to-stderr",
        "import sys\nprint('a', file=sys.stderr)\nprint('b')\nsys.stderr.write('no newline')",
    ),
    script(
        "recursion-limit",
        "import sys\nsys.setrecursionlimit(300)\ndef f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f(0))",
    ),
    script("doctest", '"""\n    >>> 1 + 1\n    3\n    """\nimport doctest\nprint(doctest.testmod())'),
    script(
        "unittest",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 2)\nunittest.main()",
        mask=(r"in [0-9.]+s",),
    ),
    script("help", "def f():\n    'doc'\nhelp(f)"),
    script("tracemalloc", "import tracemalloc\nprint(tracemalloc.is_tracing())"),
    script("verbose-off", "import sys\nprint(sys.flags.verbose)"),
    script(
        "audit",
        "import sys\nsys.addaudithook(lambda e, a: print(e, a) if e == 'open' and a[0] == 'main.py' else None)\nopen('main.py').close()",
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    ),
]
