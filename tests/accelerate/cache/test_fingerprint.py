"""The walk over plain Python values: equal where a trace would see the same, different where it would not."""

from __future__ import annotations

import copy
import functools
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.accelerate.cache import differences
from headstart.accelerate.cache.fingerprint import Unfit, Walk
from headstart.accelerate.cache.fingerprint.plans import Plans

_plans = Plans()
_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=8)
)
_values = st.recursive(
    _leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
        | st.frozensets(st.integers() | st.text(max_size=3), max_size=4)
    ),
    max_leaves=12,
)


def walked(value: Any) -> Walk:
    walk = _plans.walk()
    walk.run("", value)
    return walk


def shown(value: Any) -> str:
    """What code can tell of a value, beside the sharing of parts: types, order of keys, and content."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{shown(k)}:{shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({','.join(map(shown, value))})"
    if isinstance(value, frozenset):
        members = [*map(shown, value)]
        in_order = all(type(part) in (int, bool) for part in value)
        return f"frozenset({','.join(members if in_order else sorted(members))})"
    return f"{type(value).__name__} {value!r}"


@given(_values)
def test_a_copy_has_the_same_digest(value: Any) -> None:
    again = copy.deepcopy(value)
    # A copy may share what the original does not, and its sets may be in another order.
    if walked(value).size() == walked(again).size() and shown(value) == shown(again):
        assert walked(value).digest() == walked(again).digest()


@settings(max_examples=400)
@given(_values, _values)
def test_other_values_have_other_digests(one: Any, other: Any) -> None:
    if shown(one) != shown(other):
        assert walked(one).digest() != walked(other).digest()


@given(_values, st.integers())
def test_functions_are_known_by_what_they_hold(value: Any, number: int) -> None:
    def make(held: Any) -> Any:
        def function(argument: Any = number) -> Any:
            return argument, held

        return function

    again = copy.deepcopy(value)
    assert (
        walked(make(value)).digest() == walked(make(again)).digest()
        or walked(value).size() != walked(again).size()
        or shown(value) != shown(again)
    )
    assert walked(make(value)).digest() != walked(make([value, 0])).digest()


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6))
def test_sharing_is_part_of_it(names: list[str]) -> None:
    shared: list[int] = []
    assert walked([shared, shared, *names]).digest() != walked([[], [], *names]).digest()


def _code(text: str) -> types.FunctionType:
    space: dict[str, Any] = {"__name__": "program", "K": 2}
    exec(compile(text, "program.py", "exec", dont_inherit=True), space)
    function: types.FunctionType = space["f"]
    return function


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(v):\n  return v * 2", "def f(v):\n  return v * 3"),
        ("def f(v):\n  return v * 2", "def f(v):\n  return v * 2.0"),
        ("def f(v):\n  return v * 0.0", "def f(v):\n  return v * -0.0"),
        ("def f(v):\n  return v == 1", "def f(v):\n  return v == True"),
        ("def f(v, k=1):\n  return v", "def f(v, k=2):\n  return v"),
        ("def f(v, *, k=1):\n  return v", "def f(v, *, k=2):\n  return v"),
        ("def f(v):\n  return v * K", "K = 3\ndef f(v):\n  return v * K"),
        ("def g(v): return v\ndef f(v): return g(v)", "def g(v): return -v\ndef f(v): return g(v)"),
        ("class C:\n  a = 1\ndef f(v): return C.a", "class C:\n  a = 2\ndef f(v): return C.a"),
        ("c = [1]\ndef f(v): return c[0]", "c = [2]\ndef f(v): return c[0]"),
        ("c = {'x': {'y': (1, 2)}}\ndef f(v): return c", "c = {'x': {'y': (1, 3)}}\ndef f(v): return c"),
        ("f = lambda v: [w + 1 for w in v]", "f = lambda v: [w + 2 for w in v]"),
        ("class C:\n  def __len__(self): return 1\nc = C()\ndef f(v): return len(c)",
         "class C:\n  def __len__(self): return 2\nc = C()\ndef f(v): return len(c)"),
        ("import re\nc = re.compile('a' * 300 + 'b')\ndef f(v): return c.match(v)",
         "import re\nc = re.compile('a' * 300 + 'c')\ndef f(v): return c.match(v)"),
        ("class C:\n  def __init__(self, i): self.i = i\n  def __index__(self): return self.i\n"
         "  def __repr__(self): return 'C'\nc = slice(C(1), None)\ndef f(v): return v[c]",
         "class C:\n  def __init__(self, i): self.i = i\n  def __index__(self): return self.i\n"
         "  def __repr__(self): return 'C'\nc = slice(C(2), None)\ndef f(v): return v[c]"),
        ("from collections import namedtuple\nC = namedtuple('C', 'a b')\nc = C(1, 2)\ndef f(v): return v * c.a",
         "from collections import namedtuple\nC = namedtuple('C', 'b a')\nc = C(1, 2)\ndef f(v): return v * c.a"),
        ("from enum import IntEnum\nclass C(IntEnum):\n  a = 1\ndef f(v): return v * C.a",
         "from enum import IntEnum\nclass C(IntEnum):\n  a = 2\ndef f(v): return v * C.a"),
        ("import numpy as np\nc = np.add\ndef f(v): return c(v, v)",
         "import numpy as np\nc = np.multiply\ndef f(v): return c(v, v)"),
        ("import types\nm = types.ModuleType('m')\nm.__getattr__ = lambda name: 1\ndef f(v): return m.rate",
         "import types\nm = types.ModuleType('m')\nm.__getattr__ = lambda name: 2\ndef f(v): return m.rate"),
        ("import types\nclass M(types.ModuleType):\n  rate = property(lambda self: 1)\nm = M('m')\ndef f(v): return m.rate",
         "import types\nclass M(types.ModuleType):\n  rate = property(lambda self: 2)\nm = M('m')\ndef f(v): return m.rate"),
        ("class P(property):\n  def __get__(self, *_): return 1\nclass C:\n  a = P()\nc = C()\ndef f(v): return c.a",
         "class P(property):\n  def __get__(self, *_): return 2\nclass C:\n  a = P()\nc = C()\ndef f(v): return c.a"),
        ("class C:\n  __match_args__ = ('a' 'b',)\nc = C()\nc.ab = 1\ndef f(v):\n  match c:\n    case C(k): return k",
         "class C:\n  __match_args__ = ('a' 'b',)\nc = C()\nc.ab = 2\ndef f(v):\n  match c:\n    case C(k): return k"),
        ("def g(): pass\ng.__doc__ = '1'\ndef f(v): return g.__doc__",
         "def g(): pass\ng.__doc__ = '2'\ndef f(v): return g.__doc__"),
        ("def g(a: 1): pass\ndef f(v): return g.__annotations__",
         "def g(a: 2): pass\ndef f(v): return g.__annotations__"),
        ("class C:\n  a: 1\ndef f(v): return C.__annotations__",
         "class C:\n  a: 2\ndef f(v): return C.__annotations__"),
        ("def g(): pass\ndef f(v): return g.__code__.co_firstlineno",
         "\ndef g(): pass\ndef f(v): return g.__code__.co_firstlineno"),
        ("import abc\nclass A(abc.ABC): pass\nclass C: pass\nc = C()\ndef f(v): return isinstance(c, A)",
         "import abc\nclass A(abc.ABC): pass\nclass C: pass\nA.register(C)\nc = C()\ndef f(v): return isinstance(c, A)"),
        ("c = {8, 16}\ndef f(v): return next(iter(c))", "c = {16, 8}\ndef f(v): return next(iter(c))"),
        ("c = float('nan')\ndef f(v): return c", "c = -float('nan')\ndef f(v): return c"),
        ("import numpy as np\nc = np.dtype('f4', metadata={'a': 1})\ndef f(v): return c.metadata",
         "import numpy as np\nc = np.dtype('f4', metadata={'a': 2})\ndef f(v): return c.metadata"),
        ("import numpy as np\nc = np.zeros(2)\ndef f(v): return c.flags.writeable",
         "import numpy as np\nc = np.zeros(2)\nc.flags.writeable = False\ndef f(v): return c.flags.writeable"),
        ("def d(n):\n  return lambda g: lambda v: g(v) * n\n@d(1)\ndef f(v): return v",
         "def d(n):\n  return lambda g: lambda v: g(v) * n\n@d(2)\ndef f(v): return v"),
    ],
)  # fmt: skip
def test_code_is_known_by_content(before: str, after: str) -> None:
    assert walked(_code(before)).digest() == walked(_code(before)).digest()
    assert walked(_code(before)).digest() != walked(_code(after)).digest()


def test_lines_and_comments_do_not_count() -> None:
    plain = "def f(v):\n  return v * 2"
    assert walked(_code(plain)).digest() == walked(_code("# a comment\n\n\n" + plain)).digest()


def test_attributes_that_no_code_names_do_not_count() -> None:
    text = "class C: pass\nc = C()\nc.used, c.other = 1, {}\ndef f(v): return c.used + v"
    other = text.replace("1, {}", "1, 7")
    assert walked(_code(text)).digest() == walked(_code(other)).digest()
    reflective = text.replace("c.used + v", "getattr(c, v)")
    assert walked(_code(reflective)).digest() != walked(_code(reflective.replace("1, {}", "1, 7"))).digest()


@pytest.mark.parametrize(
    "text",
    [
        "import time\ndef f(v): return time.time()",
        "from datetime import datetime\ndef f(v): return datetime.now()",
        "import os\ndef f(v): return os.getpid()",
        "import subprocess\ndef f(v): return subprocess.run(v)",
        "def f(v): return eval(v)",
        "def f(v): return globals()[v]",
        "def f(v): return id(v)",
        "i = iter([1])\ndef f(v): return next(i)",
        "g = (n for n in [1])\ndef f(v): return next(g)",
        "import csv\nc = csv.reader(['a'])\ndef f(v): return next(c)",
        "import sqlite3\nc = sqlite3.connect(':memory:').execute('SELECT 1')\ndef f(v): return c.fetchone()",
        "import os\nh = open(os.devnull)\ndef f(v): return h.read()",
        "from sys import stderr\ndef f(v): return stderr.write('traced')",
        "import os\nh = open(os.devnull, 'rb')\ndef f(v): return h.read()",
        "import numpy as np\nS = 2\ng = np.frompyfunc(lambda a: a * S, 1, 1)\ndef f(v): return g(v)",
        "import logging\ndef f(v): return logging.getLogger('a').level",
        "import logging\ndef f(v): return logging.root.handlers",
        "import traceback\ndef f(v): return traceback.extract_stack()",
        "import warnings\ndef f(v): return warnings.filters",
        "import random\ndef f(v): return random.getstate()",
        "import queue\nq = queue.SimpleQueue()\ndef f(v): return q.get()",
        "import zlib\nc = zlib.compressobj()\ndef f(v): return c.compress(v)",
        "import itertools\nc = itertools.count()\ndef f(v): return next(c)",
        "import contextvars\nc = contextvars.ContextVar('c')\ndef f(v): return c.get()",
        "s = {object()}\ndef f(v): return s",
        "class C: pass\ndef f(v): return C.__subclasses__()",
        "import weakref\nclass C: pass\nc = C()\nw = weakref.finalize(c, print, 1)\ndef f(v): return w.peek()",
        "import numpy as np\nclass N(np.float32): pass\nn = N(1.0)\nn.a = 1\ndef f(v): return n.a",
        "import numpy as np\nclass C: pass\nc = C()\nc.__array_interface__ = np.ones(2).__array_interface__\n"
        "def f(v): return np.asarray(c)",
        "def f(v):\n  import not_loaded_yet\n  return not_loaded_yet.x",
        "from pathlib import Path\ndef f(v): return Path(v).exists()",
    ],
)
def test_what_cannot_be_told_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        walked(_code(text))


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    "text",
    [
        "g = tf.io.gfile.GFile(path)\ng.readline()\ndef f(v): return g.readline()",
        "g = tf.train.load_checkpoint(tf.train.Checkpoint(s=tf.Variable(1.0)).save(path))\n"
        "def f(v): return g.get_tensor('s')",
        "import optree\ng = optree.tree_structure({'a': 1})\ndef f(v): return g.unflatten([v])",
        "import h5py\ng = h5py.File(path, 'w')\ndef f(v): return g['x'][()]",
    ],
    ids=["a file of TensorFlow's", "a checkpoint", "a structure", "HDF5"],
)
def test_what_a_library_keeps_in_c_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("1\n2\n")
    with pytest.raises(Unfit):
        walked(_code(f"import tensorflow as tf\npath = {str(path)!r}\n{text}"))


@pytest.mark.tensorflow
def test_functions_of_a_library_stand_by_their_names() -> None:
    texts = [f"import tensorflow as tf\ng = tf.{name}\ndef f(v): return g(v)" for name in ("sin", "cos")]
    digests = [walked(_code(text)).digest() for text in (*texts, *texts)]
    assert digests[0] == digests[2] != digests[1] == digests[3]


@pytest.mark.tensorflow
def test_how_numbers_are_computed_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    import decimal

    import numpy

    from headstart.accelerate.cache.environment import current_parts

    usual = current_parts()
    assert usual == current_parts()
    with decimal.localcontext() as context:
        context.prec += 1
        assert current_parts() != usual
    with numpy.errstate(divide="raise"):
        assert current_parts() != usual
    with numpy.printoptions(precision=3):
        assert current_parts() != usual
    assert usual == current_parts()
    monkeypatch.setenv("AUTOGRAPH_VERBOSITY", "3")
    assert current_parts() != usual


def test_a_class_with_a_type_parameter_is_one_of_the_programs_own() -> None:
    text = "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass C(Generic[T]): pass\nc = C()\nc.used = 1\n"
    text += "def f(v): return c.used + v"
    assert walked(_code(text)).digest() != walked(_code(text.replace("= 1", "= 2"))).digest()


def test_hidden_state_is_read() -> None:
    """Where drawing or setting changes it, it is seen."""
    for text, change in (
        ("import random\nr = random.Random(3)\ndef f(v): return r", lambda held: held.random()),
        (
            "import threading\nt = threading.local()\nt.x = 1\ndef f(v): return t",
            lambda held: setattr(held, "x", 2),
        ),
    ):
        function = _code(text)
        before = walked(function).digest()
        assert walked(function).digest() == before
        change(function(0))
        assert walked(function).digest() != before


def test_results_that_are_remembered_are_refused() -> None:
    @functools.lru_cache
    def remembered(v: int) -> int:
        return v

    walked(lambda v: remembered(v))
    remembered(3)
    with pytest.raises(Unfit):
        walked(lambda v: remembered(v))


def test_differences_are_told_by_name() -> None:
    before, after = (walked(_code(f"K = {n}\ndef f(v): return v * K")).tokens() for n in (2, 5))
    assert differences.unpack(differences.pack(before)) == before
    assert any("K was 2, is 5" in text for text in differences.explain(before, after))


def test_an_address_in_a_configuration_is_only_told_from_others() -> None:
    def configured(*addresses: int) -> str:
        return walked([{"class_name": "Zeros", "shared_object_id": number} for number in addresses]).digest()

    assert configured(1400, 1500, 1400) == configured(9, 7, 9)
    assert configured(1400, 1500, 1400) != configured(1400, 1500, 1600)
    assert configured(1400, 1500, 1400) != configured(1400, 1500, 1500)
