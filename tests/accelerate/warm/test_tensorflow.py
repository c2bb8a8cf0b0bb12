"""With TensorFlow in the server: programs see what plain `python` shows them, number for number."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Place

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(900)]

# What differs from one plain run to the next.
_VARYING = re.compile(
    rb"0x[0-9a-f]+|\d{10}\.\d+ +\d+|started \d+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+"
    rb"|F?[IWE]\d{4} [\d:.]+ +\d+|__autograph_generated_file\w+"
)

INTROSPECT = """
import sys
before = sorted(sys.modules)
exec("import " + sys.argv[1])
import builtins, gc, logging, os, threading, warnings
print(before, sorted(sys.modules), sorted(os.environ))
print([str(f) for f in warnings.filters], sys.meta_path, sys.path_hooks, sys.path)
print(sys.excepthook, sys.getrecursionlimit(), gc.get_threshold(), gc.isenabled(), gc.get_freeze_count())
print(threading.enumerate(), threading.main_thread().native_id == os.getpid(), os.listdir("/proc/self/fd"))
print(sorted(logging.Logger.manager.loggerDict), logging.root.handlers, logging.root.level)
print([name for name in sorted(vars(builtins)) if "pybind11" not in name])
print({name: sorted(vars(sys.modules[name])) for name in sys.argv[1].split(",")})
"""
SEEDED = """
import random
random.seed(7)
import tensorflow as tf
import numpy as np
tf.keras.utils.set_random_seed(3)
tf.config.experimental.enable_op_determinism()
x = np.arange(64, dtype="float32").reshape(16, 4)
m = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
m.compile("adam", "mse")
h = m.fit(x, x.sum(1), epochs=2, batch_size=8, verbose=0)
print(random.random(), [v.hex() for v in h.history["loss"]], float(tf.reduce_sum(m(x))).hex())
"""
PROGRAMS = {
    "log-level": "import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\nimport tensorflow as tf\nprint(tf.constant(1))",
    "backend": "import os\nos.environ['KERAS_BACKEND'] = 'numpy'\nimport keras\nprint(keras.backend.backend())",
    "logging-first": (
        "import logging\nlogging.basicConfig(format='mine %(message)s')\nimport tensorflow as tf\n"
        "tf.get_logger().warning('once')\nprint(len(tf.get_logger().handlers))"
    ),
    "logging-later": "import tensorflow as tf\ntf.get_logger().warning('once')\nprint(len(tf.get_logger().handlers))",
    "dict-config": (
        "import logging.config\nlogging.config.dictConfig({'version': 1})\nimport tensorflow as tf\n"
        "print(tf.get_logger().disabled, logging.getLogger('absl').disabled)"
    ),
    "warnings-as-errors": "import warnings\nwarnings.simplefilter('error', SyntaxWarning)\nimport tensorflow\nprint('ok')",
    "seeded": SEEDED,
    "traceback": "import tensorflow as tf\n@tf.function\ndef f(x):\n    return tf.matmul(x, x)\nf(tf.ones([2, 3]))",
    "fork": (
        "import os\nimport numpy as np\npid = os.fork()\nif not pid:\n    print(np.ones(3) @ np.ones(3), flush=True)\n"
        "    os._exit(0)\nos.waitpid(pid, 0)"
    ),
    "spawn": (
        "import multiprocessing as m\ndef f(x):\n    import tensorflow as tf\n    return int(tf.constant(x))\n"
        "if __name__ == '__main__':\n    print(m.get_context('spawn').Pool(1).map(f, [3]))"
    ),
    "hdf5-left-open": (
        "import h5py, os, sys\nf = h5py.File('left.h5', 'w')\nf['x'] = list(range(1000))\nprint('written')"
    ),
    "summary-left-open": (
        "import tensorflow as tf, glob\nw = tf.summary.create_file_writer('logs')\n"
        "with w.as_default():\n    tf.summary.scalar('a', 1.0, step=0)\nprint('written')"
    ),
    "reloaded": "import sys, json\na = json\ndel sys.modules['json']\nimport json\nprint(a is json, json.dumps([1]))",
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    found = Place(tmp_path_factory.mktemp("tensorflow") / "cache", preload=None)
    found.start()
    yield found
    found.stop()


def masked(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    return done.returncode, _VARYING.sub(b"<>", done.stdout), _VARYING.sub(b"<>", done.stderr)


def both(
    server: Place, folder: Path, *words: str
) -> tuple[tuple[int, bytes, bytes], tuple[int, bytes, bytes]]:
    options = {
        "cwd": folder,
        "env": server.env,
        "capture_output": True,
        "stdin": subprocess.DEVNULL,
        "timeout": 300,
    }
    python = Path(sys.executable).with_name("python3")
    plain = subprocess.run([str(python), *words], **options)  # type: ignore[call-overload]
    return masked(plain), masked(server.run(*words, cwd=folder, timeout=300))


@pytest.mark.parametrize("modules", ["numpy", "tensorflow", "json,logging"])
def test_imports_look_the_same(modules: str, server: Place, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(INTROSPECT)
    plain, warm = both(server, tmp_path, "main.py", modules)
    assert warm == plain
    assert server.warm("main.py", modules, cwd=tmp_path).returncode == 0, "it was not warm"


@pytest.mark.soak
@pytest.mark.parametrize("modules", ["keras", "sklearn", "scipy", "h5py", "xml.etree", "keras,numpy"])
def test_imports_look_the_same_soak(modules: str, server: Place, tmp_path: Path) -> None:
    test_imports_look_the_same(modules, server, tmp_path)


@pytest.mark.parametrize("name", ["log-level", "logging-first", "seeded"])
def test_programs(name: str, server: Place, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PROGRAMS[name])
    plain, warm = both(server, tmp_path, "main.py")
    assert warm == plain


@pytest.mark.soak
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_soak(name: str, server: Place, tmp_path: Path) -> None:
    test_programs(name, server, tmp_path)


def test_unseeded_programs_draw_their_own_numbers(server: Place) -> None:
    code = "import tensorflow as tf, numpy as np\nprint(float(tf.random.uniform([])), np.random.rand())"
    env = {"TF_CPP_MIN_LOG_LEVEL": "0"} if "TF_CPP_MIN_LOG_LEVEL" in server.env else {}
    runs = [server.warm("-c", code, env=env).stdout.split() for _ in range(3)]
    for column in zip(*runs, strict=True):
        assert len(set(column)) == 3, column


def test_profile_of_a_warm_run_says_so_and_adds_up(server: Place, tmp_path: Path) -> None:
    import json

    (tmp_path / "main.py").write_text(SEEDED)
    done = server.headstart(
        "profile", "--warm", "--quiet", "--json", "r.json", "main.py", cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["target"]["warm"] is True
    assert sum(phase["seconds"] for phase in report["phases"]) == pytest.approx(report["wall_seconds"])
    assert report["steps"]["count"] == 4
