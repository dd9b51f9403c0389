"""A Struct as a definition: its fields with their types, how they merge, what they may be, and what they mean. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from apiserver.openapi import names, wellknown
from apiserver.openapi.dialects import Dialect, Schema
from apiserver.openapi.names import Gvk
from steersman.api import choices, descriptions, schema
from steersman.api.meta import DeleteOptions, ManagedFieldsEntry
from steersman.api.part import Part
from steersman.api.schema import Field, Form, Shape

NONE: Mapping[str, Schema] = {}
GVK = "x-kubernetes-group-version-kind"

_SCALARS: dict[Form, Schema] = {
    Form.STRING: {"type": "string"},
    Form.INT32: {"type": "integer", "format": "int32"},
    Form.INT64: {"type": "integer", "format": "int64"},
    Form.DOUBLE: {"type": "number", "format": "double"},
    Form.BOOL: {"type": "boolean"},
    Form.BYTES: {"type": "string", "format": "byte"},
}
_ZEROS: dict[Form, Any] = {Form.STRING: "", Form.INT32: 0, Form.INT64: 0, Form.DOUBLE: 0, Form.BOOL: False}
_NAMED = {
    Form.TIME: names.TIME,
    Form.MICRO_TIME: names.MICRO_TIME,
    Form.QUANTITY: names.QUANTITY,
    Form.INT_OR_STRING: names.INT_OR_STRING,
}


class Definitions:
    """The definitions in one dialect, each worked out when it is first asked for."""

    def __init__(self, dialect: Dialect, further: Mapping[str, Schema] = NONE) -> None:
        """`further` are definitions from elsewhere, by name."""
        self.dialect = dialect
        self._known = {**wellknown.definitions(dialect), **further}
        self._uses: dict[str, frozenset[str]] = {}

    def reaching(self, roots: Iterable[type[Part] | str]) -> dict[str, Schema]:
        """The definitions of these Structs (or with these names) and of all that they use, in order of their names."""
        waiting = [self.add(root) if isinstance(root, type) else root for root in roots]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._used_by(name)
        return {name: self._known[name] for name in sorted(found)}

    def add(self, struct: type[Part]) -> str:
        """The name of a Struct's definition, which is among the known from now on."""
        name = names.of_struct(struct)
        if name not in self._known:
            self._known[name] = {}  # a type may contain itself
            self._known[name] = self._definition(struct)
        return name

    def add_list(self, struct: type[Part]) -> str:
        """The same for the list of a kind."""
        item, name = self.add(struct), names.list_of(names.of_struct(struct))
        if name not in self._known:
            gvk = names.gvk_of(struct)
            self._known[name] = wellknown.list_definition(self.dialect, item, gvk, self.add(wellknown.LIST_META))
        return name

    def _used_by(self, name: str) -> frozenset[str]:
        if name not in self._uses:
            self._uses[name] = frozenset(map(self.dialect.referred, _references(self._known[name])))
        return self._uses[name]

    def _definition(self, struct: type[Part]) -> Schema:
        fields = sorted(schema.fields(struct).values(), key=lambda field: field.name)
        required = sorted(field.name for field in fields if field.required)
        gvk = names.gvk_of(struct) if struct is not DeleteOptions else None  # whose kinds depend on the document
        return {
            **_present(description=descriptions.of_struct(struct)),
            "type": "object",
            **_present(properties={field.name: self._property(struct, field) for field in fields}),
            **_present(required=required),
            **_present(**{"x-kubernetes-map-type": schema.map_type(struct)}),
            **({GVK: [gvk_members(gvk)]} if gvk is not None else {}),
        }

    def _property(self, struct: type[Part], field: Field) -> Schema:
        notes = {
            **_present(description=descriptions.of_field(struct, field.name)),
            **self._default(field),
            **_merging(field),
        }
        allowed = choices.of_field(struct, field.name)
        return self._written(field.shape, struct, notes, allowed)

    def _default(self, field: Field) -> Schema:
        if field.default is not None:
            return {"default": field.default}
        if not self.dialect.zero_defaults or field.pointer:
            return {}
        if field.shape.form is Form.STRUCT:
            return {"default": {}}
        return {"default": _ZEROS[field.shape.form]} if field.written and field.shape.form in _ZEROS else {}

    def _written(self, shape: Shape, owner: type[Part], notes: Schema, allowed: tuple[str, ...] = ()) -> Schema:
        """A value of this shape. What it may be is said of the scalars, also of those in a list or a map."""
        if shape.form in _SCALARS:
            return {**notes, **_SCALARS[shape.form], **_present(enum=list(allowed))}
        if shape.form is Form.LIST:
            return {**notes, "type": "array", "items": self._item(shape, owner, allowed)}
        if shape.form is Form.MAP:
            return {**notes, "type": "object", "additionalProperties": self._item(shape, owner, allowed)}
        return self.dialect.reference(self._name_of(shape, owner), notes)

    def _item(self, shape: Shape, owner: type[Part], allowed: tuple[str, ...]) -> Schema:
        assert shape.item is not None
        return self._written(shape.item, owner, {}, allowed)

    def _name_of(self, shape: Shape, owner: type[Part]) -> str:
        if shape.form in _NAMED:
            return _NAMED[shape.form]
        if shape.form is Form.STRUCT:
            assert shape.struct is not None
            return self.add(shape.struct)
        if shape.form is Form.CHOICE:
            return f"{names.EXTENSIONS}.JSONSchemaPropsOr{_alternative(shape)}"
        if owner is ManagedFieldsEntry:
            return names.FIELDS
        return f"{names.EXTENSIONS}.JSON" if names.package_of(owner) == names.EXTENSIONS else names.RAW_EXTENSION


def gvk_members(gvk: Gvk) -> dict[str, str]:
    return dict(zip(("group", "version", "kind"), gvk, strict=True))


def _alternative(shape: Shape) -> str:
    """What may stand for a schema: many of them, a yes or no, names."""
    other = next(choice for choice in shape.choices if choice.form is not Form.STRUCT)
    if other.form is Form.BOOL:
        return "Bool"
    return "StringArray" if other.item is not None and other.item.form is Form.STRING else "Array"


def _merging(field: Field) -> Schema:
    return _present(
        **{
            "x-kubernetes-patch-strategy": ",".join(sorted(field.patch)),
            "x-kubernetes-patch-merge-key": field.merge_key,
            "x-kubernetes-list-type": field.list_type,
            "x-kubernetes-list-map-keys": list(field.list_keys),
            "x-kubernetes-map-type": field.map_type,
        }
    )


def _references(part: Any) -> Iterator[Schema]:
    """Every plain reference inside."""
    if isinstance(part, dict):
        if "$ref" in part and isinstance(part["$ref"], str):
            yield part
        for inner in part.values():
            yield from _references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _references(inner)


def _present(**members: Any) -> Schema:
    return {name: value for name, value in members.items() if value}
