"""Watches a leader being replaced while writes go on, and checks afterwards what became of each of them.

Somebody always wants something: a Service every few milliseconds, in a namespace of its own, and each must get its
Endpoints from whoever leads. A Service with no selected pods starts no container. Each bears the moment at which it was
sent, so whatever lands between two of them has a moment too.
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

from steersman.api import codec, times
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import Endpoints, Event, Namespace, Service
from steersman.api.errors import ApiError
from steersman.api.meta import Object, ObjectMeta
from steersman.api.names import Revision
from steersman.base.clock import Clock
from steersman.cli.local import timeline
from steersman.cli.local.survey import CONTROLLERS, LEASE_NAMESPACE
from steersman.cli.local.timeline import LeaseWrite, Mark
from steersman.client.client import Client
from steersman.client.watching import Change, ChangeType

WISH_SECONDS = 0.025
LOOK_SECONDS = 0.05
SENT_AT = "steersman.io/sent-at"
SIGNAL = "signal"
"""The Lease by which the kill itself is recorded."""

Struct = TypeVar("Struct", bound=Object)


@dataclass(slots=True)
class Chronicle:
    """What was recorded of one take-over."""

    namespace: str
    leases: list[LeaseWrite] = field(default_factory=list)
    granted: dict[str, int] = field(default_factory=dict)
    """The revisions at which Services got their Endpoints."""
    wishes: list[Mark] = field(default_factory=list)
    """Services that the API server has acknowledged."""

    def first_write(self, token: int) -> int | None:
        """The revision of the first that the fence has let through for the term of this token."""
        return min((revision for revision in self.granted.values() if revision > token), default=None)


@asynccontextmanager
async def chronicled(api: Client) -> AsyncIterator[Chronicle]:
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
                chronicle.granted.setdefault(change.object.metadata.name, change.revision)

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


async def record_signal(api: Client, chronicle: Chronicle, victim: str, clock: Clock) -> Mark:
    """A write that bears the moment of the kill: it is acknowledged before the signal goes out."""
    now = clock.now()
    lease = Lease(
        metadata=ObjectMeta(name=SIGNAL, namespace=chronicle.namespace),
        spec=LeaseSpec(holder_identity=victim, acquire_time=times.micro_from_datetime(now)),
    )
    written = await api.of(Lease).create(lease)
    return Mark(SIGNAL, written.revision, now)


async def wish_on(api: Client, chronicle: Chronicle, clock: Clock) -> None:
    """Until cancelled. What the API server does not acknowledge does not count."""
    number = 0
    while True:
        name, now = f"wish-{number}", clock.now()
        number += 1
        try:
            written = await api.of(Service).create(_service(name, chronicle.namespace, now))
            chronicle.wishes.append(Mark(name, written.revision, now))
        except ApiError:
            pass
        await clock.sleep(WISH_SECONDS)


def _service(name: str, namespace: str, now: datetime) -> Service:
    annotations = {SENT_AT: str(times.micro_from_datetime(now))}
    manifest = {
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
        "spec": {"clusterIP": "None", "selector": {"app": name}, "ports": [{"port": 80}]},
    }
    return codec.load(Service, msgspec.json.encode(manifest))


async def taken_over(chronicle: Chronicle, old: str, clock: Clock) -> None:
    """Somebody else leads, has written, and the moment of that is known."""
    while True:
        new = timeline.successor(chronicle.leases, old)
        first = chronicle.first_write(new.revision) if new is not None else None
        if first is not None and timeline.placed(first, chronicle.wishes) is not None:
            return
        await clock.sleep(LOOK_SECONDS)


async def all_granted(chronicle: Chronicle, clock: Clock) -> None:
    while any(wish.name not in chronicle.granted for wish in chronicle.wishes):
        await clock.sleep(LOOK_SECONDS)


async def losses(api: Client, chronicle: Chronicle, old: str) -> list[str]:
    """What was acknowledged and is not there, what nobody cared for, and what landed out of term."""
    kept = {service.metadata.name for service in (await api.of(Service).list(chronicle.namespace)).items}
    names = [wish.name for wish in chronicle.wishes]
    found = [f"Service {name} was acknowledged and is gone" for name in names if name not in kept]
    found += [f"Service {name} got no Endpoints" for name in names if name not in chronicle.granted]
    nobody_leads = timeline.without_leader(chronicle.leases, old)
    found += [
        f"Endpoints {name} were written while nobody led, at revision {revision}"
        for name, revision in chronicle.granted.items()
        if revision in nobody_leads
    ]
    new = timeline.successor(chronicle.leases, old)
    if new is not None:
        found += [
            f"Event {event.metadata.name} was written by the old leader after its term"
            for event in (await api.of(Event).list()).items
            if event.reporting_instance == old and int(event.metadata.resource_version) > new.revision
        ]
    return found
