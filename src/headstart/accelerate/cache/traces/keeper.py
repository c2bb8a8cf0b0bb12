"""After a trace: what it was and what it did, put into the store, or a reason why not."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import variants
from ..engine import Engine
from ..entry import Entry
from ..fingerprint import Walk
from ..key import Key
from ..watch import Seen
from . import inner, keep, prelude, subjects
from .subject import State, Subject


class Kept(NamedTuple):
    """A trace that is in the store now."""

    key: Key
    entry: Entry
    walk: Walk
    """Over the state after the trace."""
    seconds: float


class Keeper:
    """Made when a trace has just ended; ``walk`` is what could be reached before it."""

    def __init__(self, engine: Engine, subject: Subject, walk: Walk, seen: Seen, seconds: float) -> None:
        self._engine, self._subject = engine, subject
        self._walk, self._seen, self._seconds = walk, seen, seconds
        #: What the trace loaded lazily is part of the libraries' state from here on.
        self._digests, self._foreign = engine.libraries.digests()

    def keep(
        self, key: Key | None, marks: list[Any], concrete: Any, added: list[tuple[inner.Holder, list[Any]]]
    ) -> Kept | None:
        """The trace itself. ``key`` is ``None`` where it built something: then it is kept for the state after it."""
        walk = self._subject.walk(self._foreign)
        allowed: frozenset[str] = frozenset()
        if key is None:
            key, allowed = key_of(self._subject, walk), prelude.CREATING
            # Where it will be looked up, all is built, and the names that this took are given out.
            self._seen.names = {kind: [now, now] for kind, (_, now) in self._seen.names.items()}
        elif not State(self._walk).is_that_of(walk, but_for_leftovers=True):
            raise keep.NotKept(f"its trace changes what it reads ({difference(self._walk, walk)})")
        changed = keep.marks_set(self._walk, marks, walk)
        own = keep.entry(concrete, walk, changed, self._seen, mark_of(key), allowed)
        rows, sections = inner.describe(added, walk, mark_of(key))
        entry = Entry({**own.header, "inner": rows}, {**own.sections, **sections})
        if not self._put(keep.KIND, key, entry):
            return None
        subjects.remember(self._engine.store, self._engine.program, self._subject, key, walk)
        return Kept(key, entry, walk, self._seconds)

    def keep_prelude(
        self, key: Key, marks: list[Any], candidates: list[Any], hidden: Walk, masked: frozenset[int],
        builds: prelude.Builds,
    ) -> None:  # fmt: skip
        """What it built. ``hidden`` is what could be reached before, without what might be built."""
        keep.refuse_seen(self._seen, prelude.CREATING)
        changed = keep.marks_set(self._walk, marks, self._walk)
        besides = self._subject.walk(self._foreign, masked)
        if not State(hidden).is_that_of(besides):
            raise keep.NotKept(f"its trace changes what it reads ({difference(hidden, besides)})")
        header = {
            "effects": prelude.record(self._walk, candidates, builds),
            "marks": changed,
            "after": self._subject.walk(self._foreign).digest(),
            "creates": bool(self._subject.function._created_variables),
        }
        self._put(prelude.KIND, key, Entry(header, {}))

    def _put(self, kind: str, key: Key, entry: Entry) -> bool:
        file, name = self._subject.place()
        guards = {**keep.guards(self._seen), "libraries": self._engine.keep_libraries(self._digests)}
        about = {
            **entry.header,
            "trace_seconds": self._seconds,
            "function": name,
            "file": file,
            "program": self._engine.program,
            "of": key.hex(),
            "labels": key.as_json(),
        }
        return variants.put(self._engine.store, kind, key.hex(), guards, about, dict(entry.sections))


def key_of(subject: Subject, walk: Walk) -> Key:
    return subject.key(walk, inner.state(subject.function, walk))


def mark_of(key: Key) -> str:
    """What the names of its functions carry."""
    return f"hs{key.hex()[:16]}"


def difference(before: Walk, after: Walk) -> str:
    """The path of the first object that is not as it was."""
    old: dict[str, set[str]] = {}
    for path, digest in before.table():
        old.setdefault(path, set()).add(digest)
    for path, digest in after.table():
        if digest not in old.get(path, ()):
            return path
    return "its structure"
