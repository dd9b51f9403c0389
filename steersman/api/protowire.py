"""Protobuf's wire format, read by hand: tags, varints and the few messages that stand for one value.

Nothing here knows a type. Positions run over one buffer that is never copied, so reading costs time in proportion to
its length however it is nested. What cannot be read is Malformed, in the words that Kubernetes' own decoder has for it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from steersman.api import quantity, times
from steersman.api.errors import quoted
from steersman.api.part import Json, MicroTime, Quantity, Time

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5
_FIXED = {FIXED64: 8, FIXED32: 4}

_LONGEST_VARINT = 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GO_ZERO_SECONDS = -62135596800
"""The first second of year 1: what Go calls the zero time, and Kubernetes writes as `null`."""


class Malformed(ValueError):
    """The bytes are not what they should be."""


def scan(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of the message between two positions: (tag, value, 0) for numbers, (tag, start, stop) otherwise."""
    while at < end:
        tag = data[at]
        at += 1
        if tag >= 0x80:  # most numbers have one byte, and a call for each would double the time
            tag, at = varint(data, at - 1, end)
        if tag < 8:
            raise Malformed(f"proto: illegal tag 0 (wire type {tag})")
        wire = tag & 7
        if wire == LENGTH:
            length, at = varint(data, at, end)
            stop = at + length
        elif wire == VARINT:
            value, at = varint(data, at, end)
            yield tag, value, 0
            continue
        elif wire in _FIXED:
            stop = at + _FIXED[wire]
        else:
            raise Malformed(f"proto: illegal wireType {wire}")
        if stop > end:
            raise Malformed("unexpected EOF")
        yield tag, at, stop
        at = stop


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """An unsigned number of at most 64 bits, and the position behind it."""
    if at < end and (value := data[at]) < 0x80:
        return value, at + 1
    value = 0
    for shift, byte in enumerate(data[at : min(end, at + _LONGEST_VARINT)]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + shift + 1
    raise Malformed("proto: integer overflow" if end - at >= _LONGEST_VARINT else "unexpected EOF")


def int32(number: int) -> int:
    return ((number + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000


def int64(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def double(data: bytes, at: int, _: int) -> float:
    value: float = struct.unpack_from("<d", data, at)[0]
    if not math.isfinite(value):
        raise Malformed(f"json: unsupported value: {value}")
    return value


def text(data: bytes, at: int, stop: int) -> str:
    try:
        return data[at:stop].decode()
    except UnicodeDecodeError:
        raise Malformed("proto: string field contains invalid UTF-8") from None


def time(data: bytes, at: int, stop: int) -> Time | None:
    """To the second, because that is all that JSON can say; an empty message is no time at all."""
    moment = _moment(data, at, stop)
    return None if moment is None else times.from_datetime(moment)


def micro_time(data: bytes, at: int, stop: int) -> MicroTime | None:
    moment = _moment(data, at, stop)
    return None if moment is None else times.micro_from_datetime(moment)


def _moment(data: bytes, at: int, stop: int) -> datetime | None:
    if at == stop:
        return None
    found = _numbers(data, at, stop)
    seconds, nanos = int64(found.get(1, 0)), int32(found.get(2, 0))
    if seconds == _GO_ZERO_SECONDS and not nanos:
        return None
    try:
        return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError:
        raise Malformed("Time.MarshalJSON: year outside of range [0,9999]") from None


def _numbers(data: bytes, at: int, stop: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for tag, value, _ in scan(data, at, stop):
        if tag & 7 != VARINT:
            raise wrong_wire_type(tag, str(tag >> 3))
        found[tag >> 3] = value
    return found


def quantity_of(data: bytes, at: int, stop: int) -> Quantity:
    written = last_chunk(data, at, stop, 1)
    try:
        return quantity.canonical(text(data, *written)) if written else Quantity("0")
    except Malformed:
        raise
    except ValueError as err:
        raise Malformed(str(err)) from None


def int_or_string(data: bytes, at: int, stop: int) -> int | str:
    number, word, is_text = 0, "", False
    for tag, first, last in scan(data, at, stop):
        match tag:
            case 0x08:
                is_text = int64(first) == 1
            case 0x10:
                number = int32(first)
            case 0x1A:
                word = text(data, first, last)
    return word if is_text else number


def json(data: bytes, at: int, stop: int) -> Json:
    """Any JSON, which arrives as bytes and is checked: it will stand in the middle of ours."""
    raw = last_chunk(data, at, stop, 1)
    if raw is None or raw[0] == raw[1]:
        return msgspec.Raw(b"null")
    document = data[raw[0] : raw[1]]
    try:
        msgspec.json.decode(document)
        return msgspec.Raw(msgspec.json.format(document, indent=-1))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as err:
        raise Malformed(f"invalid JSON in a raw extension: {err}") from None


def last_chunk(data: bytes, at: int, stop: int, number: int) -> tuple[int, int] | None:
    """Where the last length-delimited field of this number lies."""
    wanted, found = number << 3 | LENGTH, None
    for tag, first, last in scan(data, at, stop):
        if tag == wanted:
            found = (first, last)
        elif tag >> 3 == number:
            raise wrong_wire_type(tag, str(number))
    return found


def wrong_wire_type(tag: int, name: str) -> Malformed:
    return Malformed(f"proto: wrong wireType = {tag & 7} for field {quoted(name)[1:-1]}")
