"""What a deletion means for an object: gone at once, or marked and left to those who must finish first. Pure.

An object is removed only when nothing holds it: no finalizers, and for pods no grace period that still runs. Until
then it bears a deletionTimestamp, and the update that takes the last hold away removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from apiserver.registry.requests import DeleteOptions, Propagation, Target
from steersman.api import errors, times
from steersman.api.core import Namespace, Pod
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
SYSTEM_NAMESPACES = frozenset({"default", "kube-system", "kube-public"})

LONGEST_GRACE_SECONDS = 2**31 - 1
"""68 years: a longer grace period would end in a year that no timestamp can name."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Nothing holds the object: delete it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something holds the object: store it like this. Equal to the present object when it is marked already."""

    marked: Any


def decide(present: Any, options: DeleteOptions, now: datetime, *, orphans: bool = False) -> Remove | Mark:
    """`orphans`: whether dependents are to stay when neither the options nor the object's finalizers say otherwise."""
    finalizers = _finalizers_for(present.metadata.finalizers, options.propagation, orphans=orphans)
    grace_seconds = grace_period(present, options)
    doomed = replace(present, metadata=replace(present.metadata, finalizers=finalizers))
    if grace_seconds == 0 and not is_held(doomed):
        return Remove()
    return Mark(_marked(doomed, grace_seconds, now))


def check(present: Any, revision: Revision, target: Target, options: DeleteOptions) -> None:
    """Forbidden or Conflict where the object must not be deleted, or is not the one that was meant."""
    subject, name = target.kind.subject, target.name
    if isinstance(present, Namespace) and name in SYSTEM_NAMESPACES:
        raise errors.forbidden(subject, name, "this namespace may not be deleted")
    uid = present.metadata.uid
    if options.uid is not None and options.uid != uid:
        why = f"Precondition failed: UID in precondition: {options.uid}, UID in object meta: {uid}"
        raise errors.conflict(subject, name, why, revision)
    if options.resource_version and options.resource_version != str(revision):
        why = (
            f"Precondition failed: ResourceVersion in precondition: {options.resource_version}, "
            f"ResourceVersion in object meta: {revision}"
        )
        raise errors.conflict(subject, name, why, revision)


def is_held(present: Any) -> bool:
    """Whether somebody must still let go of the object before it may be removed."""
    return bool(present.metadata.finalizers) or (isinstance(present, Namespace) and bool(present.spec.finalizers))


def is_released(changed: Any) -> bool:
    """Whether an update leaves the object marked for deletion with nothing that holds it: then it is removed."""
    meta: ObjectMeta = changed.metadata
    return meta.deletion_timestamp is not None and not meta.deletion_grace_period_seconds and not is_held(changed)


def grace_period(present: Any, options: DeleteOptions) -> int:
    """Seconds that the object may still live. Only pods have any; one that runs nowhere needs none."""
    if not isinstance(present, Pod):
        return 0
    if not present.spec.node_name or present.status.phase in ("Succeeded", "Failed"):
        return 0
    wanted = options.grace_period_seconds
    if wanted is None:
        wanted = present.spec.termination_grace_period_seconds
    wanted = 1 if wanted is not None and wanted < 0 else 30 if wanted is None else wanted
    wanted = min(wanted, LONGEST_GRACE_SECONDS)
    running = present.metadata.deletion_grace_period_seconds
    return wanted if running is None else min(wanted, running)


def _finalizers_for(present: tuple[str, ...], propagation: Propagation, *, orphans: bool) -> tuple[str, ...]:
    """The garbage collector learns from a finalizer what is to become of the dependents."""
    if propagation is Propagation.UNSAID:
        is_said = ORPHAN in present or FOREGROUND in present
        return (*present, ORPHAN) if orphans and not is_said else present
    others = tuple(finalizer for finalizer in present if finalizer not in (ORPHAN, FOREGROUND))
    match propagation:
        case Propagation.ORPHAN:
            return (*others, ORPHAN)
        case Propagation.FOREGROUND:
            return (*others, FOREGROUND)
        case _:
            return others


def _marked(doomed: Any, grace_seconds: int, now: datetime) -> Any:
    meta: ObjectMeta = doomed.metadata
    running = meta.deletion_grace_period_seconds
    if meta.deletion_timestamp is None:
        ends = now + timedelta(seconds=grace_seconds)
        generation = meta.generation and meta.generation + 1
    elif running is not None and grace_seconds < running:
        ends = times.to_datetime(meta.deletion_timestamp) - timedelta(seconds=running - grace_seconds)
        generation = meta.generation
    else:
        return doomed
    metadata = replace(
        meta,
        deletion_timestamp=times.from_datetime(ends),
        deletion_grace_period_seconds=grace_seconds,
        generation=generation,
    )
    if isinstance(doomed, Namespace):
        # Its content decides how long it lives: Kubernetes speaks of no grace period here.
        metadata = replace(metadata, deletion_grace_period_seconds=None)
        return replace(doomed, metadata=metadata, status=replace(doomed.status, phase="Terminating"))
    return replace(doomed, metadata=metadata)
