"""A rule as text: for `headstart explain` and, the same, as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from .rule import GROUPS, Rule

_FIX = {
    None: "none",
    "safe": "`headstart lint --fix`",
    "unsafe": "`headstart lint --fix --unsafe-fixes`",
}


def page(rule: Rule) -> str:
    """The whole page, in Markdown."""
    text = rule.sections()
    found = "`headstart profile`" + (" and `headstart lint`" if rule.check else "")
    return f"""# {rule.code} {rule.slug}

{rule.summary}.

Found by {found} · automatic fix: {_FIX[rule.fix]}

## What it does
{text["What it does"]}

## Why it costs
{text["Why it costs"]}

## When it is reported
{rule.threshold}

## Example
```python
{rule.bad.rstrip()}
```

## Use instead
{text["Use instead"]}

```python
{rule.good.rstrip()}
```

## Fix safety
{text["Fix safety"]}

To silence it in source code: `# headstart: noqa[{rule.code}]` at the end of the line.
"""


def index(rules: Sequence[Rule]) -> str:
    """The page that one finds by searching for the symptom."""
    lines = [
        "# Why is my TensorFlow program slow to start, and what do I change?",
        "",
        "Each cause below is what `headstart profile` reports with the line of your code, the seconds "
        "that it costs",
        "and what to write instead; those marked ✎ are also found in source code by `headstart lint`, "
        "those marked 🔧",
        "mended by `headstart lint --fix`. `headstart explain HS301` prints a rule's page in the terminal.",
        "",
        "## By symptom",
        "",
        "| what you see | likely cause |",
        "|---|---|",
    ]
    lines += [f"| {symptom} | {_link(rule)} |" for rule in rules for symptom in rule.symptoms]
    for digit, group in GROUPS.items():
        members = [rule for rule in rules if rule.code[2] == digit]
        if not members:
            continue
        lines += ["", f"## {group}", "", "| rule | cause | |", "|---|---|---|"]
        for rule in members:
            marks = ("✎" if rule.check else "") + ("🔧" if rule.fix else "")
            lines.append(f"| {_link(rule)} | {rule.summary} | {marks} |")
    return "\n".join(lines) + "\n"


def _link(rule: Rule) -> str:
    return f"[{rule.code} {rule.slug}]({rule.code}.md)"


def write_all(folder: str, rules: Sequence[Rule]) -> None:
    """One file a rule and the index; pages of rules that are gone are removed."""
    import os

    os.makedirs(folder, exist_ok=True)
    wanted = {f"{rule.code}.md": page(rule) for rule in rules} | {"index.md": index(rules)}
    for name in os.listdir(folder):
        if name.endswith(".md") and name not in wanted:
            os.unlink(os.path.join(folder, name))
    for name, text in wanted.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)


if __name__ == "__main__":
    import sys

    from .catalogue import all_rules

    # python -m headstart.advise.pages docs/rules
    write_all(sys.argv[1], all_rules())
