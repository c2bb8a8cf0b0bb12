"""`headstart explain`."""

from __future__ import annotations

import pytest

from headstart.advise.catalogue import all_rules
from headstart.cli.main import main


@pytest.mark.parametrize("name", ["HS301", "hs301", "retrace-python-scalar"])
def test_a_rule_by_any_of_its_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    out = capsys.readouterr().out
    for part in (
        "HS301 retrace-python-scalar",
        "Why it costs",
        "Use instead",
        "tf.constant(step)",
        "Fix safety",
    ):
        assert part in out


def test_all_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [rule.code for rule in all_rules()]


def test_an_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "retrace-scalar"]) == 2
    assert "did you mean retrace-python-scalar" in capsys.readouterr().err
