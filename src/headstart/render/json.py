"""The report as JSON: the product's contract, schema 1."""

from __future__ import annotations

from typing import Any

import msgspec

from ..analyse.report import Report


def render(report: Report) -> bytes:
    """Indented UTF-8 JSON that ends with a newline."""
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:
        # A path that is not UTF-8 came in with surrogates; JSON cannot carry them.
        data = msgspec.json.encode(sound(msgspec.to_builtins(report)))
    return msgspec.json.format(data, indent=2) + b"\n"


def parse(data: bytes) -> Report:
    """The report that `render` wrote. Raises `ValueError` with a reason."""
    try:
        report = msgspec.json.decode(data, type=Report)
    except msgspec.DecodeError as error:
        raise ValueError(f"not a headstart report: {error}") from None
    if report.schema != 1:
        raise ValueError(f"schema {report.schema}, this headstart reads schema 1")
    return report


def sound(value: Any) -> Any:
    """The same value without lone surrogates, which JSON cannot carry."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {sound(key): sound(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [sound(item) for item in value]
    return value
