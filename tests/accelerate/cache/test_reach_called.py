"""What Python and the libraries call of their own accord, and what a class of the program's hides or shows to them.
What is 1.5 becomes 2.5: whoever could see that must be traced anew."""

from __future__ import annotations

import functools
import sys
import types

import pytest

from headstart.accelerate.cache.fingerprint import Unfit
from headstart.accelerate.cache.traces.subject import code_of

from .test_fingerprint import _code, walked
from .test_reach import _is_seen

_HELD = "class C: pass\nc = C()\nc.a = 1.5\n"
_SEEN = {
    "a bound way to read": _HELD + "get = c.__getattribute__\ndef f(v): return get('a')",
    "a way to read, by another name": _HELD + "get = object.__getattribute__\ndef f(v): return get(c, 'a')",
    "a bound way to set": _HELD + "put = c.__setattr__\ndef f(v): put('a', v)",
    "a bound way to write down": _HELD + "show = '{0.a}'.format\ndef f(v): return show(c)",
    "what is printed to": "class B:\n  def write(self, s): self.n = 1.5\ndef f(v): print(v, file=B())",
    "what is closed": "from contextlib import closing\nclass B:\n  def close(self): self.n = 1.5\n"
    "def f(v):\n  with closing(B()) as b: return b",
    "what becomes a fraction": "from fractions import Fraction\nclass B:\n  def as_integer_ratio(self): return 1.5\n"
    "b = B()\ndef f(v): return Fraction(b)",
    "a method that NumPy calls": "import numpy as np\nclass B:\n  def max(self, **more): return 1.5\nb = B()\n"
    "def f(v): return np.amax(b)",
    "a method that a function of NumPy's calls": "from numpy import mean as of\nclass B:\n"
    "  def mean(self, **more): return 1.5\nb = B()\ndef f(v): return of(b)",
    "fields that have names": "class N: name = 'left'\nclass P: __attrs_attrs__ = (N(),)\np = P()\np.left = 1.5\n"
    "def f(v): return v.flatten(p)",
    "a class in a set": "class K: a = 1.5\nS = {K}\ndef f(v): return [k.a for k in S]",
    "a class in a tuple in a set": "class K: a = 1.5\nS = {(0, K)}\ndef f(v): return [k.a for _, k in S]",
    "a dictionary that shows nothing": "class D(dict):\n  def items(self): return ()\nd = D(a=1.5)\n"
    "def f(v): return d['a']",
    "an ordered one": "import collections\nclass D(collections.OrderedDict):\n  def __iter__(self): return iter(())\n"
    "d = D(a=1.5)\ndef f(v): return d['a']",
    "a list that shows nothing": "class L(list):\n  def __iter__(self): return iter(())\nl = L([1.5])\n"
    "def f(v): return l[0]",
    "a tuple that shows nothing": "class L(tuple):\n  def __iter__(self): return iter(())\nl = L([1.5])\n"
    "def f(v): return l[0]",
    "a property with more": "class P(property): pass\nclass C:\n  p = P(len)\nvars(C)['p'].a = 1.5\nc = C()\n"
    "def f(v): return c.p",
    "a reference with more": "import weakref\nclass R(weakref.ref): pass\nclass C: pass\nc = C()\nr = R(c)\nr.a = 1.5\n"
    "def f(v): return r.a",
    "an instance that a method of the class makes": "class C:\n  def __init__(self): self.a = 1.5\n  @classmethod\n"
    "  def make(cls): return cls()\nc = C()\nc.a = 0\ndef f(v): return c.make().a",
    "an instance that is made anew": "class C:\n  def __init__(self): self.a = 1.5\nc = C()\nc.a = 0\n"
    "def f(v): c.__init__()",
    "a member of an enum that is a list": "import enum\nclass E(list, enum.Enum):\n  A = [0]\nE.A[0] = 1.5\n"
    "def f(v): return E.A[0]",
    "an object in the place of a module": "import sys\nclass M: a = 1.5\nsys.modules['reach_object'] = M()\n"
    "def f(v):\n  from reach_object import a\n  return a",
    "a namespace in a library": "import numpy as np, types\nnp.settings = types.SimpleNamespace(a=1.5)\n"
    "def f(v): return np.settings.a",
    "a tuple in a module of Python's": "import math\nmath.settings = (1.5,)\ndef f(v): return math.settings[0]",
}  # fmt: skip


@pytest.mark.parametrize("what", _SEEN)
def test_what_others_call_or_do_not_show_counts(what: str) -> None:
    if "numpy" in _SEEN[what]:
        pytest.importorskip("numpy")
    assert _is_seen(_SEEN[what])


@pytest.mark.parametrize(
    "text",
    [
        "import time\nclass C: clock = time\nc = C()\ndef f(v): return c.clock.time()",
        "import os\nM = [os]\ndef f(v): return M[0].getcwd()",
        "import time\ndef g(v, clock=time): return clock.time()\ndef f(v): return g(v)",
        "import types, os\nh = types.ModuleType('h')\nh.os = os\ndef f(v):\n  k = h\n  return k.os.getcwd()",
        "import types, os\nh = types.ModuleType('h')\nh.os = os\nM = [h]\ndef f(v): return M[0].os.getcwd()",
        "import builtins\ndef f(v): return builtins.eval('v')",
        "import builtins\nA = 1.5\ndef f(v): return builtins.globals()['A']",
        "import linecache\ndef f(v): return linecache.getline('settings.py', 1)",
        "class C: __dict__ = {}\nc = C()\ndef f(v): return c.a",
        "class C: pass\nheirs = C.__subclasses__\ndef f(v): return heirs()",
    ],
    ids=[
        "held by a class", "in a list", "by default", "by another name", "inside of one that is held",
        "text that is code", "names of the module", "lines of a file", "hidden attributes", "classes that there are",
    ],
)  # fmt: skip
def test_a_module_that_an_object_holds_is_judged_as_a_whole(text: str) -> None:
    with pytest.raises(Unfit):
        walked(_code(text))


def test_modules_without_harm_may_be_held_and_those_that_nobody_reads_may_lie_in_others() -> None:
    walked(_code("import math\nM = [math]\ndef f(v): return M[0].sqrt(v)"))
    text = "import types, os\nh = types.ModuleType('h')\nh.os, h.a = os, 1.5\ndef f(v):\n  k = h\n  return "
    walked(_code(text + "k.a, os.path.join(v)"))


def test_a_method_of_the_class_that_only_reads_it_makes_no_instance() -> None:
    text = (
        "class C:\n  b = 0\n  def __init__(self): self.a = 1.5\n  @classmethod\n  def of(cls): return cls.b\n"
        "c = C()\nc.a = 0\ndef f(v): return c.of()"
    )
    assert not _is_seen(text)


_LOG: list[str] = []


class _Asked:
    """Notes whatever it is asked for."""

    def __getattribute__(self, name: str) -> object:
        _LOG.append(name)
        return object.__getattribute__(self, name)


class _Disguised:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        _LOG.append("__class__")
        return int


class _Shown(list[int]):
    def __iter__(self) -> object:  # type: ignore[override]
        _LOG.append("__iter__")
        return super().__iter__()


@pytest.mark.parametrize("kind", [_Asked, _Disguised, _Shown])
def test_the_walk_runs_no_code_of_the_programs(kind: type) -> None:
    value = kind()
    _LOG.clear()
    walked([value, {"a": value}])
    function = _code("def f(v): return held")
    function.__globals__["held"] = value
    walked(function)
    assert _LOG == []


class _Answers:
    def __getattr__(self, name: str) -> object:
        _LOG.append(name)
        raise AttributeError(name)


def test_what_answers_for_all_names_is_not_asked_where_its_code_is() -> None:
    def step() -> None: ...

    _LOG.clear()
    assert code_of(_Answers()) is None
    assert _LOG == []
    wrapper = functools.wraps(step)(lambda: None)
    for held in (step, wrapper, types.MethodType(wrapper, 1), functools.lru_cache(step)):
        assert code_of(held) is step.__code__


def test_a_module_that_answers_for_names_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("reach_lazy")
    vars(module)["__getattr__"] = _LOG.append
    monkeypatch.setitem(sys.modules, "reach_lazy", module)
    _LOG.clear()
    walked(_code("def f(v):\n  from reach_lazy import a\n  return a"))
    assert _LOG == []
