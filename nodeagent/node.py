"""One node, put together: registration, heartbeat, reporter, and the agent with all that its pod workers need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nodeagent import machine, pressure
from nodeagent.agent import Agent
from nodeagent.blueprint import ClusterDns
from nodeagent.config import Settings
from nodeagent.heartbeat import Heartbeat
from nodeagent.hooks import Hooks
from nodeagent.imagecollection import ImageCollection, Thresholds
from nodeagent.images import Images
from nodeagent.lastwords import LastWords
from nodeagent.launching import Launcher, Machine
from nodeagent.library import Library
from nodeagent.mirrors import StaticPods
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
from nodeagent.volumes import NoVolumes, Volumes
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
    local_nodes: LocalNodes
    port: int
    """Where the API server fetches logs and exec streams."""


@dataclass(frozen=True, slots=True)
class _Local:
    """What a node keeps on disk."""

    volumes: NodeVolumes
    leftovers: Leftovers
    images: ImageCollection


class NodeRun:
    def __init__(self, site: Site, name: str, runtime: ContainerRuntime, recorder: Recorder) -> None:
        self._site = site
        self._name = name
        self._runtime = runtime
        self._recorder = recorder

    async def run(self) -> None:
        """Until cancelled."""
        site, clock = self._site, self._site.clock
        engine = await self._engine()
        nodes, pods = self._informers()
        registration = Registration(site.api.of(Node), self._facts(engine), self._runtime, clock, self._pressures)
        own = ObjectKey("", self._name)

        def present() -> Node | None:
            return nodes.cache.get(own)

        static = self._static(pods, present)
        addressee = static.addressee if static is not None else (lambda pod: pod)
        reporter = Reporter(site.api.of(Pod), pods.cache.get, clock, addressee)
        local = None if site.data_dir is None else self._local(site.data_dir, engine, present)
        volumes: Volumes = NoVolumes() if local is None else local.volumes
        equipment = self._equipment(engine, reporter, present, volumes)
        agent = Agent(site.api, nodes, pods, equipment, cluster=site.cluster, name=self._name, static=static)
        node = await registration.register()
        interval = site.settings.heartbeat_interval
        heartbeat = Heartbeat(site.api.of(Lease), node, clock, interval_seconds=interval)
        site.local_nodes.add(LocalNode(self._name, self._runtime, pods.cache))
        async with asyncio.TaskGroup() as tasks:
            for part in (heartbeat.run(), nodes.run(), registration.run(nodes), reporter.run(), agent.run()):
                tasks.create_task(part)
            tasks.create_task(pods.run())
            if local is not None:
                tasks.create_task(local.volumes.run(pods))
                tasks.create_task(local.leftovers.run(pods))
                tasks.create_task(local.images.run())
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

    def _pressures(self) -> frozenset[str]:
        data_dir = self._site.data_dir
        return frozenset() if data_dir is None else pressure.conditions(machine.reserves(data_dir))

    def _local(self, data_dir: Path, engine: Engine, node: Callable[[], Node | None]) -> _Local:
        site = self._site
        engine_dir = site.settings.host_root / engine.data_root.lstrip("/")
        thresholds = Thresholds(site.settings.image_gc_high_threshold, site.settings.image_gc_low_threshold)
        premises = Premises(data_dir=data_dir, root=site.settings.host_root, addresses=site.addresses, node=node)
        return _Local(
            NodeVolumes(site.api, premises, site.clock),
            Leftovers(site.api, site.cluster, self._runtime, data_dir, site.clock),
            ImageCollection(self._runtime, data_dir, engine_dir, thresholds, site.clock),
        )

    def _equipment(
        self, engine: Engine, reporter: Reporter, node: Callable[[], Node | None], volumes: Volumes
    ) -> Equipment:
        site, runtime, recorder, clock = self._site, self._runtime, self._recorder, self._site.clock
        hooks = Hooks(runtime, recorder)
        prober: Prober = RealProber(runtime, recorder, clock) if site.data_dir is not None else EverybodyIsWell()
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
            last_words=LastWords(runtime, site.data_dir),
            reporter=reporter,
            recorder=recorder,
            clock=clock,
        )
