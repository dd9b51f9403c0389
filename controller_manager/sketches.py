"""Sketches: objects of any kind as those see them who deal with all kinds — who they are, whose, and what holds them.

The garbage collector and the namespace controller ask for nothing else, so that is all they keep in memory: a sketch
is a few hundred bytes where a pod is some thousand, and a kind that this program has never heard of is sketched just
as well. A sketched kind is a Kind of its own: informers, writes and barriers treat it like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import structs

from steersman.api import kinds
from steersman.api.kinds import Kind
from steersman.api.meta import Object, OwnerReference
from steersman.api.part import Part, Time
from steersman.pb.resources_pb2 import KindInfo

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
"""The finalizers by which a deletion tells the garbage collector what is to become of the dependents."""

MAX_SHARED = 16_384
"""Of so many owners it is remembered that their dependents have them in common."""

NEEDED_VERBS = frozenset({"delete", "list", "watch"})
EVENTS = frozenset({"events", "events.events.k8s.io"})
"""Owned by nobody, owning nothing, and more numerous than all others: not worth following."""


@lru_cache(maxsize=MAX_SHARED)
def _shared(references: tuple[OwnerReference, ...]) -> tuple[OwnerReference, ...]:
    return references


class SketchedMeta(Part, forbid_unknown_fields=False):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: int | None = None
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()

    def __post_init__(self) -> None:
        """A thousand dependents of one owner, in one namespace, share what they have in common."""
        structs.force_setattr(self, "namespace", sys.intern(self.namespace))
        structs.force_setattr(self, "owner_references", _shared(self.owner_references))

    @property
    def annotations(self) -> Mapping[str, str]:
        """None are kept."""
        return {}


class Sketch(Object, forbid_unknown_fields=False):
    """For reading only: an update made from it would lose all the rest. It is changed by patches."""

    metadata: SketchedMeta = SketchedMeta()  # type: ignore[assignment] # a part of ObjectMeta, under the same names

    def __post_init__(self) -> None:
        structs.force_setattr(self, "api_version", sys.intern(self.api_version))
        structs.force_setattr(self, "kind", sys.intern(self.kind))


def is_leaving(sketch: Sketch) -> bool:
    return sketch.metadata.deletion_timestamp is not None


def waits_for_dependents(sketch: Sketch) -> bool:
    """Whether it is being deleted in the foreground: its dependents go first."""
    return is_leaving(sketch) and FOREGROUND in sketch.metadata.finalizers


def orphans_dependents(sketch: Sketch) -> bool:
    """Whether it is being deleted and its dependents are to stay."""
    return is_leaving(sketch) and ORPHAN in sketch.metadata.finalizers


def sketched(kind: Kind) -> Kind:
    return _sketched(kind.group, kind.version, kind.kind, kind.resource, kind.verbs, namespaced=kind.namespaced)


def of_discovered(info: KindInfo) -> Kind:
    """The sketch of a kind that a server says it serves; for one that is built in, always the same Kind."""
    found = _BUILT_IN.get((info.group, info.version, info.kind))
    if found is not None:
        return found
    return _sketched(info.group, info.version, info.kind, info.resource, tuple(info.verbs), namespaced=info.namespaced)


def followed(candidates: Iterable[Kind]) -> list[Kind]:
    """Of each resource that can be followed and deleted, one version: the first."""
    found: dict[str, Kind] = {}
    for kind in candidates:
        if kind.qualified_resource not in EVENTS and NEEDED_VERBS.issubset(kind.verbs):
            found.setdefault(kind.qualified_resource, kind)
    return list(found.values())


def _sketched(group: str, version: str, name: str, resource: str, verbs: tuple[str, ...], *, namespaced: bool) -> Kind:
    return Kind(
        struct=Sketch,
        resource=resource,
        group=group,
        version=version,
        named=name,
        namespaced=namespaced,
        verbs=verbs,
    )


_BUILT_IN = {(kind.group, kind.version, kind.kind): sketched(kind) for kind in kinds.ALL}

BUILT_IN: tuple[Kind, ...] = tuple(followed(_BUILT_IN.values()))
"""The sketches of all kinds in the table that are worth following."""

NAMESPACED: tuple[Kind, ...] = tuple(kind for kind in BUILT_IN if kind.namespaced)
