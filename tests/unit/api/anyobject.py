"""Objects of any Struct, drawn at random within its shapes: complete but meaningless, in canonical form."""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

import msgspec

from steersman.api import schema
from steersman.api.part import MicroTime, Part, Quantity, Time
from steersman.api.schema import Field, Form, Shape

T = TypeVar("T", bound=Part)

TEXTS = ("", "a", "web-0", "ünï ✓", 'quote" \\ and\nline', "x" * 200)
QUANTITIES = ("0", "100m", "1Gi", "2", "1500Mi", "3k")
TIMES = ("1970-01-01T00:00:00Z", "2026-11-18T07:18:31Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z")
MICROS = ("2026-11-18T07:18:31.000001Z", "1970-01-01T00:00:00.000000Z", "2001-01-01T00:00:00.999999Z")
JSONS = (b"null", b"{}", b'{"a":[1,2.5,"x"]}', b'"text"', b"17", b"false")


def draw(struct: type[T], random: Random, *, depth: int = 0) -> T:
    """Deeper structs have fewer fields, so that recursive ones end."""
    values: dict[str, Any] = {}
    likely = (0.5, 0.5, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)[depth] if depth < 8 else 0.0
    for field in schema.fields(struct).values():
        if field.number and random.random() < likely:
            values[field.attribute] = _of_field(field, random, depth)
    return struct(**values)


def _of_field(field: Field, random: Random, depth: int) -> Any:
    if field.shape.form is Form.LIST and field.shape.item is not None:
        items = tuple(_value(field.shape.item, random, depth + 1) for _ in range(random.randrange(3)))
        return items or (None if field.null_when_empty else ())
    if field.shape.form is Form.MAP and field.shape.item is not None:
        return {
            key: _value(field.shape.item, random, depth + 1)
            for key in sorted(random.sample(TEXTS, random.randrange(3)))
        }
    return _value(field.shape, random, depth + 1)


def _value(shape: Shape, random: Random, depth: int) -> Any:
    match shape.form:
        case Form.STRING:
            return random.choice(TEXTS)
        case Form.BOOL:
            return random.random() < 0.5
        case Form.INT32:
            return random.choice((0, 1, -1, 80, 2**31 - 1, -(2**31)))
        case Form.INT64:
            return random.choice((0, 1, -1, 2**40, 2**63 - 1, -(2**63)))
        case Form.DOUBLE:
            return random.choice((0.5, -3.25, 1e9))
        case Form.BYTES:
            return random.choice((b"", b"\0\xff", b"bytes"))
        case Form.TIME:
            return Time(random.choice(TIMES))
        case Form.MICRO_TIME:
            return MicroTime(random.choice(MICROS))
        case Form.QUANTITY:
            return Quantity(random.choice(QUANTITIES))
        case Form.INT_OR_STRING:
            return random.choice((0, 8080, -1, "25%", "http"))
        case Form.JSON:
            return msgspec.Raw(random.choice(JSONS))
        case Form.LIST if shape.item is not None:
            return tuple(_value(shape.item, random, depth + 1) for _ in range(1 + random.randrange(2)))
        case Form.CHOICE:
            return _value(random.choice(shape.choices), random, depth)
    assert shape.struct is not None
    return draw(shape.struct, random, depth=depth)
