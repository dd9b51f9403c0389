"""One node, put together: registration, heartbeat, reporter, and the agent with all that its pod workers need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nodeagent import machine
from nodeagent.agent import Agent
from nodeagent.blueprint import ClusterDns
from nodeagent.config import Settings
from nodeagent.endings import Endings
from nodeagent.heartbeat import Heartbeat
from nodeagent.hooks import Hooks
from nodeagent.imagecollection import ImageCollection, Thresholds
from nodeagent.images import Images
from nodeagent.lastwords import LastWords
from nodeagent.launching import Launcher, Machine
from nodeagent.library import Library
from nodeagent.measures import Measures
from nodeagent.mirrors import StaticPods
from nodeagent.nodepressure import NodePressure
from nodeagent.nodes.localnodes import LocalNode, LocalNodes
from nodeagent.nodestatus import Facts
from nodeagent.podstatus import Host
from nodeagent.podworker import Equipment
from nodeagent.probes import EverybodyIsWell, Prober, RealProber
from nodeagent.recording import Recorder
from nodeagent.registration import Registration
from nodeagent.reporter import Reporter
from nodeagent.runtime.interface import ContainerRuntime
from nodeagent.runtime.seen import Engine
from nodeagent.shutdown import Periods, Shutdown
from nodeagent.storagelimits import StorageLimits
from nodeagent.volumes import NoVolumes, Volumes, memoryplace
from nodeagent.volumes.leftovers import Leftovers
from nodeagent.volumes.nodevolumes import NodeVolumes, Premises
from steersman.api.coordination import Lease
from steersman.api.core import Node, Pod, Service
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Informer

BETWEEN_TRIES = Backoff(initial=0.5, maximum=10.0, jitter=0.5)

_log = log.get("node")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What all nodes of a process share. `data_dir` None: nothing real runs."""

    api: Client
    cluster: str
    services: Cache[Service]
    settings: Settings
    addresses: tuple[str, ...]
    data_dir: Path | None
    clock: Clock
    measures: Measures
    local_nodes: LocalNodes
    port: int
    """Where the API server fetches logs and exec streams."""


@dataclass(frozen=True, slots=True)
class _Local:
    """What a real node keeps on disk, and what looks after it."""

    volumes: NodeVolumes
    leftovers: Leftovers
    images: ImageCollection
    limits: StorageLimits
    pressure: NodePressure


class NodeRun:
    def __init__(self, site: Site, name: str, runtime: ContainerRuntime, recorder: Recorder) -> None:
        self._site = site
        self._name = name
        self._runtime = runtime
        self._recorder = recorder
        self._shutdown: Shutdown | None = None

    async def shut_down(self, periods: Periods) -> None:
        """End all pods, because the machine goes down. `run` is to go on until this has returned."""
        if self._shutdown is not None:
            await self._shutdown.run(periods)

    async def run(self) -> None:
        """Until cancelled."""
        site, clock = self._site, self._site.clock
        engine = await self._engine()
        nodes, pods = self._informers()
        own = ObjectKey("", self._name)

        def present() -> Node | None:
            return nodes.cache.get(own)

        static = self._static(pods, present)
        addressee = static.addressee if static is not None else (lambda pod: pod)
        reporter = Reporter(site.api.of(Pod), pods.cache.get, clock, addressee)
        local = None if site.data_dir is None else await self._local(site.data_dir, engine, present)
        pressures = frozenset if local is None else local.pressure.conditions
        registration = Registration(site.api.of(Node), self._facts(engine), self._runtime, clock, pressures)
        equipment = self._equipment(engine, reporter, present, NoVolumes() if local is None else local.volumes)
        agent = Agent(
            site.api,
            nodes,
            pods,
            equipment,
            cluster=site.cluster,
            name=self._name,
            static=static,
            pressures=pressures,
        )
        node = await registration.register()
        interval = site.settings.heartbeat_interval
        heartbeat = Heartbeat(site.api.of(Lease), node, clock, site.measures, interval_seconds=interval)
        site.measures.follow(self._name, lambda: [worker.stage for worker in agent.workers])
        site.local_nodes.add(LocalNode(self._name, self._runtime, pods.cache))
        self._shutdown = Shutdown(agent, registration, reporter, clock)
        async with asyncio.TaskGroup() as tasks:
            for part in (heartbeat.run(), nodes.run(), registration.run(nodes), reporter.run(), agent.run()):
                tasks.create_task(part)
            tasks.create_task(pods.run())
            if local is not None:
                for keeper in (local.volumes.run(pods), local.leftovers.run(pods), local.images.run()):
                    tasks.create_task(keeper)
                for watch in (local.limits.run, local.pressure.run):
                    tasks.create_task(watch(lambda: agent.workers))
            _log.info("node ready", node=self._name, engine=f"{engine.name}://{engine.version}", cluster=site.cluster)

    def _informers(self) -> tuple[Informer[Node], Informer[Pod]]:
        api, clock = self._site.api, self._site.clock
        nodes = Informer(api.of(Node), field_selector=f"metadata.name={self._name}", clock=clock)
        pods = Informer(api.of(Pod), field_selector=f"spec.nodeName={self._name}", clock=clock)
        return nodes, pods

    async def _engine(self) -> Engine:
        """As soon as the engine is there and has what pods need."""
        failures = 0
        while True:
            try:
                await self._runtime.prepare()
                return await self._runtime.engine()
            except ApiError as error:
                _log.warning("waiting for the engine", node=self._name, error=error.reason, reason=error.message)
            await self._site.clock.sleep(BETWEEN_TRIES.delay(failures))
            failures += 1

    def _facts(self, engine: Engine) -> Facts:
        site = self._site
        is_real = site.data_dir is not None
        return Facts(
            name=self._name,
            addresses=site.addresses,
            port=site.port,
            host_name=site.settings.name,
            engine=engine,
            max_pods=site.settings.max_pods,
            disk_bytes=machine.disk_bytes(site.data_dir) if site.data_dir is not None else 0,
            machine_id=machine.machine_id() if is_real else self._name,
            system_uuid=machine.system_uuid() if is_real else self._name,
            boot_id=machine.boot_id(),
        )

    def _static(self, pods: Informer[Pod], node: Callable[[], Node | None]) -> StaticPods | None:
        site, folder = self._site, self._site.settings.static_pods
        if folder is None or site.data_dir is None:
            return None
        return StaticPods(site.api.of(Pod), pods.cache, node, folder, site.clock)

    async def _local(self, data_dir: Path, engine: Engine, node: Callable[[], Node | None]) -> _Local:
        site, memory_dir = self._site, await self._memory_dir(data_dir)
        engine_dir = site.settings.host_root / engine.data_root.lstrip("/")
        thresholds = Thresholds(site.settings.image_gc_high_threshold, site.settings.image_gc_low_threshold)
        premises = Premises(
            data_dir=data_dir,
            memory_dir=memory_dir,
            root=site.settings.host_root,
            addresses=site.addresses,
            node=node,
        )
        places = [place for place in (memory_dir, data_dir) if place is not None]
        return _Local(
            NodeVolumes(site.api, premises, site.clock),
            Leftovers(site.api, site.cluster, self._runtime, places, site.clock),
            ImageCollection(self._runtime, data_dir, engine_dir, thresholds, site.clock),
            StorageLimits(data_dir, self._recorder, site.measures, site.clock),
            NodePressure(
                site.settings.thresholds(), self._runtime, data_dir, self._recorder, site.measures, site.clock
            ),
        )

    async def _memory_dir(self, data_dir: Path) -> Path | None:
        wanted, cluster = self._site.settings.memory_dir, self._site.cluster
        if not await self._runtime.sees_our_files():
            return None
        return await asyncio.to_thread(memoryplace.find, wanted, cluster, self._name, data_dir)

    def _equipment(
        self, engine: Engine, reporter: Reporter, node: Callable[[], Node | None], volumes: Volumes
    ) -> Equipment:
        site, runtime, recorder, clock = self._site, self._runtime, self._recorder, self._site.clock
        endings = Endings(site.data_dir)
        hooks = Hooks(runtime, recorder, endings, clock)
        prober: Prober = EverybodyIsWell()
        if site.data_dir is not None:
            prober = RealProber(runtime, recorder, clock, site.measures)
        dns = ClusterDns(site.settings.cluster_dns, site.settings.cluster_domain)

        def allocatable() -> dict[str, str]:
            found = node()
            return dict(found.status.allocatable) if found is not None else {}

        place = Machine(site.addresses, allocatable, engine.memory_bytes, dns, site.data_dir)
        launcher = Launcher(
            place,
            runtime,
            Library(site.api, site.services),
            recorder,
            clock,
            images=Images(runtime, recorder, clock),
            pod_volumes=volumes,
            hooks=hooks,
        )
        return Equipment(
            host=Host(site.addresses, engine.name),
            runtime=runtime,
            launcher=launcher,
            volumes=volumes,
            prober=prober,
            hooks=hooks,
            endings=endings,
            last_words=LastWords(runtime, site.data_dir),
            reporter=reporter,
            recorder=recorder,
            measures=site.measures,
            clock=clock,
        )
