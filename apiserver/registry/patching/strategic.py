"""Strategic merge patch: a merge patch that knows, from the schema, which lists are maps in disguise.

* A list with a merge key merges item by item; a list of primitives that is marked so becomes a union; any other list is
  replaced. Only the one patch merge key counts, also where a list has several keys (ports: `containerPort`).
* `$patch: replace` or `delete` in a map, or in an item of a keyed list; `$retainKeys` drops the live keys not named;
  `$deleteFromPrimitiveList/<field>` takes values out; `$setElementOrder/<field>` fixes the order of a merged list.
* null deletes a key.

Answers are those of Kubernetes, its refusals included. Where it leaves the outcome to chance or in a mess, we do not:
what a patch brings whole enters without nulls, what is new enters without directives too, and deletions from a list of
primitives come after additions, always. A directive inside a list that the schema can only replace stays where it is,
so that strict decoding can name it.

The result shares what did not change with its inputs, which are never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from apiserver.registry.patching import ordering, refusals
from apiserver.registry.patching.document import Json, JsonObject, check_depth, without_nulls
from steersman.api.errors import BadRequest

_PATCH: Final = "$patch"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM: Final = "$deleteFromPrimitiveList"
_ORDER: Final = "$setElementOrder"


class Strategy(StrEnum):
    """What happens to a value that both the object and the patch have. A map without a strategy merges."""

    NONE = ""
    MERGE = "merge"
    REPLACE = "replace"


class Shape(Protocol):
    """The type of an object, as far as merging asks about it."""

    def field(self, name: str) -> Field:
        """Unmergeable when this type has no such field, or is no type with fields at all."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the shape of its value (of an element, if it is a list) and how patches treat it."""

    shape: Shape
    strategy: Strategy = Strategy.NONE
    merge_key: str = ""


@dataclass(frozen=True, slots=True)
class Opaque:
    """The shape of what has no declared fields: a map, a primitive, raw JSON. `kind` is Go's word for it."""

    kind: str

    def field(self, name: str) -> Field:
        raise refusals.not_a_struct(self.kind)


def apply(document: JsonObject, patch: Json, shape: Shape) -> JsonObject:
    """`document`, of type `shape`, with `patch` merged into it.

    BadRequest for a malformed patch, Invalid for lists of lists, Unmergeable for what the schema cannot place.
    """
    if patch is None:
        return document
    if not isinstance(patch, dict):
        raise BadRequest(refusals.cannot_decode(patch, "value of type map[string]interface {}"))
    check_depth(patch)
    return _merge_map(document, patch, shape)


def _merge_map(live: JsonObject, patch: JsonObject, shape: Shape) -> JsonObject:
    if _PATCH in patch:
        return _whole_map(patch)
    merged = _retained(live, patch)
    ordered = {_named_field(key, _ORDER): order for key, order in patch.items() if key.startswith(_ORDER)}
    for name, order in ordered.items():
        _merge_ordered(merged, name, order, patch, shape)
    for key, change in patch.items():
        if key not in ordered and not _is_directive(key):
            _merge_field(merged, key, change, shape)
    for key, gone in patch.items():
        if key.startswith(_DELETE_FROM):
            _delete_from(merged, _named_field(key, _DELETE_FROM), gone, shape)
    return merged


def _whole_map(patch: JsonObject) -> JsonObject:
    match patch[_PATCH]:
        case "replace":
            return {key: without_nulls(value) for key, value in patch.items() if key != _PATCH and value is not None}
        case "delete":
            return {}
        case directive:
            raise refusals.unknown_directive(directive, patch)


def _retained(live: JsonObject, patch: JsonObject) -> JsonObject:
    """A copy of `live`, without the keys that `$retainKeys` leaves out. Whatever the patch sets must be listed."""
    if _RETAIN_KEYS not in patch:
        return dict(live)
    keep = patch[_RETAIN_KEYS]
    if not isinstance(keep, list):
        raise refusals.bad_retain_keys()
    names = {name for name in keep if isinstance(name, str)}
    for key, value in patch.items():
        if value is not None and key not in names and not _is_directive(key):
            raise refusals.bad_retain_keys()
    return {key: value for key, value in live.items() if key in names}


def _merge_field(merged: JsonObject, key: str, change: Json, shape: Shape) -> None:
    if change is None:
        merged.pop(key, None)
        return
    match merged.get(key), change:
        case dict() as live, dict() as change:
            field = shape.field(key)
            whole = field.strategy is Strategy.REPLACE
            merged[key] = without_nulls(change) if whole else _merge_map(live, change, field.shape)
        case list() as live, list() as change:
            field = shape.field(key)
            whole = field.strategy is not Strategy.MERGE
            merged[key] = without_nulls(change) if whole else _merge_list(live, change, field)
        case _ if isinstance(change, dict) and _PATCH in change:
            merged.pop(key, None)
        case _:
            merged[key] = _settled(change)


def _merge_ordered(merged: JsonObject, name: str, order: Json, patch: JsonObject, shape: Shape) -> None:
    """A list whose order the patch fixes: merged first, then put in that order."""
    wanted = _as_list(order)
    live = _as_list(merged[name]) if name in merged else None
    change = _as_list(patch[name]) if name in patch else None
    field = shape.field(name)
    ordering.check_order(change or [], wanted, field.merge_key)
    if live is None and change is None:
        return
    if change is None:
        result = live or []
    elif live is None:
        result = _settled_items(change)
    elif field.strategy is Strategy.MERGE:
        result = _merge_list(live, change, field)
    else:
        result = change
    _element_type(live or [], change or [])
    reference = ordering.with_places_filled(live or [], result, field.merge_key)
    merged[name] = ordering.arrange(result, wanted, reference, field.merge_key)


def _delete_from(merged: JsonObject, name: str, gone: Json, shape: Shape) -> None:
    if gone is None:
        merged.pop(name, None)
        return
    live = merged.get(name)
    if not isinstance(live, list) or not isinstance(gone, list):
        return
    shape.field(name)
    if not live and not gone:
        return
    if _element_type(live, gone) is dict:
        raise refusals.bad_primitive_list()
    doomed = {ordering.comparable(item) for item in gone}
    merged[name] = [item for item in live if ordering.comparable(item) not in doomed]


def _merge_list(live: list[Json], patch: list[Json], field: Field) -> list[Json]:
    if not live and not patch:
        return live
    if _element_type(live, patch) is not dict:
        return ordering.arrange(ordering.unique([*live, *patch]), patch, live, field.merge_key)
    if not field.merge_key:
        raise refusals.no_declared_merge_key()
    kept, changes = _obey_items(live, patch, field.merge_key)
    merged, places = list(kept), ordering.positions(kept, field.merge_key)
    for change in changes:
        who = ordering.identity(change, field.merge_key)
        if who in places:
            current = merged[places[who]]
            merged[places[who]] = _merge_map(_as_map(current), change, field.shape)
        else:
            places[who] = len(merged)
            merged.append(_settled(change))
    return ordering.arrange(merged, changes, kept, field.merge_key)


def _obey_items(live: list[Json], patch: list[Json], merge_key: str) -> tuple[list[Json], list[JsonObject]]:
    """What remains of `live` after the items that are directives, and the items that are changes."""
    changes: list[JsonObject] = []
    doomed = set()
    replace = False
    for item in map(_as_map, patch):
        match item.get(_PATCH):
            case None if _PATCH not in item:
                changes.append(item)
            case "delete":
                doomed.add(ordering.identity(item, merge_key))
            case "replace":
                replace = True
            case "merge":
                raise refusals.merge_directive_in_list()
            case directive:
                raise refusals.unknown_directive(directive, item)
    if replace:
        return [without_nulls(change) for change in changes], []
    return [item for item in live if ordering.identity(item, merge_key) not in doomed], changes


def _settled(value: Json) -> Json:
    """`value` as it enters the object whole: without nulls, without directives and without what they were to delete."""
    if isinstance(value, dict):
        return {
            key: _settled(child)
            for key, child in value.items()
            if child is not None and not _is_directive(key) and not (isinstance(child, dict) and _PATCH in child)
        }
    return _settled_items(value) if isinstance(value, list) else value


def _settled_items(items: list[Json]) -> list[Json]:
    return [_settled(item) for item in items if not (isinstance(item, dict) and _PATCH in item)]


def _element_type(*lists: list[Json]) -> type:
    """The one type that all elements have."""
    types = {type(item) for items in lists for item in items}
    if list in types:
        raise refusals.lists_of_lists()
    if len(types) > 1:
        raise refusals.mixed_elements(*lists)
    if not types:
        raise refusals.no_elements()
    return types.pop()


def _is_directive(key: str) -> bool:
    return key in (_PATCH, _RETAIN_KEYS) or key.startswith((_DELETE_FROM, _ORDER))


def _named_field(key: str, directive: str) -> str:
    """`containers` from `$setElementOrder/containers`."""
    prefix, slash, name = key.partition("/")
    if prefix != directive or not slash:
        raise refusals.bad_element_order() if directive == _ORDER else refusals.bad_primitive_list()
    return name


def _as_map(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise refusals.wrong_type({}, value)
    return value


def _as_list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise refusals.wrong_type([], value)
    return value
