"""What every API type is made of: the common superclass, the scalars, and the notes on fields.

A field's default means *absent*. What Kubernetes writes even when empty has a `default_factory` instead, which msgspec
never leaves out. Everything else there is to know about a field — its protobuf number, how lists and maps merge — is
one `At` in its annotation; `steersman.api.schema` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Part(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
):
    """The superclass of every API type. Unknown fields are refused in C; `codec` then names or drops them."""


class Time(str):
    """A point in time to the second: RFC 3339 in UTC, such as `2026-11-18T06:59:47Z`."""

    __slots__ = ()


class MicroTime(str):
    """A point in time to the microsecond: RFC 3339 in UTC with six digits."""

    __slots__ = ()


class Quantity(str):
    """An amount with a suffix, such as `500m` or `1Gi`, in Kubernetes' canonical form."""

    __slots__ = ()


Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
IntOrString = Int32 | str
Json = msgspec.Raw
"""Any JSON, kept as the bytes it came in: opaque to us, and not worth taking apart."""

NO_JSON: Json = msgspec.Raw()

_Item = TypeVar("_Item")
Some = Annotated[tuple[_Item, ...], msgspec.Meta(min_length=1)]
"""A list with something in it, for fields of `Some[X] | None` that are written as `null` when there is nothing.

Kubernetes' store knows no difference between an empty list and none, so `[]` comes back as `null` there; here `codec`
reads it as None.
"""


def null() -> None:
    """The default of a field that is written as `null` when absent."""
    return


def empty() -> tuple[()]:
    """The default of a list that no valid object leaves empty, or that the server itself fills in."""
    return ()


def zero() -> Quantity:
    return Quantity("0")


def json_null() -> Json:
    return msgspec.Raw(b"null")


@dataclass(frozen=True, slots=True)
class At:
    """Notes on one field. `number` is the protobuf field; a tuple leads through messages that JSON has inlined.

    `required` None: required if and only if the field is written when empty, other than as `null` or a struct.
    """

    number: int | tuple[int, ...]
    required: bool | None = None
    default: Any = None
    patch: str = ""
    merge_key: str = ""
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    map_type: str = ""


def atomic(number: int | tuple[int, ...], *, merge: str = "", required: bool | None = None) -> At:
    """A list that server-side apply replaces whole (strategic merge may still merge it by a key)."""
    patch = "merge" if merge else ""
    return At(number, required, patch=patch, merge_key=merge, list_type="atomic")


def unique(number: int | tuple[int, ...], *, patch: str = "", required: bool | None = None) -> At:
    """A list of scalars that is a set."""
    return At(number, required, patch=patch, list_type="set")


def keyed(number: int | tuple[int, ...], *keys: str, patch: str = "merge", required: bool | None = None) -> At:
    """A list that is a map: items are told apart by `keys`; strategic merge looks at the first of them."""
    merge_key = keys[0] if patch else ""
    return At(number, required, patch=patch, merge_key=merge_key, list_type="map", list_keys=keys)


_Struct = TypeVar("_Struct", bound=type[Part])
_atomic_structs: set[type[Part]] = set()


def whole(struct: _Struct) -> _Struct:
    """Class decorator: server-side apply takes the struct as one value (map type `atomic`)."""
    _atomic_structs.add(struct)
    return struct


def is_whole(struct: type[Part]) -> bool:
    return struct in _atomic_structs
