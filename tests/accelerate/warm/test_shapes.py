"""Shapes that real programs have: each behaves warm as with plain `python`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Place

SHAPES: dict[str, str] = {
    "argparse-main": "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--n', type=int, default=3)\n    print(p.parse_args())\nif __name__ == '__main__':\n    main()",
    "argparse-help": "import argparse\nargparse.ArgumentParser(description='x').parse_args(['--help'])",
    "argparse-error": "import argparse\nargparse.ArgumentParser().parse_args(['--nope'])",
    "sys-exit-main": "import sys\ndef main():\n    return 3\nsys.exit(main())",
    "logging-config": "import logging, sys\nlogging.basicConfig(level=logging.INFO, stream=sys.stdout, format='%(levelname)s %(name)s %(message)s')\nlogging.getLogger(__name__).info('x')",
    "dataclass-config": "from dataclasses import dataclass, asdict\nimport json\n@dataclass\nclass C:\n    lr: float = 0.1\nprint(json.dumps(asdict(C())))",
    "json-config-file": "import json, pathlib\nc = json.loads(pathlib.Path(__file__).with_name('config.json').read_text())\nprint(c)",
    "asyncio-main": "import asyncio\nasync def main():\n    await asyncio.gather(*(asyncio.sleep(0) for _ in range(3)))\n    return 'ok'\nprint(asyncio.run(main()))",
    "thread-pool": "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(3) as e:\n    print(list(e.map(str, range(4))))",
    "process-pool": "from concurrent.futures import ProcessPoolExecutor\nif __name__ == '__main__':\n    with ProcessPoolExecutor(2) as e:\n        print(list(e.map(abs, [-1, -2])))",
    "signal-cleanup": "import signal, sys, os\ndef stop(n, f):\n    print('cleanup')\n    sys.exit(0)\nsignal.signal(signal.SIGTERM, stop)\nos.kill(os.getpid(), signal.SIGTERM)",
    "re-exec-self": "import os, sys\nif os.environ.get('AGAIN') != '1':\n    os.environ['AGAIN'] = '1'\n    os.execv(sys.executable, [sys.executable, *sys.argv])\nprint('second', sys.argv)",
    "path-hack": "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))\nimport helper\nprint(helper.name)",
    "chdir-main": "import os\nos.chdir(os.path.dirname(os.path.abspath(__file__)))\nprint(os.path.exists('config.json'))",
    "stdin-loop": "import sys\nfor line in sys.stdin:\n    print(line.strip()[::-1])",
    "binary-out": "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 50)",
    "context-manager": "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as s:\n    print('hidden')\nprint(len(s.getvalue()))",
    "unittest-main": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertTrue(True)\nunittest.main(verbosity=0, exit=True)",
    "profile-self": "import cProfile, io, pstats\np = cProfile.Profile()\np.runcall(sorted, range(10))\nprint(len(p.getstats()) > 0)",
    "plugin-import": "import importlib\nfor name in ('lib.helper', 'json'):\n    print(importlib.import_module(name).__name__)",
    "pickle-main-class": "import pickle\nclass A:\n    x = 1\nprint(pickle.loads(pickle.dumps(A())).x, A.__module__)",
    "tempdir-work": "import tempfile, pathlib\nwith tempfile.TemporaryDirectory() as d:\n    p = pathlib.Path(d, 'x')\n    p.write_text('y')\n    print(p.read_text())",
    "exception-with-cause": "def load():\n    try:\n        open('/nope')\n    except OSError as e:\n        raise RuntimeError('no data') from e\nload()",
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_like_plain(name: str, shared: Place, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SHAPES[name])
    (tmp_path / "config.json").write_text('{"a": 1}')
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "helper.py").write_text("name = __name__\n")
    options: dict[str, Any] = {
        "cwd": tmp_path,
        "env": shared.env,
        "capture_output": True,
        "input": b"ab\ncd\n",
    }
    python = str(Path(sys.executable).with_name("python3"))
    plain = subprocess.run(
        [python, "main.py", "--", "x"] if name == "re-exec-self" else [python, "main.py"], **options
    )
    words = plain.args[1:]
    warm = shared.headstart("run", "--only-warm", *words, cwd=tmp_path, input=b"ab\ncd\n", stdin=None)
    assert (warm.returncode, warm.stdout, warm.stderr) == (plain.returncode, plain.stdout, plain.stderr)
