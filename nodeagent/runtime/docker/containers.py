"""Sandboxes and containers on the engine: made, adopted, stopped, removed, looked at.

Docker's unique names make a start safe to repeat: whoever comes second is told that the name is taken, and takes over
what is there. Only a container that was never started is started, because to Docker "start" also means "run again".
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable

from nodeagent.runtime.docker import naming, oomscores, reading, requests
from nodeagent.runtime.docker.client import EngineClient
from nodeagent.runtime.docker.inspections import Inspections
from nodeagent.runtime.docker.naming import Identity
from nodeagent.runtime.docker.reading import Seen
from nodeagent.runtime.docker.settings import DockerSettings
from nodeagent.runtime.interface import CreateFailed, Owner, StartFailed
from nodeagent.runtime.seen import SeenContainer, SeenPod, SeenSandbox, State
from nodeagent.runtime.specs import ContainerSpec, SandboxSpec
from steersman.api.errors import ApiError, Conflict, NotFound, Timeout, Unavailable
from steersman.api.names import Uid

CHANGE_SECONDS = 60.0  # creating, starting and removing wait for disks and for other containers
STOP_SLACK_SECONDS = 30.0
POLL_SECONDS = 0.02
ADOPTION_ATTEMPTS = 500


class Containers:
    def __init__(self, client: EngineClient, owner: Owner, settings: DockerSettings, inspections: Inspections) -> None:
        self._client = client
        self._owner = owner
        self._settings = settings
        self._inspections = inspections
        self.lowest_oom_score: int | None = None
        """None: not known yet, so scores are not lowered."""

    async def run_sandbox(self, spec: SandboxSpec) -> SeenSandbox:
        name = naming.container_name(self._owner, spec.pod.uid, naming.SANDBOX, spec.attempt)
        identity, inspected = await self._run(name, requests.sandbox(spec, self._owner, self._settings))
        return reading.sandbox(identity, inspected)

    async def run_container(self, spec: ContainerSpec) -> SeenContainer:
        name = naming.container_name(self._owner, spec.pod.uid, spec.name, spec.attempt)
        try:
            identity, inspected = await self._run(name, requests.container(spec, self._owner, self._settings))
        except CreateFailed:
            await self._inspect(spec.sandbox_id)  # a sandbox that is gone is said so, with NotFound
            raise
        return reading.container(identity, inspected)

    async def _run(self, name: str, body: requests.Body) -> tuple[Identity, reading.Json]:
        inspected = await self._create_or_adopt(name, body)
        labels = inspected["Config"]["Labels"] or {}
        identity = naming.identity_of(labels)
        if identity is None or naming.owner_of(labels) != self._owner:
            raise Conflict(f"the container name {name} is taken by somebody else")
        if reading.state_of(inspected) is State.CREATED:
            await self._start(inspected["Id"])
            inspected = await self._inspect(inspected["Id"])
        if not inspected["State"]["Running"] and inspected["State"]["Error"]:
            raise StartFailed(inspected["State"]["Error"])
        return identity, inspected

    async def _create_or_adopt(self, name: str, body: requests.Body) -> reading.Json:
        """Docker reserves the name before it has the container, and frees it a little after: hence the repetition."""
        for _ in range(ADOPTION_ATTEMPTS):
            container_id = await self._create(name, body)
            try:
                return await self._inspect(container_id or name)
            except NotFound:
                await asyncio.sleep(POLL_SECONDS)
        raise Timeout(f"the name {name} is taken, but nothing has it")

    async def _create(self, name: str, body: requests.Body) -> str | None:
        """The id of a new container; None when the name is taken."""
        host = body["HostConfig"]
        host["OomScoreAdj"] = max(host["OomScoreAdj"], self.lowest_oom_score or oomscores.UNCHANGED)
        try:
            made = await self._client.call(
                "POST", "/containers/create", {"name": name}, body, timeout_seconds=CHANGE_SECONDS
            )
        except Conflict:
            return None
        except (NotFound, Unavailable, Timeout):
            raise
        except ApiError as error:
            raise CreateFailed(error.message) from error
        container_id: str = made["Id"]
        return container_id

    async def _start(self, container_id: str) -> None:
        try:
            await self._client.call("POST", f"/containers/{container_id}/start", timeout_seconds=CHANGE_SECONDS)
        except (Unavailable, Timeout):
            raise
        except NotFound:
            await self._inspect(container_id)  # it is the container that is missing, or else something it needs
            raise
        except ApiError as error:
            raise StartFailed(error.message) from error

    async def stop(self, container_id: str, grace_seconds: float, signal: str) -> None:
        query = {"t": str(math.ceil(max(0.0, grace_seconds)))}
        if signal:
            query["signal"] = signal
        deadline = grace_seconds + STOP_SLACK_SECONDS
        try:
            await self._client.call("POST", f"/containers/{container_id}/stop", query, timeout_seconds=deadline)
        except NotFound:
            return

    async def kill(self, container_id: str, signal: str) -> None:
        try:
            await self._client.call("POST", f"/containers/{container_id}/kill", {"signal": signal})
        except (NotFound, Conflict):  # gone, or not running
            return

    async def remove(self, container_id: str) -> None:
        path, query = f"/containers/{container_id}", {"force": "1", "v": "1"}
        try:
            await self._client.call("DELETE", path, query, timeout_seconds=CHANGE_SECONDS)
        except NotFound:
            return
        except Conflict:  # somebody else is removing it: the name is free when they have finished
            await self._until_gone(container_id)

    async def _until_gone(self, container_id: str) -> None:
        try:
            async with asyncio.timeout(CHANGE_SECONDS):
                while True:
                    await self._inspect(container_id)
                    await asyncio.sleep(POLL_SECONDS)
        except NotFound:
            return
        except TimeoutError as error:
            raise Timeout(f"container {container_id} is being removed for {CHANGE_SECONDS:g} s") from error

    async def remove_volumes(self, uid: Uid) -> None:
        """The pod's memory volumes, except those that another of its sandboxes uses."""
        found = await self._client.call("GET", "/volumes", {"filters": naming.label_filter(self._owner, uid)})
        for volume in found["Volumes"] or ():
            try:
                await self._client.call("DELETE", f"/volumes/{volume['Name']}")
            except (NotFound, Conflict):
                continue

    async def observe(self, uid: Uid) -> SeenPod:
        return reading.pod(uid, await self._look(uid))

    async def list_pods(self) -> tuple[SeenPod, ...]:
        return reading.pods(await self._look(None))

    async def identity(self, container_id: str) -> tuple[Identity, reading.Json]:
        """NotFound also for containers that are not ours: they are none of our business."""
        inspected = await self._inspect(container_id)
        labels = inspected["Config"]["Labels"] or {}
        identity = naming.identity_of(labels)
        if identity is None or naming.owner_of(labels) != self._owner:
            raise NotFound(f"No such container: {container_id}")
        return identity, inspected

    async def _look(self, uid: Uid | None) -> Iterable[tuple[Identity, Seen]]:
        query = {"all": "1", "filters": naming.label_filter(self._owner, uid)}
        listed = await self._client.call("GET", "/containers/json", query)
        return await self._inspections.seen(listed)

    async def _inspect(self, container: str) -> reading.Json:
        answer: reading.Json = await self._client.call("GET", f"/containers/{container}/json")
        return answer
