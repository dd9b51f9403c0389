"""One replica of the controller manager: it follows the cluster, stands for its Leases, and works in the terms it wins.

There are usually several, each a process of its own; at most one leads each Lease. A replica that loses a term stands
again, and its caches stay warm meanwhile, so that taking over needs no list.
"""

from __future__ import annotations

import asyncio
import gc
import platform
import socket
import sys
import uuid
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge

from controller_manager import catalog, tenure
from controller_manager.catalog import Row
from controller_manager.config import Settings
from controller_manager.informers import Informers
from controller_manager.measures import Measures
from controller_manager.tenure import Means
from steersman import version
from steersman.api.errors import Deposed
from steersman.base import httpserver, log, metrics
from steersman.base.clock import Clock, SystemClock
from steersman.base.health import Health, Unhealthy
from steersman.base.run import Stopping
from steersman.client import client
from steersman.client.requests import Term
from steersman.client.transport import CredentialFiles
from steersman.control.leadership import Leadership, Timing

NAMESPACE = "kube-system"
VERSION = {
    "gitVersion": f"v{version.KUBERNETES}.0+steersman-{version.VERSION}",
    "compiler": "cpython",
    "platform": f"{sys.platform}/{platform.machine()}",
}
SYNC_LOOK_SECONDS = 0.05

_log = log.get("controller-manager")


async def run(settings: Settings, stopping: Stopping, clock: Clock | None = None) -> None:
    """Until `stopping`; then everything is given back in order."""
    clock = clock or SystemClock()
    rows = catalog.chosen(settings.controllers)
    registry = metrics.new_registry()
    files = settings.credential_files()
    credentials = None if files is None else CredentialFiles(*files)
    async with client.connect(settings.server, credentials, clock=clock) as api:
        informers = Informers(api, [each for row in rows for each in row.reads], clock)
        means = Means(api, informers, settings, _instance(), clock, Measures(registry))
        candidates = _candidates(rows, means, registry)
        ready = _readiness(informers)
        pages = httpserver.application(live=Health("livez"), ready=ready, registry=registry, version=VERSION)
        async with httpserver.serving(pages, settings.http_address) as http, asyncio.TaskGroup() as tasks:
            _log.info("standing", instance=means.instance, http=str(http), controllers=[row.name for row in rows])
            background = [
                tasks.create_task(informers.run()),
                tasks.create_task(_settle_down(informers, clock)),
                tasks.create_task(metrics.watch_loop_lag(metrics.loop_lag(registry), clock)),
            ]
            with metrics.watch_gc_pauses(registry):
                async with asyncio.TaskGroup() as campaigns:
                    for candidate in candidates:
                        campaigns.create_task(candidate.stand(stopping))
            for task in background:
                task.cancel()


class Candidate:
    """One replica's candidacy for one Lease."""

    def __init__(self, lease: str, rows: Sequence[Row], means: Means, leads: Gauge) -> None:
        timing = Timing(
            lease_seconds=int(means.settings.lease_duration),
            renew_seconds=means.settings.renew_interval,
            retry_seconds=means.settings.retry_period,
        )
        self._leadership = Leadership(means.api, NAMESPACE, lease, means.instance, timing=timing, clock=means.clock)
        self._lease = lease
        self._rows = rows
        self._means = means
        self._leads = leads
        self._elected = False

    async def stand(self, stopping: Stopping) -> None:
        """Lead whenever elected, until `stopping`."""
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(self._lead(stopping))
            await stopping.wait()
            if not self._elected:  # whoever is in office drains and releases first
                leading.cancel()

    async def _lead(self, stopping: Stopping) -> None:
        while not stopping.is_set():
            try:
                async with self._leadership.term() as term:
                    await self._serve(term, stopping)
            except Deposed as deposed:
                _log.warning("deposed, standing again", lease=self._lease, reason=deposed.message)

    async def _serve(self, term: Term, stopping: Stopping) -> None:
        self._elected = True
        self._leads.set(1)
        try:
            await tenure.serve(term, self._rows, self._means, stopping)
        finally:
            self._leads.set(0)
            # Asked to stop, the release that follows must not be cut short.
            self._elected = stopping.is_set()


def _candidates(rows: Sequence[Row], means: Means, registry: CollectorRegistry) -> list[Candidate]:
    leads = metrics.gauge(registry, "leader_election_master_status", "1: this replica leads.", ("name",))
    leases = dict.fromkeys(row.lease for row in rows)
    return [
        Candidate(lease, [row for row in rows if row.lease == lease], means, leads.labels(lease)) for lease in leases
    ]


def _instance() -> str:
    """Different at every start: a name that comes back must not be taken for the one that went."""
    return f"{socket.gethostname()}_{uuid.uuid4()}"


def _readiness(informers: Informers) -> Health:
    async def synced() -> None:
        if missing := informers.unsynced():
            raise Unhealthy(f"not listed yet: {', '.join(missing)}")

    ready = Health("readyz")
    ready.add("informers-synced", synced)
    return ready


async def _settle_down(informers: Informers, clock: Clock) -> None:
    """What has been listed stays: the collector need not look at it again."""
    while informers.unsynced():
        await clock.sleep(SYNC_LOOK_SECONDS)
    gc.collect()
    gc.freeze()
    _log.info("ready")
