"""What can be wrong with what a peer sends, and the codes that it is told (RFC 9113, section 7)."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    NO_ERROR = 0x0
    PROTOCOL_ERROR = 0x1
    INTERNAL_ERROR = 0x2
    FLOW_CONTROL_ERROR = 0x3
    SETTINGS_TIMEOUT = 0x4
    STREAM_CLOSED = 0x5
    FRAME_SIZE_ERROR = 0x6
    REFUSED_STREAM = 0x7
    CANCEL = 0x8
    COMPRESSION_ERROR = 0x9
    CONNECT_ERROR = 0xA
    ENHANCE_YOUR_CALM = 0xB
    INADEQUATE_SECURITY = 0xC
    HTTP_1_1_REQUIRED = 0xD


class ConnectionFault(Exception):
    """The connection cannot go on: it ends with GOAWAY and this code."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class StreamFault(Exception):
    """One stream cannot go on: it ends with RST_STREAM and this code, and its neighbours notice nothing."""

    def __init__(self, stream_id: int, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.stream_id = stream_id
        self.code = code
        self.reason = reason


class Malformed(Exception):
    """A header list against the rules of HTTP. Which stream it came on, the caller knows."""
