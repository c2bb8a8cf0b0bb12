"""`headstart explain`: what a finding means."""

from __future__ import annotations

import difflib
import os
import sys

from ..advise.catalogue import all_rules, find_rule
from ..advise.pages import page
from ..errors import UsageError
from .options import parse


def main(argv: list[str]) -> int:
    """Say what a finding means, why it costs time and what to write instead, with a bad and a good example.

    usage: headstart explain RULE…     a code (HS301) or a name (retrace-python-scalar)
           headstart explain           list all rules
    """
    _, names = parse(argv, ())
    if not names:
        width = max(len(rule.slug) for rule in all_rules())
        for rule in all_rules():
            print(f"{rule.code}  {rule.slug:<{width}}  {rule.summary}")
        return 0
    rules = []
    for name in names:
        found = find_rule(name)
        if found is None:
            raise UsageError(f"no such rule: {name}{_nearest(name)}; `headstart explain` lists them")
        rules.append(found)
    text = "\n".join(page(rule) for rule in rules)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)
    return 0


def _nearest(name: str) -> str:
    known = [word for rule in all_rules() for word in (rule.code.lower(), rule.slug)]
    close = difflib.get_close_matches(name.lower(), known, 1)
    return f" (did you mean {close[0]}?)" if close else ""
