"""Reading source: names, loops, chains, what is reached."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from headstart.advise.evidence.adding import line_that_adds
from headstart.advise.evidence.places import loops_at, source_of, statement_at
from headstart.advise.evidence.unrolled import unrolled_loops
from headstart.advise.static.chains import written_pipelines
from headstart.advise.static.functions import compiled, traced
from headstart.advise.static.reach import use_of
from headstart.advise.static.source import Source, canonical
from headstart.record.nouns import Span


def source(text: str) -> Source:
    return Source("a.py", text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("import tensorflow as tf\ntf.keras.layers.Dense(1)", "keras.layers.Dense"),
        ("import tensorflow.compat.v1 as tf\ntf.square(1)", "tensorflow.square"),
        ("from tensorflow import keras\nkeras.Model()", "keras.Model"),
        ("from tensorflow.keras import layers as L\nL.LSTM(3)", "keras.layers.LSTM"),
        ("from keras.models import load_model\nload_model('x')", "keras.models.load_model"),
        ("model = 3\nmodel.fit(1)", None),
    ],
)
def test_names(text: str, meant: str | None) -> None:
    parsed = source(text)
    assert parsed.called(parsed.calls[-1]) == meant


def test_one_spelling_for_the_same_thing() -> None:
    assert canonical("tensorflow.compat.v1.keras.Model") == "keras.Model"
    assert canonical("tensorflow.compat.v1") == "tensorflow"


def test_a_loops_header_is_outside_it() -> None:
    parsed = source("for i in range(f()):\n    g(i)\nelse:\n    h()\n")
    by_name = {call.func.id: parsed.loops(call) for call in parsed.calls if isinstance(call.func, ast.Name)}
    assert [len(by_name[name]) for name in ("range", "f", "g", "h")] == [0, 0, 1, 0]


def test_a_function_in_a_loop_is_a_scope_of_its_own() -> None:
    parsed = source("for i in x:\n    @deco(a())\n    def f(y=b()):\n        c()\n")
    by_name = {
        call.func.id: len(parsed.loops(call)) for call in parsed.calls if isinstance(call.func, ast.Name)
    }
    assert by_name["c"] == 0
    scopes = {c.func.id: type(parsed.scope(c)).__name__ for c in parsed.calls if isinstance(c.func, ast.Name)}
    assert scopes["a"] == scopes["b"] == "Module"
    assert scopes["c"] == "FunctionDef"


def test_literals_and_constants() -> None:
    parsed = source("N = 40\nM = 3\nM = 4\nf(N * 10, M, -1)")
    first, second, third = parsed.calls[0].args
    assert parsed.integer(first) == 400
    assert parsed.integer(second) is None
    assert parsed.integer(third) is None


def test_pipelines_go_on_over_assignments() -> None:
    text = """
import tensorflow as tf
def f(x): return x
ds = tf.data.Dataset.range(10).map(f)
ds = ds.shuffle(5)
ds = ds.batch(2).prefetch(1)
other = tf.data.TFRecordDataset("x")
"""
    chains = [[link.method for link in chain] for chain in written_pipelines(source(text))]
    assert chains == [["range", "map", "shuffle", "batch", "prefetch"]] or ["TFRecordDataset"] in chains
    assert ["range", "map", "shuffle", "batch", "prefetch"] in chains


def test_compiled_and_traced() -> None:
    text = """
import functools
import tensorflow as tf
@tf.function
def a(x): return helper(x)
def helper(x): return x
@functools.partial(tf.function, jit_compile=True)
def b(x): return x
c = tf.function(helper)
def d(x): return x
"""
    parsed = source(text)
    assert set(compiled(parsed)) == {"a", "b", "c"}
    body = {name: nodes[0].body[0] for name, nodes in parsed.functions.items()}
    assert [traced(parsed, body[name]) for name in ("a", "helper", "b", "d")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("import heavy\nprint(1)", "never"),
        ("import heavy\nheavy.go()", "always"),
        ("import heavy\ndef f():\n    heavy.go()\nf()", "always"),
        ("import heavy\ndef f():\n    heavy.go()\nprint(1)", "perhaps"),
        ("import heavy\ndef f():\n    heavy.go()\nif flag:\n    f()", "perhaps"),
        ("import heavy\ndef main():\n    heavy.go()\nif __name__ == '__main__':\n    main()", "always"),
        ("import heavy\nclass A:\n    def m(self):\n        heavy.go()\nA().m()", "always"),
        ("import heavy\ndef f():\n    heavy.go()\nrun(f)", "always"),
        ("from heavy import *\nprint(1)", "always"),
        ("import heavy\n__all__ = ['heavy']", "always"),
    ],
)
def test_use_of_an_import(text: str, use: str) -> None:
    assert use_of(source(text), 1)[0] == use


def test_statements_and_loops_at_a_line(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("for i in x:\n    while y:\n        f(\n            1)\ng()\n")
    assert isinstance(statement_at(str(path), 4), ast.Expr)
    assert [type(loop).__name__ for loop in loops_at(str(path), 4)] == ["While", "For"]
    assert loops_at(str(path), 5) == []
    assert source_of(str(tmp_path / "none.py")) is None


def test_the_line_that_adds(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        "kept = []\nkept.append(0)\nfor i in x:\n    kept.append(i)\nclass A:\n    def f(self, s, v):\n        self.seen[s] = v\n"
    )
    assert line_that_adds([str(path), 9, "f"], "kept") == (str(path), 4)
    assert line_that_adds([str(path), 9, "f"], "a.seen") == (str(path), 7)
    assert line_that_adds([str(path), 9, "f"], "unknown") == (str(path), 9)


def test_the_loop_that_was_unrolled(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        "def f(x):\n    for t in range(400):\n        for l in layers:\n            x = l(x)\n    return g(x)\n"
    )
    attrs = {"forward": 4000, "below": [[str(path), 4, 3600, 1200], [str(path), 5, 300, 3]]}
    found = unrolled_loops(Span(0, 1, 1, "trace", "f", attrs))
    assert [(u.line, u.turns) for u in found] == [(2, 400)]
    few = {"forward": 4000, "below": [[str(path), 4, 3600, 12]]}
    assert unrolled_loops(Span(0, 1, 1, "trace", "f", few)) == []
