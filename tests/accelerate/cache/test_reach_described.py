"""What describes an object rather than being its content: its name, its home, its type, what was put on it by others.
What is 1.5 becomes 2.5: whoever could see that must be traced anew."""

from __future__ import annotations

import random

import pytest

from headstart.accelerate.cache import environment, registries
from headstart.accelerate.cache.fingerprint import Unfit

from .test_fingerprint import _code, walked
from .test_reach import _is_seen

_DESCRIBED = {
    "the home of a function": "def h(): pass\nh.__module__ = '1.5'\ndef f(v): return h.__module__",
    "the home of a function, by a text": "def h(): pass\nh.__module__ = '1.5'\n"
    "def f(v): return getattr(h, '__module__')",
    "the home of a class": "class H: pass\nH.__module__ = '1.5'\nh = H()\ndef f(v): return repr(type(h))",
    "the name of a class": "class H: pass\nH.__name__ = '1.5'\ndef f(v): return H.__name__",
    "the slots of a class": "class H:\n  __slots__ = {'a': '1.5'}\ndef f(v): return H.__slots__",
    "a hint, by another name": "from typing import get_type_hints as hints, Literal\nclass C:\n  a: Literal[1.5]\n"
    "def f(v): return hints(C)",
    "an annotation, by another name": "from inspect import signature as of\ndef h(a: 1.5): pass\n"
    "def f(v): return of(h)",
    "the text of a module": "import types\nm = types.ModuleType('m')\nm.__doc__ = '1.5'\ndef f(v): return m.__doc__",
    "the place of a module": "import types\nm = types.ModuleType('m')\nm.__file__ = '1.5'\ndef f(v): return m.__file__",
    "a class in a type": "class K: a = 1.5\nT = list[K]\ndef f(v): return T.__args__[0].a",
    "a class in a choice of types": "import typing\nclass K: a = 1.5\nT = typing.Optional[K]\n"
    "def f(v): return typing.get_args(T)[0].a",
    "the bound of a variable for types": "import typing\nclass K: a = 1.5\nT = typing.TypeVar('T', bound=K)\n"
    "def f(v): return T.__bound__.a",
    "a method that a protocol asks for": "import typing\n@typing.runtime_checkable\nclass P(typing.Protocol):\n"
    "  def zork(self): ...\nclass C: pass\nc = C()\nif 1.5 > 2: C.zork = print\ndef f(v): return isinstance(c, P)",
    "an attribute that a protocol asks for": "import typing\n@typing.runtime_checkable\nclass P(typing.Protocol):\n"
    "  zork: int\nclass C: pass\nc = C()\nif 1.5 > 2: c.zork = 1\ndef f(v): return isinstance(c, P)",
    "whether a class can be made": "import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def m(self): ...\n"
    "if 1.5 > 2: A.__abstractmethods__ = frozenset()\ndef f(v): return A()",
}
_PUT_ON = {
    "a partial": "import functools\np = functools.partial(len)\np.gain = 1.5\ndef f(v): return p.gain",
    "a cached function": "import functools\n@functools.lru_cache\ndef g(): pass\ng.gain = 1.5\ndef f(v): return g.gain",
    "a generator": "import random\nr = random.Random(1)\nr.gain = 1.5\ndef f(v): return r.gain",
    "a logger": "import logging\nlog = logging.getLogger('reach')\nlog.gain = 1.5\ndef f(v): return log.gain",
    "a logger, by its name": "import logging\nlogging.getLogger('reach').gain = 1.5\n"
    "def f(v): return logging.getLogger('reach').gain",
    "a logger, by a function of another name": "from logging import getLogger as get\nget('reach').gain = 1.5\n"
    "def f(v): return get('reach').gain",
    "the size of a cache": "import functools\n@functools.lru_cache(int(1.5))\ndef g(): pass\n"
    "def f(v): return g.cache_parameters()",
    "a dictionary behind a view": "import types\nclass D(dict):\n  def __missing__(self, key): return 1.5\n"
    "d = types.MappingProxyType(D())\ndef f(v): return d['a']",
    "what is called when an object goes": "import weakref\nclass K: pass\nk = K()\nw = weakref.ref(k, lambda r: 1.5)\n"
    "def f(v): return w.__callback__(v)",
    "the steps of an array": "import numpy as np\na = np.lib.stride_tricks.as_strided(np.zeros(9), (2,), (8 * int(1.5),))\n"
    "def f(v): return a.strides",
    "the next seed of a generator": "import numpy as np\ng = np.random.default_rng(3)\ng.spawn(int(1.5))\n"
    "def f(v): return g.bit_generator.seed_seq.n_children_spawned",
    "a value on the command line": "from absl import flags\nif 'reach' in flags.FLAGS: delattr(flags.FLAGS, 'reach')\n"
    "flags.DEFINE_float('reach', 1.5, '')\nflags.FLAGS.mark_as_parsed()\ndef f(v): return flags.FLAGS.reach",
}


@pytest.mark.parametrize("what", _DESCRIBED)
def test_what_describes_an_object_counts(what: str) -> None:
    assert _is_seen(_DESCRIBED[what])


@pytest.mark.parametrize("where", _PUT_ON)
def test_what_was_put_on_an_object_of_pythons_counts(where: str) -> None:
    if "absl" in _PUT_ON[where]:
        pytest.importorskip("absl.flags")
    assert _is_seen(_PUT_ON[where])


@pytest.mark.parametrize(
    "text",
    [
        "def h(): pass\ndef f(v): return h.__globals__['A']",
        "import datetime\nd = datetime.datetime(2020, 1, 1)\ndef f(v): return d.now()",
        "import datetime\nd = datetime.datetime(2020, 1, 1)\ndef f(v): return d.timestamp()",
        "from pathlib import Path\np = Path('x')\ndef f(v): return p.absolute()",
    ],
    ids=["the names of a module", "the time", "the zone of the machine", "the current folder"],
)
def test_what_cannot_be_followed_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        walked(_code(text))


def test_a_date_is_a_value() -> None:
    assert _is_seen("import datetime\nd = datetime.date(2020, 1, int(1.5))\ndef f(v): return d.day")


def test_flags_are_known_by_the_names_of_their_modules_not_by_their_addresses() -> None:
    flags = pytest.importorskip("absl.flags")
    digests = set()
    for _ in range(2):
        held = flags.FlagValues()
        flags.DEFINE_float("rate", 1.5, "", flag_values=held, module_name="program")
        held.register_flag_by_module_id(random.getrandbits(40), held["rate"])
        digests.add(walked(held).digest())
    assert len(digests) == 1


@pytest.mark.tensorflow
def test_how_numpy_writes_and_buffers_counts_and_its_functions_by_what_they_do() -> None:
    import numpy

    def shown(value: object) -> str:
        return "1.5"

    before = environment._arithmetic()
    with numpy.printoptions(formatter={"float": shown}):
        once = environment._arithmetic()
        assert ("numpy.set_printoptions formatter float", shown) in registries.registered()
    assert once != before
    with numpy.printoptions(formatter={"float": lambda value: "2.5"}):
        assert environment._arithmetic() == once  # the function itself is among what is registered
    assert environment._arithmetic() == before
    size = numpy.setbufsize(16 * 1024)
    try:
        assert environment._arithmetic() != before
    finally:
        numpy.setbufsize(size)
    former = numpy.seterrcall(shown)
    try:
        assert ("numpy.seterrcall", shown) in registries.registered()
    finally:
        numpy.seterrcall(former)


@pytest.mark.tensorflow
def test_a_number_that_keras_knows_by_name_counts() -> None:
    import keras

    keras.saving.get_custom_objects()["reach"] = 1.5
    try:
        assert ("registered reach", 1.5) in registries.registered()
    finally:
        del keras.saving.get_custom_objects()["reach"]


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", ["gain", "_keras_mask"])
def test_what_was_put_on_a_tensor_counts(name: str) -> None:
    """By the program, or by Keras, whose layers ask for it by a name that the program does not have."""
    text = f"import tensorflow as tf\nt = tf.constant(0.0)\nt.{name} = tf.constant(1.5)\n"
    assert _is_seen(text + "def f(v): return t * v")
