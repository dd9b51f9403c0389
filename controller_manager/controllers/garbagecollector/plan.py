"""What becomes of an object because of its owners, and of those that depend on it. Pure.

An object that names owners lives as long as one of them does. When the last is gone it is deleted; while some remain,
the references to the others are taken off. An owner that is deleted in the foreground counts as gone for its
dependents, and goes itself when none is left that blocks it; those that wait for it in turn, in a circle, do not
count. An owner that is deleted as `orphan` first has its dependents forget it.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import msgspec

from controller_manager import sketches
from controller_manager.controllers.garbagecollector import graph
from controller_manager.controllers.garbagecollector.graph import Standing
from controller_manager.sketches import FOREGROUND, ORPHAN, Sketch
from steersman.api.meta import OwnerReference
from steersman.client.requests import Propagation


class Fate(Enum):
    """What is known about an owner that is named."""

    STAYS = auto()
    WAITS = auto()  # it is deleted in the foreground: its dependents go first
    ABSENT = auto()
    UNKNOWN = auto()  # nobody can tell, so nothing is done


@dataclass(frozen=True, slots=True)
class Owner:
    reference: OwnerReference
    fate: Fate


@dataclass(frozen=True, slots=True)
class Delete:
    propagation: Propagation


@dataclass(frozen=True, slots=True)
class Forget:
    """Take the references to `owners` (uids) off the object."""

    owners: frozenset[str]


@dataclass(frozen=True, slots=True)
class Orphan:
    """Take the references to the object off its dependents."""

    dependents: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class LetGo:
    """Take off the finalizer: the garbage collector has nothing more to do for this object."""

    finalizer: str


Action = Delete | Forget | Orphan | LetGo


def plan(
    item: Standing, owners: Sequence[Owner], dependents: Sequence[Standing], *, circle: Container[str] = ()
) -> list[Action]:
    """`owners`: the fate of each that the item names; nothing need be known of them while the item itself is going.
    `circle`: the uids of those that wait for the item to go, directly or not, while it waits for them."""
    if sketches.orphans_dependents(item.object):
        return [*([Orphan(tuple(dependents))] if dependents else []), LetGo(ORPHAN)]
    if sketches.waits_for_dependents(item.object):
        uid = item.object.metadata.uid
        blocking = [
            each for each in dependents if graph.blocks(each.object, uid) and each.object.metadata.uid not in circle
        ]
        return [] if blocking else [LetGo(FOREGROUND)]
    if sketches.is_leaving(item.object):
        return []
    return _by_owners(item, owners, dependents)


def concerns_dependents(item: Sketch) -> bool:
    """Whether something is to become of its dependents, which must therefore all be known."""
    return sketches.orphans_dependents(item) or sketches.waits_for_dependents(item)


def _by_owners(item: Standing, owners: Sequence[Owner], dependents: Sequence[Standing]) -> list[Action]:
    fates = {owner.fate for owner in owners}
    if Fate.UNKNOWN in fates or not fates - {Fate.STAYS}:
        return []
    if Fate.STAYS in fates:
        return [Forget(frozenset(owner.reference.uid for owner in owners if owner.fate is not Fate.STAYS))]
    if Fate.WAITS in fates and dependents:
        return [Delete(Propagation.FOREGROUND)]  # the owner waits for all below the item too
    return [Delete(_usual_propagation(item.object))]


def _usual_propagation(item: Sketch) -> Propagation:
    """What the object's own finalizers ask for."""
    if ORPHAN in item.metadata.finalizers:
        return Propagation.ORPHAN
    return Propagation.FOREGROUND if FOREGROUND in item.metadata.finalizers else Propagation.BACKGROUND


# --- Patches. Each names the very state that it was made from: if that has changed, the decision is made again.


def forgetting(item: Sketch, owners: frozenset[str]) -> bytes:
    left = [reference for reference in item.metadata.owner_references if reference.uid not in owners]
    return _patch(item, ownerReferences=left)


def letting_go(item: Sketch, finalizer: str) -> bytes:
    return _patch(item, finalizers=[each for each in item.metadata.finalizers if each != finalizer])


def _patch(item: Sketch, **changed: object) -> bytes:
    seen = {"uid": item.metadata.uid, "resourceVersion": item.metadata.resource_version}
    return msgspec.json.encode({"metadata": {**seen, **changed}})
