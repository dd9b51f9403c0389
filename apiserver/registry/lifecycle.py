"""What the server itself does to an object on its way in: pure steps, the same for every kind.

Identity (uid, creation time, name) is given once and never changes; spec belongs to the main endpoint and status to the
status endpoint; `generation` counts changes of what the user asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from apiserver.registry.requests import Target
from steersman.api import errors, times
from steersman.api.errors import BadRequest
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision, Uid

_NOT_SPEC = frozenset({"metadata", "api_version", "kind", "status"})


def addressed(new: Any, target: Target) -> Any:
    """The object with kind, version and namespace as the request has them; BadRequest where it says otherwise."""
    kind, meta = target.kind, new.metadata
    if new.kind not in ("", kind.kind) or new.api_version not in ("", kind.api_version):
        told = f"{new.api_version or kind.api_version}, Kind={new.kind or kind.kind}"
        raise BadRequest(f"the object provided is a {told}; this request is for {kind.api_version}, Kind={kind.kind}")
    check_addressed(meta, target)
    metadata = replace(meta, namespace=target.namespace)
    return replace(new, metadata=metadata, api_version=kind.api_version, kind=kind.kind)


def check_addressed(meta: ObjectMeta, target: Target) -> None:
    if target.name and meta.name != target.name:
        raise BadRequest(f"the name of the object ({meta.name}) does not match the name on the URL ({target.name})")
    if meta.namespace not in ("", target.namespace):
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")


def born(new: Any, kind: Kind, *, name: str, uid: Uid, now: datetime) -> Any:
    """A new object with its identity; what only the server may set is set or cleared."""
    metadata = replace(
        new.metadata,
        name=name,
        uid=uid,
        creation_timestamp=times.from_datetime(now),
        generation=kind.first_generation,
        resource_version="",
        self_link="",
        deletion_timestamp=None,
        deletion_grace_period_seconds=None,
        managed_fields=(),
    )
    return replace(new, metadata=metadata)


def without_status(new: Any, kind: Kind) -> Any:
    return replace(new, status=_empty(kind).status) if kind.has_status else new


@cache
def _empty(kind: Kind) -> Any:
    return msgspec.convert({"metadata": {}}, kind.storage.struct, strict=False)


def updated(new: Any, old: Any, kind: Kind) -> Any:
    """The main endpoint's change: everything but identity, deletion marks and status comes from `new`."""
    result = replace(new, metadata=_kept_identity(new.metadata, old.metadata))
    return replace(result, status=old.status) if kind.has_status else result


def with_status_of(new: Any, old: Any, kept: Sequence[str] = ()) -> Any:
    """The status endpoint's change: status and metadata, but for those parts of the metadata that are to be kept."""
    meta = _kept_identity(new.metadata, old.metadata)
    meta = replace(meta, **{name: getattr(old.metadata, name) for name in kept}) if kept else meta
    return replace(old, status=new.status, metadata=meta)


def counted(new: Any, old: Any, kind: Kind) -> Any:
    """`generation` grown by one if the user asks for something else than before, unless a strategy has grown it."""
    if not kind.generation or not asks_for_something_else(new, old):
        return new
    return replace(new, metadata=replace(new.metadata, generation=old.metadata.generation + 1))


def asks_for_something_else(new: Any, old: Any) -> bool:
    return any(getattr(new, name) != getattr(old, name) for name in new.__struct_fields__ if name not in _NOT_SPEC)


def _kept_identity(new: ObjectMeta, old: ObjectMeta) -> ObjectMeta:
    """Identity and deletion marks are the server's: left out they are kept; contradicted, validation complains."""
    return replace(
        new,
        name=new.name or old.name,
        generate_name=old.generate_name,
        uid=new.uid or old.uid,
        creation_timestamp=new.creation_timestamp or old.creation_timestamp,
        generation=old.generation,
        resource_version="",
        self_link="",
        deletion_timestamp=old.deletion_timestamp,
        deletion_grace_period_seconds=old.deletion_grace_period_seconds,
        managed_fields=old.managed_fields,
    )


def check_preconditions(new: ObjectMeta, old: ObjectMeta, revision: Revision, target: Target) -> None:
    """Conflict unless `new` was made from the object as it is: same uid and, where it says so, same revision."""
    subject = target.kind.subject
    if new.resource_version not in ("", "0", str(revision)):
        raise errors.conflict(subject, target.name, errors.MODIFIED, revision)
    if new.uid and new.uid != old.uid:
        why = f"Precondition failed: UID in precondition: {new.uid}, UID in object meta: {old.uid}"
        raise errors.conflict(subject, target.name, why, revision)


def check_missing(new: ObjectMeta, revision: Revision | None, target: Target) -> None:
    """Conflict if `new` was made from an object that is no more: it is not to come back as another one."""
    if new.uid:
        why = f"Precondition failed: UID in precondition: {new.uid}, UID in object meta: "
        raise errors.conflict(target.kind.subject, target.name, why, revision)
