"""Structs to Kubernetes' protobuf bodies, as its own encoder writes them: what the decoder is tested with.

Plain fields are always written, zero or not; pointers only when they are set.
"""

from __future__ import annotations

import struct as packing
from typing import Any

from steersman.api import schema, times
from steersman.api.part import Part
from steersman.api.schema import Field, Form, Shape

NUMBERS = (Form.INT32, Form.INT64, Form.BOOL)
PLAIN_TIMES = ("creationTimestamp",)
"""Times that are no pointers although JSON leaves them out when there is none: nothing in a Struct tells them apart."""

NEWER = ("runningInUserNamespace",)
"""Plain fields that the recorded server did not know yet."""


def body(value: Any, *, packed: bool = False) -> bytes:
    """`k8s\\0` and a runtime.Unknown around the object."""
    type_meta = chunk(1, value.api_version.encode()) + chunk(2, value.kind.encode())
    return envelope(type_meta, message(value, packed=packed))


def envelope(type_meta: bytes, raw: bytes) -> bytes:
    return b"k8s\0" + chunk(1, type_meta) + chunk(2, raw) + chunk(3, b"") + chunk(4, b"")


def message(value: Part, *, packed: bool = False) -> bytes:
    by_path = {field.number: field for field in schema.fields(type(value)).values() if field.number}
    return _message(value, by_path, packed)


def _message(value: Part, by_path: dict[tuple[int, ...], Field], packed: bool) -> bytes:
    pieces: list[tuple[int, bytes]] = []
    inlined: dict[int, dict[tuple[int, ...], Field]] = {}
    for (number, *rest), field in by_path.items():
        if rest:
            inlined.setdefault(number, {})[tuple(rest)] = field
        else:
            pieces.append((number, _field(number, field, getattr(value, field.attribute), packed)))
    pieces += [(number, chunk(number, _message(value, fields, packed))) for number, fields in inlined.items()]
    return b"".join(piece for _, piece in sorted(pieces))


def _field(number: int, field: Field, value: Any, packed: bool) -> bytes:
    form, item = field.shape.form, field.shape.item
    if form is Form.LIST and item is not None:
        if packed and item.form in NUMBERS and value:
            return chunk(number, b"".join(varint(each) for each in value))
        return b"".join(_value(number, item, each, packed) for each in value or ())
    if form is Form.MAP and item is not None:
        entries = (chunk(1, key.encode()) + _value(2, item, each, packed) for key, each in sorted(value.items()))
        return b"".join(chunk(number, entry) for entry in entries)
    if form in (Form.TIME, Form.MICRO_TIME) and value is None:
        return chunk(number, b"") if field.written or field.name in PLAIN_TIMES else b""
    if value is None or (form is Form.JSON and not bytes(value)) or (field.name in NEWER and not value):
        return b""
    return _value(number, field.shape, value, packed)


def _value(number: int, shape: Shape, value: Any, packed: bool) -> bytes:
    if shape.form in NUMBERS:
        return varint(number << 3) + varint(value)
    if shape.form is Form.DOUBLE:
        return varint(number << 3 | 1) + packing.pack("<d", value)
    return chunk(number, _content(shape, value, packed))


def _content(shape: Shape, value: Any, packed: bool) -> bytes:
    match shape.form:
        case Form.STRING:
            return bytes(value.encode())
        case Form.BYTES:
            return bytes(value)
        case Form.TIME | Form.MICRO_TIME:
            moment = times.to_datetime(value)
            return _number(1, int(moment.timestamp() // 1)) + _number(2, moment.microsecond * 1000)
        case Form.QUANTITY:
            return chunk(1, value.encode())
        case Form.INT_OR_STRING if isinstance(value, str):
            return _number(1, 1) + _number(2, 0) + chunk(3, value.encode())
        case Form.INT_OR_STRING:
            return _number(1, 0) + _number(2, value) + chunk(3, b"")
        case Form.JSON:
            return chunk(1, bytes(value))
        case Form.STRUCT:
            return message(value, packed=packed)
        case Form.LIST:
            return b"".join(chunk(1, each.encode()) for each in value)
        case Form.CHOICE:
            return _choice(shape, value, packed)
    raise TypeError(f"no way to write {shape}")


def _choice(shape: Shape, value: Any, packed: bool) -> bytes:
    flagged = any(each.form is Form.BOOL for each in shape.choices)
    if isinstance(value, bool):
        return _number(1, value)
    if isinstance(value, tuple):
        return b"".join(chunk(2, each.encode() if isinstance(each, str) else message(each)) for each in value)
    return (_number(1, 1) + chunk(2, message(value))) if flagged else chunk(1, message(value))


def _number(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def chunk(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
