"""What `headstart lint` prints: for people, for programs, for code scanning and for pull requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from .._version import __version__
from .engine import Hit


def text(hits: Sequence[Hit]) -> str:
    """path:line:column: code slug: message, then the line."""
    parts = []
    for hit in hits:
        problem = hit.problem
        mark = {"safe": " [--fix]", "unsafe": " [--fix --unsafe-fixes]"}.get(hit.fix or "", "")
        parts.append(
            f"{hit.path}:{problem.line}:{problem.column}: {hit.rule.code} {hit.rule.slug}: "
            f"{problem.message}{mark}\n"
            f"    {hit.text.strip()}\n"
        )
    return "".join(parts)


def as_json(hits: Sequence[Hit]) -> str:
    items = [
        {
            "rule": hit.rule.code,
            "slug": hit.rule.slug,
            "file": hit.path,
            "line": hit.problem.line,
            "column": hit.problem.column,
            "message": hit.problem.message,
            "fix": hit.fix,
        }
        for hit in hits
    ]
    return (
        msgspec.json.format(
            msgspec.json.encode({"schema": 1, "headstart": __version__, "problems": items})
        ).decode()
        + "\n"
    )


def sarif(hits: Sequence[Hit]) -> str:
    """SARIF 2.1.0, which code hosts show beside the line."""
    rules = sorted({hit.rule.code: hit.rule for hit in hits}.values(), key=lambda rule: rule.code)
    index = {rule.code: i for i, rule in enumerate(rules)}
    driver: dict[str, Any] = {
        "name": "headstart",
        "version": __version__,
        "rules": [
            {
                "id": rule.code,
                "name": rule.slug,
                "shortDescription": {"text": rule.summary},
                "help": {"text": rule.sections()["Use instead"]},
            }
            for rule in rules
        ],
    }
    results = [
        {
            "ruleId": hit.rule.code,
            "ruleIndex": index[hit.rule.code],
            "level": "warning",
            "message": {"text": hit.problem.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(hit.path)},
                        "region": {"startLine": hit.problem.line, "startColumn": hit.problem.column},
                    }
                }
            ],
        }
        for hit in hits
    ]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"


def github(hits: Sequence[Hit]) -> str:
    """Workflow commands: GitHub shows them at the line of a pull request."""
    return "".join(
        f"::warning file={_property(hit.path)},line={hit.problem.line},col={hit.problem.column},"
        f"title={_property(f'{hit.rule.code} {hit.rule.slug}')}::{_data(hit.problem.message)}\n"
        for hit in hits
    )


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(os.path.relpath(path).replace(os.sep, "/"))


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


FORMATS: dict[str, Callable[[Sequence[Hit]], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
