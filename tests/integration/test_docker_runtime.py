"""What only a real engine can show: processes, files, limits, addresses. (The contract is in tests/contract.)"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nodeagent.runtime.docker import client as engine_client
from nodeagent.runtime.docker import naming, requests
from nodeagent.runtime.docker.settings import DockerSettings
from nodeagent.runtime.interface import CreateFailed, StartFailed
from nodeagent.runtime.seen import SeenSandbox, State, Wake
from nodeagent.runtime.specs import (
    Dns,
    HostAlias,
    HostMount,
    HostPort,
    MemoryMount,
    MemoryVolume,
    Resources,
    SandboxSpec,
    Security,
)
from steersman.api.errors import Conflict
from tests import runtimes
from tests.dockerengine import NGINX_IMAGE, Engine
from tests.eventually import eventually
from tests.runtimes import WITHIN, World

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]


@pytest.fixture
async def world(docker_engine: Engine) -> AsyncIterator[World]:
    async with runtimes.docker_world(docker_engine) as opened:
        yield opened


def inspected(engine: Engine, container_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(engine.docker("inspect", container_id))[0]
    return found


async def with_a_host_port(world: World) -> tuple[World, SeenSandbox, int]:
    """A pod that has a port of the machine: another one if somebody takes the first before the engine does."""
    while True:
        port, world = runtimes.free_port(), runtimes.with_new_pod(world)
        try:
            spec = SandboxSpec(pod=world.pod, ports=(HostPort(port, 80, host_ip="127.0.0.1"),))
            return world, await world.sandbox(spec), port
        except StartFailed:
            continue


# What a process finds ------------------------------------------------------------------------------------------


async def test_command_environment_folder_and_identity(world: World) -> None:
    spec = replace(
        world.spec(await world.sandbox(), "/bin/sh", "-c", 'echo "$0 $1|$GREETING|$(pwd)|$(id -u):$(id -g) $(id -G)"'),
        args=("zero", "one"),
        env=(("GREETING", "a=b c"),),
        working_dir="/www",
        security=Security(user="1000:3000", supplemental_groups=(4000,)),
    )
    assert await runtimes.said(world, spec) == b"zero one|a=b c|/www|1000:3000 3000 4000\n"


async def test_without_a_command_the_images_own_runs(world: World) -> None:
    image = await world.runtime.find_image(NGINX_IMAGE)
    assert image is not None
    sandbox = await world.sandbox()
    await world.runtime.run_container(replace(world.spec(sandbox), image=image.id, command=()))
    assert b"Welcome to nginx!" in await runtimes.fetch(world.runtime, sandbox.id, 80)


async def test_rights_are_those_of_the_spec(world: World) -> None:
    look = "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t' | tr '\\n' ' '; touch /x 2>&1"
    spec = replace(
        world.spec(await world.sandbox(), "/bin/sh", "-c", look),
        security=Security(
            drop_capabilities=("ALL",),
            add_capabilities=("NET_BIND_SERVICE",),
            no_new_privileges=True,
            seccomp="unconfined",
            read_only_root=True,
        ),
    )
    said = await runtimes.said(world, spec)
    assert b"CapEff:0000000000000400 NoNewPrivs:1 Seccomp:0" in said
    assert b"Read-only file system" in said


async def test_unspecified_rights_are_the_engines_defaults(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/bin/sh", "-c", "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status")
    assert await runtimes.said(world, spec) == b"NoNewPrivs:\t0\nSeccomp:\t2\n"


async def test_limits_reach_the_engine_and_nothing_restarts_by_itself(world: World, docker_engine: Engine) -> None:
    spec = replace(
        world.spec(await world.sandbox()),
        resources=Resources(
            cpu_shares=512, cpu_quota_microseconds=50_000, memory_bytes=64 << 20, pids=100, oom_score_adjustment=900
        ),
    )
    container = await world.runtime.run_container(spec)
    host = inspected(docker_engine, container.id)["HostConfig"]
    assert (host["CpuShares"], host["CpuPeriod"], host["CpuQuota"]) == (512, 100_000, 50_000)
    assert (host["Memory"], host["PidsLimit"], host["OomScoreAdj"]) == (64 << 20, 100, 900)
    assert host["RestartPolicy"]["Name"] == "no"
    assert inspected(docker_engine, container.sandbox_id)["HostConfig"]["RestartPolicy"]["Name"] == "no"


async def test_too_much_memory_is_said_to_be_the_reason(world: World) -> None:
    greedy = "a=0123456789abcdef; while :; do a=$a$a; done"
    spec = replace(
        world.spec(await world.sandbox(), "/bin/sh", "-c", greedy), resources=Resources(memory_bytes=16 << 20)
    )
    await world.runtime.run_container(spec)
    ended = await world.ended()
    assert (ended.exit_code, ended.oom_killed) == (137, True)


async def test_host_folders_are_mounted_as_asked(world: World, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("from the host")
    use = "cat /ro/in; touch /ro/x 2>/dev/null || echo -n ' refused'; touch /rw/x"
    spec = replace(
        world.spec(await world.sandbox(), "/bin/sh", "-c", use),
        mounts=(
            HostMount(source=str(tmp_path), target="/ro", read_only=True),
            HostMount(source=str(tmp_path), target="/rw"),
        ),
    )
    assert await runtimes.said(world, spec) == b"from the host refused"
    assert (tmp_path / "x").exists()


async def test_a_memory_volume_outlives_containers_and_goes_with_the_sandbox(
    world: World, docker_engine: Engine
) -> None:
    sandbox = await world.sandbox(SandboxSpec(pod=world.pod, memory_volumes=(MemoryVolume("cache", 1 << 20),)))
    mounts = (MemoryMount(volume="cache", target="/cache"),)
    write = world.spec(sandbox, "/bin/sh", "-c", "echo kept >/cache/file", name="writer")
    await runtimes.said(world, replace(write, mounts=mounts))
    read = world.spec(sandbox, "/bin/sh", "-c", "cat /cache/file; stat -f -c %T /cache; df -k /cache | tail -n 1")
    said = (await runtimes.said(world, replace(read, mounts=mounts))).split()
    assert said[:4] == [b"kept", b"tmpfs", b"tmpfs", b"1024"]
    volumes = ("volume", "ls", "--quiet", "--filter", f"label={naming.UID}={world.uid}")
    assert docker_engine.docker(*volumes)
    for container in (await world.runtime.observe(world.uid)).containers:
        await world.runtime.remove_container(container.id)
    await world.runtime.remove_sandbox(sandbox.id)
    assert not docker_engine.docker(*volumes)


async def test_names_and_resolver_are_the_sandboxs(world: World) -> None:
    sandbox = await world.sandbox(
        SandboxSpec(
            pod=world.pod,
            hostname="web-0",
            host_aliases=(HostAlias("192.0.2.7", "elsewhere.test"),),
            dns=Dns(nameservers=("192.0.2.53",), searches=("default.svc.cluster.local",), options=("ndots:5",)),
            sysctls={"net.ipv4.ip_unprivileged_port_start": "1024"},
        )
    )
    look = "hostname; cat /etc/hosts /etc/resolv.conf /proc/sys/net/ipv4/ip_unprivileged_port_start"
    said = (await runtimes.said(world, world.spec(sandbox, "/bin/sh", "-c", look))).decode()
    assert said.startswith("web-0\n")
    assert f"{sandbox.ip}\tweb-0" in said
    assert "192.0.2.7\telsewhere.test" in said
    assert "search default.svc.cluster.local" in said
    assert "ndots:5" in said
    assert said.endswith("\n1024\n")


async def test_containers_of_a_pod_share_network_and_memory(world: World) -> None:
    sandbox = await world.sandbox()
    server = world.spec(sandbox, "/bin/httpd", "-f", "-p", "127.0.0.1:8080", "-h", "/dev/shm", name="server")
    await world.runtime.run_container(server)
    client = "echo shared >/dev/shm/page; until wget -qO- http://127.0.0.1:8080/page; do sleep 0.1; done"
    assert await runtimes.said(world, world.spec(sandbox, "/bin/sh", "-c", client)) == b"shared\n"


async def test_shared_processes_have_the_pause_container_as_their_first(world: World) -> None:
    """It collects orphans: one that stayed a zombie would be seen here for ever."""
    orphan = "(sleep 0.1 & exec true); sleep 1; until ! ps -o stat | grep -q Z; do sleep 0.1; done"
    look = f"{orphan}; ps -o pid,args | sed -n 2p"
    spec = replace(world.spec(await world.sandbox(), "/bin/sh", "-c", look), share_process_namespace=True)
    assert b"1 /busybox sh" in await runtimes.said(world, spec)


async def test_the_pause_container_ends_at_once_when_told_to(world: World, docker_engine: Engine) -> None:
    sandbox = await world.sandbox()
    await eventually(lambda: "sleep" in docker_engine.docker("top", sandbox.id), within=WITHIN)  # its trap is set
    await world.runtime.stop_container(sandbox.id, 20)
    assert inspected(docker_engine, sandbox.id)["State"]["ExitCode"] == 0


# Addresses -----------------------------------------------------------------------------------------------------


async def test_a_host_port_leads_to_the_pod(world: World) -> None:
    world, sandbox, port = await with_a_host_port(world)
    await world.runtime.run_container(world.spec(sandbox, "/bin/httpd", "-f", "-p", "80", "-h", "/www"))

    async def answers() -> bool:
        try:
            return b"Welcome" in await runtimes.fetch_at("127.0.0.1", port)
        except OSError:
            return False

    await eventually(answers, within=WITHIN)


async def test_a_host_port_that_is_taken_is_said_and_stays_said(world: World) -> None:
    world, _, port = await with_a_host_port(world)
    other = runtimes.with_new_pod(world)
    spec = SandboxSpec(pod=other.pod, ports=(HostPort(port, 80, host_ip="127.0.0.1"),))
    for _ in range(2):
        with pytest.raises(StartFailed, match=str(port)):
            await other.sandbox(spec)
    failed = (await other.runtime.observe(other.uid)).sandbox
    assert failed is not None
    assert failed.state is State.EXITED
    await other.runtime.remove_sandbox(failed.id)
    assert (await other.runtime.observe(other.uid)).is_empty


async def test_a_port_is_reached_as_from_inside_the_pod(world: World) -> None:
    sandbox = await world.sandbox()
    await world.runtime.run_container(world.spec(sandbox, "/bin/httpd", "-f", "-p", "127.0.0.1:80", "-h", "/www"))
    assert b"Welcome to nginx!" in await runtimes.fetch(world.runtime, sandbox.id, 80)


async def test_an_agent_that_cannot_see_the_engines_processes_goes_by_the_address(
    world: World, docker_engine: Engine
) -> None:
    """As one in a container with the socket mounted: here a process with process numbers of its own."""
    sandbox = await world.sandbox()
    await world.runtime.run_container(world.spec(sandbox, "/bin/httpd", "-f", "-p", "80", "-h", "/www"))
    await runtimes.fetch(world.runtime, sandbox.id, 80)
    confined = ("unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", _FETCH)
    arguments = (docker_engine.url, world.owner.cluster, world.owner.node, sandbox.id)
    process = await asyncio.create_subprocess_exec(*confined, *arguments, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(WITHIN):
        said, _ = await process.communicate()
    assert process.returncode == 0
    assert b"Welcome to nginx!" in said


_FETCH = """
import asyncio, sys
from nodeagent.runtime import docker
from nodeagent.runtime.interface import Owner
from tests import runtimes

async def main(url, cluster, node, sandbox):
    async with docker.open_runtime(Owner(cluster, node), docker.DockerSettings(url=url)) as runtime:
        print(await runtimes.fetch(runtime, sandbox, 80))

asyncio.run(main(*sys.argv[1:]))
"""


async def test_the_hosts_network_is_the_hosts(world: World) -> None:
    port = runtimes.free_port()
    sandbox = await world.sandbox(SandboxSpec(pod=world.pod, host_network=True))
    await world.runtime.run_container(world.spec(sandbox, "/bin/httpd", "-f", "-p", f"127.0.0.1:{port}", "-h", "/www"))
    assert b"Welcome to nginx!" in await runtimes.fetch(world.runtime, sandbox.id, port)


# Beginnings and ends -------------------------------------------------------------------------------------------


async def test_a_program_that_is_not_there_is_said_and_stays_said(world: World) -> None:
    spec = world.spec(await world.sandbox(), "/no/such/program")
    for _ in range(2):
        with pytest.raises(StartFailed, match="/no/such/program"):
            await world.runtime.run_container(spec)
    failed = (await world.runtime.observe(world.uid)).newest("app")
    assert failed is not None
    assert (failed.state, failed.exit_code) == (State.EXITED, 127)
    assert "/no/such/program" in failed.error


async def test_a_mount_of_nothing_is_refused_and_leaves_nothing(world: World) -> None:
    spec = replace(world.spec(await world.sandbox()), mounts=(HostMount(source="/no/such/folder", target="/x"),))
    with pytest.raises(CreateFailed, match="/no/such/folder"):
        await world.runtime.run_container(spec)
    assert (await world.runtime.observe(world.uid)).containers == ()


async def test_a_container_whose_maker_died_before_starting_it_is_started(world: World, docker_engine: Engine) -> None:
    spec = world.spec(await world.sandbox())
    body = requests.container(spec, world.owner, DockerSettings())
    async with engine_client.open_client(docker_engine.url) as client:
        name = naming.container_name(world.owner, world.uid, "app", 0)
        made = await client.call("POST", "/containers/create", {"name": name}, body)
    left = (await world.runtime.observe(world.uid)).newest("app")
    assert left is not None
    assert (left.id, left.state) == (made["Id"], State.CREATED)
    adopted = await world.runtime.run_container(spec)
    assert (adopted.id, adopted.state) == (made["Id"], State.RUNNING)


async def test_a_name_that_a_stranger_has_is_not_adopted(world: World, docker_engine: Engine) -> None:
    sandbox = await world.sandbox()
    name = naming.container_name(world.owner, world.uid, "app", 0)
    label = f"{naming.CLUSTER}={world.owner.cluster}"
    docker_engine.docker("create", "--name", name, "--label", label, world.image, "sleep", "1")
    with pytest.raises(Conflict):
        await world.runtime.run_container(world.spec(sandbox))


async def test_who_does_not_listen_is_killed_after_the_grace_period(world: World) -> None:
    container = await world.running("/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    await world.runtime.stop_container(container.id, 1)
    assert (await world.ended()).exit_code == 137


async def test_a_second_stop_hurries_the_first(world: World) -> None:
    container = await world.running("/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    async with asyncio.TaskGroup() as tasks:
        patient = tasks.create_task(world.runtime.stop_container(container.id, 600))
        await asyncio.sleep(0.1)
        assert not patient.done()
        await world.runtime.stop_container(container.id, 0)
    assert (await world.ended()).exit_code == 137


async def test_another_signal_can_be_asked_for(world: World) -> None:
    loop = "trap 'exit 42' USR1; trap '' TERM; echo ready; while :; do sleep 1000 & wait $!; done"
    container = await world.running("/bin/sh", "-c", loop)
    await runtimes.until_spoken(world.runtime, container.id)
    await world.runtime.stop_container(container.id, 60, signal="SIGUSR1")
    assert (await world.ended()).exit_code == 42


async def test_times_are_in_the_order_of_what_happened(world: World) -> None:
    """The end is asked for after the start was seen: else the engine may note the start after the end."""
    container = await world.running("/bin/sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.1; done")
    await runtimes.until_spoken(world.runtime, container.id)
    await world.runtime.kill_container(container.id, "TERM")
    ended = await world.ended()
    assert container.started_at is not None
    assert ended.finished_at is not None
    assert container.created_at <= container.started_at <= ended.finished_at
    assert ended.exit_code == 7


async def test_a_container_killed_from_outside_is_seen(world: World, docker_engine: Engine) -> None:
    container = await world.running()
    async with aclosing(world.runtime.events()) as events:
        assert await anext(events) == Wake(None)
        assert (await world.runtime.observe(world.uid)).newest("app") == container
        docker_engine.docker("kill", container.id)
        async with asyncio.timeout(WITHIN):
            while (await anext(events)).uid != world.uid:
                pass
        assert (await world.ended()).exit_code == 137


async def test_a_container_restarted_from_outside_is_not_remembered_as_it_was(
    world: World, docker_engine: Engine
) -> None:
    container = await world.running()
    assert container.started_at is not None
    async with aclosing(world.runtime.events()) as events:
        assert await anext(events) == Wake(None)
        assert (await world.runtime.observe(world.uid)).newest("app") == container
        docker_engine.docker("restart", "--time", "0", container.id)
        async with asyncio.timeout(WITHIN):
            async for _ in events:
                seen = (await world.runtime.observe(world.uid)).newest("app")
                assert seen is not None
                if seen.state is State.RUNNING and seen.started_at != container.started_at:
                    break
