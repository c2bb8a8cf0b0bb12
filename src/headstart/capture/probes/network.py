"""Waiting for the network in Python's own socket layer: names, connections, replies, TLS."""

from __future__ import annotations

from typing import Any

from ...record.signals import EXTERNAL
from ..bus import Bus
from ._tools import span_around


def install(bus: Bus, module: Any) -> None:
    if module.__name__ == "ssl":
        span_around(bus, module.SSLSocket, "do_handshake", EXTERNAL, describe=_what("tls"), when=bus.on_main)
        span_around(bus, module.SSLSocket, "read", EXTERNAL, describe=_what("read"), when=bus.on_main)
        return
    span_around(
        bus,
        module,
        "create_connection",
        EXTERNAL,
        describe=lambda address: {"what": "connect", "name": _address(address)},
        arguments=("address",),
        when=bus.on_main,
    )
    span_around(
        bus,
        module,
        "getaddrinfo",
        EXTERNAL,
        describe=lambda host: {"what": "dns", "name": str(host)},
        arguments=("host",),
        when=bus.on_main,
    )
    span_around(bus, module.SocketIO, "readinto", EXTERNAL, describe=_what("read"), when=bus.on_main)


def _what(what: str) -> Any:
    return lambda: {"what": what, "name": what}


def _address(address: Any) -> str:
    try:
        return f"{address[0]}:{address[1]}"
    except (TypeError, IndexError):
        return str(address)
