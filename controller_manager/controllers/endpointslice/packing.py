"""Into which slices the endpoints go, so that a change of a few rewrites few slices and few are half empty. Pure.

An endpoint stays in the slice where it is. Slices that must be written anyway are filled up with the new ones; what is
left goes into one unchanged slice if it fits there as a whole, and otherwise into new slices. Slices are never evened
out: a write to every node of the cluster costs more than a slice with room in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from steersman.api.discovery import Endpoint, EndpointPort, EndpointSlice

MAX_ENDPOINTS = 100

Identity = tuple[tuple[str, ...], str, str, str]
Ports = tuple[EndpointPort, ...]


def normal(ports: Ports | None) -> Ports:
    """Equal for the same ports in any order."""
    return tuple(sorted(ports or (), key=lambda port: (port.name or "", port.protocol or "", port.port or 0)))


def identity(endpoint: Endpoint) -> Identity:
    """What makes two endpoints the same one, changed or not."""
    target = endpoint.target_ref
    whose = ("", "") if target is None else (target.namespace, target.name)
    return (tuple(sorted(endpoint.addresses)), endpoint.hostname or "", *whose)


def by_identity(endpoints: Iterable[Endpoint]) -> dict[Identity, Endpoint]:
    return {identity(endpoint): endpoint for endpoint in endpoints}


@dataclass(frozen=True, slots=True)
class Packing:
    """`contents`: what each present slice, by its name, is to hold; nothing: it is not needed. `fresh`: new slices."""

    contents: Mapping[str, tuple[Endpoint, ...]]
    fresh: tuple[tuple[Endpoint, ...], ...]


def packed(
    present: Sequence[EndpointSlice], desired: Mapping[Identity, Endpoint], limit: int = MAX_ENDPOINTS
) -> Packing:
    """`present`: the slices of the same ports and address family."""
    waiting = dict(desired)
    contents: dict[str, list[Endpoint]] = {}
    for each in present:
        found = (waiting.pop(identity(endpoint), None) for endpoint in each.endpoints or ())
        contents[each.metadata.name] = [endpoint for endpoint in found if endpoint is not None]
    arrivals = list(waiting.values())
    _fill(_fullest_first(present, contents), arrivals, limit)
    fresh = _place_rest(present, contents, arrivals, limit)
    return Packing({name: tuple(held) for name, held in contents.items()}, tuple(map(tuple, fresh)))


def _fullest_first(present: Sequence[EndpointSlice], contents: Mapping[str, list[Endpoint]]) -> list[list[Endpoint]]:
    """The slices that are written anyway. One that is to be empty is not: it goes, unless it is used again."""
    changed = [held for each in present if (held := contents[each.metadata.name]) and tuple(held) != each.endpoints]
    return sorted(changed, key=len, reverse=True)


def _fill(slices: Iterable[list[Endpoint]], arrivals: list[Endpoint], limit: int) -> None:
    for held in slices:
        room = max(limit - len(held), 0)
        held += arrivals[:room]
        del arrivals[:room]


def _place_rest(
    present: Sequence[EndpointSlice], contents: Mapping[str, list[Endpoint]], arrivals: list[Endpoint], limit: int
) -> list[list[Endpoint]]:
    untouched = [held for each in present if (held := contents[each.metadata.name]) and tuple(held) == each.endpoints]
    fresh: list[list[Endpoint]] = []
    while arrivals:
        fitting = [held for held in untouched if len(held) + len(arrivals) <= limit]
        if fitting:
            target = max(fitting, key=len)
        else:
            target = []
            fresh.append(target)
        _fill([target], arrivals, limit)
    return fresh
