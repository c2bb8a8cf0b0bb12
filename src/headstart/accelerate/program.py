"""What to run."""

from __future__ import annotations

import os
import stat


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


def program_of(kind: str, what: str, words: list[str]) -> Program:
    """What `python` makes of these words: a "script" that is a folder or a zip file is an "archive"."""
    return Program("archive" if kind == "script" and is_archive(what) else kind, what, words)


def is_archive(path: str) -> bool:
    """Whether the interpreter looks for `__main__` inside. It reads every script to its end to find out; most are told
    apart by less."""
    try:
        facts = os.stat(path)
        if stat.S_ISDIR(facts.st_mode):
            return True
        if not stat.S_ISREG(facts.st_mode):
            return False  # what is read from a pipe is gone
        with open(path, "rb", 0) as handle:
            handle.seek(max(facts.st_size - 65557, 0))
            if b"PK\x05\x06" not in handle.read():
                return False
    except OSError:
        return False
    import zipimport

    try:
        zipimport.zipimporter(path)
    except ImportError:
        return False
    return True
