"""Watches a leader being replaced while writes go on, and checks afterwards what became of each of them.

Somebody always wants something: a Service every few milliseconds, in a namespace of its own, and each must get its
Endpoints from whoever leads. A Service with no selected pods starts no container.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import msgspec

from steersman.api import codec
from steersman.api.coordination import Lease
from steersman.api.core import Endpoints, Event, Namespace, Service
from steersman.api.errors import ApiError
from steersman.api.meta import Object, ObjectMeta
from steersman.api.names import Revision
from steersman.base.clock import Clock
from steersman.cli.local import timeline
from steersman.cli.local.survey import CONTROLLERS, LEASE_NAMESPACE
from steersman.cli.local.timeline import LeaseWrite
from steersman.client.client import Client
from steersman.client.watching import Change, ChangeType

WISH_SECONDS = 0.05
LOOK_SECONDS = 0.05

Struct = TypeVar("Struct", bound=Object)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Endpoints that a leader has made: at which revision, and when the watch had them."""

    revision: int
    seen_at: datetime


@dataclass(slots=True)
class Chronicle:
    """What was seen of one take-over."""

    namespace: str
    leases: list[LeaseWrite] = field(default_factory=list)
    arrivals: dict[str, Arrival] = field(default_factory=dict)
    wishes: list[str] = field(default_factory=list)
    """Services that the API server has acknowledged."""

    def first_write(self, token: int) -> Arrival | None:
        """The first that the fence has let through for the term of this token."""
        late = [arrival for arrival in self.arrivals.values() if arrival.revision > token]
        return min(late, key=lambda arrival: arrival.revision, default=None)


@asynccontextmanager
async def chronicled(api: Client, clock: Clock) -> AsyncIterator[Chronicle]:
    """A namespace to write in, and everything about the Lease and that namespace noted as it happens."""
    chronicle = Chronicle(f"steer-failover-{secrets.token_hex(4)}")
    await api.of(Namespace).create(Namespace(metadata=ObjectMeta(name=chronicle.namespace)))
    try:
        found = await api.of(Lease).list(LEASE_NAMESPACE, field_selector=f"metadata.name={CONTROLLERS}")
        chronicle.leases.extend(timeline.lease_write(lease) for lease in found.items)

        def note_lease(change: Change[Lease]) -> None:
            chronicle.leases.append(timeline.lease_write(change.object))

        def note_endpoints(change: Change[Endpoints]) -> None:
            if change.type is ChangeType.ADDED:
                name = change.object.metadata.name
                chronicle.arrivals.setdefault(name, Arrival(change.revision, clock.now()))

        async with asyncio.TaskGroup() as tasks:
            following = [
                tasks.create_task(_follow(api, Lease, found.revision, LEASE_NAMESPACE, note_lease, name=CONTROLLERS)),
                tasks.create_task(_follow(api, Endpoints, found.revision, chronicle.namespace, note_endpoints)),
            ]
            yield chronicle
            for task in following:
                task.cancel()
    finally:
        await api.of(Namespace).delete(chronicle.namespace)


async def _follow(
    api: Client,
    kind: type[Struct],
    after: Revision,
    namespace: str,
    note: Callable[[Change[Struct]], None],
    *,
    name: str = "",
) -> None:
    async with api.of(kind).watch(after=after, namespace=namespace, name=name) as watch:
        async for event in watch:
            if isinstance(event, Change):
                note(event)


async def wish_on(api: Client, chronicle: Chronicle, clock: Clock) -> None:
    """Until cancelled. What the API server does not acknowledge does not count."""
    number = 0
    while True:
        name = f"wish-{number}"
        number += 1
        try:
            await api.of(Service).create(_service(name, chronicle.namespace))
            chronicle.wishes.append(name)
        except ApiError:
            pass
        await clock.sleep(WISH_SECONDS)


def _service(name: str, namespace: str) -> Service:
    manifest = {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterIP": "None", "selector": {"app": name}, "ports": [{"port": 80}]},
    }
    return codec.load(Service, msgspec.json.encode(manifest))


async def taken_over(chronicle: Chronicle, old: str, clock: Clock) -> None:
    """Somebody else leads, and has written."""
    while True:
        new = timeline.successor(chronicle.leases, old)
        if new is not None and chronicle.first_write(new.revision) is not None:
            return
        await clock.sleep(LOOK_SECONDS)


async def all_granted(chronicle: Chronicle, clock: Clock) -> None:
    while any(name not in chronicle.arrivals for name in chronicle.wishes):
        await clock.sleep(LOOK_SECONDS)


async def losses(api: Client, chronicle: Chronicle, old: str) -> list[str]:
    """What was acknowledged and is not there, what nobody cared for, and what the old leader wrote after its term."""
    kept = {service.metadata.name for service in (await api.of(Service).list(chronicle.namespace)).items}
    found = [f"Service {name} was acknowledged and is gone" for name in chronicle.wishes if name not in kept]
    found += [f"Service {name} got no Endpoints" for name in chronicle.wishes if name not in chronicle.arrivals]
    new = timeline.successor(chronicle.leases, old)
    if new is not None:
        events = (await api.of(Event).list()).items
        found += [
            f"Event {event.metadata.name} was written by the old leader after its term"
            for event in events
            if event.reporting_instance == old and int(event.metadata.resource_version) > new.revision
        ]
    return found
