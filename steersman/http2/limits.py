"""What one connection may take of us."""

from __future__ import annotations

from dataclasses import dataclass

from steersman.http2.settings import DEFAULT_WINDOW


@dataclass(frozen=True, slots=True)
class Limits:
    max_streams: int = 1_000
    max_header_bytes: int = 64 * 1024
    stream_window: int = DEFAULT_WINDOW
    connection_window: int = 4 * 1024 * 1024
    max_lent_bytes: int = 64 * 1024 * 1024
    preface_seconds: float = 10.0
    keepalive_seconds: float = 10.0
    keepalive_timeout_seconds: float = 5.0
