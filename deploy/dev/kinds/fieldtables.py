"""The fields of a kind as rows of a table, read off its Struct.

A type that one field alone has is written out in place; a type that several fields have, or that holds itself, or that
has rules of its own, gets a section of its own, and fields refer to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from deploy.dev.kinds.markdown import code
from steersman.api import kinds, schema
from steersman.api.part import Part
from steersman.api.schema import Field, Form, Shape

Link = Callable[[type[Part]], str]
"""How a page refers to a type."""

_NAMES: Mapping[Form, str] = {
    Form.INT_OR_STRING: "int32 or string",
    Form.MICRO_TIME: "time with microseconds",
    Form.JSON: "any JSON",
    Form.BYTES: "bytes in base64",
}


@dataclass(frozen=True, slots=True)
class Row:
    path: str
    type: str
    notes: str


def rows(struct: type[Part], apart: frozenset[type[Part]], link: Link, above: str = "") -> Iterator[Row]:
    """The fields of a Struct and of the types written out in place, depth first."""
    for field in schema.fields(struct).values():
        path = f"{above}{field.name}"
        yield Row(path, type_name(field.shape, apart, link), "; ".join(_notes(field)))
        inner = struct_of(field.shape)
        if inner is not None and inner not in apart:
            yield from rows(inner, apart, link, f"{path}{_brackets(field.shape)}.")


def types_apart(ruled: Iterable[type[Part]]) -> frozenset[type[Part]]:
    """The types that get a section of their own. `ruled`: those that have rules."""
    roots = {kind.struct for kind in kinds.ALL}
    used: Counter[type[Part]] = Counter()
    waiting: list[type[Part]] = sorted(roots, key=lambda struct: (struct.__module__, struct.__name__))
    seen = set(waiting)
    while waiting:
        for field in schema.fields(waiting.pop()).values():
            inner = struct_of(field.shape)
            if inner is None:
                continue
            used[inner] += 1
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return frozenset(struct for struct, times in used.items() if times > 1) | (frozenset(ruled) - roots)


def struct_of(shape: Shape) -> type[Part] | None:
    """The Struct at the bottom of lists and maps."""
    while shape.item is not None:
        shape = shape.item
    return shape.struct


def type_name(shape: Shape, apart: frozenset[type[Part]], link: Link) -> str:
    if shape.form is Form.LIST and shape.item is not None:
        return f"list of {type_name(shape.item, apart, link)}"
    if shape.form is Form.MAP and shape.item is not None:
        return f"map of {type_name(shape.item, apart, link)}"
    if shape.form is Form.CHOICE:
        return " or ".join(type_name(each, apart, link) for each in shape.choices)
    if shape.struct is not None:
        return link(shape.struct) if shape.struct in apart else shape.struct.__name__
    return _NAMES.get(shape.form, shape.form.value)


def _brackets(shape: Shape) -> str:
    match shape.form:
        case Form.LIST:
            return "[]"
        case Form.MAP:
            return "{}"
        case _:
            return ""


def _notes(field: Field) -> Iterator[str]:
    if field.required:
        yield "required"
    if field.written:
        yield "always written, `null` when empty" if field.null_when_empty else "always written"
    if field.pointer and field.shape.form is not Form.STRUCT:
        yield "pointer"
    if field.shape.form is Form.LIST and field.list_type:
        keys = f" by {', '.join(map(code, field.list_keys))}" if field.list_keys else ""
        yield f"list type {field.list_type}{keys}"
    if field.map_type:
        yield f"map type {field.map_type}"
    if field.patch:
        key = f" by {code(field.merge_key)}" if field.merge_key else ""
        yield f"patch {', '.join(sorted(field.patch))}{key}"
