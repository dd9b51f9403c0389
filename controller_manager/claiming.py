"""Taking in and letting go: carries out what `ownership` decides, and finds the owners that a child concerns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from controller_manager import ownership
from controller_manager.ownership import Claims
from steersman.api.errors import Conflict, NotFound
from steersman.api.meta import Object
from steersman.api.selectors import LabelMatcher
from steersman.client.cache import Cache, ObjectKey
from steersman.client.requests import PatchType
from steersman.control.writes import Tracked

Owner = TypeVar("Owner", bound=Object)
Child = TypeVar("Child", bound=Object)


async def claimed(
    owner: Owner,
    matcher: LabelMatcher,
    candidates: Iterable[Child],
    *,
    owners: Tracked[Owner],
    children: Tracked[Child],
) -> list[Child]:
    """Those of the candidates that are the owner's now: what it had and still wants, and what it has adopted."""
    claims = ownership.claim(owner, matcher, candidates)
    for child in claims.release:
        await _patched(children, child, ownership.release_patch(child, owner))
    return [*claims.keeps, *await _adopted(owner, claims, owners, children)]


async def _adopted(
    owner: Owner, claims: Claims[Child], owners: Tracked[Owner], children: Tracked[Child]
) -> list[Child]:
    """The owner is read uncached first: one that has begun to go must not take anything along."""
    if not claims.adopt:
        return []
    meta = owner.metadata
    present = await owners.get(meta.name, meta.namespace)
    if present.metadata.uid != meta.uid or present.metadata.deletion_timestamp is not None:
        raise Conflict(f"{owners.kind.kind} {meta.namespace}/{meta.name} is going away and adopts nothing")
    reference = ownership.reference_to(owner, owners.kind)
    tried = [await _patched(children, child, ownership.adoption_patch(child, reference)) for child in claims.adopt]
    return [child for child in tried if child is not None]


async def _patched(children: Tracked[Child], child: Child, patch: bytes) -> Child | None:
    """None: it is gone, and nobody's."""
    try:
        written = await children.patch(child.metadata.name, child.metadata.namespace, patch, PatchType.STRATEGIC)
    except NotFound:
        return None
    return written.object


def candidates(cache: Cache[Child], owner: Object) -> list[Child]:
    """What might be the owner's: its children and the orphans of its namespace."""
    own = cache.by_index(ownership.BY_CONTROLLER, owner.metadata.uid)
    orphans = cache.by_index(ownership.BY_CONTROLLER, ownership.orphans_of(owner.metadata.namespace))
    return [*own, *orphans]


def owners_of(
    child: Object, owners: Tracked[Owner], cache: Cache[Owner], selector_of: Callable[[Owner], LabelMatcher | None]
) -> list[ObjectKey]:
    """The keys that a change of `child` concerns: its controller, or for an orphan all that might adopt it."""
    reference, namespace, kind = ownership.controller_of(child), child.metadata.namespace, owners.kind
    if reference is None:
        return [
            ObjectKey(namespace, owner.metadata.name)
            for owner in cache.list(namespace)
            if (matcher := selector_of(owner)) is not None and matcher.matches(child.metadata.labels)
        ]
    if (reference.api_version, reference.kind) != (kind.api_version, kind.kind):
        return []
    key = ObjectKey(namespace, reference.name)
    owner = cache.get(key)
    return [key] if owner is not None and owner.metadata.uid == reference.uid else []
