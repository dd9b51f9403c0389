"""The agent's process: one client, one engine, and one node or many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path

from prometheus_client import CollectorRegistry

from nodeagent import clusteridentity, machine
from nodeagent.config import RuntimeKind, Settings
from nodeagent.measures import Measures
from nodeagent.node import NodeRun, Site
from nodeagent.nodes.localnodes import LocalNodes
from nodeagent.nodes.server import NodesServer
from nodeagent.runtime.interface import ContainerRuntime, Owner
from nodeagent.shutdown import Periods
from steersman.api.core import Event, Service
from steersman.base import log, metrics
from steersman.base.clock import Clock, SystemClock
from steersman.base.run import Stopping
from steersman.client import client
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.client.recorder import Recorder
from steersman.client.transport import CredentialFiles

_log = log.get("nodeagent")

OpenRuntime = Callable[[Owner], AbstractAsyncContextManager[ContainerRuntime]]


async def run(settings: Settings, stopping: Stopping) -> None:
    """Until asked to stop; pods run on, unless the machine goes down too. Ends with ClusterChanged if the API server
    serves another cluster."""
    files = settings.credential_files()
    credentials = None if files is None else CredentialFiles(*files)
    nodes: list[NodeRun] = []
    async with client.connect(settings.server, credentials) as api, asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(_serve(settings, api, nodes))
        await stopping.wait()
        if settings.shutdown_grace_period > 0 and settings.runtime is RuntimeKind.DOCKER:
            periods = Periods(settings.shutdown_grace_period, settings.shutdown_grace_period_critical_pods)
            for node in nodes:
                await node.shut_down(periods)
        serving.cancel()


async def serve(settings: Settings, api: Client) -> None:
    """All nodes of this process, until cancelled."""
    await _serve(settings, api, [])


async def _serve(settings: Settings, api: Client, nodes: list[NodeRun]) -> None:
    """Each node that runs is added to `nodes`."""
    clock = SystemClock()
    cluster = await clusteridentity.wait(api, clock)
    services = Informer(api.of(Service), clock=clock)
    is_real = settings.runtime is RuntimeKind.DOCKER
    local_nodes = LocalNodes()
    nodes_server = NodesServer(local_nodes, settings.nodes_address, settings.credential_files(), clock)
    await nodes_server.open()
    registry = metrics.new_registry()
    site = Site(
        api=api,
        cluster=cluster,
        services=services.cache,
        settings=settings,
        addresses=_addresses(settings),
        # A folder for each cluster and node: whoever sweeps it can be sure that all in it is its own.
        data_dir=_made(settings.data_dir / cluster / settings.name) if is_real else None,
        clock=clock,
        measures=Measures(registry),
        local_nodes=local_nodes,
        port=nodes_server.port,
    )
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        runtimes = await stack.enter_async_context(_runtimes(settings))
        tasks.create_task(nodes_server.run())
        tasks.create_task(_show_pages(settings, registry, local_nodes, clock))
        tasks.create_task(services.run())
        await services.synced.wait()
        for name in settings.node_names:
            runtime = await stack.enter_async_context(runtimes(Owner(cluster, name)))
            recorder = Recorder(api.of(Event), "kubelet", instance=name, clock=clock)
            tasks.create_task(recorder.run())
            node = NodeRun(site, name, runtime, recorder)
            nodes.append(node)
            tasks.create_task(node.run())


async def _show_pages(settings: Settings, registry: CollectorRegistry, local_nodes: LocalNodes, clock: Clock) -> None:
    address = settings.pages_address
    if address is None:
        return
    from nodeagent.pages import Pages  # with a web server that hollow nodes need not load

    files, expected = settings.credential_files(), len(settings.node_names)
    with metrics.watch_gc_pauses(registry):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(metrics.watch_loop_lag(metrics.loop_lag(registry), clock))
            tasks.create_task(Pages(registry, address, files, local_nodes, expected).run(clock))


def _addresses(settings: Settings) -> tuple[str, ...]:
    return settings.node_ip or (machine.address_towards(settings.server[0]),)


def _made(folder: Path) -> Path:
    """Absolute, because the engine gets to see it."""
    found = folder.expanduser().resolve()
    found.mkdir(parents=True, exist_ok=True)
    found.chmod(0o700)  # there are secrets in it; containers see their own part through their mounts
    return found


@asynccontextmanager
async def _runtimes(settings: Settings) -> AsyncIterator[OpenRuntime]:
    """How the runtime of each node is opened. Only what is used is imported."""
    if settings.runtime is RuntimeKind.HOLLOW:
        from nodeagent.runtime import hollow

        async with hollow.open_engine() as engine:
            yield lambda owner: nullcontext(hollow.HollowRuntime(engine, owner))
    else:
        from nodeagent.runtime import docker

        chosen = docker.DockerSettings(
            url=settings.docker_url,
            pause_image=settings.pause_image or docker.OUR_PAUSE_IMAGE,
            network=settings.docker_network,
            network_subnet=settings.docker_network_subnet,
        )
        yield lambda owner: docker.open_runtime(owner, chosen)
