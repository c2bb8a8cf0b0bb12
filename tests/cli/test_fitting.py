"""Help fits the terminal, and nothing of it is lost."""

import pytest

from headstart.cli.fitting import fitted
from headstart.cli.main import COMMANDS, main


def test_a_paragraph_is_filled_anew() -> None:
    assert fitted("one two three\nfour five\n\nsix", 14) == "one two three\nfour five\n\nsix"
    assert fitted("one two three four\nfive", 14) == "one two three\nfour five"


def test_the_second_column_goes_on_below_itself() -> None:
    text = "options:\n  --json FILE  write the report as JSON, one line\n  -q           quiet"
    assert fitted(text, 40).split("\n") == [
        "options:",
        "  --json FILE  write the report as JSON,",
        "               one line",
        "  -q           quiet",
    ]


def test_where_a_column_is_too_far_right_it_begins_below() -> None:
    text = "usage: headstart cache explain [PROGRAM]   what its last run found"
    assert all(len(line) <= 45 for line in fitted(text, 45).split("\n"))


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("name", [*COMMANDS, ""])
def test_help_of_every_command_fits(
    name: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [name, "--help"] if name else ["--help"]
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(words) == 0
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(words) == 0
    fit = capsys.readouterr().out
    assert [line for line in fit.split("\n") if len(line) > width] == []
    assert fit.split() == whole.split()
    assert "\n\n\n" not in fit
