"""Who belongs to whom: all objects of all kinds that are followed, and the way from an owner to its dependents.

The objects stay in their informers' caches; kept here is only what finds them: from an owner's uid to the places that
name it. `take` must see every change of every cache, and tells which places are worth another look.

An owner is named by kind, name and uid, and stands in its dependent's own namespace, or in none. A uid that is found
elsewhere is somebody else's owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from controller_manager import sketches
from controller_manager.sketches import Sketch
from steersman.api.kinds import Kind
from steersman.api.meta import OwnerReference
from steersman.client.cache import Cache, ObjectKey


class Place(NamedTuple):
    """Where an object of any kind stands."""

    kind: Kind
    namespace: str
    name: str

    @property
    def key(self) -> ObjectKey:
        """For queues, logs and people: `default/deployments.apps/web`."""
        return ObjectKey(self.namespace, f"{self.kind.qualified_resource}/{self.name}")


class Standing(NamedTuple):
    """An object in its place."""

    place: Place
    object: Sketch


class Graph:
    def __init__(self) -> None:
        self._caches: dict[Kind, Cache[Sketch]] = {}
        self._by_name: dict[tuple[str, str], Kind] = {}
        self._by_resource: dict[str, Kind] = {}
        self._dependents: dict[str, dict[Place, None]] = {}
        self._namespaces: dict[str, str] = {}

    def follow(self, kind: Kind, cache: Cache[Sketch]) -> None:
        """From now on `kind` is part of the graph; what is in the cache already is to be taken like what comes."""
        self._caches[kind] = cache
        self._by_name[kind.group, kind.kind] = kind
        self._by_resource[kind.qualified_resource] = kind

    # -- looking things up

    def find(self, key: ObjectKey) -> Standing | None:
        """What stands at the place that `key` means."""
        resource, _, name = key.name.partition("/")
        kind = self._by_resource.get(resource)
        return None if kind is None else self.at(Place(kind, key.namespace, name))

    def at(self, place: Place) -> Standing | None:
        cache = self._caches.get(place.kind)
        found = None if cache is None else cache.get(ObjectKey(place.namespace, place.name))
        return None if found is None else Standing(place, found)

    def place_of_owner(self, reference: OwnerReference, dependent: Place) -> Place | None:
        """Where the owner would have to stand. None: its kind is unknown."""
        group = reference.api_version.rpartition("/")[0]
        kind = self._by_name.get((group, reference.kind))
        if kind is None:
            return None
        return Place(kind, dependent.namespace if kind.namespaced else "", reference.name)

    def owner(self, reference: OwnerReference, dependent: Place) -> Standing | None:
        """The owner itself, if it is in the cache."""
        place = self.place_of_owner(reference, dependent)
        found = None if place is None else self.at(place)
        return found if found is not None and found.object.metadata.uid == reference.uid else None

    def namespace_of(self, uid: str) -> str:
        """The namespace in which an object with that uid stands, whatever its kind; empty: none is known."""
        return self._namespaces.get(uid, "")

    def dependents_of(self, owner: Standing) -> list[Standing]:
        return [*self._dependents_of(owner.place, owner.object.metadata.uid)]

    def _places_of_dependents(self, place: Place, owner: Sketch) -> Iterator[Place]:
        return (standing.place for standing in self._dependents_of(place, owner.metadata.uid))

    def _dependents_of(self, place: Place, uid: str) -> Iterator[Standing]:
        for each in self._dependents.get(uid, ()):
            standing = self.at(each)
            if standing is not None and any(
                reference.uid == uid and self.place_of_owner(reference, each) == place
                for reference in standing.object.metadata.owner_references
            ):
                yield standing

    def circle_of(self, item: Standing) -> set[str]:
        """The uids of the objects that are waiting for `item` to go, directly or not, while it waits for them."""
        blocked: dict[str, set[str]] = {}
        pending = [item]
        while pending:
            owner = pending.pop()
            uid = owner.object.metadata.uid
            if uid in blocked or not sketches.waits_for_dependents(owner.object):
                continue
            blocking = [each for each in self.dependents_of(owner) if blocks(each.object, uid)]
            blocked[uid] = {each.object.metadata.uid for each in blocking}
            pending += blocking
        found: set[str] = set()
        reached = {item.object.metadata.uid}
        while reached:
            found |= reached
            reached = {uid for uid, others in blocked.items() if uid not in found and others & found}
        return found

    # -- what changes

    def take(self, kind: Kind, old: Sketch | None, new: Sketch | None) -> set[Place]:
        """Note a change that the cache has just taken in; the places to look at because of it."""
        concerned: set[Place] = set()
        if old is not None:
            place = _place(kind, old)
            self._unlink(place, old)
            if new is None or _traits(old) != _traits(new):
                concerned.update(self._waiting_owners(place, old.metadata.owner_references))
            if new is None or new.metadata.uid != old.metadata.uid:
                concerned.update(self._places_of_dependents(place, old))
        if new is not None:
            place = _place(kind, new)
            self._link(place, new)
            if old is None or _traits(old) != _traits(new):
                if not self._is_settled(place, new):
                    concerned.add(place)
                if sketches.waits_for_dependents(new):
                    concerned.update(self._places_of_dependents(place, new))
        return concerned

    def leave(self, kind: Kind) -> set[Place]:
        """The kind is no longer served: what there was of it is neither owner nor dependent."""
        cache = self._caches.pop(kind)
        self._by_name.pop((kind.group, kind.kind), None)
        self._by_resource.pop(kind.qualified_resource, None)
        return set[Place]().union(*(self.take(kind, value, None) for value in cache.list()))

    def _link(self, place: Place, value: Sketch) -> None:
        if place.namespace:
            self._namespaces[value.metadata.uid] = place.namespace
        for reference in value.metadata.owner_references:
            self._dependents.setdefault(reference.uid, {})[place] = None

    def _unlink(self, place: Place, value: Sketch) -> None:
        self._namespaces.pop(value.metadata.uid, None)
        for reference in value.metadata.owner_references:
            places = self._dependents.get(reference.uid, {})
            places.pop(place, None)
            if not places:
                self._dependents.pop(reference.uid, None)

    def _is_settled(self, place: Place, value: Sketch) -> bool:
        """Whether all is well: most objects have an owner that stays, and need no look of their own."""
        if sketches.is_leaving(value):
            return not (sketches.waits_for_dependents(value) or sketches.orphans_dependents(value))
        owners = (self.owner(reference, place) for reference in value.metadata.owner_references)
        return all(owner is not None and not sketches.waits_for_dependents(owner.object) for owner in owners)

    def _waiting_owners(self, dependent: Place, references: Iterable[OwnerReference]) -> Iterator[Place]:
        """The owners that cannot go before their dependents have, unless it is plain that they must wait on."""
        for reference in references:
            owner = self.owner(reference, dependent)
            if owner is not None and sketches.waits_for_dependents(owner.object) and not self._must_wait_on(owner):
                yield owner.place

    def _must_wait_on(self, owner: Standing) -> bool:
        """Stops at the first that blocks: the owner of a thousand is not to be counted out a thousand times."""
        uid = owner.object.metadata.uid
        return any(
            blocks(each.object, uid) and not sketches.waits_for_dependents(each.object)
            for each in self._dependents_of(owner.place, uid)
        )


def _place(kind: Kind, value: Sketch) -> Place:
    return Place(kind, value.metadata.namespace, value.metadata.name)


def _traits(value: Sketch) -> tuple[object, ...]:
    """What decisions are made from; most updates change none of it."""
    meta = value.metadata
    return meta.uid, meta.owner_references, meta.finalizers, sketches.is_leaving(value)


def blocks(dependent: Sketch, owner_uid: str) -> bool:
    """Whether the owner cannot go before this dependent has."""
    return any(
        reference.uid == owner_uid and reference.block_owner_deletion
        for reference in dependent.metadata.owner_references
    )
