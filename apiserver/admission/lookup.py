"""How admission reads other objects: from the cache; what is missing there is looked for in the newest state."""

from __future__ import annotations

from typing import TypeVar

from apiserver.storage import keys
from apiserver.watchcache.cache import WatchCache
from steersman.api import codec, kinds
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import Revision

Found = TypeVar("Found", bound=Object)

_BY_STRUCT: dict[type[Object], Kind] = {kind.struct: kind for kind in kinds.ALL if not kind.stored_as}


class Lookup:
    def __init__(self, cache: WatchCache) -> None:
        self._cache = cache

    async def find(self, struct: type[Found], name: str, namespace: str = "") -> Found | None:
        """None is said only of the newest state."""
        found = self._cached(struct, name, namespace)
        if found is None:
            await self._cache.fresh()
            found = self._cached(struct, name, namespace)
        return found

    async def fresh(self) -> None:
        """From then on the cache has everything that was written before."""
        await self._cache.fresh()

    def revision_of(self, struct: type[Object], name: str, namespace: str = "") -> Revision:
        """Of an object as it is known here; 0 when it is not."""
        resource = _BY_STRUCT[struct].qualified_resource
        item = self._cache.collection(resource).get(keys.key_of(resource, namespace, name))
        return Revision(0) if item is None else item.revision

    def peek(self, struct: type[Found], name: str, namespace: str = "") -> Found | None:
        """As far as it is known here: None may be out of date."""
        return self._cached(struct, name, namespace)

    async def every(self, struct: type[Found]) -> list[Found]:
        """All objects of a (small) kind, in the newest state."""
        await self._cache.fresh()
        return self.cached(struct)

    def cached(self, struct: type[Found]) -> list[Found]:
        """All objects of a (small) kind, as far as they are known here."""
        collection = self._cache.collection(_BY_STRUCT[struct].qualified_resource)
        return [codec.load(struct, item.value) for item in collection.scan()]

    def _cached(self, struct: type[Found], name: str, namespace: str) -> Found | None:
        resource = _BY_STRUCT[struct].qualified_resource
        item = self._cache.collection(resource).get(keys.key_of(resource, namespace, name))
        return None if item is None else codec.load(struct, item.value)
