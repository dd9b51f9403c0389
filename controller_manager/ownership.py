"""Whose is it: which objects an owner controls, which it may adopt and which it must let go. Pure.

An object has at most one controller, and a controller keeps what its selector matches: an orphan that matches is
adopted, a child that no longer matches is released. An owner that is being deleted does neither. The patches name the
uid of the object that was looked at, so that a namesake created later is never touched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from steersman.api.kinds import Kind
from steersman.api.meta import Object, OwnerReference
from steersman.api.selectors import LabelMatcher

T = TypeVar("T", bound=Object)

BY_CONTROLLER = "controller"
"""The index that controllers' informers need: objects by the uid of their controller; see `controller_index`."""


def controller_of(child: Object) -> OwnerReference | None:
    for reference in child.metadata.owner_references:  # a plain loop: asked of every pod in every pass
        if reference.controller:
            return reference
    return None


def is_controlled_by(child: Object, owner: Object) -> bool:
    reference = controller_of(child)
    return reference is not None and reference.uid == owner.metadata.uid


def reference_to(owner: Object, kind: Kind) -> OwnerReference:
    """What a child of `owner` carries. The owner's foreground deletion waits for the child."""
    return OwnerReference(
        api_version=kind.api_version,
        kind=kind.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def controller_index(child: Object) -> tuple[str]:
    """Under which value `child` is found: its controller's uid, or that of the orphans of its namespace."""
    reference = controller_of(child)
    return (reference.uid if reference is not None else orphans_of(child.metadata.namespace),)


def orphans_of(namespace: str) -> str:
    """No uid contains a slash."""
    return f"orphans/{namespace}"


@dataclass(frozen=True, slots=True)
class Claims(Generic[T]):
    """What of a crowd belongs to an owner: what it `keeps`, may `adopt` and must `release`."""

    keeps: tuple[T, ...] = ()
    adopt: tuple[T, ...] = ()
    release: tuple[T, ...] = ()


def claim(owner: Object, matcher: LabelMatcher, candidates: Iterable[T]) -> Claims[T]:
    """Sort out the candidates. What another controls, and orphans that are going or elsewhere, are left alone."""
    keeps: list[T] = []
    adopt: list[T] = []
    release: list[T] = []
    leaving = owner.metadata.deletion_timestamp is not None
    matches = matcher.predicate()
    for child in candidates:
        reference, wanted = controller_of(child), matches(child.metadata.labels)
        if reference is not None and reference.uid != owner.metadata.uid:
            continue
        if reference is not None:
            if wanted:
                keeps.append(child)
            elif not leaving:
                release.append(child)
        elif wanted and not leaving and _is_adoptable(child, owner):
            adopt.append(child)
    return Claims(tuple(keeps), tuple(adopt), tuple(release))


def _is_adoptable(orphan: Object, owner: Object) -> bool:
    return orphan.metadata.deletion_timestamp is None and orphan.metadata.namespace == owner.metadata.namespace


def adoption_patch(child: Object, reference: OwnerReference) -> bytes:
    """A strategic merge patch that adds the reference and leaves other owners alone."""
    metadata = {"ownerReferences": [msgspec.to_builtins(reference)], "uid": child.metadata.uid}
    return msgspec.json.encode({"metadata": metadata})


def release_patch(child: Object, owner: Object) -> bytes:
    """A strategic merge patch that takes the owner's reference away."""
    gone = {"$patch": "delete", "uid": owner.metadata.uid}
    return msgspec.json.encode({"metadata": {"ownerReferences": [gone], "uid": child.metadata.uid}})
