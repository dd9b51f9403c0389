"""Client-side apply: the patch that takes an object from what was applied last to what is applied now. Pure.

What the author says now is sent as it stands, and the server merges it; what the author said last and says no longer is
taken away. What others have set, and the author never mentioned, is left alone. Lists merge by key where the kind's
Struct says so, and are replaced where it does not.
"""

from __future__ import annotations

from typing import Any

import msgspec

from steersman.api import schema
from steersman.api.part import Part
from steersman.api.schema import Field, Form, Shape

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Document = dict[str, Any]


def annotated(document: Document) -> Document:
    """With itself beside it, as kubectl writes it: how the next apply knows what this one said."""
    metadata = document["metadata"]
    kept = {key: value for key, value in (metadata.get("annotations") or {}).items() if key != LAST_APPLIED}
    bare = {**document, "metadata": {**metadata, "annotations": kept}}
    said = msgspec.json.encode(bare, order="sorted").decode() + "\n"
    return {**document, "metadata": {**metadata, "annotations": {**kept, LAST_APPLIED: said}}}


def last_applied(live: Document) -> Document:
    """What the last apply said; empty if nobody has applied the object."""
    said = (live.get("metadata", {}).get("annotations") or {}).get(LAST_APPLIED)
    try:
        found = msgspec.json.decode(said) if said else {}
    except msgspec.MsgspecError:
        return {}
    return found if isinstance(found, dict) else {}


def patch(struct: type[Part], last: Document, now: Document) -> Document:
    """A strategic merge patch."""
    return _of_object(Shape(Form.STRUCT, struct=struct), last, now)


def _of_object(shape: Shape, last: Document, now: Document) -> Document:
    made: Document = {key: None for key in last if key not in now}
    for key, value in now.items():
        field = _field(shape, key)
        made[key] = _of_value(field.shape if field else _item(shape), field, last.get(key), value)
    return made


def _of_value(shape: Shape | None, field: Field | None, last: Any, now: Any) -> Any:
    if isinstance(now, dict):
        return _of_object(shape or _ANYTHING, last if isinstance(last, dict) else {}, now)
    if isinstance(now, list) and field is not None and "merge" in field.patch:
        return _of_list(shape, field, last if isinstance(last, list) else [], now)
    return now


def _of_list(shape: Shape | None, field: Field, last: list[Any], now: list[Any]) -> list[Any]:
    """Keyed lists merge item by item; items that are gone are named, to be deleted."""
    key = field.merge_key
    if not key or not all(isinstance(item, dict) for item in (*last, *now)):
        return now
    before = {item.get(key): item for item in last}
    kept = {item.get(key) for item in now}
    item_shape = (shape.item if shape is not None else None) or _ANYTHING
    made = [_of_object(item_shape, before.get(item.get(key), {}), item) for item in now]
    gone = [{"$patch": "delete", key: name} for name in before if name not in kept]
    return [*made, *gone]


_ANYTHING = Shape(Form.JSON)


def _field(shape: Shape, name: str) -> Field | None:
    return schema.fields(shape.struct).get(name) if shape.struct is not None else None


def _item(shape: Shape) -> Shape | None:
    return shape.item if shape.form is Form.MAP else None
