"""`headstart lint`: the causes of slow starts, found in source code."""

from __future__ import annotations

import sys

from ..advise.catalogue import all_rules, find_rule
from ..advise.rule import Rule
from ..errors import UsageError
from ..lint.engine import Hit, Unreadable, check, find_files, read
from ..lint.fixes import mend, write
from ..lint.formats import FORMATS
from .options import Option, add_settings, parse

OPTIONS = (
    Option("fix", "mend what can be mended safely", setting=False),
    Option("unsafe-fixes", "with --fix: also mend where the program might behave differently", setting=False),
    Option("format", "text (default), json, sarif or github", "FORMAT", setting=False),
    Option(
        "select",
        "only these rules (codes or slugs, with commas; HS3 stands for all HS3xx)",
        "RULES",
        many=True,
    ),
    Option("ignore", "not these rules", "RULES", many=True),
)


def main(argv: list[str]) -> int:
    """Find the causes of slow starts in source code, before running it.

    usage: headstart lint [OPTIONS] PATH…

    Folders are searched for Python files. A comment `# headstart: noqa[HS301]` at the end of a line silences a
    rule there, `# headstart: skip-file` a whole file. Exit status: 0 nothing found, 1 something found, 2 a file
    could not be checked.
    """
    values, paths = parse(argv, OPTIONS)
    add_settings(values, OPTIONS)
    if not paths:
        raise UsageError("lint needs a file or a folder: headstart lint PATH…")
    form = values.text("format") or "text"
    if form not in FORMATS:
        raise UsageError(f"no such format: {form} (there are {', '.join(FORMATS)})")
    rules = _chosen(values.texts("select"), values.texts("ignore"))
    hits: list[Hit] = []
    mended = files = failed = 0
    for path in find_files(paths):
        files += 1
        try:
            file = read(path)
            if values.flag("fix"):
                after, count, left = mend(file, values.flag("unsafe-fixes"), rules)
                if count:
                    write(after)
                mended += count
                hits += left
            else:
                hits += check(file, rules)
        except Unreadable as error:
            failed += 1
            print(f"headstart: {error}", file=sys.stderr)
        except OSError as error:
            failed += 1
            print(f"headstart: cannot write {path}: {error.strerror}; it is unchanged", file=sys.stderr)
    sys.stdout.write(FORMATS[form](hits))
    if form == "text":
        print(_summary(hits, files, mended, values.flag("fix")), file=sys.stderr)
    return 2 if failed else 1 if hits else 0


def _chosen(select: list[str], ignore: list[str]) -> tuple[Rule, ...]:
    wanted, unwanted = _names(select), _names(ignore)
    rules = [rule for rule in all_rules() if not wanted or _matches(rule, wanted)]
    return tuple(rule for rule in rules if not _matches(rule, unwanted))


def _names(texts: list[str]) -> list[str]:
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    for name in names:
        if find_rule(name) is None and not any(rule.code.startswith(name.upper()) for rule in all_rules()):
            raise UsageError(f"no such rule: {name}")
    return names


def _matches(rule: Rule, names: list[str]) -> bool:
    return any(rule.slug == name or rule.code.startswith(name.upper()) for name in names)


def _summary(hits: list[Hit], files: int, mended: int, fixing: bool) -> str:
    parts = [f"{len(hits)} problem{'s' * (len(hits) != 1)} in {files} file{'s' * (files != 1)}"]
    if mended:
        parts.append(f"{mended} mended")
    safe = sum(hit.fix == "safe" for hit in hits)
    unsafe = sum(hit.fix == "unsafe" for hit in hits)
    if safe and not fixing:
        parts.append(f"{safe} can be mended with --fix")
    if unsafe:
        parts.append(f"{unsafe} with --fix --unsafe-fixes (look at the change)")
    if hits:
        parts.append("`headstart explain RULE` says more")
    return "; ".join(parts)
