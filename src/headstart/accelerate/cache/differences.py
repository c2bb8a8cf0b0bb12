"""Why is this state another one than that: two walks, as text, compared place by place."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_SEPARATOR = "\x1f"
_MAX_TEXT = 64 << 20


def pack(tokens: list[str]) -> bytes:
    """A walk's tokens for the store."""
    return zlib.compress(_SEPARATOR.join(tokens).encode("utf-8", "surrogatepass"), 1)


def unpack(data: bytes) -> list[str]:
    """They come back from disk, so they may not unpack to more than is sane."""
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, _MAX_TEXT)
    if unpacker.unconsumed_tail:
        raise ValueError("a walk of unbelievable size")
    return text.decode("utf-8", "surrogatepass").split(_SEPARATOR)


def places(tokens: list[str]) -> dict[str, str]:
    """What was found at each place: path of the owner and name of the value, against the value itself."""
    found: dict[str, str] = {}
    paths: dict[str, str] = {}
    owner, label = "", ""
    for token in tokens:
        mark = token[:1]
        if mark == "@":
            owner, label = paths.get("#" + token[1:], "?"), ""
        elif token.startswith("root "):
            owner, label = "", token[5:]
        elif token.startswith("late "):
            number, dot, name = token[5:].partition(".")
            owner, label = paths.get("#" + number, "?"), dot + name
        elif mark == "#" and token[1:].isdigit():
            paths.setdefault(token, owner + label)
            label = ""
        elif _is_value(token):
            found[_free(found, owner + label)] = token[1:]
            label = ""
        else:
            if label:
                found[_free(found, owner)] = label
            label = token
    return found


def _is_value(token: str) -> bool:
    """Small values are written as a letter for the type and their ``repr``; see ``Walk._token``."""
    kind, text = token[:1], token[1:]
    if token in ("None", "Ellipsis", "NotImplemented"):
        return True
    if kind == "s":
        return text[:1] in "'\""
    if kind == "y":
        return text[:2] in ("b'", 'b"')
    if kind == "b":
        return text in ("True", "False")
    return kind in "ifc" and (text[:1].isdigit() or text[:1] in "-(" or text in ("nan", "inf"))


def _free(found: dict[str, str], place: str) -> str:
    name, number = place, 2
    while name in found:
        name, number = f"{place} ({number})", number + 1
    return name


def explain(before: list[str], after: list[str]) -> Iterator[str]:
    """Sentences, the most telling first: values that changed, then what is new and what is gone."""
    old, new = places(before), places(after)
    for place, value in new.items():
        if place in old and old[place] != value:
            if value.startswith("function ") and old[place].startswith("function "):
                yield f"the code of {_readable(place)} has changed"
            elif not place.endswith(".built"):  # what is built is built ahead
                yield f"{_readable(place)} was {_short(old[place])}, is {_short(value)}"
    for place, value in new.items():
        if place not in old:
            yield f"{_readable(place)} is new: {_short(value)}"
    for place, value in old.items():
        if place not in new:
            yield f"{_readable(place)} is gone: {_short(value)}"


def _readable(place: str) -> str:
    return place.removeprefix(".python_function").replace("<func>", "").lstrip("./") or "the function"


def _short(value: str) -> str:
    return value if len(value) <= 80 else value[:77] + "…"
