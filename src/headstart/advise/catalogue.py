"""The rules that exist: every file in `rules/`, found by walking the folder."""

from __future__ import annotations

from functools import lru_cache

from .. import one_a_file
from . import rules as folder
from .rule import Rule, validate


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    return one_a_file.walk(folder, Rule, _name, validate)


def find_rule(name: str) -> Rule | None:
    return one_a_file.find(name, all_rules(), _name)


def _name(rule: Rule) -> str:
    return rule.code
