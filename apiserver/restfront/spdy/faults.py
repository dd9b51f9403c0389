"""What can be wrong with what the other end sends."""

from __future__ import annotations

from enum import IntEnum


class Malformed(Exception):
    """It does not speak the protocol: the connection cannot go on."""


class StreamGone(Exception):
    """The stream is over, or the whole connection."""


class Why(IntEnum):
    """The reason given for the end of a stream."""

    PROTOCOL_ERROR = 1
    INVALID_STREAM = 2
    REFUSED_STREAM = 3
    UNSUPPORTED_VERSION = 4
    CANCEL = 5
    INTERNAL_ERROR = 6
    FLOW_CONTROL_ERROR = 7
    STREAM_IN_USE = 8
    STREAM_ALREADY_CLOSED = 9
