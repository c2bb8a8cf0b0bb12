"""What an import brings along: the closure, and the order in which modules enter `sys.modules`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from headstart.accelerate.warm.closure import Closure

NAMES = [f"m{n}" for n in range(8)]


def reachable(needs: dict[str, list[str]], start: str) -> set[str]:
    found, pending = set(), [start]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += needs.get(name, ())
    return found


@given(st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=5)))
def test_closure_is_reachability(needs: dict[str, list[str]]) -> None:
    closure = Closure(needs, NAMES)
    for name in NAMES:
        found = reachable(needs, name)
        assert {other for other in NAMES if closure.brings(name, other)} == found
        assert closure.size(name) == len(found)


def test_a_module_brings_the_packages_around_it() -> None:
    closure = Closure({"x": ["a.b.c"]}, ["a", "a.b", "a.b.c", "x"])
    assert closure.brings("a.b.c", "a")
    assert closure.brings("x", "a.b")
    assert not closure.brings("a", "a.b.c")


RECORDED = """
import sys
from headstart.accelerate.warm.graph import Graph
graph = Graph()
graph.start()
import first, second
graph.stop()
for name in ("", "first", "second", "pack.inner"):
    print([wanted for wanted in graph.needs[name] if wanted != "_io"])  # the import system's own
print("__import__" in repr(__import__), __import__ is __builtins__.__import__)
"""


def test_requests_for_loaded_modules_count(tmp_path: Path) -> None:
    """The second module asks for what the first has loaded: whoever imports only the second gets it too."""
    (tmp_path / "first.py").write_text("import shared\nimport pack.inner")
    (tmp_path / "second.py").write_text(
        "import shared\nfrom pack import inner\nimport sys\nsys.modules['made'] = sys"
    )
    (tmp_path / "shared.py").write_text("")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner.py").write_text("from . import deep")
    (tmp_path / "pack" / "deep.py").write_text("")
    (tmp_path / "main.py").write_text(RECORDED)
    done = subprocess.run(
        [sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    server, first, second, inner, restored = done.stdout.splitlines()
    assert eval(server) == ["first", "second"]
    assert eval(first) == ["shared", "pack.inner"]
    assert eval(second) == ["shared", "pack", "pack.inner", "sys", "made"]
    assert eval(inner) == ["pack", "pack.deep"]
    assert restored == "True True"
