"""Who led when, and who wrote what: the store's history of one Lease and of what its leaders wrote.

Every Event names the replica that wrote it, and every term begins with a revision of the Lease, its token; so the
history alone shows whether anybody wrote outside its term. `problems` is pure; `Chronicle` follows the watches.
"""

from __future__ import annotations

import asyncio
import bisect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from controller_manager import ownership
from steersman.api import codec
from steersman.api.apps import ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import Event, Pod
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.client.client import Client
from steersman.client.watching import Change, ChangeType

NAMESPACE, NAME = "kube-system", "kube-controller-manager"


class TermBegun(NamedTuple):
    """From `token` on, `holder` leads; an empty one: nobody."""

    token: Revision
    holder: str


class Write(NamedTuple):
    revision: Revision
    instance: str
    what: str


def problems(terms: Sequence[TermBegun], writes: Iterable[Write]) -> list[str]:
    """What was written by somebody who did not lead at that revision."""
    tokens = [term.token for term in terms]
    found = []
    for write in writes:
        position = bisect.bisect_right(tokens, write.revision) - 1
        leader = terms[position].holder if position >= 0 else ""
        if leader != write.instance:
            found.append(f"{write.what} at {write.revision} by {write.instance}, but {leader or 'nobody'} led")
    return found


class Birth(NamedTuple):
    """A pod came to be: at which revision, and when we heard of it."""

    revision: Revision
    heard_at: float


class Chronicle:
    """What was seen since `run` began; every ReplicaSet of a test has one replica."""

    def __init__(self, api: Client) -> None:
        self._api = api
        self._leases: dict[str, Lease] = {}
        self.terms: list[TermBegun] = []
        self.writes: list[Write] = []
        self.births: list[Birth] = []
        self.crowds: list[str] = []
        """ReplicaSets seen with more than one live pod."""
        self._live: Counter[str] = Counter()
        self.heard = asyncio.Event()

    async def run(self) -> None:
        begin = (await self._api.of(ReplicaSet).list()).revision
        held = (await self._api.of(Lease).list(NAMESPACE, field_selector=f"metadata.name={NAME}")).items
        for lease in held:
            self._note_lease(Change(ChangeType.ADDED, lease, Revision(int(lease.metadata.resource_version))))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow(Lease, begin, self._note_lease))
            tasks.create_task(self._follow(Event, begin, self._note_event))
            tasks.create_task(self._follow(Pod, begin, self._note_pod))

    async def _follow(self, kind: type[Object], after: Revision, note: Callable[[Change[Object]], None]) -> None:
        async with self._api.of(kind).watch(after=after) as watch:
            async for event in watch:
                if isinstance(event, Change):
                    note(event)
                    self.heard.set()

    def _note_lease(self, change: Change[Object]) -> None:
        lease = change.object
        if not isinstance(lease, Lease) or lease.metadata.name != NAME:
            return
        old = self._leases.get(NAME)
        self._leases[NAME] = lease
        turned = old is None or _term_of(old) != _term_of(lease)
        if turned and (not self.terms or self.terms[-1].token < change.revision):
            self.terms.append(TermBegun(change.revision, lease.spec.holder_identity or ""))

    def _note_event(self, change: Change[Object]) -> None:
        event = change.object
        if isinstance(event, Event) and change.type is not ChangeType.DELETED:
            what = f"{event.reason} of {event.involved_object.name}"
            self.writes.append(Write(change.revision, event.reporting_instance, what))

    def _note_pod(self, change: Change[Object]) -> None:
        owner = ownership.controller_of(change.object)
        if owner is None:
            return
        if change.type is ChangeType.ADDED:
            self.births.append(Birth(change.revision, time.monotonic()))
            self._live[owner.uid] += 1
            if self._live[owner.uid] > 1:
                self.crowds.append(owner.name)
        elif change.type is ChangeType.DELETED:
            self._live[owner.uid] -= 1

    @property
    def leader(self) -> str:
        return self.terms[-1].holder if self.terms else ""

    def first_birth_after(self, token: Revision) -> Birth | None:
        """The first pod made in the term of that token, or in a later one: whoever made it was let through by it."""
        return next((birth for birth in self.births if birth.revision > token), None)

    def problems(self) -> list[str]:
        return problems(self.terms, self.writes)


def one_replica(name: str) -> ReplicaSet:
    """A ReplicaSet of one pod: a leader writes the pod, an Event and a status for it."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    manifest = {"metadata": {"name": name, "namespace": "default"}, "spec": spec}
    return codec.load(ReplicaSet, msgspec.json.encode(manifest))


def _term_of(lease: Lease) -> tuple[object, ...]:
    return lease.spec.holder_identity or "", lease.spec.acquire_time, lease.spec.lease_transitions
