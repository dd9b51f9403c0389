"""The node agent as a process, on a real Docker engine, against a real API server."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from nodeagent.runtime.docker import naming
from steersman.api import codec
from steersman.api.core import ConfigMap, ContainerStatus, Event, Namespace, Node, Pod
from steersman.api.errors import NotFound
from steersman.client import client
from steersman.client.client import Client
from tests import scraping
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.builders import make_configmap, make_pod
from tests.dockerengine import BUSYBOX_IMAGE, NGINX_IMAGE, Engine
from tests.eventually import eventually
from tests.nodeagentprocess import NodeAgentProcess, node_agent_process

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180), pytest.mark.asyncio(loop_scope="module")]

WITHIN = 60.0
NODE = "node-a"
POLITE = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"


@dataclass
class World:
    api: Client
    server: ApiServerProcess
    agent: NodeAgentProcess
    engine: Engine
    cluster: str

    async def create(self, name: str, *containers: dict[str, Any], **spec: Any) -> Pod:
        fields = {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 5,
            **({"containers": list(containers)} if containers else {}),
            **spec,
        }
        written = await self.api.raw(Pod).create(make_pod(name, node=NODE, spec=fields))
        return codec.load(Pod, written.object)

    async def pod(self, name: str) -> Pod:
        return await self.api.of(Pod).get(name, "default")

    async def status(self, name: str, container: str = "main") -> ContainerStatus | None:
        found = await self.pod(name)
        statuses = (*found.status.container_statuses, *found.status.init_container_statuses)
        return next((each for each in statuses if each.name == container), None)

    async def reaches(self, name: str, phase: str) -> Pod:
        async def there() -> Pod | None:
            found = await self.pod(name)
            assert found.status.phase == phase, f"{found.status}"
            return found

        found = await eventually(there, within=WITHIN)
        assert found is not None
        return found

    async def ready(self, name: str) -> Pod:
        async def there() -> Pod | None:
            found = await self.pod(name)
            conditions = {each.type: each.status for each in found.status.conditions}
            assert conditions.get("Ready") == "True", f"{found.status}"
            return found

        found = await eventually(there, within=WITHIN)
        assert found is not None
        return found

    async def gone(self, name: str) -> None:
        async def there() -> bool:
            try:
                await self.pod(name)
            except NotFound:
                return True
            return False

        await eventually(there, within=WITHIN)

    async def docker(self, *arguments: str) -> str:
        return await asyncio.to_thread(self.engine.docker, *arguments)

    async def containers(self, pod: str, *filters: str) -> list[str]:
        """The names of the pod's containers, its sandbox included."""
        labels = (f"label={naming.CLUSTER}={self.cluster}", f"label={naming.POD}={pod}")
        wanted = [f"--filter={each}" for each in (*labels, *filters)]
        listed = await self.docker("ps", "--all", "--format", "{{.Names}}", *wanted)
        return sorted(listed.split())

    async def stands(self, pod: str, running: int) -> None:
        """Until so many of the pod's containers run, its sandbox included."""

        async def there() -> bool:
            return len(await self.containers(pod, "status=running")) == running

        await eventually(there, within=WITHIN)

    async def tells(self, pod: str, reason: str, message: str) -> None:
        """Until an Event says it, perhaps with more behind it."""

        async def there() -> bool:
            found = (await self.api.of(Event).list("default")).items
            said = [(each.reason, each.message) for each in found if each.involved_object.name == pod]
            assert any(why == reason and told.startswith(message) for why, told in said), said
            return True

        await eventually(there, within=WITHIN)

    async def waiting(self, name: str, reason: str) -> ContainerStatus:
        async def there() -> ContainerStatus | None:
            found = await self.status(name)
            assert found is not None
            assert found.state.waiting is not None, f"{found}"
            assert found.state.waiting.reason == reason, f"{found}"
            return found

        found = await eventually(there, within=WITHIN)
        assert found is not None
        return found


def box(script: str, name: str = "main", **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": BUSYBOX_IMAGE, "command": ["/bin/sh", "-c", script], **fields}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(docker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """One cluster with one node for all tests; their pods have names of their own."""
    tmp_path = tmp_path_factory.mktemp("world")
    async with (
        api_server_process(data_dir=tmp_path / "api") as server,
        client.connect([server.grpc]) as api,
    ):
        cluster = (await api.of(Namespace).get("kube-system")).metadata.uid
        network = f"steersman-{cluster[:8]}"
        arguments = (
            f"--docker-url={docker_engine.url}",
            f"--docker-network={network}",
            f"--docker-network-subnet={docker_engine.new_subnet()}",
        )
        try:
            async with node_agent_process(server.grpc, tmp_path / "node", *arguments, node=NODE) as agent:
                world = World(api, server, agent, docker_engine, cluster)
                await eventually(lambda: _is_ready(world), within=WITHIN)
                yield world
        finally:
            await eventually(lambda: asyncio.to_thread(_swept, docker_engine, cluster, network), within=WITHIN)


def _swept(engine: Engine, cluster: str, network: str) -> bool:
    """Whether nothing is left; not yet while the engine still removes what a killed agent had asked it to."""
    try:
        engine.sweep(f"{naming.CLUSTER}={cluster}")
        engine.docker("network", "rm", "--force", network)
    except RuntimeError as error:
        raise AssertionError(str(error)) from error
    return True


async def _is_ready(world: World) -> bool:
    try:
        node = await world.api.of(Node).get(NODE)
    except NotFound:
        return False
    return any(each.type == "Ready" and each.status == "True" for each in node.status.conditions)


async def test_a_web_server_becomes_ready_and_goes(world: World) -> None:
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1}
    await world.create(
        "web", {"name": "main", "image": NGINX_IMAGE, "readinessProbe": probe, "ports": [{"containerPort": 80}]}
    )
    pod = await world.ready("web")
    assert pod.status.phase == "Running"
    assert pod.status.container_statuses[0].container_id.startswith("docker://")
    assert pod.status.pod_ip
    assert len(await world.containers("web", "status=running")) == 2
    await world.api.of(Pod).delete("web", "default")
    await world.gone("web")
    assert await world.containers("web") == []


@pytest.mark.parametrize(
    ("policy", "code", "phase", "reason"),
    [
        ("Never", 0, "Succeeded", "Completed"),
        ("Never", 3, "Failed", "Error"),
        ("OnFailure", 0, "Succeeded", "Completed"),
    ],
)
async def test_running_to_completion(world: World, policy: str, code: int, phase: str, reason: str) -> None:
    name = f"job-{policy.lower()}-{code}"
    await world.create(name, box(f"echo done > /dev/termination-log; exit {code}"), restartPolicy=policy)
    ended = (await world.reaches(name, phase)).status.container_statuses[0].state.terminated
    assert ended is not None
    assert (ended.exit_code, ended.reason, ended.message) == (code, reason, "done\n")


async def test_a_crash_looper_backs_off(world: World) -> None:
    await world.create("crash", box("exit 1", terminationMessagePolicy="FallbackToLogsOnError"))
    status = await world.waiting("crash", "CrashLoopBackOff")
    pod = await world.pod("crash")
    assert status.restart_count >= 1
    assert status.last_state.terminated is not None
    assert status.last_state.terminated.exit_code == 1
    assert status.state.waiting is not None
    label = f"crash_default({pod.metadata.uid})"
    told = rf"back-off (10s|20s|40s) restarting failed container=main pod={re.escape(label)}"
    assert re.fullmatch(told, status.state.waiting.message)
    assert pod.status.phase == "Running"


async def test_a_bad_image(world: World) -> None:
    await world.create("bad", {"name": "main", "image": "localhost:1/no/such:image"})
    status = await world.waiting("bad", "ImagePullBackOff")
    assert status.state.waiting is not None
    assert status.state.waiting.message.startswith('Back-off pulling image "localhost:1/no/such:image": ErrImagePull: ')
    await world.tells("bad", "Pulling", 'Pulling image "localhost:1/no/such:image"')
    await world.tells("bad", "Failed", "Error: ErrImagePull")


async def test_a_program_that_is_not_there(world: World) -> None:
    await world.create(
        "wrong", {"name": "main", "image": BUSYBOX_IMAGE, "command": ["/no/such/program"]}, restartPolicy="Never"
    )
    ended = (await world.reaches("wrong", "Failed")).status.container_statuses[0].state.terminated
    assert ended is not None
    assert ended.reason == "StartError"
    assert "/no/such/program" in ended.message


async def test_init_containers_a_sidecar_and_shared_files(world: World) -> None:
    mounts: dict[str, Any] = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
    init = [
        box("echo one > /shared/log", "first", **mounts),
        {**box(POLITE, "proxy", **mounts), "restartPolicy": "Always"},
        box("echo two >> /shared/log", "second", **mounts),
    ]
    work = box('test "$(cat /shared/log | tr -d "\\n")" = onetwo', **mounts)
    await world.create(
        "steps", work, initContainers=init, restartPolicy="Never", volumes=[{"name": "shared", "emptyDir": {}}]
    )
    ended = await world.reaches("steps", "Succeeded")
    assert [each.ready for each in ended.status.init_container_statuses] == [True, False, True]
    await world.stands("steps", running=0)


async def test_environment_reaches_the_process(world: World) -> None:
    await world.api.raw(ConfigMap).create(make_configmap("settings", data={"COLOR": "blue"}))
    env = [
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "BOTH", "value": "$(POD)-$(COLOR)"},
    ]
    script = 'echo "$BOTH $(hostname) $KUBERNETES_SERVICE_PORT $0" > /dev/termination-log; test -n "$IP"'
    work = {**box(script), "args": ["$(COLOR)"], "env": env, "envFrom": [{"configMapRef": {"name": "settings"}}]}
    await world.create("env", work, restartPolicy="Never")
    ended = (await world.reaches("env", "Succeeded")).status.container_statuses[0].state.terminated
    assert ended is not None
    assert ended.message == "env-blue env 443 blue\n"


async def test_a_variable_comes_from_a_file_that_an_earlier_container_wrote(world: World) -> None:
    volume = {"name": "work", "emptyDir": {}}
    mounts = [{"name": "work", "mountPath": "/work"}]
    write = box("echo \"COLOR='deep blue'\" > /work/env", "first", volumeMounts=mounts)
    source = {"volumeName": "work", "path": "env", "key": "COLOR"}
    work = box('echo "$COLOR" > /dev/termination-log', env=[{"name": "COLOR", "valueFrom": {"fileKeyRef": source}}])
    await world.create("from-file", work, initContainers=[write], volumes=[volume], restartPolicy="Never")
    ended = (await world.reaches("from-file", "Succeeded")).status.container_statuses[0].state.terminated
    assert ended is not None
    assert ended.message == "deep blue\n"


async def test_a_missing_config_map_is_waited_for(world: World) -> None:
    await world.create(
        "late", {**box("exit 0"), "envFrom": [{"configMapRef": {"name": "late"}}]}, restartPolicy="Never"
    )
    status = await world.waiting("late", "CreateContainerConfigError")
    assert status.state.waiting is not None
    assert status.state.waiting.message == 'configmap "late" not found'
    await world.api.raw(ConfigMap).create(make_configmap("late"))
    await world.reaches("late", "Succeeded")


async def test_volumes_that_are_not_there_keep_a_pod_waiting(world: World) -> None:
    await world.create(
        "volume",
        box("exit 0", volumeMounts=[{"name": "v", "mountPath": "/v"}]),
        volumes=[{"name": "v", "hostPath": {"path": "/no/such", "type": "Directory"}}],
    )

    await world.tells("volume", "FailedMount", 'MountVolume.SetUp failed for volume "v" : hostPath type check failed')
    assert await world.containers("volume") == []


async def test_a_failed_liveness_probe_restarts(world: World) -> None:
    probe = {"exec": {"command": ["/bin/test", "!", "-e", "/tmp/sick"]}, "periodSeconds": 1, "failureThreshold": 1}
    await world.create("sick", box(f"(sleep 2; touch /tmp/sick) & {POLITE}", livenessProbe=probe))

    async def restarted() -> bool:
        found = await world.status("sick")
        return found is not None and found.restart_count >= 1

    await eventually(restarted, within=WITHIN)
    await world.tells("sick", "Killing", "Container main failed liveness probe, will be restarted")


async def test_hooks_and_grace(world: World) -> None:
    hooks = {
        "postStart": {"exec": {"command": ["/bin/sh", "-c", "touch /shared/started"]}},
        "preStop": {"exec": {"command": ["/bin/sh", "-c", "touch /shared/stopping"]}},
    }
    folder = world.agent.folder / "hooks"
    folder.mkdir()
    volume = {"name": "shared", "hostPath": {"path": str(folder), "type": "Directory"}}
    work = box(POLITE, lifecycle=hooks, volumeMounts=[{"name": "shared", "mountPath": "/shared"}])
    await world.create("hooks", work, volumes=[volume], terminationGracePeriodSeconds=60)
    await world.ready("hooks")
    await world.api.of(Pod).delete("hooks", "default")
    await world.gone("hooks")
    assert {each.name for each in folder.iterdir()} == {"started", "stopping"}


async def test_a_pod_that_fills_its_volume_is_evicted(world: World) -> None:
    volume = {"name": "scratch", "emptyDir": {"sizeLimit": "1Mi"}}
    fill = f"dd if=/dev/urandom of=/scratch/big bs=1M count=2; {POLITE}"
    work = box(fill, volumeMounts=[{"name": "scratch", "mountPath": "/scratch"}])
    await world.create("greedy", work, volumes=[volume])
    evicted = await world.reaches("greedy", "Failed")
    told = 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". '
    assert (evicted.status.reason, evicted.status.message) == ("Evicted", told)
    await world.stands("greedy", running=0)
    await world.tells("greedy", "Evicted", told)


async def test_an_agent_shows_what_it_has_counted(world: World) -> None:
    await world.create("counted", box(POLITE))
    await world.ready("counted")
    lines = [line for line in world.agent.log_file.read_text().splitlines() if "serving metrics" in line]
    address = re.search(r"127\.0\.0\.1:\d+", lines[-1])
    assert address is not None
    found = await scraping.gauges(address[0])
    assert found["steersman_agent_pods"] >= 1
    assert found["steersman_agent_start_duration_seconds_count"] >= 2
    assert found["steersman_agent_heartbeats_total"] >= 1
    assert found["process_resident_memory_bytes"] > 0


async def test_a_container_killed_from_outside_is_restarted(world: World) -> None:
    await world.create("victim", box(POLITE))
    pod = await world.ready("victim")
    await world.docker("kill", pod.status.container_statuses[0].container_id.removeprefix("docker://"))

    async def back() -> bool:
        found = await world.status("victim")
        return found is not None and found.restart_count == 1 and found.ready

    await eventually(back, within=WITHIN)


async def test_a_dead_sandbox_is_replaced(world: World) -> None:
    await world.create("headless", box(POLITE))
    await world.ready("headless")
    pauses = await world.containers("headless", "status=running", "name=POD")
    await world.docker("kill", pauses[0])

    async def back() -> bool:
        found = await world.status("headless")
        return found is not None and found.restart_count == 1 and found.ready

    await eventually(back, within=WITHIN)
    await world.stands("headless", running=2)


async def test_the_deadline_ends_a_pod(world: World) -> None:
    await world.create("deadline", box(POLITE), activeDeadlineSeconds=2)
    pod = await world.reaches("deadline", "Failed")
    assert pod.status.reason == "DeadlineExceeded"
    await world.stands("deadline", running=0)


async def test_a_killed_agent_adopts_what_runs(world: World) -> None:
    """Neither restarts nor duplicates nor loses a container; what was deleted meanwhile is stopped."""
    for name in ("keep", "drop"):
        await world.create(name, box(POLITE))
    before = [(await world.ready(name)).status.container_statuses[0].container_id for name in ("keep", "drop")]
    await world.agent.kill()
    await world.api.of(Pod).delete("drop", "default", grace_period_seconds=0)
    await world.gone("drop")
    await world.stands("drop", running=2)
    await world.agent.start()
    await world.stands("drop", running=0)
    await world.stands("keep", running=2)
    kept = await world.ready("keep")
    assert kept.status.container_statuses[0].container_id == before[0]
    assert kept.status.container_statuses[0].restart_count == 0


async def test_an_end_goes_on_where_a_killed_agent_left_it(world: World) -> None:
    """The pod has an hour, and would take it; but the hour began an hour ago. Its hook has run, and runs no more."""
    folder = world.agent.folder / "ending"
    folder.mkdir()
    hook = {"preStop": {"exec": {"command": ["/bin/sh", "-c", "echo ran >> /shared/hook"]}}}
    work = box(
        "trap '' TERM; while :; do sleep 1; done",
        lifecycle=hook,
        volumeMounts=[{"name": "shared", "mountPath": "/shared"}],
    )
    volume = {"name": "shared", "hostPath": {"path": str(folder), "type": "Directory"}}
    pod = await world.create("ending", work, volumes=[volume], terminationGracePeriodSeconds=3600)
    container = (await world.ready("ending")).status.container_statuses[0].container_id.removeprefix("docker://")
    await world.api.of(Pod).delete("ending", "default")
    notes = world.agent.folder / "data" / world.cluster / NODE / "pods" / pod.metadata.uid / "ending"
    await eventually((notes / container).exists, within=WITHIN)
    await world.agent.kill()
    an_hour_ago = (notes / "began").stat().st_mtime - 3600
    os.utime(notes / "began", (an_hour_ago, an_hour_ago))
    await world.agent.start()
    await world.gone("ending")
    assert (folder / "hook").read_text() == "ran\n"


async def test_an_end_that_nobody_saw_is_told_later(world: World) -> None:
    await world.create("short", box("until test -e /tmp/end; do sleep 0.1; done; exit 7"), restartPolicy="Never")
    running = await world.reaches("short", "Running")
    await world.agent.kill()
    container = running.status.container_statuses[0].container_id.removeprefix("docker://")
    await world.docker("exec", container, "touch", "/tmp/end")

    async def ended() -> bool:
        return len(await world.containers("short", "status=exited")) == 1

    await eventually(ended, within=WITHIN)
    await world.agent.start()
    terminated = (await world.reaches("short", "Failed")).status.container_statuses[0].state.terminated
    assert terminated is not None
    assert terminated.exit_code == 7


async def test_another_cluster_at_the_same_address_stops_nothing(world: World, tmp_path: Path) -> None:
    """The last one: afterwards the agent has gone, and the cluster with it."""
    await world.create("stays", box(POLITE))
    await world.ready("stays")
    await world.server.kill()
    world.server.data_dir = tmp_path / "other"
    await world.server.start()

    async def noticed() -> bool:
        return "now serves cluster" in world.agent.log_file.read_text()

    await eventually(noticed, within=WITHIN)
    assert len(await world.containers("stays", "status=running")) == 2
