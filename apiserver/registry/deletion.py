"""What a deletion means for an object: gone at once, or marked and left to those who must finish first. Pure.

An object is removed only when nothing holds it: no finalizers, and for pods no grace period that still runs. Until
then it bears a deletionTimestamp, and the update that takes the last hold away removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed_copy
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from apiserver.registry.requests import DeleteOptions, Propagation, Target
from steersman.api import errors, times
from steersman.api.core import Namespace, Pod
from steersman.api.errors import Conflict
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
SYSTEM_NAMESPACES = frozenset({"default", "kube-system", "kube-public"})

_RECREATED = "The object might have been deleted and then recreated"
_MODIFIED = "The object might have been modified"

LONGEST_GRACE_SECONDS = 2**31 - 1
"""68 years: a longer grace period would end in a year that no timestamp can name."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Nothing holds the object: delete it. `last` is what to show of it: a pod is seen marked on its way out."""

    last: Any


@dataclass(frozen=True, slots=True)
class Mark:
    """Something holds the object: store it like this. Equal to the present object when it is marked already."""

    marked: Any


def decide(present: Any, options: DeleteOptions, now: datetime, *, orphans: bool = False) -> Remove | Mark:
    """`orphans`: whether dependents are to stay when neither the options nor the object's finalizers say otherwise."""
    if _is_under_way(present, options):
        return Mark(present)
    finalizers = _finalizers_for(present.metadata.finalizers, options.propagation, orphans=orphans)
    grace_seconds = grace_period(present, options)
    doomed = replace(present, metadata=replace(present.metadata, finalizers=finalizers))
    marked = _marked(doomed, grace_seconds, now)
    if grace_seconds == 0 and not is_held(doomed):
        return Remove(marked if isinstance(present, Pod) else present)
    return Mark(marked)


def check(present: Any, revision: Revision, target: Target, options: DeleteOptions) -> None:
    """Forbidden or Conflict where the object must not be deleted, or is not the one that was meant."""
    subject, name = target.kind.subject, target.name
    if isinstance(present, Namespace) and name in SYSTEM_NAMESPACES:
        raise errors.forbidden(subject, name, "this namespace may not be deleted")
    if options.uid is not None and options.uid != present.metadata.uid:
        raise _mistaken(target, revision, "UID", options.uid, present.metadata.uid, _RECREATED)
    if options.resource_version and options.resource_version != str(revision):
        raise _mistaken(target, revision, "ResourceVersion", options.resource_version, str(revision), _MODIFIED)


def _mistaken(target: Target, revision: Revision, what: str, meant: str, found: str, guess: str) -> Conflict:
    """Of namespaces Kubernetes says it in other words; of all others it names the kind instead of the resource."""
    subject, name = target.kind.subject, target.name
    if target.kind.struct is Namespace:
        why = f"Precondition failed: {what} in precondition: {meant}, {what} in object meta: {found}"
        return errors.conflict(subject, name, why, revision)
    why = f"the {what} in the precondition ({meant}) does not match the {what} in record ({found}). {guess}"
    return errors.conflict(changed_copy(subject, resource=subject.kind), name, why, revision)


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
    wanted = options.grace_period_seconds
    if present.metadata.deletion_timestamp is not None:
        is_shortened = wanted is not None and bool(present.metadata.deletion_grace_period_seconds)
        return _bounded(wanted) if is_shortened else 0
    if not present.spec.node_name or present.status.phase in ("Succeeded", "Failed"):
        return 0
    return _bounded(present.spec.termination_grace_period_seconds if wanted is None else wanted)


def _bounded(wanted_seconds: int | None) -> int:
    if wanted_seconds is None:
        return 0
    return 1 if wanted_seconds < 0 else min(wanted_seconds, LONGEST_GRACE_SECONDS)


def _is_under_way(present: Any, options: DeleteOptions) -> bool:
    """Whether an earlier deletion goes on as it is: only a shorter grace period would change it.

    A namespace is in the hands of whoever empties it.
    """
    if present.metadata.deletion_timestamp is None:
        return False
    if isinstance(present, Namespace) and present.spec.finalizers:
        return True
    running = present.metadata.deletion_grace_period_seconds
    return bool(running) and (options.grace_period_seconds is None or _bounded(options.grace_period_seconds) >= running)


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
    if meta.deletion_timestamp is not None:
        return replace(doomed, metadata=_shortened(meta, grace_seconds, now))
    metadata = replace(
        meta,
        deletion_timestamp=times.from_datetime(now + timedelta(seconds=grace_seconds)),
        deletion_grace_period_seconds=grace_seconds,
        generation=meta.generation and meta.generation + 1,
    )
    if isinstance(doomed, Namespace):
        # Its content decides how long it lives: Kubernetes speaks of no grace period here.
        metadata = replace(metadata, deletion_grace_period_seconds=None)
        return replace(doomed, metadata=metadata, status=replace(doomed.status, phase="Terminating"))
    return replace(doomed, metadata=metadata)


def _shortened(meta: ObjectMeta, grace_seconds: int, now: datetime) -> ObjectMeta:
    """The marks of a deletion that is to end sooner, though never in the past: who is asked for grace shows some."""
    running = meta.deletion_grace_period_seconds
    if not running or meta.deletion_timestamp is None:
        return replace(meta, deletion_grace_period_seconds=0)
    ends = times.to_datetime(meta.deletion_timestamp) - timedelta(seconds=running - grace_seconds)
    if ends < now:
        ends, grace_seconds = now, min(grace_seconds, 1)
    return replace(meta, deletion_timestamp=times.from_datetime(ends), deletion_grace_period_seconds=grace_seconds)
