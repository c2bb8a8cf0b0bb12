"""How programs end: every form of exit, exception and signal."""

from __future__ import annotations

from ..program import Program, code, script

EXITS = {
    "none": "None",
    "zero": "0",
    "three": "3",
    "text": "'went wrong: ☃'",
    "true": "True",
    "false": "False",
    "big": "300",
    "negative": "-1",
    "object": "[1, 2]",
    "float": "2.5",
    "tuple": "(1, 2)",
    "no-args": "",
}

ATEXIT = """
    import atexit, sys
    atexit.register(print, "first registered, last run")
    atexit.register(print, "second", file=sys.stderr)
    @atexit.register
    def boom():
        print("about to fail", flush=True)
        raise RuntimeError("in atexit")
    print("main done")
"""

PROGRAMS = [
    script("ends-normally", "print('x')"),
    script("empty", ""),
    *(
        script(f"exit-{name}", f"import sys\nprint('out')\nsys.exit({value})")
        for name, value in EXITS.items()
    ),
    script("exit-builtin", "exit(4)"),
    script("quit-builtin", "quit('bye')"),
    script("raise-system-exit", "raise SystemExit(5)"),
    script("raise-system-exit-class", "raise SystemExit"),
    script("exit-in-finally", "import sys\ntry:\n    1/0\nfinally:\n    sys.exit(9)"),
    script(
        "exit-in-thread",
        "import threading, sys\nt = threading.Thread(target=sys.exit, args=(3,))\nt.start()\nt.join()",
    ),
    script("os-exit", "import os\nprint('lost?', end='')\nos._exit(7)", env={"PYTHONUNBUFFERED": None}),
    script("os-exit-atexit", "import os, atexit\natexit.register(print, 'no')\nos._exit(0)"),
    script("abort", "import os, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.abort()"),
    script(
        "kill-self-kill", "import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    ),
    script("kill-self-term", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"),
    script("kill-self-hup", "import os, signal\nos.kill(os.getpid(), signal.SIGHUP)"),
    script("kill-self-usr1", "import os, signal\nos.kill(os.getpid(), signal.SIGUSR1)"),
    script("kill-self-pipe", "import os, signal\nos.kill(os.getpid(), signal.SIGPIPE)\nprint('alive')"),
    script(
        "kill-self-segv",
        "import os, signal, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.kill(os.getpid(), signal.SIGSEGV)",
    ),
    script("interrupt-self", "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)"),
    script(
        "interrupt-handled",
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    signal.pause()\n"
        "except KeyboardInterrupt:\n    print('caught')\nfinally:\n    print('finally')",
    ),
    script("raise-keyboard-interrupt", "def f():\n    raise KeyboardInterrupt('by hand')\nf()"),
    script(
        "term-handled",
        "import os, signal, sys\nsignal.signal(signal.SIGTERM, lambda n, f: sys.exit(n + 40))\n"
        "os.kill(os.getpid(), signal.SIGTERM)\nsignal.pause()",
    ),
    script("alarm", "import signal\nsignal.alarm(1)\nsignal.pause()"),
    script("exception", "def f(x):\n    return 1 / x\n\n\nf(0)"),
    script(
        "exception-chained",
        "def f():\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise ValueError('b') from e\nf()",
    ),
    script(
        "exception-context",
        "def f():\n    try:\n        {}['k']\n    except KeyError:\n        raise ValueError('b')\nf()",
    ),
    script(
        "exception-group",
        "import sys\nif sys.version_info >= (3, 11):\n    raise ExceptionGroup('g', [ValueError(1), OSError(2)])",
    ),
    script(
        "exception-without-text",
        "class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Odd",
    ),
    script("exception-base", "class Odd(BaseException):\n    pass\nraise Odd('base')"),
    script("assertion", "x = 3\nassert x == 4, f'{x} is wrong'"),
    script("recursion", "def f(n):\n    return f(n + 1)\nf(0)"),
    script("unicode-error", "print('\\udc80')"),
    Program(
        "exception-in-module",
        {"main.py": "import helper\nhelper.f()", "helper.py": "def f():\n    raise OSError(5, 'x')"},
    ),
    Program(
        "exception-at-import",
        {"main.py": "import helper", "helper.py": "import other", "other.py": "raise ValueError('top')"},
    ),
    Program("exception-in-m", {"tool.py": "def f():\n    1 / 0\nf()"}, ("-m", "tool")),
    Program(
        "exception-in-package-init", {"pack/__init__.py": "1 / 0", "pack/__main__.py": ""}, ("-m", "pack")
    ),
    code("exception-in-code", "def f():\n    1 / 0\nf()"),
    script("syntax-error", "print('never')\nx = = 3"),
    script("indentation-error", "if True:\nprint('x')"),
    script("tab-error", "if True:\n        x = 1\n\ty = 2"),
    Program(
        "syntax-error-in-module",
        {"main.py": "print('before')\nimport helper", "helper.py": "def f(:\n    pass"},
    ),
    Program("syntax-error-in-m", {"tool.py": "x = = 3"}, ("-m", "tool")),
    code("syntax-error-in-code", "x = = 3"),
    Program("null-bytes", {"main.py": "x = 1\n\0\n"}),
    Program("bad-encoding", {"main.py": "# coding: no-such-codec\nprint(1)"}),
    Program("cookie-latin", {"main.py": "# -*- coding: latin-1 -*-\nprint(ascii('Ã'))"}),
    script("import-error", "print('before')\nimport no_such_module"),
    script("import-name-error", "from os import no_such_name"),
    script("import-circular", "import sys\nsys.path.insert(0, '.')\nfrom main import missing"),
    script("name-suggestion", "import collections\ncolections"),
    script("excepthook", "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n1 / 0"),
    script("excepthook-broken", "import sys\nsys.excepthook = None\n1 / 0"),
    script("excepthook-raises", "import sys\ndef f(*a):\n    {}['hook']\nsys.excepthook = f\n1 / 0"),
    Program(
        "excepthook-raises-in-m",
        {"tool.py": "import sys\ndef f(*a):\n    {}['hook']\nsys.excepthook = f\n1 / 0"},
        ("-m", "tool"),
    ),
    script(
        "unraisable",
        "class A:\n    def __del__(self):\n        1 / 0\na = A()\ndel a",
        mask=(r"0x[0-9a-f]+",),
    ),
    script("atexit", ATEXIT, mask=(r"0x[0-9a-f]+",)),
    script("atexit-exits", "import atexit, sys, os\natexit.register(os._exit, 6)"),
    script("atexit-system-exit", "import atexit, sys\natexit.register(sys.exit, 6)\nprint('x')"),
    script("atexit-after-exception", "import atexit\natexit.register(print, 'still run')\n1 / 0"),
    script(
        "atexit-import",
        "import atexit\n@atexit.register\ndef f():\n    import decimal\n    print(decimal.Decimal(1))",
    ),
    script("del-at-exit", "class A:\n    def __del__(self):\n        print('gone', __name__)\na = A()"),
    script(
        "del-at-exit-with-status",
        "import sys\nclass A:\n    def __del__(self):\n        print('gone', __name__)\na = A()\nsys.exit(3)",
    ),
    script(
        "del-at-exit-after-exception",
        "class A:\n    def __del__(self):\n        print('gone', __name__)\na = A()\n1 / 0",
    ),
    script(
        "del-at-exit-to-another-stream",
        "import sys\nsys.stdout = open('out.txt', 'w')\nprint('a')\nclass A:\n    def __del__(self):\n"
        "        print('gone', file=sys.__stdout__)\na = A()",
    ),
    script(
        "weakref-finalize", "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'finalized')"
    ),
    script(
        "thread-finishes-after-main",
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.2), print('thread'))).start()\nprint('main')",
    ),
    script(
        "thread-daemon",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint('main')",
    ),
    script(
        "thread-exception",
        "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='worker')\nt.start()\nt.join()\nprint('main')",
    ),
    script(
        "thread-then-atexit",
        "import threading, atexit, time\natexit.register(print, 'atexit')\nthreading.Thread(target=lambda: (time.sleep(.2), print('thread'))).start()",
    ),
    script(
        "asyncio",
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    raise ValueError('async')\nasyncio.run(f())",
    ),
    script(
        "generator-left-open",
        "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nx = g()\nnext(x)",
    ),
]
