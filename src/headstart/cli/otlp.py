"""Sends OTLP over HTTP as JSON, configured by the standard's own environment variables."""

from __future__ import annotations

import os


def endpoint(signal: str) -> str | None:
    """Where traces or metrics go; None when nobody asked for them."""
    own = os.environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
    if own:
        return own  # used as it is, says the standard
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    return f"{base.rstrip('/')}/v1/{signal}" if base else None


def headers(signal: str) -> dict[str, str]:
    from urllib.parse import unquote

    found = {"Content-Type": "application/json"}
    for name in ("OTEL_EXPORTER_OTLP_HEADERS", f"OTEL_EXPORTER_OTLP_{signal.upper()}_HEADERS"):
        for pair in os.environ.get(name, "").split(","):
            key, equals, value = pair.partition("=")
            if equals:
                found[key.strip()] = unquote(value.strip())
    return found


def send(signal: str, body: bytes) -> str | None:
    """Post it; returns what went wrong, or None."""
    url = endpoint(signal)
    if url is None:
        return None
    if not url.startswith(("http://", "https://")):
        return f"{url} is no http address"
    import urllib.request

    request = urllib.request.Request(url, data=body, headers=headers(signal), method="POST")
    try:
        seconds = float(os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT", "10000")) / 1000
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            answer.read()
    except (OSError, ValueError) as error:
        return str(error)
    return None
