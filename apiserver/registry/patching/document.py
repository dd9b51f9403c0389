"""What documents and patches are made of: JSON as plain Python values, and the few questions all patches ask of it.

Nothing here, and nothing in this package, changes a value that it was given. Results share what did not change with
the document and the patch they came from, so whoever wants to change a result must copy it first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from apiserver.registry.patching import refusals

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"

# Far above any real object, and far enough below the interpreter's own limit that merging (three frames a level) and
# encoding the result afterwards both fit in what a busy call stack leaves.
MAX_DEPTH = 200


def check_depth(value: Json, *, above: int = 0) -> None:
    """BadRequest for a value that, with `above` levels over it, is nested deeper than MAX_DEPTH.

    Walks level by level, so no depth can hurt it.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1 - above):
        level = [child for container in level for child in _children(container)]
        if not level:
            return
    raise refusals.too_deep()


def same(left: Json, right: Json) -> bool:
    """Deep equality that tells 1 from 1.0 and from true, which Python's own does not."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def copy_of(value: Json) -> Json:
    """A copy that shares no container with `value`."""
    if isinstance(value, dict):
        return {key: copy_of(child) for key, child in value.items()}
    if isinstance(value, list):
        return [copy_of(child) for child in value]
    return value


def without_nulls(value: Json) -> Json:
    """`value` with every null-valued key left out, at every depth. Nulls that are list elements stay."""
    if isinstance(value, dict):
        return {key: without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [without_nulls(child) for child in value]
    return value


def _children(value: Json) -> Iterator[Json]:
    """Only containers can hold a further level."""
    inner: Iterator[Json] = iter(())
    if isinstance(value, dict):
        inner = iter(value.values())
    elif isinstance(value, list):
        inner = iter(value)
    return (child for child in inner if isinstance(child, dict | list))
