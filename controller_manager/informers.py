"""The informers that a replica keeps: one per kind, shared by all who read it, unfiltered, warm while it stands by.

Each reader says what it reads and by which indexes it looks things up (`Reads`); a kind that several read is followed
once and has all their indexes. All follow over the client's one stream of watches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from controller_manager import ownership
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.base.clock import Clock
from steersman.client import client
from steersman.client.cache import Index
from steersman.client.client import Client
from steersman.client.informer import Informer

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Reads:
    """One kind that a controller reads, and the indexes that it needs."""

    what: type[Object] | Kind
    indexes: Mapping[str, Index[Any]] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        return client.kind_of(self.what)


def children(what: type[Object] | Kind) -> Reads:
    """A kind whose objects are looked up by their controller."""
    return Reads(what, {ownership.BY_CONTROLLER: ownership.controller_index})


def union(reads: Iterable[Reads]) -> dict[Kind, dict[str, Index[Any]]]:
    """All indexes of each kind. ValueError if two readers mean different things by one name."""
    found: dict[Kind, dict[str, Index[Any]]] = {}
    for each in reads:
        indexes = found.setdefault(each.kind, {})
        for name, values_of in each.indexes.items():
            if indexes.setdefault(name, values_of) is not values_of:
                raise ValueError(f"two different indexes of {each.kind.resource} are called {name!r}")
    return found


class Informers:
    def __init__(self, api: Client, reads: Iterable[Reads], clock: Clock) -> None:
        self._informers: dict[Kind, Informer[Any]] = {
            kind: Informer(api.of(kind), indexes=indexes, clock=clock) for kind, indexes in union(reads).items()
        }

    @overload
    def of(self, what: type[T]) -> Informer[T]: ...

    @overload
    def of(self, what: Kind) -> Informer[Any]: ...

    def of(self, what: type[Any] | Kind) -> Informer[Any]:
        """KeyError for a kind that nobody has said to read."""
        return self._informers[client.kind_of(what)]

    async def run(self) -> None:
        """Follow every kind until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for informer in self._informers.values():
                tasks.create_task(informer.run())

    def unsynced(self) -> list[str]:
        """The resources that have not been listed yet."""
        return [kind.resource for kind, informer in self._informers.items() if not informer.synced.is_set()]

    async def reached(self, reads: Iterable[Reads], revision: Revision) -> None:
        """Return once everything up to `revision` is in the caches of what is read. Expired: not of this store."""
        async with asyncio.TaskGroup() as tasks:
            for kind in {each.kind for each in reads}:
                tasks.create_task(self._informers[kind].reached(revision))
