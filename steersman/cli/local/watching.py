"""A running cluster followed from inside its keeper: when it has become usable, and what it looks like meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from steersman.api import times
from steersman.api.coordination import Lease
from steersman.api.core import Event, Node, Pod
from steersman.api.errors import ApiError
from steersman.base.clock import Clock
from steersman.cli.local import access, logs, starting, survey
from steersman.cli.local.keeper import Keeper
from steersman.cli.local.ledger import Ledger, Role, State
from steersman.cli.local.site import Site
from steersman.cli.local.survey import CONTROLLERS, Survey
from steersman.client.client import Client
from steersman.client.informer import Informer

LOOK_SECONDS = 0.05


async def note_when_usable(site: Site, keeper: Keeper, clock: Clock, began: float) -> None:
    """Write the kubeconfig when the API answers, and the ledger when everything else does too."""
    await api_ready(keeper, clock)
    starting.write_kubeconfig(site, keeper.ledger)
    async with access.connected(site, keeper.ledger) as api:
        while not await _is_usable(api, keeper.ledger):
            await clock.sleep(LOOK_SECONDS)
    keeper.note_usable(clock.monotonic() - began)


async def api_ready(keeper: Keeper, clock: Clock) -> None:
    """All API servers serve."""
    while True:
        servers = keeper.ledger.of(Role.APISERVER)
        if all(part.state is State.RUNNING and logs.first(part, "ready") for part in servers):
            return
        await clock.sleep(LOOK_SECONDS)


async def _is_usable(api: Client, ledger: Ledger) -> bool:
    """Somebody of this life leads, and every node's agent has spoken in it: what is applied now will run."""
    try:
        seen = await survey.look(api)
    except ApiError:
        return False
    wanted = [name for part in ledger.parts for name in part.nodes]
    since = str(times.micro_from_datetime(ledger.began_at))
    managers = ledger.of(Role.CONTROLLER_MANAGER)
    leads = not managers or survey.leader_of(ledger, seen.holders.get(CONTROLLERS, "")) is not None
    return leads and not seen.lacks(wanted, since)


class Follower:
    """Caches that follow the cluster, so that looking costs the API server nothing."""

    def __init__(self, api: Client) -> None:
        self.leases = Informer(api.of(Lease))
        self.nodes = Informer(api.of(Node))
        self.pods = Informer(api.of(Pod))
        self.events = Informer(api.of(Event))

    @property
    def is_synced(self) -> bool:
        return all(each.synced.is_set() for each in (self.leases, self.nodes, self.pods, self.events))

    def look(self) -> Survey | None:
        """None before the first list."""
        if not self.is_synced:
            return None
        caches = self.leases.cache, self.nodes.cache, self.pods.cache, self.events.cache
        return survey.survey(caches[0].list(), caches[1].list(), caches[2].list(), caches[3].list())


@asynccontextmanager
async def following(site: Site, ledger: Ledger) -> AsyncIterator[Follower]:
    async with access.connected(site, ledger) as api, asyncio.TaskGroup() as tasks:
        follower = Follower(api)
        each = (follower.leases, follower.nodes, follower.pods, follower.events)
        running = [tasks.create_task(informer.run()) for informer in each]
        try:
            yield follower
        finally:
            for task in running:
                task.cancel()
