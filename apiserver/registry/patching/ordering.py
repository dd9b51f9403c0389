"""In which order a merged list comes out. Pure.

The patch decides about what it names, the live list about the rest, and where an item of each kind has a place in the
live list, the two interleave as they did there. That is why an added item goes to the end, and why an item that someone
else added keeps its place.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from apiserver.registry.patching import refusals
from apiserver.registry.patching.document import Json


def identity(item: Json, merge_key: str) -> Hashable:
    """Who an item is: the value of its merge key, or, in a list of primitives (`merge_key` empty), the item itself."""
    if not merge_key:
        return comparable(item)
    if not isinstance(item, dict):
        raise refusals.wrong_type({}, item)
    if merge_key not in item:
        raise refusals.no_merge_key(item, merge_key)
    return comparable(item[merge_key])


def comparable(value: Json) -> Hashable:
    """A primitive together with its type: 80 and 80.0 are different ports, as they are in Kubernetes."""
    if isinstance(value, dict | list):
        raise refusals.wrong_type("", value)
    return type(value), value


def positions(items: Sequence[Json], merge_key: str) -> dict[Hashable, int]:
    """Where each identity first occurs."""
    places: dict[Hashable, int] = {}
    for place, item in enumerate(items):
        places.setdefault(identity(item, merge_key), place)
    return places


def unique(items: Sequence[Json]) -> list[Json]:
    """Primitives without repetition, the first of each kept."""
    return list({comparable(item): item for item in reversed(items)}.values())[::-1]


def arrange(merged: Sequence[Json], wanted: Sequence[Json], live: Sequence[Json], merge_key: str) -> list[Json]:
    """`merged` in its final order: `wanted` is the order that the patch asks for, `live` the list before it."""
    wanted_at, live_at = positions(wanted, merge_key), positions(live, merge_key)
    patched: list[tuple[int, Hashable, Json]] = []
    others: list[tuple[int, Hashable, Json]] = []
    for item in merged:
        who = identity(item, merge_key)
        if who in wanted_at:
            patched.append((wanted_at[who], who, item))
        else:
            others.append((live_at.get(who, -1), who, item))
    patched.sort(key=lambda entry: entry[0])
    others.sort(key=lambda entry: entry[0])
    return _interleave(others, patched, live_at)


def with_places_filled(live: Sequence[Json], merged: Sequence[Json], merge_key: str) -> list[Json]:
    """`live` as a measure for the order of `merged`: what left the list makes places at its end for what is new.

    Kubernetes' answers show this wherever a patch both deletes and adds, and `kubectl apply` shows them to the user.
    """
    before, after = positions(live, merge_key), positions(merged, merge_key)
    kept = [item for item in live if identity(item, merge_key) in after]
    new = [item for item in merged if identity(item, merge_key) not in before]
    return [*kept, *new][: len(live)]


def check_order(patch: Sequence[Json], order: list[Json], merge_key: str) -> None:
    """Refuse a patch whose items are not all in its own `$setElementOrder`, in the same sequence.

    Items with a directive take no place in the result, so they need none in the order.
    """
    items = [item for item in patch if not (isinstance(item, dict) and "$patch" in item)]
    if not order or not items:
        return
    pending = iter([identity(entry, merge_key) for entry in order])
    for item in items:
        who = identity(item, merge_key)
        if not any(entry == who for entry in pending):  # consumes `pending` up to the match
            raise refusals.order_mismatch(list(patch), order)


def _interleave(
    others: list[tuple[int, Hashable, Json]], patched: list[tuple[int, Hashable, Json]], live_at: dict[Hashable, int]
) -> list[Json]:
    """Both keep their own order; an item of `others` goes before the first patched one that follows it live."""
    result: list[Json] = []
    waiting = iter(others)
    other = next(waiting, None)
    for _, who, item in patched:
        while other is not None and who in live_at and 0 <= other[0] < live_at[who]:
            result.append(other[2])
            other = next(waiting, None)
        result.append(item)
    if other is not None:
        result.extend([other[2], *(item for _, _, item in waiting)])
    return result
