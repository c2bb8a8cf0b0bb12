"""The rules that exist: every file in `rules/`, found by walking the folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from . import rules as folder
from .rule import Rule, RuleError, validate


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code. A file without a rule, or two rules with one name, is an error in headstart."""
    found: list[Rule] = []
    for module in pkgutil.iter_modules(folder.__path__):
        loaded = importlib.import_module(f"{folder.__name__}.{module.name}")
        rule = getattr(loaded, "RULE", None)
        if not isinstance(rule, Rule):
            raise RuleError(f"{module.name}: no RULE in it")
        validate(rule, module.name)
        if module.name != f"{rule.code}_{rule.slug}".lower().replace("-", "_"):
            raise RuleError(f"{module.name}: the file is not named after {rule.code} {rule.slug}")
        found.append(rule)
    for attribute in ("code", "slug"):
        names = [getattr(rule, attribute) for rule in found]
        double = next((name for name in names if names.count(name) > 1), None)
        if double:
            raise RuleError(f"two rules are called {double}")
    return tuple(sorted(found, key=lambda rule: rule.code))


def find_rule(name: str) -> Rule | None:
    """By code or slug, however it is written."""
    wanted = name.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.slug):
            return rule
    return None
