"""Every rule file keeps its promises: text, examples, threshold, check and fix. Generated from the files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from headstart.advise.catalogue import all_rules, find_rule
from headstart.advise.folding import ORDER
from headstart.advise.pages import index, page
from headstart.advise.rule import SECTIONS, Rule, validate
from headstart.lint.engine import File, check
from headstart.lint.fixes import mend
from headstart.one_a_file import IncompleteFileError

ROOT = Path(__file__).resolve().parents[2]
PROMISED = [
    "HS101",
    "heavy-import",
    "HS102",
    "external-wait",
    "HS201",
    "costly-initializer",
    "HS202",
    "wasted-initialization",
    "HS203",
    "slow-weight-loading",
    "HS204",
    "oversized-variable",
    "HS205",
    "model-created-in-loop",
    "HS206",
    "slow-model-build",
    "HS207",
    "load-in-loop",
    "HS301",
    "retrace-python-scalar",
    "HS302",
    "retrace-varying-shape",
    "HS303",
    "retrace-python-object",
    "HS305",
    "function-recreated",
    "HS306",
    "compile-in-loop",
    "HS307",
    "unrolled-python-loop",
    "HS308",
    "large-constant-in-graph",
    "HS309",
    "eager-hot-loop",
    "HS310",
    "predict-in-loop",
    "HS311",
    "xla-recompile",
    "HS312",
    "xla-compile-not-amortised",
    "HS313",
    "run-eagerly",
    "HS314",
    "fit-in-loop",
    "HS315",
    "traced-twice",
    "HS401",
    "input-bound-no-prefetch",
    "HS402",
    "python-in-pipeline",
    "HS403",
    "shuffle-buffer-fill",
    "HS404",
    "uncached-preprocessing",
    "HS405",
    "host-sync-per-step",
    "HS406",
    "serial-input-map",
    "HS407",
    "slow-conversion",
    "HS408",
    "cache-never-filled",
    "HS501",
    "growing-graph",
    "HS502",
    "growing-memory",
    "HS503",
    "growing-step-time",
    "HS504",
    "growing-tensor",
    "HS505",
    "tape-kept-open",
    "HS506",
    "dataset-chain-grows",
    "HS601",
    "lite-starts-faster",
]
RULES = all_rules()
each = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_all_promised_rules_exist() -> None:
    assert dict(zip(PROMISED[::2], PROMISED[1::2], strict=True)) == {r.code: r.slug for r in RULES}


def test_every_rule_has_its_place_in_the_folding_order() -> None:
    assert sorted(code for code, _ in ORDER) == [rule.code for rule in RULES]
    assert all(reason for _, reason in ORDER)


@each
def test_the_text_is_complete(rule: Rule) -> None:
    validate(rule, rule.code)
    sections = rule.sections()
    assert list(sections) == list(SECTIONS)
    assert all(len(text) > 30 for text in sections.values())
    assert any(character.isdigit() for character in rule.threshold), "a threshold is a number"
    assert rule.summary[0].isupper() or rule.summary[0] == "`"
    assert rule.summary in page(rule)


@each
def test_the_examples_are_programs(rule: Rule) -> None:
    ast.parse(rule.bad)
    ast.parse(rule.good)
    assert rule.bad != rule.good


@each
def test_the_check_finds_the_bad_example_and_no_rule_finds_the_good_one(rule: Rule) -> None:
    if rule.check is not None:
        assert rule.code in [hit.rule.code for hit in check(File("bad.py", rule.bad, "utf-8"))]
    assert check(File("good.py", rule.good, "utf-8")) == []


@pytest.mark.parametrize("rule", [r for r in RULES if r.fix], ids=lambda rule: rule.code)
def test_the_fix_mends_the_bad_example(rule: Rule) -> None:
    before = File("bad.py", rule.bad, "utf-8")
    after, mended, left = mend(before, unsafe=True, rules=(rule,))
    assert mended >= 1
    assert left == []
    assert after.text != before.text
    ast.parse(after.text)
    if rule.fix == "unsafe" and not any(hit.problem.safe for hit in check(before, (rule,))):
        assert mend(before, unsafe=False, rules=(rule,))[1] == 0


def test_pages_are_up_to_date() -> None:
    """Regenerate with: python -m headstart.advise.pages docs/rules"""
    folder = ROOT / "docs" / "rules"
    wanted = {f"{rule.code}.md": page(rule) for rule in RULES} | {"index.md": index(RULES)}
    assert {path.name: path.read_text() for path in folder.glob("*.md")} == wanted


def test_rules_are_found_by_code_and_by_slug() -> None:
    assert find_rule("hs301") is find_rule("HS301") is find_rule("retrace-python-scalar") is not None
    assert find_rule("HS999") is None


def test_a_rule_without_its_text_or_examples_is_refused() -> None:
    from dataclasses import replace

    whole = RULES[0]
    for broken in (
        replace(whole, doc="Just a line."),
        replace(whole, bad="  "),
        replace(whole, threshold=""),
        replace(whole, symptoms=()),
        replace(whole, code="X1"),
        replace(whole, slug="No Slug"),
        replace(whole, check=None, fix="safe"),
    ):
        with pytest.raises(IncompleteFileError):
            validate(broken, "here")
