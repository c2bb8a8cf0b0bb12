"""What to run."""

from __future__ import annotations


class Program:
    """A program as `python` is told to run it. The kind is "script", "archive" (a folder or zip file with a
    `__main__`), "module" or "code"; the words are those after `python`, as they were given."""

    __slots__ = ("kind", "what", "words")

    def __init__(self, kind: str, what: str, words: list[str]) -> None:
        self.kind = kind
        self.what = what
        self.words = words

    @property
    def arguments(self) -> list[str]:
        """The program's own. `-mNAME` may be one word or two."""
        flagged = self.kind in ("module", "code") and len(self.words[0]) == 2
        return self.words[2:] if flagged else self.words[1:]
