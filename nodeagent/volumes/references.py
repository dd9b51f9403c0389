"""The ConfigMaps and Secrets that pods' volumes are made from: each is watched as long as some pod uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import NamedTuple

from steersman.api.core import ConfigMap, Secret
from steersman.api.names import Uid
from steersman.base.clock import Clock
from steersman.client.client import Client
from steersman.client.informer import Informer


class Reference(NamedTuple):
    kind: type[ConfigMap] | type[Secret]
    namespace: str
    name: str


class References:
    """Calls `wake` with the uid of each pod that uses an object, whenever that has changed."""

    def __init__(self, api: Client, clock: Clock, wake: Callable[[Uid], None]) -> None:
        self._api = api
        self._clock = clock
        self._wake = wake
        self._users: dict[Reference, set[Uid]] = {}
        self._watches: dict[Reference, asyncio.Task[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            try:
                for reference in self._users:
                    self._begin(reference)
                await asyncio.Event().wait()
            finally:
                self._tasks = None

    def follow(self, uid: Uid, references: Iterable[Reference]) -> None:
        """From now on: whoever reads an object after this misses no change of it."""
        for reference in references:
            users = self._users.setdefault(reference, set())
            users.add(uid)
            if reference not in self._watches:
                self._begin(reference)

    def forget(self, uid: Uid) -> None:
        for reference, users in tuple(self._users.items()):
            users.discard(uid)
            if not users:
                del self._users[reference]
                watch = self._watches.pop(reference, None)
                if watch is not None:
                    watch.cancel()

    def _begin(self, reference: Reference) -> None:
        if self._tasks is not None:
            self._watches[reference] = self._tasks.create_task(self._watch(reference))

    async def _watch(self, reference: Reference) -> None:
        only = f"metadata.name={reference.name}"
        resource = self._api.of(reference.kind)
        informer = Informer(resource, namespace=reference.namespace, field_selector=only, clock=self._clock)
        informer.on_change(lambda _old, _new: self._tell(reference))
        await informer.run()

    def _tell(self, reference: Reference) -> None:
        for uid in self._users.get(reference, ()):
            self._wake(uid)
