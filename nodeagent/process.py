"""The agent's process: one client, one engine, and one node or many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path

from nodeagent import clusteridentity, machine
from nodeagent.config import RuntimeKind, Settings
from nodeagent.node import NodeRun, Site
from nodeagent.nodes.places import Places
from nodeagent.nodes.server import NodesServer
from nodeagent.runtime.interface import ContainerRuntime, Owner
from steersman.api.core import Event, Service
from steersman.base import log
from steersman.base.clock import SystemClock
from steersman.base.run import Stopping
from steersman.client import client
from steersman.client.client import Client
from steersman.client.informer import Informer
from steersman.client.recorder import Recorder
from steersman.client.transport import Credentials

_log = log.get("nodeagent")

OpenRuntime = Callable[[Owner], AbstractAsyncContextManager[ContainerRuntime]]


async def run(settings: Settings, stopping: Stopping) -> None:
    """Until asked to stop; pods run on. Ends with ClusterChanged if the API server serves another cluster."""
    files = settings.credential_files()
    credentials = None if files is None else Credentials.from_files(*files)
    async with client.connect(settings.server, credentials) as api, asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve(settings, api))
        await stopping.wait()
        serving.cancel()


async def serve(settings: Settings, api: Client) -> None:
    """All nodes of this process, until cancelled."""
    clock = SystemClock()
    cluster = await clusteridentity.wait(api, clock)
    services = Informer(api.of(Service), clock=clock)
    is_real = settings.runtime is RuntimeKind.DOCKER
    places = Places()
    nodes_server = NodesServer(places, settings.nodes_address, settings.credential_files(), clock)
    await nodes_server.open()
    site = Site(
        api=api,
        cluster=cluster,
        services=services.cache,
        settings=settings,
        addresses=settings.node_ip or (machine.address_towards(settings.server[0]),),
        # A folder for each cluster and node: whoever sweeps it can be sure that all in it is its own.
        data_dir=_made(settings.data_dir / cluster / settings.name) if is_real else None,
        clock=clock,
        places=places,
        port=nodes_server.port,
    )
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        runtimes = await stack.enter_async_context(_runtimes(settings))
        tasks.create_task(nodes_server.run())
        tasks.create_task(services.run())
        await services.synced.wait()
        for name in settings.node_names:
            runtime = await stack.enter_async_context(runtimes(Owner(cluster, name)))
            recorder = Recorder(api.of(Event), "kubelet", instance=name, clock=clock)
            tasks.create_task(recorder.run())
            tasks.create_task(NodeRun(site, name, runtime, recorder).run())


def _made(folder: Path) -> Path:
    """Absolute, because the engine gets to see it."""
    found = folder.expanduser().resolve()
    found.mkdir(mode=0o755, parents=True, exist_ok=True)
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
