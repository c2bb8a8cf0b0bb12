"""Options, environment variables and pyproject settings, and which of them wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from headstart.cli.options import Option, Values, add_settings, option_lines, parse
from headstart.errors import UsageError

OPTIONS = (
    Option("json", "a file", "FILE"),
    Option("quiet", "say nothing", letter="q"),
    Option("rule", "several", "RULE", many=True),
    Option("force", "only by hand", setting=False),
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settled(*argv: str) -> Values:
    values, _ = parse(argv, OPTIONS)
    add_settings(values, OPTIONS)
    return values


@pytest.mark.parametrize("words", [["--json", "f"], ["--json=f"]])
def test_value(words: list[str]) -> None:
    assert parse(words, OPTIONS)[0].text("json") == "f"


@pytest.mark.parametrize("words", [["--quiet"], ["-q"]])
def test_flag(words: list[str]) -> None:
    assert parse(words, OPTIONS)[0].flag("quiet")


def test_missing() -> None:
    values, rest = parse([], OPTIONS)
    assert (values.text("json"), values.flag("quiet"), values.texts("rule"), rest) == (None, False, [], [])


def test_several() -> None:
    assert parse(["--rule", "a", "--rule=b"], OPTIONS)[0].texts("rule") == ["a", "b"]


def test_the_last_one_wins() -> None:
    assert parse(["--json", "a", "--json", "b"], OPTIONS)[0].text("json") == "b"


def test_options_may_follow_words() -> None:
    values, rest = parse(["a", "-q", "b"], OPTIONS)
    assert values.flag("quiet")
    assert rest == ["a", "b"]


def test_two_dashes_end_the_options() -> None:
    values, rest = parse(["a", "--", "-q"], OPTIONS)
    assert not values.flag("quiet")
    assert rest == ["a", "-q"]


@pytest.mark.parametrize(
    "program",
    [
        ["main.py", "--json", "x", "-q"],
        ["-m", "tool", "--json", "x"],
        ["-mtool", "-q"],
        ["-c", "print()", "--force"],
    ],
)
def test_a_programs_own_options_are_left_alone(program: list[str]) -> None:
    values, rest = parse(["--json", "mine", *program], OPTIONS, program=True)
    assert values.text("json") == "mine"
    assert not values.flag("quiet")
    assert rest == program


@pytest.mark.parametrize("words", [["--jsn", "f"], ["--json"], ["--json="], ["--quiet=1"], ["-x"]])
def test_bad(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(words, OPTIONS)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADSTART_JSON", "from-env")
    monkeypatch.setenv("HEADSTART_QUIET", "yes")
    monkeypatch.setenv("HEADSTART_FORCE", "1")
    values = settled()
    assert values.text("json") == "from-env"
    assert values.flag("quiet")
    assert not values.flag("force")


def test_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text('[tool.headstart]\njson = "p"\nquiet = true\nrule = ["a", "b"]\n')
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    values = settled()
    assert (values.text("json"), values.flag("quiet"), values.texts("rule")) == ("p", True, ["a", "b"])


def test_who_wins(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text('[tool.headstart]\njson = "project"\nquiet = true\n')
    assert settled().text("json") == "project"
    monkeypatch.setenv("HEADSTART_JSON", "environment")
    monkeypatch.setenv("HEADSTART_QUIET", "0")
    assert settled().text("json") == "environment"
    assert not settled().flag("quiet")
    assert settled("--json", "option").text("json") == "option"


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "not toml at all ]["])
def test_projects_without_settings(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    assert settled().text("json") is None


@pytest.mark.parametrize(
    "text", ["[tool.headstart]\nquiet = 'perhaps'\n", "tool.headstart = 3\n", "[tool.headstart]\n]["]
)
def test_bad_project_settings(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError):
        settled()


def test_option_lines_align() -> None:
    lines = option_lines(OPTIONS).splitlines()
    assert lines[0] == "  --json FILE  a file"
    assert lines[1] == "  -q, --quiet  say nothing"
