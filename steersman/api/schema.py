"""What the Structs say about their fields, in one place: JSON name, shape, presence, merging, protobuf number.

Patching, OpenAPI, protobuf decoding and the diagnosis of bad input all read the Structs through here. Everything is
computed once per Struct, when it is first asked for.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from steersman.api.meta import ManagedFieldsEntry
from steersman.api.part import At, MicroTime, Part, Quantity, Time, is_whole


class Form(StrEnum):
    STRING = "string"
    INT32 = "int32"
    INT64 = "int64"
    DOUBLE = "double"
    BOOL = "bool"
    BYTES = "bytes"
    TIME = "time"
    MICRO_TIME = "micro-time"
    QUANTITY = "quantity"
    INT_OR_STRING = "int-or-string"
    JSON = "json"
    STRUCT = "struct"
    LIST = "list"
    MAP = "map"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a value. `item` belongs to lists and maps, `struct` to structs, `choices` to unions of shapes."""

    form: Form
    item: Shape | None = None
    struct: type[Part] | None = None
    choices: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a Struct.

    `pointer`: absence differs from the zero value. `written`: present in the output even when empty, a list perhaps as
    `null`: then an empty one counts as absent (`null_when_empty`). `number`: the protobuf field, led to through the
    numbers of inlined messages; empty where protobuf has none. `patch`: the words of the patch strategy (`merge`,
    `retainKeys`, `replace`).
    """

    name: str
    attribute: str
    shape: Shape
    pointer: bool
    written: bool
    required: bool
    null_when_empty: bool = False
    default: Any = None
    number: tuple[int, ...] = ()
    patch: frozenset[str] = field(default_factory=frozenset)
    merge_key: str = ""
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    map_type: str = ""


@cache
def fields(struct: type[Part]) -> Mapping[str, Field]:
    """The fields of a Struct by JSON name, in the order in which they are written."""
    hints = get_type_hints(struct, include_extras=True)
    described = (_field(info, hints[info.name]) for info in msgspec.structs.fields(struct))
    return types.MappingProxyType({each.name: each for each in described})


@cache
def find(struct: type[Part], path: tuple[str, ...]) -> Field | None:
    """The field at a path of JSON names; lists are looked into, a map's key counts as a name."""
    here: Shape | None = Shape(Form.STRUCT, struct=struct)
    found: Field | None = None
    for name in path:
        while here is not None and here.form is Form.LIST:
            here = here.item
        if here is None or here.form not in (Form.STRUCT, Form.MAP):
            return None
        if here.form is Form.MAP:
            here = here.item
            continue
        found = fields(here.struct).get(name) if here.struct is not None else None
        if found is None:
            return None
        here = found.shape
    return found


def map_type(struct: type[Part]) -> str:
    """`atomic` when server-side apply takes the struct as one value."""
    return "atomic" if is_whole(struct) else ""


@cache
def holds_json(struct: type[Part]) -> bool:
    """Whether somewhere in it there is any JSON, kept as it was written. (That of managed fields is the server's.)"""
    return any(_holds_json(field.shape, frozenset({struct})) for field in fields(struct).values())


def _holds_json(shape: Shape, above: frozenset[type[Part]]) -> bool:
    if shape.form is Form.JSON:
        return True
    if shape.item is not None:
        return _holds_json(shape.item, above)
    if shape.choices:
        return any(_holds_json(choice, above) for choice in shape.choices)
    if shape.struct is None or shape.struct in above or shape.struct is ManagedFieldsEntry:
        return False
    inside = above | {shape.struct}
    return any(_holds_json(field.shape, inside) for field in fields(shape.struct).values())


def _field(info: msgspec.structs.FieldInfo, hint: Any) -> Field:
    note = _note(hint) or At(())
    shape, pointer = _shape(hint)
    factory = info.default_factory
    # msgspec leaves an empty dict out even when a factory made it; every other factory's value it writes.
    written = factory is not msgspec.NODEFAULT and factory is not dict
    null_when_empty = pointer and shape.form is Form.LIST
    pointer = pointer and not null_when_empty
    required = note.required
    if required is None:
        required = written and not pointer and shape.form not in (Form.STRUCT, Form.TIME, Form.MICRO_TIME)
    return Field(
        name=info.encode_name,
        attribute=info.name,
        shape=shape,
        pointer=pointer,
        written=written,
        required=required,
        null_when_empty=null_when_empty,
        default=note.default,
        number=(note.number,) if isinstance(note.number, int) else note.number,
        patch=frozenset(note.patch.split(",")) - {""},
        merge_key=note.merge_key,
        list_type=note.list_type,
        list_keys=note.list_keys,
        map_type=note.map_type,
    )


def _note(hint: Any) -> At | None:
    if get_origin(hint) is not Annotated:
        return None
    return next((each for each in get_args(hint)[1:] if isinstance(each, At)), None)


_PLAIN: dict[Any, Form] = {
    str: Form.STRING,
    bool: Form.BOOL,
    float: Form.DOUBLE,
    bytes: Form.BYTES,
    Time: Form.TIME,
    MicroTime: Form.MICRO_TIME,
    Quantity: Form.QUANTITY,
    msgspec.Raw: Form.JSON,
}


def _shape(hint: Any) -> tuple[Shape, bool]:
    """The shape of a type, and whether it may be None."""
    bounds: msgspec.Meta | None = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        bounds = next((note for note in notes if isinstance(note, msgspec.Meta)), None)
    if hint is int:
        wide = bounds is None or bounds.le is None or bounds.le >= 2**31
        return Shape(Form.INT64 if wide else Form.INT32), False
    if hint in _PLAIN:
        return Shape(_PLAIN[hint]), False
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        return Shape(Form.LIST, item=_shape(arguments[0])[0]), False
    if origin is dict:
        return Shape(Form.MAP, item=_shape(arguments[1])[0]), False
    if isinstance(hint, type) and issubclass(hint, Part):
        return Shape(Form.STRUCT, struct=hint), False
    raise TypeError(f"no shape for {hint!r}")


def _union(arguments: tuple[Any, ...]) -> tuple[Shape, bool]:
    shapes = tuple(_shape(each)[0] for each in arguments if each is not type(None))
    nullable = len(shapes) < len(arguments)
    if len(shapes) == 1:
        return shapes[0], nullable
    if {shape.form for shape in shapes} == {Form.INT32, Form.STRING}:
        return Shape(Form.INT_OR_STRING), nullable
    return Shape(Form.CHOICE, choices=shapes), nullable
