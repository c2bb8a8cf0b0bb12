"""Comments that silence a rule: `# headstart: noqa[HS301]` on its line, `# headstart: skip-file` anywhere."""

from __future__ import annotations

import io
import re
import tokenize

_NOQA = re.compile(r"#\s*headstart:\s*noqa(?:\[([^\]]*)\])?", re.IGNORECASE)
_SKIP = re.compile(r"#\s*headstart:\s*skip-file\b", re.IGNORECASE)


class Suppressions:
    """What the comments of one file silence. Text inside strings is not a comment."""

    def __init__(self, text: str) -> None:
        self.whole_file = False
        self.lines: dict[int, frozenset[str] | None] = {}
        """Line → rule names in lower case, or None for every rule."""
        if "headstart:" not in text:
            return
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.COMMENT:
                continue
            if _SKIP.search(token.string):
                self.whole_file = True
            match = _NOQA.search(token.string)
            if match:
                names = match.group(1)
                rules = (
                    None
                    if names is None
                    else frozenset(n.strip().lower() for n in names.split(",") if n.strip())
                )
                self.lines[token.start[0]] = rules

    def silence(self, line: int, code: str, slug: str) -> bool:
        if self.whole_file:
            return True
        if line not in self.lines:
            return False
        rules = self.lines[line]
        return rules is None or code.lower() in rules or slug in rules
