"""SETTINGS: what a peer asks of us, checked, and what we ask of it (RFC 9113, section 6.5). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from struct import Struct

from steersman.http2 import frames
from steersman.http2.faults import Code, ConnectionFault

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS = 0x1, 0x2, 0x3
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = 0x4, 0x5, 0x6

DEFAULT_WINDOW = 65_535
MAX_WINDOW = 2**31 - 1
_MAX_FRAME_SIZE_RANGE = range(2**14, 2**24)
_ENTRY = Struct(">HL")


@dataclass(frozen=True, slots=True)
class PeerSettings:
    """Those of a peer's settings that change what we may send."""

    initial_window: int = DEFAULT_WINDOW
    max_frame_size: int = frames.MAX_PAYLOAD
    max_concurrent_streams: int = 2**32 - 1


def applied(settings: PeerSettings, payload: bytes) -> PeerSettings:
    """The settings after those of a SETTINGS payload, in their order. Unknown ones mean nothing."""
    if len(payload) % _ENTRY.size:
        raise ConnectionFault(Code.FRAME_SIZE_ERROR, f"SETTINGS of {len(payload)} bytes")
    for name, value in _ENTRY.iter_unpack(payload):
        if name == ENABLE_PUSH and value > 1:
            raise ConnectionFault(Code.PROTOCOL_ERROR, f"ENABLE_PUSH of {value}")
        if name == INITIAL_WINDOW_SIZE:
            if value > MAX_WINDOW:
                raise ConnectionFault(Code.FLOW_CONTROL_ERROR, f"INITIAL_WINDOW_SIZE of {value}")
            settings = replace(settings, initial_window=value)
        elif name == MAX_FRAME_SIZE:
            if value not in _MAX_FRAME_SIZE_RANGE:
                raise ConnectionFault(Code.PROTOCOL_ERROR, f"MAX_FRAME_SIZE of {value}")
            settings = replace(settings, max_frame_size=value)
        elif name == MAX_CONCURRENT_STREAMS:
            settings = replace(settings, max_concurrent_streams=value)
    return settings


def frame(settings: Mapping[int, int]) -> bytes:
    payload = b"".join(_ENTRY.pack(name, value) for name, value in settings.items())
    return frames.frame(frames.SETTINGS, 0, 0, payload)


ACKNOWLEDGED = frames.frame(frames.SETTINGS, frames.ACK, 0)
