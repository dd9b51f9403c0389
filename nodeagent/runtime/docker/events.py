"""The engine's events as wake-ups, for ever: a broken stream is opened again, and everybody is woken."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta

import msgspec

from nodeagent.runtime.docker import naming, reading
from nodeagent.runtime.docker.client import EngineClient
from nodeagent.runtime.docker.inspections import Inspections
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.seen import Wake
from steersman.api.errors import ApiError
from steersman.api.names import Uid
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock

_log = log.get("docker")

# What changes a pod. Left out above all: exec_*, of which every probe makes three.
ACTIONS = ("start", "die", "oom", "destroy", "pause", "unpause")
OVERLAP = timedelta(seconds=2)
RECONNECT = Backoff(initial=0.05, maximum=2.0, jitter=0.5)


async def wakes(
    client: EngineClient, owner: Owner, inspections: Inspections, clock: Clock
) -> AsyncGenerator[Wake, None]:
    failures = 0
    while True:
        try:
            async with aclosing(_connected(client, owner, inspections, clock)) as stream:
                async for wake in stream:
                    failures = 0
                    yield wake
            _log.warning("the engine ended its event stream")
        except ApiError as error:
            if failures == 0:
                _log.warning("the engine's events cannot be followed", error=error.message)
        await clock.sleep(RECONNECT.delay(failures, random.random))
        failures += 1


async def _connected(
    client: EngineClient, owner: Owner, inspections: Inspections, clock: Clock
) -> AsyncGenerator[Wake, None]:
    """One connection's wake-ups. Docker answers before it has subscribed us: the overlap covers that moment."""
    query = {
        "since": reading.unix_time(clock.now() - OVERLAP),
        "filters": naming.label_filter(owner, type=["container"], event=ACTIONS),
    }
    async with client.stream("GET", "/events", query) as response:
        with inspections.following():
            yield Wake(None)
            async for line in response.content:
                event = msgspec.json.decode(line)
                inspections.forget(event["Actor"]["ID"])
                uid = event["Actor"]["Attributes"].get(naming.UID)
                if uid:
                    yield Wake(Uid(uid))
