"""`headstart cache`."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import Any

from ..errors import HeadstartError, UsageError
from .options import Option, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..accelerate.cache.store import Listed, Store

OPTIONS = (
    Option("json", "print the facts as JSON", setting=False),
    Option("max-size", "prune: how much may stay, such as 500M or 2G", metavar="SIZE", setting=False),
)
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def main(argv: list[str]) -> int:
    """Look after what `headstart run` keeps between runs: traces, optimised graphs, compiled programs.

    usage: headstart cache info                what is kept, how often it was used, what it saved in all
           headstart cache list                every kept trace: of which program and function
           headstart cache explain [PROGRAM]   what its last run found, and why not, function by function
           headstart cache prune [--max-size]  drop what was used longest ago
           headstart cache clear               drop everything
           headstart cache verify              read every entry and drop what is damaged

    Whether a kept trace is still what tracing gives is checked by `headstart run --verify`.
    """
    values, words = parse(argv, OPTIONS)
    verb = words[0] if words else "info"
    as_json = values.flag("json")
    if verb == "explain" and len(words) <= 2:
        return _explain(_store(), words[1] if len(words) == 2 else None, as_json)
    if words[1:]:
        raise UsageError(f"headstart cache {verb} takes no arguments, not {' '.join(words[1:])!r}")
    if verb == "info":
        return _info(_store(), as_json)
    if verb == "list":
        return _list(_store(), as_json)
    if verb == "prune":
        return _freed(_store().prune(_size(values.text("max-size"))))
    if verb == "clear":
        return _freed(_store().clear())
    if verb == "verify":
        return _verify(_store())
    raise UsageError(f"headstart cache has info, list, explain, prune, clear and verify, not {verb!r}")


def _store() -> Store:
    from ..accelerate.cache import folder
    from ..accelerate.cache.store import Store

    try:
        return Store(folder.open_folder(folder.default_folder()))
    except folder.RefusedFolder as problem:
        raise HeadstartError(str(problem)) from None


def _size(text: str | None) -> int | None:
    if text is None:
        return None
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in _UNITS else (text, "")
    try:
        return int(float(number) * _UNITS.get(unit, 1))
    except ValueError:
        raise UsageError(f"--max-size takes a size such as 500M or 2G, not {text!r}") from None


def _readable(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def _info(store: Store, as_json: bool) -> int:
    from ..accelerate.cache import usage

    kinds = {kind: len(_kept(store, kind)) for kind in _WHAT}
    totals = usage.totals(store.root)
    facts = {
        "folder": str(store.root),
        "bytes": store.total_bytes(),
        "max_bytes": store.max_bytes,
        "entries": kinds,
        "runs": totals.runs,
        "replayed": totals.replayed,
        "saved_seconds": round(totals.saved_seconds, 1),
    }
    if as_json:
        print(json.dumps(facts, indent=2))
        return 0
    print(f"folder   {facts['folder']}")
    print(f"size     {_readable(store.total_bytes())} of {_readable(store.max_bytes)}")
    for kind, what in _WHAT.items():
        print(f"{what:<8} {kinds.get(kind, 0)}")
    print(
        f"used     {totals.replayed} times in {totals.runs} runs, saving {totals.saved_seconds:.1f} s in all"
    )
    return 0


_WHAT = {"traces": "traces", "preludes": "builds", "graphs": "graphs", "xla": "programs"}


def _kept(store: Store, kind: str) -> list[Listed]:
    """Entries of a kind, without those that only list others."""
    return [entry for entry in store.entries() if entry.kind == kind and "variants" not in entry.header]


def _list(store: Store, as_json: bool) -> int:
    from ..accelerate.cache import usage

    uses = usage.totals(store.root).uses
    entries = sorted(_kept(store, "traces"), key=lambda entry: -entry.last_used)
    rows = [_row(entry, uses) for entry in entries]
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    if not rows:
        print("nothing is kept yet; `headstart run SCRIPT` fills the cache")
    for row in rows:
        print(
            f"{row['key'][:12]}  {row['function']}  ({row['program']}): traced in {row['trace_seconds']:.1f} s, "
            f"{row['nodes']} nodes, {_readable(row['bytes'])}, used {row['uses']} times, "
            f"last {_age(row['last_used'])}"
        )
    return 0


def _row(entry: Listed, uses: dict[str, int]) -> dict[str, Any]:
    header = entry.header
    return {
        "key": entry.key,
        "function": str(header.get("function", "?")),
        "file": str(header.get("file", "?")),
        "program": str(header.get("program", "?")),
        "trace_seconds": float(header.get("trace_seconds", 0.0)),
        "nodes": int(header.get("nodes", 0)),
        "bytes": entry.bytes,
        "uses": uses.get(str(header.get("of")), 0),
        "last_used": entry.last_used,
    }


def _age(moment: float) -> str:
    seconds = max(0.0, time.time() - moment)
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name} ago"
    return "just now"


def _explain(store: Store, program: str | None, as_json: bool) -> int:
    from ..accelerate.cache import usage

    found = usage.last(store.root, program)
    if found is None:
        which = f"of {program}" if program else "of any program"
        raise HeadstartError(f"no run {which} with the caches is on record: `headstart run` makes one")
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"last run of {found['program']}, {_age(float(found['time']))}")
    if found.get("off"):
        print(f"  the caches were off: {found['off']}")
    # A function that is traced again and again says the same each time.
    for sentence, times in Counter(map(_sentence, found["events"])).items():
        print(f"  {sentence}" + (f" ({times} times)" if times > 1 else ""))
    return 0


_SENTENCES = {
    "replayed": "its kept trace was used, saving {saved_seconds:.1f} s",
    "optimised": "its kept optimised graph was used, and the first call was {saved_seconds:.1f} s shorter",
    "prebuilt": "what its first trace would build was built ahead ({reason})",
    "stored": "traced in {seconds:.1f} s, and kept",
    "missed": "no kept trace fits",
    "refused": "traced as always and not kept: {reason}",
    "verified": "traced for real as well, and the kept graph is the same",
    "compared": "its first results are those of the real trace",
    "uncompared": "its first results were not compared: {reason}",
    "mismatch": "dropped, since it is not what a real trace gives: {reason}",
}


def _sentence(event: dict[str, Any]) -> str:
    """What happened to a function; the reason at the end where the sentence has no other place for it."""
    text = _SENTENCES.get(event["what"], event["what"])
    if event["reason"] and "{reason}" not in text:
        text += ": {reason}"
    return f"{event['function']}: {text.format(**event)}"


def _freed(size: int) -> int:
    print(f"freed {_readable(size)}")
    return 0


def _verify(store: Store) -> int:
    bad = 0
    total = 0
    for path in sorted(store.paths()):
        total += 1
        if store.get(path.parent.parent.name, path.stem) is None:
            bad += 1
            print(f"damaged, dropped: {path}")
    print(f"{total - bad} of {total} entries are whole")
    return 1 if bad else 0
