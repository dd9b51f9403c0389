"""Kubernetes' protobuf bodies to Structs: the four bytes `k8s\\0`, a `runtime.Unknown`, in it the object.

The field numbers are those in the Structs' annotations; how to read each Struct is worked out once, when it is first
met. A plain field's zero means absent, because it is always on the wire; a pointer's zero is meant. Unknown fields are
passed over, as protobuf has it, so there is nothing that strict field validation could complain about. Of a field that
says one thing twice the last one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from steersman.api import codec, kinds, protowire, schema
from steersman.api.errors import BadRequest, quoted
from steersman.api.part import Part
from steersman.api.protowire import FIXED64, LENGTH, VARINT, Malformed
from steersman.api.schema import Field, Form, Shape

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\0"
DEEPEST = 100
"""Messages inside messages; no sensible object comes near."""
MOST_MESSAGES = 250_000
"""Messages in one body: an empty one has two bytes on the wire and hundreds in memory."""

T = TypeVar("T", bound=Part)
Values = dict[str, Any]


def decode(struct: type[T], data: bytes) -> T:
    """What a user sent. BadRequest, in Kubernetes' words, when it cannot be read as a `struct`."""
    try:
        claimed, raw = _open(data)
    except Malformed as err:
        raise BadRequest(codec.unrecognized(struct, data, str(err))) from err
    _check_claim(struct, *claimed)
    values: Values = {}
    try:
        _Reading(raw).message(_takes(struct), 0, len(raw), values)
    except (Malformed, RecursionError) as err:
        raise BadRequest(codec.cannot_be_handled(struct, str(err))) from err
    if "api_version" in struct.__struct_fields__:
        values["api_version"], values["kind"] = claimed
    return struct(**values)


def type_of(data: bytes) -> tuple[str, str]:
    """The apiVersion and kind that a body claims, empty where it does not say. Never refuses: `decode` will."""
    try:
        return _open(data)[0]
    except Malformed:
        return "", ""


def _open(data: bytes) -> tuple[tuple[str, str], bytes]:
    """((apiVersion, kind), the object's own message)."""
    if not data:
        raise Malformed("empty data")
    if not data.startswith(MAGIC):
        expected = " ".join(map(str, MAGIC))
        raise Malformed(f"provided data does not appear to be a protobuf message, expected prefix [{expected}]")
    api_version = kind = ""
    raw = b""
    for tag, start, stop in protowire.scan(data, len(MAGIC), len(data)):
        if tag == _tag(1, LENGTH):
            words = [protowire.last_chunk(data, start, stop, number) for number in (1, 2)]
            api_version, kind = (protowire.text(data, *word) if word else "" for word in words)
        elif tag == _tag(2, LENGTH):
            raw = data[start:stop]
    return (api_version, kind), raw


def _check_claim(struct: type[Part], api_version: str, kind: str) -> None:
    """Read as another kind the numbers would make nonsense, so say so before. Options come in any group's version."""
    name, _ = kinds.name_and_version(struct)
    if kind not in ("", name):
        claimed = api_version.rpartition("/")[2]
        why = f"the body is a {kind}"
        raise BadRequest(f'{kind} in version "{claimed}" cannot be handled as a {name}: {why}')
    expected = kinds.of_struct(struct)
    if expected is not None and api_version not in ("", expected.api_version):
        raise BadRequest(
            f"the API version in the data ({api_version}) does not match the expected API version "
            f"({expected.api_version})"
        )


class _Reading:
    """One body being read: how deep we are and how much there has been."""

    __slots__ = ("_depth", "_messages", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._depth = 0
        self._messages = 0

    def message(self, takes: _Takes, at: int, stop: int, values: Values) -> None:
        """Read the message between two positions into `values`."""
        self._depth += 1
        self._messages += 1
        if self._depth > DEEPEST or self._messages > MOST_MESSAGES:
            raise Malformed("proto: message nested too deeply" if self._depth > DEEPEST else "proto: too many messages")
        known = takes.by_tag
        for tag, first, last in protowire.scan(self.data, at, stop):
            take = known.get(tag)
            if take is not None:
                take(self, values, first, last)
            elif tag >> 3 in takes.names:
                raise protowire.wrong_wire_type(tag, takes.names[tag >> 3])
        for attribute in takes.lists:
            if attribute in values:
                values[attribute] = tuple(values[attribute])
        self._depth -= 1

    def struct(self, struct: type[Part], at: int, stop: int) -> Part:
        values: Values = {}
        self.message(_takes(struct), at, stop, values)
        return struct(**values)


Take = Callable[[_Reading, Values, int, int], None]
"""Takes one occurrence of a field into the values: (reading, values, number or start, stop)."""
Read = Callable[[_Reading, int, int], Any]
"""Makes a value of what stands between two positions."""


class _Takes:
    """How to read one message: what to do at each tag, and which values are gathered as lists."""

    __slots__ = ("by_tag", "lists", "names")

    def __init__(self, by_path: Mapping[tuple[int, ...], Field]) -> None:
        self.by_tag: dict[int, Take] = {}
        self.names: dict[int, str] = {}
        self.lists: list[str] = []
        inlined: dict[int, dict[tuple[int, ...], Field]] = {}
        for (number, *rest), field in by_path.items():
            if rest:
                inlined.setdefault(number, {})[tuple(rest)] = field
                continue
            self.names[number] = field.name
            if field.shape.form is Form.LIST:
                self.lists.append(field.attribute)
            for wire, take in _field(field).items():
                self.by_tag[_tag(number, wire)] = take
        for number, fields in inlined.items():
            inner = _Takes(fields)
            self.names[number] = next(iter(fields.values())).name
            self.by_tag[_tag(number, LENGTH)] = _inlined(inner)
            self.lists += inner.lists
            inner.lists = []  # complete only when the outer message is


@cache
def _takes(struct: type[Part]) -> _Takes:
    return _Takes({field.number: field for field in schema.fields(struct).values() if field.number})


def _tag(number: int, wire: int) -> int:
    return number << 3 | wire


def _inlined(inner: _Takes) -> Take:
    """A message that JSON does not know: its fields are the outer struct's."""
    return lambda reading, values, at, stop: reading.message(inner, at, stop, values)


def _field(field: Field) -> dict[int, Take]:
    """By wire type, what takes an occurrence of the field."""
    shape, attribute = field.shape, field.attribute
    if shape.form is Form.LIST and shape.item is not None:
        return _list(shape.item, attribute)
    if shape.form is Form.MAP and shape.item is not None:
        return {LENGTH: _map(shape.item, attribute)}
    if shape.form in _NUMBERS:
        return {VARINT: _number(_NUMBERS[shape.form], attribute, keep_zero=field.pointer)}
    if shape.form is Form.STRING:
        return {LENGTH: _text(attribute, keep_empty=field.pointer)}
    read = _value(shape)

    def take(reading: _Reading, values: Values, at: int, stop: int) -> None:
        values[attribute] = read(reading, at, stop)

    return {FIXED64 if shape.form is Form.DOUBLE else LENGTH: take}


_NUMBERS: dict[Form, Callable[[int], int]] = {Form.INT32: protowire.int32, Form.INT64: protowire.int64, Form.BOOL: bool}


def _number(convert: Callable[[int], int], attribute: str, *, keep_zero: bool) -> Take:
    def take(_: _Reading, values: Values, number: int, __: int) -> None:
        if number or keep_zero:
            values[attribute] = convert(number)

    return take


def _text(attribute: str, *, keep_empty: bool) -> Take:
    def take(reading: _Reading, values: Values, at: int, stop: int) -> None:
        if at < stop or keep_empty:
            values[attribute] = protowire.text(reading.data, at, stop)

    return take


def _list(item: Shape, attribute: str) -> dict[int, Take]:
    """Lists of numbers come one by one or packed into one field."""
    if convert := _NUMBERS.get(item.form):

        def one(_: _Reading, values: Values, number: int, __: int) -> None:
            values.setdefault(attribute, []).append(convert(number))

        def packed(reading: _Reading, values: Values, at: int, stop: int) -> None:
            numbers = values.setdefault(attribute, [])
            while at < stop:
                number, at = protowire.varint(reading.data, at, stop)
                numbers.append(convert(number))

        return {VARINT: one, LENGTH: packed}
    read = _value(item)

    def take(reading: _Reading, values: Values, at: int, stop: int) -> None:
        values.setdefault(attribute, []).append(read(reading, at, stop))

    return {LENGTH: take}


def _map(item: Shape, attribute: str) -> Take:
    """A map is a list of small messages: 1 is the key, 2 the value."""
    read = _value(item)

    def take(reading: _Reading, values: Values, at: int, stop: int) -> None:
        data, key, where = reading.data, "", (stop, stop)
        for tag, first, last in protowire.scan(data, at, stop):
            if tag == _tag(1, LENGTH):
                key = protowire.text(data, first, last)
            elif tag == _tag(2, LENGTH):
                where = (first, last)
            elif tag >> 3 in (1, 2):
                raise protowire.wrong_wire_type(tag, attribute)
        if (value := read(reading, *where)) is None:
            raise Malformed(f"proto: no value for {quoted(key)} in {attribute}")
        values.setdefault(attribute, {})[key] = value

    return take


_SCALARS: dict[Form, Callable[[bytes, int, int], Any]] = {
    Form.STRING: protowire.text,
    Form.BYTES: lambda data, at, stop: data[at:stop],
    Form.DOUBLE: protowire.double,
    Form.TIME: protowire.time,
    Form.MICRO_TIME: protowire.micro_time,
    Form.QUANTITY: protowire.quantity_of,
    Form.INT_OR_STRING: protowire.int_or_string,
    Form.JSON: protowire.json,
}


def _value(shape: Shape) -> Read:
    """How to read a value that is length-delimited (or a double)."""
    if scalar := _SCALARS.get(shape.form):
        return lambda reading, at, stop: scalar(reading.data, at, stop)
    if shape.form is Form.CHOICE:
        return _choice(shape)
    if shape.struct is not None:
        struct = shape.struct
        return lambda reading, at, stop: reading.struct(struct, at, stop)
    if shape.form is Form.LIST and shape.item is not None:
        return _wrapped_list(shape.item)
    raise TypeError(f"no way to read {shape}")


def _wrapped_list(item: Shape) -> Read:
    """A list as the value of a map: protobuf needs a message around it."""
    take = _list(item, "items")[LENGTH]

    def read(reading: _Reading, at: int, stop: int) -> tuple[Any, ...]:
        values: Values = {}
        for tag, first, last in protowire.scan(reading.data, at, stop):
            if tag == _tag(1, LENGTH):
                take(reading, values, first, last)
        return tuple(values.get("items", ()))

    return read


def _choice(shape: Shape) -> Read:
    """A schema or something simpler: `{allows, schema}` with a flag, `{schema, list}` with a list.

    A list that has anything in it beats the schema, a schema beats the flag, and nothing at all is nothing.
    """
    by_form = {each.form: each for each in shape.choices}
    schema_read = _value(by_form[Form.STRUCT])
    flagged = Form.BOOL in by_form
    schema_tag = _tag(2 if flagged else 1, LENGTH)
    items: dict[int, Take] = {}
    if (listed := by_form.get(Form.LIST)) is not None and listed.item is not None:
        items = {_tag(2, LENGTH): _list(listed.item, "items")[LENGTH]}

    def read(reading: _Reading, at: int, stop: int) -> Any:
        values: Values = {"allows": False} if flagged else {}
        for tag, first, last in protowire.scan(reading.data, at, stop):
            if tag == schema_tag:
                values["schema"] = schema_read(reading, first, last)
            elif tag in items:
                items[tag](reading, values, first, last)
            elif tag == _tag(1, VARINT):
                values["allows"] = bool(first)
        if values.get("items"):
            return tuple(values["items"])
        return values.get("schema", values.get("allows"))

    return read
