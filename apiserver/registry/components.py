"""ComponentStatuses for whoever asks: made from the Leases in the cache and from whether the store answers."""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.admission.lookup import Lookup
from apiserver.registry import componentstatus, selection
from apiserver.registry.requests import Found, FoundList, Selection, Target
from apiserver.storage.interface import Store
from apiserver.watchcache.cache import WatchCache
from apiserver.watchcache.items import Item
from steersman.api import codec, errors
from steersman.api.coordination import Lease
from steersman.api.core import ComponentStatus
from steersman.api.errors import ApiError
from steersman.api.names import Revision
from steersman.base.clock import Clock

_UNSTORED = Revision(0)


class Components:
    def __init__(self, store: Store, cache: WatchCache, clock: Clock) -> None:
        self._store = store
        self._lookup = Lookup(cache)
        self._clock = clock

    async def get(self, target: Target) -> Found:
        for status in await self._every():
            if status.metadata.name == target.name:
                return Found(codec.encode(status), _UNSTORED)
        raise errors.not_found(target.kind.subject, target.name)

    async def list(self, target: Target, wanted: Selection) -> FoundList:
        matches = selection.matcher(target, wanted)
        found = []
        for status in await self._every():
            name, value = status.metadata.name, codec.encode(status)
            if matches is None or matches(Item(name, "", name, value, _UNSTORED, {}, {})):
                found.append(Found(value, _UNSTORED))
        return FoundList(tuple(found), _UNSTORED)

    async def _every(self) -> Sequence[ComponentStatus]:
        now = self._clock.now()
        error = ""
        try:
            await self._store.revision()
        except ApiError as problem:
            error = problem.message
        leading = [
            componentstatus.of_lease(name, self._lookup.peek(Lease, lease, "kube-system"), now)
            for name, lease in componentstatus.LEASES.items()
        ]
        return [*leading, componentstatus.of_store(error)]
