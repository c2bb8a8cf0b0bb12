"""Roundabout ways to a value: by a computed name, through what Python or a library keeps, inside of somebody else's
module. What is 1.5 becomes 2.5: whoever could see that must be traced anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from headstart.accelerate.cache.fingerprint import Unfit, origin

from .test_fingerprint import _code, walked

_HELD = "class C: pass\nc = C()\nc.a = 1.5\n"
_BY_COMPUTED_NAMES = {
    "attrgetter": "from operator import attrgetter as get\ndef f(v): return get('a')(c)",
    "attrgetter of the module": "import operator\ndef f(v): return operator.attrgetter('a')(c)",
    "methodcaller": "from operator import methodcaller\nC.m = lambda self: 1.5\ndef f(v): return methodcaller('m')(c)",
    "format_map": "def f(v): return '{c.a}'.format_map({'c': c})",
    "__getattribute__": "def f(v): return object.__getattribute__(c, 'a')",
    "__setattr__": "def f(v): object.__setattr__(c, 'a', v)",
    "__getstate__": "def f(v): return c.__getstate__()",
    "__reduce_ex__": "def f(v): return c.__reduce_ex__(2)",
    "getattr of the module": "import builtins\ndef f(v): return builtins.getattr(c, 'a')",
    "getattr by another name": "get = getattr\ndef f(v): return get(c, 'a')",
    "deepcopy": "from copy import deepcopy\nD = {'a': [c]}\ndef f(v): return deepcopy(D)",
}
_ELSEWHERE = {
    "an attribute of an enum's member": "import enum\nclass E(enum.Enum):\n  A = 'a'\nE.A.mass = 1.5\ndef f(v): return E(v).mass",
    "a list that is an enum's value": "import enum\nclass E(enum.Enum):\n  A = [0]\nE.A.value[0] = 1.5\n"
    "e = E.A\ndef f(v): return e.value",
    "a slot of a dictionary": "class D(dict):\n  __slots__ = ('a',)\nd = D()\nd.a = 1.5\ndef f(v): return d.a",
    "a default of a dictionary": "import collections\nclass D(collections.defaultdict): pass\n"
    "d = D(lambda: 1.5)\ndef f(v): return d.default_factory()",
    "the length of a queue": "import collections\nd = collections.deque([], maxlen=int(1.5))\ndef f(v): return d.maxlen",
    "an attribute of a wrapper": "import functools\ndef g(v): return v\ng.a = 0\n@functools.wraps(g)\n"
    "def h(v): return h.a\nh.a = 1.5\ndef f(v): return h(v)",
    "what a class is made of": "import typing\nT = typing.TypeVar('T')\nclass A(typing.Generic[T]): pass\n"
    "class B(A[typing.Literal[1.5]]): pass\ndef f(v): return typing.get_args(B.__orig_bases__[0])",
    "a method that only Python names": "class D:\n  def keys(self): return [1.5]\n"
    "  def __getitem__(self, key): return key\nd = D()\ndef f(v): return dict(d)",
    "an attribute that only NumPy names": "import numpy as np\nclass D:\n"
    "  dtype = np.dtype([('a', 'f4' if 1.5 < 2 else 'f8')])\ndef f(v): return np.zeros(2, D)",
    "a class made by a call": "from dataclasses import make_dataclass, field\n"
    "D = make_dataclass('D', [('a', float, field(default=1.5))])\ndef f(v): return D().a",
    "a field without a place": "from dataclasses import asdict, dataclass\n@dataclass(kw_only=True)\nclass D:\n"
    "  a: float = 0\nd = D()\nd.a = 1.5\ndef f(v): return asdict(d)",
    "a replaced field": "from dataclasses import dataclass, replace\n@dataclass\nclass D:\n  a: float = 0\n"
    "  def __post_init__(self): self.a = 1.5\nd = D()\nd.a = 0\ndef f(v): return replace(d)",
    "a dictionary in a module of Python's": "import math\nmath.settings = {'a': 1.5}\ndef f(v): return math.settings['a']",
    "a list in a library": "import numpy as np\nnp.settings = [1.5]\ndef f(v): return np.settings[0]",
    "a list in a class of a library": "import numpy as np\nnp.poly1d.settings = [1.5]\n"
    "def f(v): return np.poly1d.settings[0]",
}


def _is_seen(text: str) -> bool:
    before, after = walked(_code(text)).digest(), walked(_code(text.replace("1.5", "2.5"))).digest()
    assert walked(_code(text)).digest() == before
    return before != after


@pytest.mark.parametrize("way", _BY_COMPUTED_NAMES)
def test_a_computed_name_reaches_all_attributes(way: str) -> None:
    assert _is_seen(_HELD + _BY_COMPUTED_NAMES[way])


@pytest.mark.parametrize("place", _ELSEWHERE)
def test_a_value_counts_wherever_it_lies(place: str) -> None:
    assert _is_seen(_ELSEWHERE[place])


@pytest.mark.parametrize(
    "text",
    [
        "def main():\n  import os\n  def f(v): return os.path.getsize(v)\n  return f\nf = main()",
        "def main():\n  import time\n  def f(v): return [time.time() for _ in v]\n  return f\nf = main()",
        "import types, os\nhelper = types.ModuleType('helper')\nhelper.os = os\ndef f(v): return helper.os.getcwd()",
    ],
    ids=["imported around it", "used in a comprehension", "imported by another module"],
)
def test_a_module_is_judged_by_what_is_used_of_it_wherever_it_was_imported(text: str) -> None:
    with pytest.raises(Unfit):
        walked(_code(text))
    harmless = text.replace("os.path.getsize(v)", "os.path.join(v)").replace("time", "math").replace(
        "os.getcwd()", "os.path.join(v)"
    )  # fmt: skip
    walked(_code(harmless))


@pytest.mark.parametrize(
    "text",
    [
        "from pathlib import Path\np = Path('x')\ndef f(v): return p.exists()",
        "from pathlib import Path\nclass C: pass\nc = C()\nc.p = Path('x')\ndef f(v): return c.p.stat().st_size",
        "import numpy as np\ndef f(v): return np.random.get_state()[1][0]",
        "import random\ndef f(v): random.seed(3)",
        "import numpy as np\ndef f(v): np.random.seed(3)",
    ],
    ids=[
        "whether there is a file",
        "how large it is",
        "the state of a generator",
        "a seed",
        "a seed of NumPy's",
    ],
)
def test_what_is_asked_without_a_trace_of_it_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        walked(_code(text))


@pytest.mark.tensorflow
@pytest.mark.parametrize("function", ["tf.random.set_seed", "tf.keras.utils.set_random_seed"])
def test_a_seed_that_is_set_in_a_trace_is_refused(function: str) -> None:
    """It need not move the generator when it is traced, and would when it is replayed."""
    for text in (f"def f(v): {function}(3)", f"seed = {function}\ndef f(v): seed(3)"):
        with pytest.raises(Unfit, match="seed"):
            walked(_code(f"import tensorflow as tf\n{text}"))


def test_a_path_that_is_only_opened_or_written_down_is_a_value() -> None:
    text = (
        "from pathlib import Path\np = Path('x1.5')\ndef f(v): return p.read_text() + p.suffix + v.group(0)"
    )
    assert _is_seen(text)


def test_a_parser_looks_at_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import argparse\np = argparse.ArgumentParser()\ndef f(v): return p.parse_args()"
    digests = set()
    for value in ("1", "2"):
        monkeypatch.setattr(sys, "argv", ["x", value])
        digests.add(walked(_code(text)).digest())
    assert len(digests) == 2


def test_small_types_of_numbers_are_told_apart() -> None:
    types = pytest.importorskip("ml_dtypes")
    texts = [
        f"import ml_dtypes, numpy as np\nc = np.array([1], 'uint8').view(ml_dtypes.{name})\ndef f(v): return c"
        for name in ("int4", "uint4", "float8_e4m3fn", "float8_e5m2")
    ]
    assert types
    assert len({walked(_code(text)).digest() for text in texts}) == len(texts)


def test_code_without_source_is_not_that_with_source(tmp_path: Path) -> None:
    """AutoGraph converts what it can read: the same lines with ``python -c`` are traced in another way."""
    text = "def f(v):\n  return v if v > 0 else -v\n"
    file = tmp_path / "program.py"
    file.write_text(text)
    digests = []
    for name in (str(file), "<string>"):
        space: dict[str, Any] = {"__name__": "program"}
        exec(compile(text, name, "exec"), space)
        digests.append(walked(space["f"]).digest())
    assert digests[0] != digests[1]


def test_a_file_with_the_name_of_a_module_of_pythons_is_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``nturl2path`` stands for ``code.py`` or ``profile.py``: nobody here has the real one loaded."""
    assert origin.of_module("nturl2path") == origin.STDLIB
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nturl2path", raising=False)
    monkeypatch.setattr(origin, "_modules", {})
    digests = []
    for value in ("1.5", "2.5"):
        (tmp_path / "nturl2path.py").write_text(f"class C:\n  a = {value}\n" + "\n" * len(digests))
        sys.modules.pop("nturl2path", None)
        digests.append(walked(_code("from nturl2path import C\ndef f(v): return C.a")).digest())
    assert digests[0] != digests[1]
    sys.modules.pop("nturl2path")
