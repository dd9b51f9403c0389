"""Nothing is created in a namespace that is missing or on its way out.

The check reads the cache, but the creation carries a guard on the namespace's own revision, so that no race with its
deletion can slip an object in: if the namespace changed in between, the store refuses and the check is made again.
"""

from __future__ import annotations

import msgspec

from apiserver.storage import keys
from apiserver.storage.interface import Guard
from apiserver.watchcache.cache import WatchCache
from apiserver.watchcache.items import Item
from steersman.api import errors
from steersman.api.errors import Cause, Details, Forbidden, Subject

RESOURCE = "namespaces"
_SUBJECT = Subject(group="", resource=RESOURCE, kind="Namespace")


class _Marked(msgspec.Struct):
    deletionTimestamp: str | None = None


class _Seen(msgspec.Struct):
    metadata: _Marked


_decoder = msgspec.json.Decoder(_Seen)


async def admit(cache: WatchCache, namespace: str, subject: Subject, name: str) -> Guard:
    """The guard for a creation in `namespace`. NotFound or Forbidden, said only of the newest state."""
    guard = _judge(_cached(cache, namespace), namespace, subject, name)
    if isinstance(guard, Guard):
        return guard
    await cache.fresh()
    guard = _judge(_cached(cache, namespace), namespace, subject, name)
    if isinstance(guard, Guard):
        return guard
    guard.revision = cache.revision
    raise guard


def _cached(cache: WatchCache, namespace: str) -> Item | None:
    return cache.collection(RESOURCE).get(keys.key_of(RESOURCE, "", namespace))


def _judge(item: Item | None, namespace: str, subject: Subject, name: str) -> Guard | errors.ApiError:
    if item is None:
        return errors.not_found(_SUBJECT, namespace)
    if _decoder.decode(item.value).metadata.deletionTimestamp is None:
        return Guard(item.key, item.revision)
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    cause = Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")
    message = f"{subject.qualified_resource} {errors.quoted(name)} is forbidden: {why}"
    details = Details(name=name, group=subject.group, kind=subject.resource, causes=(cause,))
    return Forbidden(message, details=details)
