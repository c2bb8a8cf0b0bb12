"""`headstart lint`: finding, silencing, mending and telling."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import stat
from pathlib import Path

import pytest

from headstart.advise.static.source import Edit
from headstart.cli.main import main
from headstart.lint.engine import File, Unreadable, check, find_files, read
from headstart.lint.fixes import apply, mend

BAD = """\
import tensorflow as tf


@tf.function
def train(x, step):
    return x * tf.cast(step, tf.float32)


for step in range(10):
    train(tf.ones(3), step)
"""
EAGER = 'import keras\nmodel = keras.Sequential([])\nmodel.compile("sgd", "mse", run_eagerly=True)\n'


def codes(text: str) -> list[tuple[str, int]]:
    return [(hit.rule.code, hit.problem.line) for hit in check(File("a.py", text, "utf-8"))]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(BAD)
    return path


def test_found_at_its_line() -> None:
    assert codes(BAD) == [("HS301", 10)]


@pytest.mark.parametrize(
    "comment", ["noqa", "noqa[HS301]", "noqa[hs301, HS999]", "noqa[retrace-python-scalar]"]
)
def test_silenced_at_its_line(comment: str) -> None:
    assert codes(BAD.replace("step)\n", f"step)  # headstart: {comment}\n", 2).replace("xstep", "step")) == []


def test_another_rules_comment_does_not_silence() -> None:
    assert codes(BAD[:-1] + "  # headstart: noqa[HS302]\n") == [("HS301", 10)]


def test_a_comment_in_a_string_is_none() -> None:
    assert codes(BAD + 'text = "# headstart: skip-file"\n') == [("HS301", 10)]
    assert codes("# headstart: skip-file\n" + BAD) == []


def test_programs_without_tensorflow_are_not_looked_at() -> None:
    assert codes(BAD.replace("tensorflow", "tensorfruit")) == []


def test_exit_statuses(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = tmp_path / "clean.py"
    clean.write_text("print(1)\n")
    assert main(["lint", str(clean)]) == 0
    assert main(["lint", str(program)]) == 1
    assert main(["lint", str(tmp_path / "none.py")]) == 2
    broken = tmp_path / "broken.py"
    broken.write_text("import tensorflow as tf\nfor\n")
    assert main(["lint", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert "train.py:10:5: HS301 retrace-python-scalar" in captured.out
    assert "broken.py:2: does not parse" in captured.err
    assert "no such file or folder" in captured.err


def test_json(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", "--format", "json", str(program)])
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    assert [(p["rule"], p["slug"], p["line"], p["fix"]) for p in found["problems"]] == [
        ("HS301", "retrace-python-scalar", 10, "safe")
    ]


def test_sarif(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", "--format=sarif", str(program)])
    run = json.loads(capsys.readouterr().out)["runs"][0]
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "HS301"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 10, "startColumn": 5}


def test_github(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a,b.py"
    path.write_text(BAD)
    main(["lint", "--format", "github", str(path)])
    out = capsys.readouterr().out
    assert out.startswith("::warning file=")
    assert "a%2Cb.py,line=10,col=5,title=HS301 retrace-python-scalar::" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lint"], "lint needs a file or a folder"),
        (["lint", "--format", "xml", "."], "no such format: xml"),
        (["lint", "--select", "HS9", "."], "no such rule: HS9"),
    ],
)
def test_bad_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_select_and_ignore(program: Path) -> None:
    assert main(["lint", "--select", "HS3", str(program)]) == 1
    assert main(["lint", "--select", "HS4,growing-graph", str(program)]) == 0
    assert main(["lint", "--ignore", "retrace-python-scalar", str(program)]) == 0


def test_a_safe_fix_is_written(program: Path) -> None:
    os.chmod(program, 0o750)
    assert main(["lint", "--fix", str(program)]) == 0
    assert "train(tf.ones(3), tf.constant(step))" in program.read_text()
    assert stat.S_IMODE(program.stat().st_mode) == 0o750
    assert [p.name for p in program.parent.iterdir()] == ["train.py"]


def test_an_unsafe_fix_needs_to_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(EAGER)
    assert main(["lint", "--fix", str(path)]) == 1
    assert path.read_text() == EAGER
    assert main(["lint", "--fix", "--unsafe-fixes", str(path)]) == 0
    assert path.read_text() == EAGER.replace(", run_eagerly=True", "")


UNSAFE = {
    "tabs": (
        "class T:\n\tdef train(self, x):\n\t\twith tf.GradientTape() as tape:\n\t\t\ty = x\n"
        "\t\topt.apply_gradients(zip(tape.gradient(y, v), v))\nfor i in range(9):\n\tT().train(None)\n",
        "\tdef train",
        "\t@tf.function\n\tdef train",
    ),
    "a line below": (
        "m = tf.keras.applications.VGG16()\nif True:\n\tm.compile('adam')\n\tm.fit(x)\n",
        "\tm.fit(x)",
        "\tm.optimizer.build(m.trainable_variables)\n\tm.fit(x)",
    ),
    "a comment before": (
        "m.compile(\n    'adam',  # fast\n    run_eagerly=True,\n)\n",
        "    run_eagerly=True,\n",
        "",
    ),
    "a comment behind": (
        "m.compile(\n    'adam',  # fast\n    run_eagerly=True,  # slow\n)\n",
        "run_eagerly=True,  # slow",
        "# slow",
    ),
    "a bracket": ("m.compile(('adam'), run_eagerly=True)\n", "run_eagerly=True", ""),
    "alone on its line": ("m.compile(\n    run_eagerly=True\n)\n", "    run_eagerly=True\n", ""),
    "alone with a comma": ("m.compile(run_eagerly=True,)\n", "run_eagerly=True,", ""),
    "comments between links": (
        "ds = (tf.data.Dataset.range(9)  # a\n  .cache()  # b\n  .take(3)  # c\n)\n",
        ".cache()  # b\n  .take(3)",
        ".take(3)  # b\n  .cache()",
    ),
    "a comprehension": (
        "y = [m.predict(r[None])[0] for r in x]\n",
        "m.predict(r[None])",
        "np.asarray(m(r[None], training=False))",
    ),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", UNSAFE)
def test_a_fix_keeps_what_is_around(name: str, ends: str) -> None:
    body, before, after = UNSAFE[name]
    head = "import numpy as np\nimport tensorflow_probability as tfp\nimport tensorflow as tf\n"
    text = (head + body).replace("\n", ends)
    wanted = (head + body.replace(before, after, 1)).replace("\n", ends)
    mended, count, left = mend(File("a.py", text, "utf-8"), unsafe=True)
    assert (mended.text, count, left) == (wanted, 1, [])


def test_a_fix_names_tensorflow_itself() -> None:
    text = BAD.replace(
        "import tensorflow as tf", "import tensorflow_probability as tfp\nimport tensorflow as tf"
    )
    after, _, _ = mend(File("a.py", text, "utf-8"))
    assert "tf.constant(step)" in after.text
    assert "tfp.constant" not in after.text


def test_a_fix_that_breaks_the_file_keeps_no_other_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = File("a.py", EAGER + "m.compile(run_eagerly=True)\n", "utf-8")
    first, second = check(file)
    broken = dataclasses.replace(
        second, problem=dataclasses.replace(second.problem, edits=(Edit(0, 0, "("),))
    )
    hits = iter([[first, broken], [broken]])
    monkeypatch.setattr("headstart.lint.fixes.check", lambda *_: next(hits))
    after, mended, left = mend(file, unsafe=True)
    assert after.text == file.text.replace(", run_eagerly=True", "", 1)
    assert (mended, left) == (1, [broken])


def test_what_is_predicted_before_a_comprehension_is_no_loop() -> None:
    text = "import keras\ny = [p for p in m.predict(x[None])]\n"
    assert check(File("a.py", text, "utf-8")) == []


@pytest.mark.parametrize("value", ["-" * 50_000 + "1", "tf" + ".a()" * 3000, "1" + "+1" * 20_000])
def test_what_is_nested_too_deep_is_told(value: str) -> None:
    """Each Python has limits of its own; what it can read is checked."""
    with contextlib.suppress(Unreadable):
        check(File("a.py", f"import tensorflow as tf\nx = {value}\n", "utf-8"))


def test_a_python_use_of_the_argument_makes_the_fix_unsafe() -> None:
    used = BAD.replace("return x", "for _ in range(step):\n        x += 1.0\n    return x")
    assert [hit.fix for hit in check(File("a.py", used, "utf-8")) if hit.rule.code == "HS301"] == ["unsafe"]


def test_line_ends_and_encodings_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = "# -*- coding: latin-1 -*-\nname = 'é'\n" + BAD
    path.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    assert main(["lint", "--fix", str(path)]) == 0
    data = path.read_bytes()
    assert b"tf.constant(step)" in data
    assert data.count(b"\r\n") == data.count(b"\n") == text.count("\n")
    assert "é".encode("latin-1") in data


def test_offsets_count_characters_not_bytes() -> None:
    text = BAD.replace("train(tf.ones(3), step)", "_ = 'äöü€'; train(tf.ones(3), step)")
    after, mended, _ = mend(File("a.py", text, "utf-8"))
    assert mended == 1
    assert "_ = 'äöü€'; train(tf.ones(3), tf.constant(step))" in after.text


def test_a_link_stays_a_link(program: Path) -> None:
    link = program.with_name("link.py")
    link.symlink_to(program)
    assert main(["lint", "--fix", str(link)]) == 0
    assert link.is_symlink()
    assert "tf.constant(step)" in program.read_text()


def test_folders_are_searched_without_environments(tmp_path: Path) -> None:
    for name in ("a.py", "pkg/b.py", ".git/c.py", "env2/d.py", "node_modules/e.py", "pkg/f.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    (tmp_path / "env2" / "pyvenv.cfg").write_text("")
    assert [os.path.relpath(p, tmp_path) for p in find_files([str(tmp_path)])] == ["a.py", "pkg/b.py"]


def test_what_is_no_source_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unreadable, match="not Python source"):
        read(str(path))


def test_edits_apply_from_the_end() -> None:
    assert apply("abcdef", [Edit(1, 2, "X"), Edit(4, 4, "--"), Edit(5, 6, "")]) == "aXcd--e"


def test_healthy_and_mended_programs_are_silent() -> None:
    """Every mended or healthy program of the project, and its own examples."""
    root = Path(__file__).resolve().parents[2]
    programs = [*root.glob("cases/*_fixed.py"), *root.glob("cases/ok_*.py"), *root.glob("cases/9*_ctl_*.py")]
    programs += [*root.glob("cases/ok_*_pkg/*.py"), *root.glob("examples/*.py")]
    assert len(programs) > 60
    found = {p.name: codes(p.read_text()) for p in programs}
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_library_code_is_silent() -> None:
    """Other people's code, written without headstart in mind: Keras' layers and models."""
    keras = pytest.importorskip("importlib.util").find_spec("keras")
    if keras is None or keras.origin is None:
        pytest.skip("Keras is not installed")
    folder = Path(keras.origin).parent / "src"
    files = [
        *(folder / "layers" / "core").glob("*.py"),
        *(folder / "models").glob("*.py"),
        *(folder / "optimizers").glob("*.py"),
    ]
    sample = [path for path in files if not path.name.endswith("_test.py")]
    assert len(sample) > 20
    assert {p.name: codes(p.read_text()) for p in sample if codes(p.read_text())} == {}
