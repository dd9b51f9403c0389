"""Addresses that follow from others. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit

JAEGER_PORT = 16686


def jaeger(otlp: str) -> str:
    """Where Jaeger shows what is sent to this collector, unless it was set up otherwise."""
    host = urlsplit(otlp if "//" in otlp else f"//{otlp}").hostname or "127.0.0.1"
    return f"http://{host}:{JAEGER_PORT}"
