"""`python -m bench [NAME…]`: run the benchmarks and write their sections of docs/benchmarks.md."""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

from . import __path__ as folder
from ._measure import ROOT, machine

PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Made by `make bench`; do not edit. Runs are in fresh processes and interleaved, so that a slow minute of the
machine hits all arms alike. Ratios are of the means of the faster half of the runs, with a 95 % bootstrap interval.
"""


def names() -> list[str]:
    return [
        module.name for module in iter_modules(folder) if not module.name.startswith("_") and not module.ispkg
    ]


def sections() -> dict[str, str]:
    """What the page holds now, by benchmark."""
    if not PAGE.exists():
        return {}
    found = {}
    for part in PAGE.read_text().split("<!-- bench: ")[1:]:
        name, text = part.split(" -->\n", 1)
        found[name] = text.strip() + "\n"
    return found


def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)} (there are: {', '.join(names())})", file=sys.stderr)
        return 2
    page = sections()
    for name in wanted or names():
        print(f"{name}:", file=sys.stderr, flush=True)
        page[name] = import_module(f"bench.{name}").main() + f"\nMeasured on {machine()}.\n"
        text = HEAD + "".join(f"\n<!-- bench: {key} -->\n{page[key].strip()}\n" for key in sorted(page))
        PAGE.write_text(text)
        print(page[name], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
