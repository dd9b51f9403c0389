"""Carries out what `plan` decides, for one object at a time: the thin part of the garbage collector.

Reads the sketches of all kinds. Writes objects of all kinds: deletes them, takes owner references and its own two
finalizers off. Nothing is done because an owner is merely missing from a cache: a live read must say so, with its uid;
and every write names the state that it was decided on, so an object that has found another owner meanwhile stays.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from controller_manager import sketches
from controller_manager.controllers.garbagecollector import plan
from controller_manager.controllers.garbagecollector.graph import Graph, Place, Standing
from controller_manager.controllers.garbagecollector.plan import Delete, Fate, Forget, LetGo, Orphan, Owner
from controller_manager.recording import Recorder
from controller_manager.sketches import Sketch
from steersman.api import errors
from steersman.api.errors import NotFound, Timeout
from steersman.api.kinds import Kind
from steersman.api.meta import Object, ObjectMeta, OwnerReference
from steersman.api.names import Revision
from steersman.client.cache import ObjectKey
from steersman.client.informer import Informer
from steersman.client.requests import PatchType, Propagation
from steersman.control import batches
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

LOOK_AGAIN_SECONDS = 30.0
"""How soon an owner is looked for again that is there but in no cache, or whose kind nobody knows."""
CATCH_UP_SECONDS = 10.0
MAX_ABSENT = 4_096
MOST_AT_ONCE = 64
INVALID_NAMESPACE = "OwnerRefInvalidNamespace"


class GarbageCollector:
    """`writes` gives the tracked verbs on a sketched kind."""

    name = "garbagecollector"

    def __init__(self, writes: Callable[[Kind], Tracked[Sketch]], recorder: Recorder) -> None:
        self._writes = writes
        self._recorder = recorder
        self._graph = Graph()
        self._informers: dict[Kind, Informer[Sketch]] = {}
        self._absent: OrderedDict[tuple[Place, str], None] = OrderedDict()

    def follow(self, kind: Kind, informer: Informer[Sketch]) -> None:
        """Make `kind` part of the graph; `changed` is to be told all of its changes from its beginning."""
        self._informers[kind] = informer
        self._graph.follow(kind, informer.cache)

    def leave(self, kind: Kind) -> list[ObjectKey]:
        """`kind` is no longer served; the keys to look at because of that."""
        del self._informers[kind]
        return [place.key for place in self._graph.leave(kind)]

    def changed(self, kind: Kind, old: Sketch | None, new: Sketch | None) -> list[ObjectKey]:
        """Note a change; the keys to look at because of it."""
        return [place.key for place in self._graph.take(kind, old, new)]

    async def reconcile(self, key: ObjectKey) -> Outcome:
        item = self._graph.find(key)
        if item is not None and plan.concerns_dependents(item.object):
            await self._caught_up(item.object)
            item = self._graph.find(key)
        if item is None:
            return DONE
        owners = [] if sketches.is_leaving(item.object) else await self._owners_of(item)
        dependents, circle = self._graph.dependents_of(item), self._graph.circle_of(item)
        for action in plan.plan(item, owners, dependents, circle=circle):
            item = await self._act(item, action)
            if item is None:
                return DONE
        return DONE if all(map(partial(self._is_certain, item.place), owners)) else After(LOOK_AGAIN_SECONDS)

    async def _caught_up(self, owner: Sketch) -> None:
        """Every dependent that was there when the owner was marked must be known before anything is concluded."""
        revision = Revision(int(owner.metadata.resource_version))
        try:
            async with asyncio.timeout(CATCH_UP_SECONDS), asyncio.TaskGroup() as tasks:
                for informer in self._informers.values():
                    if informer.revision < revision:
                        tasks.create_task(informer.reached(revision))
        except TimeoutError:
            raise Timeout(f"not all caches have reached revision {revision}") from None

    # -- what is known about owners

    async def _owners_of(self, item: Standing) -> list[Owner]:
        references = item.object.metadata.owner_references
        return [Owner(reference, await self._fate_of(reference, item)) for reference in references]

    async def _fate_of(self, reference: OwnerReference, item: Standing) -> Fate:
        cached = self._graph.owner(reference, item.place)
        if cached is not None and not sketches.waits_for_dependents(cached.object):
            return Fate.STAYS
        place = self._graph.place_of_owner(reference, item.place)
        if place is None:
            return Fate.UNKNOWN
        if place.kind.namespaced and not item.place.namespace:
            self._refuse(reference, item)
            return Fate.UNKNOWN
        if (place, reference.uid) not in self._absent:
            present = await self._present(place)
            if present is not None and present.metadata.uid == reference.uid:
                return Fate.WAITS if sketches.waits_for_dependents(present) else Fate.STAYS
            self._remember_absent(place, reference.uid)
        if self._graph.namespace_of(reference.uid) not in ("", place.namespace):
            self._refuse(reference, item)
        return Fate.ABSENT

    async def _present(self, place: Place) -> Sketch | None:
        try:
            return await self._writes(place.kind).get(place.name, place.namespace)
        except NotFound:
            return None

    def _remember_absent(self, place: Place, uid: str) -> None:
        """A uid never comes back, and the dependents of one owner all ask for the same."""
        self._absent[place, uid] = None
        if len(self._absent) > MAX_ABSENT:
            self._absent.popitem(last=False)

    def _refuse(self, reference: OwnerReference, item: Standing) -> None:
        """Say that an owner is named which is, or could only be, in another namespace."""
        kind, namespace, name = item.place
        named = f"{reference.api_version}/{reference.kind}"
        told = f"[{named}, namespace: {namespace}, name: {reference.name}, uid: {reference.uid}]"
        meta = ObjectMeta(name=name, namespace=namespace, uid=item.object.metadata.uid)
        about = Object(metadata=meta, api_version=kind.api_version, kind=kind.kind)
        message = f"ownerRef {told} does not exist in namespace {errors.quoted(namespace)}"
        self._recorder.warning(about, INVALID_NAMESPACE, message)

    def _is_certain(self, dependent: Place, owner: Owner) -> bool:
        """Whether nothing can happen to the owner that does not wake us."""
        match owner.fate:
            case Fate.ABSENT:
                return True
            case Fate.UNKNOWN:
                return self._graph.place_of_owner(owner.reference, dependent) is not None
            case _:
                return self._graph.owner(owner.reference, dependent) is not None

    # -- acting

    async def _act(self, item: Standing, action: plan.Action) -> Standing | None:
        """The item as it is now; None: it is gone, or on its way."""
        match action:
            case Forget(owners):
                return await self._patched(item, plan.forgetting(item.object, owners))
            case Orphan(dependents):
                await self._orphan(item, dependents)
                return item
            case LetGo(finalizer):
                return await self._patched(item, plan.letting_go(item.object, finalizer))
            case Delete(propagation):
                await self._delete(item, propagation)
                return None

    async def _orphan(self, owner: Standing, dependents: Sequence[Standing]) -> None:
        uid = frozenset({owner.object.metadata.uid})
        await batches.slow_start(
            [partial(self._patched, each, plan.forgetting(each.object, uid)) for each in dependents],
            largest=MOST_AT_ONCE,
        )

    async def _patched(self, item: Standing, patch: bytes) -> Standing | None:
        kind, namespace, name = item.place
        try:
            written = await self._writes(kind).patch(name, namespace, patch, PatchType.MERGE)
        except NotFound:
            return None
        return None if written.gone else Standing(item.place, written.object)

    async def _delete(self, item: Standing, propagation: Propagation) -> None:
        (kind, namespace, name), meta = item.place, item.object.metadata
        version = meta.resource_version
        with contextlib.suppress(NotFound):
            await self._writes(kind).delete(
                name, namespace, uid=meta.uid, resource_version=version, propagation=propagation
            )
