"""From a client's selectors to what the watch cache needs: a test on items, and the narrowest bucket to wait in."""

from __future__ import annotations

from apiserver.registry.requests import Selection, Target
from apiserver.watchcache.collection import INDEXED_FIELD
from apiserver.watchcache.items import Item, Matches
from apiserver.watchcache.subscription import Bucket
from steersman.api import selectors


def matcher(target: Target, wanted: Selection) -> Matches | None:
    """Whether an item of this kind is wanted; None when the namespace alone decides. BadRequest for a bad selector.

    The name on the target, if any, counts like the field selector `metadata.name`.
    """
    labels = selectors.parse_labels(wanted.label_selector).predicate() if wanted.label_selector else None
    by_field = selectors.parse_fields(wanted.field_selector, target.kind) if wanted.field_selector else None
    namespace, name = target.namespace, target.name
    if labels is None and by_field is None and not name:
        return None
    if labels is not None and by_field is None and not name:
        # Asked of every object of a list, and the answer is mostly no.
        return lambda item: labels(item.labels) and (not namespace or item.namespace == namespace)

    def matches(item: Item) -> bool:
        if namespace and item.namespace != namespace:
            return False
        if name and item.name != name:
            return False
        if labels is not None and not labels(item.labels):
            return False
        return by_field is None or by_field.matches(_fields_of(item))

    return matches


def bucket(target: Target, wanted: Selection) -> Bucket:
    name = target.name
    node: str | None = None
    if wanted.field_selector:
        by_field = selectors.parse_fields(wanted.field_selector, target.kind)
        name = name or by_field.exact("metadata.name") or ""
        node = by_field.exact(INDEXED_FIELD)
    if name:
        return Bucket("name", name)
    if node is not None:
        return Bucket(INDEXED_FIELD, node)
    return Bucket("namespace", target.namespace) if target.namespace else Bucket()


def _fields_of(item: Item) -> dict[str, str]:
    return {**item.fields, "metadata.name": item.name, "metadata.namespace": item.namespace}
