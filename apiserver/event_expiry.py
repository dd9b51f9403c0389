"""Events do not last: an hour after it was last said, an Event goes. Whatever store is used.

Kubernetes has etcd forget them. Here each API server looks through its cache now and then and deletes what is old, at
the revision that it has seen, so that an Event which is said again meanwhile stays; any number of API servers may do
this at the same time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from apiserver.registry.registry import Registry
from apiserver.registry.requests import DeleteOptions, Target
from apiserver.watchcache.cache import WatchCache
from steersman.api import kinds, times
from steersman.api.core import Event
from steersman.api.errors import ApiError, Conflict, NotFound
from steersman.base import log
from steersman.base.clock import Clock

LOOKS_PER_LIFE = 60
LONGEST_PAUSE_SECONDS = 60.0
_AT_A_TIME = 256

KIND = next(kind for kind in kinds.ALL if kind.struct is Event)

_log = log.get("event-expiry")


class _Series(msgspec.Struct, rename="camel"):
    last_observed_time: str | None = None


class _Metadata(msgspec.Struct, rename="camel"):
    creation_timestamp: str | None = None


class _Said(msgspec.Struct, rename="camel"):
    """When it was said, of an Event; nothing else of it is decoded."""

    metadata: _Metadata
    last_timestamp: str | None = None
    event_time: str | None = None
    series: _Series | None = None

    def moments(self) -> Iterator[str]:
        series = self.series.last_observed_time if self.series is not None else None
        for moment in (self.metadata.creation_timestamp, self.last_timestamp, self.event_time, series):
            if moment:
                yield moment


_SAID = msgspec.json.Decoder(_Said)


def is_over(value: bytes, now: datetime, ttl_seconds: float) -> bool:
    """Whether an Event was last said too long ago.

    Times that its writer has put into the future do not count, or it would stay for ever. All are RFC 3339 in UTC,
    which sorts as text.
    """
    said = _SAID.decode(value)
    present, oldest = (str(times.from_datetime(now - timedelta(seconds=age))) for age in (0, ttl_seconds))
    return max((moment for moment in said.moments() if moment <= present), default="") < oldest


async def expire_periodically(registry: Registry, cache: WatchCache, clock: Clock, ttl_seconds: float) -> None:
    pause = min(LONGEST_PAUSE_SECONDS, ttl_seconds / LOOKS_PER_LIFE)
    while True:
        await clock.sleep(pause)
        gone = await sweep(registry, cache, clock.now(), ttl_seconds)
        if gone:
            _log.info("events expired", count=gone)


async def sweep(registry: Registry, cache: WatchCache, now: datetime, ttl_seconds: float) -> int:
    """How many have gone. Others have their turn in between: there may be many thousands."""
    gone = 0
    for number, item in enumerate(tuple(cache.collection(KIND.qualified_resource).scan())):
        if number % _AT_A_TIME == 0:
            await asyncio.sleep(0)
        if is_over(item.value, now, ttl_seconds):
            how = DeleteOptions(resource_version=str(item.revision))
            gone += await _delete(registry, Target(KIND, item.namespace, item.name), how)
    return gone


async def _delete(registry: Registry, target: Target, how: DeleteOptions) -> bool:
    try:
        await registry.delete(target, how)
    except (NotFound, Conflict):
        return False  # somebody has deleted it, or said it again
    except ApiError as error:
        _log.warning("event not deleted", name=target.name, error=error.reason, reason=error.message)
        return False
    return True
