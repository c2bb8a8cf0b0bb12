"""What all hooks of one process share: the store, the options, the state of the libraries, and what was done."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from . import folder as folders
from . import ledger as says
from . import libraries, xla
from .ledger import Event, Ledger
from .options import CacheOptions
from .store import Store

_LIBRARIES = "libraries"


class Engine:
    """Made once, when the caches are switched on."""

    def __init__(self, options: CacheOptions) -> None:
        self.options = options
        self.ledger = Ledger()
        self.program = sys.argv[0] if sys.argv else ""
        self.on = True
        self.process = os.getpid()
        self.libraries = libraries.shared()
        #: Whether this run traces for real what it replays: asked for, or one of so many. Not Python's generator:
        #: what the program draws from it must not depend on us.
        one_in = options.verify_one_in
        self.verifying = options.verify or (one_in > 0 and int.from_bytes(os.urandom(4), "big") % one_in == 0)
        self._xla_folder: Path | None = None
        try:
            root = folders.open_folder(options.folder or folders.default_folder())
            self.store = Store(root, max_bytes=options.max_bytes)
        except folders.RefusedFolder as problem:
            self.switch_off(str(problem))

    def switch_off(self, reason: str) -> None:
        """From here on everything is as without headstart."""
        self.on = False
        self.ledger.off = reason

    def failed(self, doing: str, problem: Exception) -> None:
        """A defect of ours. The user's program goes on as if we were not there; a test stops."""
        self.ledger.add(Event(says.FAILED, doing, "", f"{type(problem).__name__}: {problem}"))
        if self.options.strict:
            raise problem

    def xla_folder(self) -> Path | None:
        """Where TensorFlow keeps compiled programs in this process, if it was told to."""
        if self._xla_folder is None and self.options.xla_folder:
            self._xla_folder = xla.own_folder(self.options.xla_folder)
        return self._xla_folder

    def keep_libraries(self, digests: dict[str, str]) -> str:
        """Stores the state of the libraries once; entries refer to it."""
        text = json.dumps(digests, sort_keys=True).encode()
        key = hashlib.sha256(text).hexdigest()
        if not self.store.path(_LIBRARIES, key).exists():
            self.store.put(_LIBRARIES, key, {}, {"digests": text})
        return key

    def libraries_differ(self, key: str, now: dict[str, str]) -> str | None:
        """Why the libraries are not as they were when an entry was made, or ``None``.

        Only modules that were loaded then and are loaded now are compared: one that is loaded at another time
        cannot have changed what the others do without changing them.
        """
        if hashlib.sha256(json.dumps(now, sort_keys=True).encode()).hexdigest() == key:
            return None
        stored = self.store.get(_LIBRARIES, key)
        if stored is None:
            return "the state of the libraries that it was traced with is not on record"
        then = json.loads(stored.sections["digests"])
        for name, digest in then.items():
            if now.get(name, digest) != digest:
                return f"the library module {name} has been changed by the program"
        return None
