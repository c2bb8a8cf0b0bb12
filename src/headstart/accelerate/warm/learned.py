"""What earlier runs in this environment have taught: which packages to import ahead, which to leave alone,
which environment variables they read, and which programs to run cold. One small text file an environment, a
word and a name a line.

Losing it costs speed, nothing else: whatever cannot be read or written is passed over.
"""

from __future__ import annotations

import os

from ...launch.places import cache_folder
from .. import notes
from ..packages import package_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MODULE, DROPPED, VARIABLE, COLD = "module", "dropped", "variable", "cold"
MOST_NAMES = 2000
_WORDS = (MODULE, DROPPED, VARIABLE, COLD)
# Worth nothing to others, or likely to be a secret: never handed to a server.
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "COOKIE", "SESSION")


# Of no use ahead of a program, or changed by what they are for.
_NOT_AHEAD = frozenset(
    ("headstart", "sitecustomize", "usercustomize", "runpy", "__main__", "pip", "setuptools")
)


class Learned:
    """The sets of names."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {word: set() for word in _WORDS}

    @property
    def modules(self) -> list[str]:
        """To import ahead; a dropped package takes its modules with it."""
        dropped = self.names[DROPPED]
        return sorted(name for name in self.names[MODULE] if name.partition(".")[0] not in dropped)


def secret(name: str) -> bool:
    """Whether a variable's name says that its value is nobody's business."""
    return any(part in name.upper() for part in _SECRET)


_folder = ""


def settle() -> None:
    """Stay with the folder that this process's environment names now, whatever becomes of the environment."""
    global _folder
    _folder = cache_folder()


def _path() -> str:
    return os.path.join(_folder or cache_folder(), "learned", notes.name())


def load() -> Learned:
    found = Learned()
    try:
        with open(_path(), encoding="utf-8", errors="replace") as handle:
            for line in handle.read(1 << 20).splitlines()[:MOST_NAMES]:
                word, _, name = line.partition(" ")
                if word in found.names and name.isprintable() and name:
                    found.names[word].add(name)
    except OSError:
        pass
    return found


def add(word: str, names: Iterable[str]) -> bool:
    """Remember these too; whether there was anything new to remember, and it could be written."""
    known = load()
    new = {name for name in names if name.isprintable() and " " not in name} - known.names[word]
    if not new or sum(map(len, known.names.values())) + len(new) > MOST_NAMES:
        return False
    known.names[word] |= new
    return notes.write(_path(), "".join(f"{w} {n}\n" for w in _WORDS for n in sorted(known.names[w])))


def installed(modules: dict[str, object]) -> list[str]:
    """Of these loaded modules, the installed ones."""
    folders = package_folders()
    found = []
    for name, module in modules.items():
        spec = getattr(module, "__spec__", None)
        origin = getattr(spec, "origin", None)
        if isinstance(origin, str) and origin.startswith(folders) and name == getattr(spec, "name", ""):
            found.append(name)
    return found


def learn(modules: dict[str, object], exactly: bool) -> None:
    """Remember, when a program has ended, what it has imported: `exactly` these modules, or their packages."""
    names = installed(modules)
    if not exactly:
        names = list({name.partition(".")[0] for name in names})
    names = [name for name in names if name.partition(".")[0] not in _NOT_AHEAD]
    if names:
        add(MODULE, names)
