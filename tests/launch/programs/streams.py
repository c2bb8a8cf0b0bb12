"""Standard input, output and error: pipes, files, binary, closed and broken ones."""

from __future__ import annotations

from ..program import Program, code, script

LARGE = bytes(range(256)) * 4096 * 4

PROGRAMS = [
    script(
        "stdin-text",
        "import sys\nfor line in sys.stdin:\n    print(line.upper(), end='')",
        stdin="a\nb\nümlaut".encode(),
    ),
    script("stdin-input", "print(input('name? '))\nprint(input())", stdin=b"Ada\nB\n"),
    script("stdin-eof", "print(input('name? '))", stdin=b""),
    script(
        "stdin-binary",
        "import sys, hashlib\nd = sys.stdin.buffer.read()\nprint(len(d), hashlib.sha256(d).hexdigest())",
        stdin=LARGE,
    ),
    script("stdin-half-read", "import sys\nprint(sys.stdin.buffer.read(10))", stdin=LARGE[:60000]),
    script("stdin-descriptor", "import os\nprint(os.read(0, 5), os.read(0, 5))", stdin=b"0123456789"),
    script("stdin-unread", "print('x')", stdin=b"never read"),
    script(
        "stdin-file", "import sys, os\nprint(sys.stdin.read(), os.fstat(0).st_size)", shell='"$@" < main.py'
    ),
    script("stdin-closed", "import sys\nprint(sys.stdin)", shell='"$@" <&-'),
    code(
        "stdin-shared",
        "import subprocess, sys\nprint(sys.stdin.readline(), flush=True)\n",
        stdin=b"a\nb\n",
        shell='"$@"; cat',
    ),
    script("stdout-binary", "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 9)"),
    script("stdout-large", "import sys\nsys.stdout.write('x' * 3_000_000)"),
    script(
        "stdout-mixed",
        "import os, sys\nprint('a')\nos.write(1, b'b\\n')\nprint('c')",
        env={"PYTHONUNBUFFERED": None},
    ),
    script(
        "stdout-file", "import os, sys\nprint(os.isatty(1), sys.stdout.isatty())", shell='"$@" > out; cat out'
    ),
    script("stdout-closed", "import sys\nprint('x')\nprint(sys.stdout, file=sys.stderr)", shell='"$@" >&-'),
    script("stdout-closed-by-program", "import sys\nsys.stdout.close()"),
    script("stdout-deleted", "import sys\ndel sys.stdout\nprint('x')"),
    script("stdout-closed-descriptor", "import os\nprint('lost')\nos.close(1)"),
    script("stderr-closed", "import sys\nprint(sys.stderr)\n1 / 0", shell='"$@" 2>&-'),
    script("all-closed", "import os\nos.mkdir('done')", shell='"$@" <&- >&- 2>&-; s=$?; ls -d done; exit $s'),
    script("stdout-full", "print('x' * 10)", shell='"$@" > /dev/full'),
    script(
        "broken-pipe",
        "import sys\nfor i in range(200_000):\n    print(i)",
        shell='{ "$@"; echo "status $?" >&2; } | head -1',
    ),
    script(
        "broken-pipe-default",
        "import signal\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\nfor i in range(200_000):\n    print(i)",
        shell='{ "$@"; echo "status $?" >&2; } | head -1',
    ),
    script("pipe-in-pipe", "import sys\nprint(sum(map(int, sys.stdin)))", shell='seq 1000 | "$@" | cat'),
    script("nohup", "import signal\nprint(signal.getsignal(signal.SIGHUP))", shell='nohup "$@" 2>/dev/null'),
    script("descriptor-inherited", "import os\nprint(os.read(7, 3))", shell='"$@" 7< main.py'),
    script("descriptors", "import os\nprint(sorted(int(f) for f in os.listdir('/proc/self/fd'))[:4])"),
    script(
        "umask",
        "import os\nopen('f', 'w').close()\nprint(oct(os.stat('f').st_mode))",
        shell='umask 027; "$@"',
    ),
    script(
        "limits",
        "import resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE))",
        shell='ulimit -n 300; "$@"',
    ),
    script(
        "few-descriptors",
        "import os\nprint(len([os.open(os.devnull, 0) for _ in range(20)]))",
        shell='ulimit -n 32; "$@"',
    ),
    script(
        "replaced-os-write",
        "import os\nfrom unittest import mock\nwith mock.patch('os.write') as write, mock.patch('os.close') as close:\n"
        "    import csv, sqlite3\n    print(write.call_count, close.call_count)\n"
        "os.write = os.close = None",
    ),
    script(
        "print-flush-order",
        "import sys\nfor i in range(5):\n    print(i)\n    print(i, file=sys.stderr)",
        shell='"$@" 2>&1',
        env={"PYTHONUNBUFFERED": "1"},
    ),
    Program(
        "gone-folder",
        {
            "main.py": "import os\ntry:\n    print(os.getcwd())\nexcept OSError as e:\n    print(e)\nprint(__file__)"
        },
        ("../main.py",),
        shell='mkdir sub; cd sub; rmdir ../sub; "$@"',
    ),
    script("read-only-folder", "print('fine')", shell='chmod a-w .; "$@"; s=$?; chmod u+w .; exit $s'),
]
