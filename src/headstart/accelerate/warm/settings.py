"""The limits that a server keeps to, from the environment that it is started in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

IDLE = "HEADSTART_WARM_IDLE_MINUTES"
MOST_SERVERS = "HEADSTART_WARM_SERVERS"
MOST_MEGABYTES = "HEADSTART_WARM_MEGABYTES"
PRELOAD = "HEADSTART_WARM_PRELOAD"
NAMES = (IDLE, MOST_SERVERS, MOST_MEGABYTES, PRELOAD, "HEADSTART_CACHE_DIR")


class Settings:
    """How long a server waits, how much it may take, how many there may be."""

    def __init__(self, environ: Mapping[str, str], terminal: str) -> None:
        self.idle_seconds = 60 * _number(environ, IDLE, 30.0)
        self.most_servers = int(_number(environ, MOST_SERVERS, 4))
        self.most_bytes = int(_number(environ, MOST_MEGABYTES, 2000)) << 20
        self.preload = environ.get(PRELOAD)
        self.terminal = terminal


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(environ[name])
    except (KeyError, ValueError):
        return default
    return value if value > 0 else default


def without_own(environ: MutableMapping[str, str]) -> None:
    """Take our own variables out of the server's environment: they must not reach its key."""
    for name in NAMES:
        if name in environ:
            del environ[name]
