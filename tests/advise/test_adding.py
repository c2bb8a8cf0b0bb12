"""The line that adds to a container, by the name that the running program has for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.advise.evidence.adding import is_cut_back, is_joined, line_that_adds


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("kept", "kept = []\nfor i in range(9):\n    kept.append(i)\n", 3),
        ('history["out"]', 'history = {"out": []}\nfor i in range(9):\n    history["out"].append(i)\n', 3),
        ('log.entries["a"]', "class Log:\n    def add(self, k, v):\n        self.entries[k].append(v)\n", 3),
        ('seen["a"]', 'seen = {}\nfor i in range(9):\n    seen.setdefault("a", []).append(i)\n', 3),
        (
            'h["b"]',
            'h = {"a": [], "b": []}\nfor i in range(9):\n    h["a"].append(1)\n    h["b"].append(i)\n',
            4,
        ),
        ('h["b"][3]', 'h = {}\nfor i in range(9):\n    h["a"][i].append(1)\n    h["b"][i].append(i)\n', 4),
        (".0", "kept = []\nkept.append(1)\n", 77),
        ("h['a \"b\"']", "h = {}\nh['a \"b\"'].append(1)\n", 2),
        ("parts[0]", "parts = [[], []]\nfor i in range(9):\n    parts[i % 2] += [i]\n", 3),
        ("kept", "kept = [1]\nother = []\nother.append(1)\n", 77),
    ],
)
def test_the_line_that_adds(tmp_path: Path, name: str, code: str, line: int) -> None:
    program = tmp_path / "train.py"
    program.write_text(code)
    assert line_that_adds([str(program), 77, "main"], name) == (str(program), line)


@pytest.mark.parametrize(
    ("code", "bounded"),
    [
        ("self.data.append(x)", False),
        ("self.data.append(x)\nif len(self.data) > 9:\n    self.data.pop(0)", True),
        ("self.data.append(x)\ndel self.data[0]", True),
        ("self.data.append(x)\nself.data = self.data[-9:]", True),
        ("if len(self.data) < 9:\n    self.data.append(x)\nelse:\n    self.data[i] = x", True),
        ("if i % 9:\n    self.data.append(x)\nself.other.clear()", False),
    ],
)
def test_a_container_that_is_cut_back_has_a_bound(tmp_path: Path, code: str, bounded: bool) -> None:
    program = tmp_path / "train.py"
    program.write_text(code + "\n")
    assert is_cut_back([str(program), 1, "main"], "agent.data") is bounded


@pytest.mark.parametrize(
    ("code", "joined"),
    [
        ("features = np.concatenate(kept)", True),
        ("def features():\n    return tf.concat(kept, axis=0)", True),
        ("classes = np.concatenate(kept).argmax(-1)", False),  # only that is needed
        ("total = np.mean(np.stack(kept))", False),
        ("classes = [p.argmax(-1) for p in kept]", False),
        ("features = np.concatenate(other)", False),
    ],
)
def test_what_becomes_one_array_is_meant_to_be_kept(tmp_path: Path, code: str, joined: bool) -> None:
    program = tmp_path / "extract.py"
    program.write_text("kept.append(x)\n" + code + "\n")
    assert is_joined([str(program), 1, "main"], "kept") is joined
