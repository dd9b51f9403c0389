"""The shape of an API type for strategic merge patches, read off its Struct through `steersman.api.schema`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from apiserver.registry.patching import refusals
from apiserver.registry.patching.strategic import Field, Opaque, Shape, Strategy
from steersman.api import schema
from steersman.api.part import Part

_NO_FIELDS = Opaque("map")


@dataclass(frozen=True, slots=True)
class StructShape:
    """Fields are worked out when first asked for, because types such as JSONSchemaProps contain themselves."""

    struct: type[Part]

    def field(self, name: str) -> Field:
        return _field(self.struct, name)


@cache
def shape_of(struct: type[Part]) -> Shape:
    return StructShape(struct)


def _field(struct: type[Part], name: str) -> Field:
    """Not cached for names that do not exist: those come from users, and there is no end of them."""
    if name not in schema.fields(struct):
        raise refusals.unknown_field(struct.__name__, name)
    return _known_field(struct, name)


@cache
def _known_field(struct: type[Part], name: str) -> Field:
    field = schema.fields(struct)[name]
    # `retainKeys` only asks clients to send the directive; applying it needs no permission from the schema.
    strategy = next((each for each in (Strategy.MERGE, Strategy.REPLACE) if each in field.patch), Strategy.NONE)
    return Field(_inside(field.shape), strategy, field.merge_key)


def _inside(shape: schema.Shape) -> Shape:
    while shape.form is schema.Form.LIST and shape.item is not None:
        shape = shape.item
    return shape_of(shape.struct) if shape.struct is not None else _NO_FIELDS
