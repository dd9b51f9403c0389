"""What Docker is asked for. That it does what was asked is shown in tests/integration/test_docker_runtime.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nodeagent.runtime.docker import requests
from nodeagent.runtime.docker.settings import DockerSettings
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.specs import (
    ContainerSpec,
    HostMount,
    HostPort,
    MemoryMount,
    PartMount,
    PodRef,
    Profile,
    Propagation,
    Protocol,
    Resources,
    SandboxSpec,
    Security,
)
from steersman.api.names import Uid

OWNER = Owner("cluster", "node")
POD = PodRef(Uid("uid"), "default", "web")
SANDBOX = SandboxSpec(pod=POD, hostname="web")
CONTAINER = ContainerSpec(pod=POD, sandbox_id="pause", name="app", attempt=0, image="sha256:1")


def host_of(spec: ContainerSpec) -> dict[str, Any]:
    host: dict[str, Any] = requests.container(spec, OWNER, DockerSettings())["HostConfig"]
    return host


@pytest.mark.parametrize(
    ("spec", "network", "ipc", "pid"),
    [
        (CONTAINER, "container:pause", "container:pause", ""),
        (replace(CONTAINER, share_process_namespace=True), "container:pause", "container:pause", "container:pause"),
        (replace(CONTAINER, host_pid=True, host_ipc=True), "container:pause", "host", "host"),
    ],
    ids=["own processes", "shared processes", "the host's"],
)
def test_namespaces_are_the_sandboxs(spec: ContainerSpec, network: str, ipc: str, pid: str) -> None:
    host = host_of(spec)
    assert (host["NetworkMode"], host["IpcMode"], host["PidMode"]) == (network, ipc, pid)


@pytest.mark.parametrize(
    ("security", "options"),
    [
        (Security(), []),
        (Security(no_new_privileges=True), ["no-new-privileges=true"]),
        (Security(seccomp=Profile.UNCONFINED), ["seccomp=unconfined"]),
        (Security(seccomp='{"defaultAction":"SCMP_ACT_ERRNO"}'), ['seccomp={"defaultAction":"SCMP_ACT_ERRNO"}']),
        (Security(apparmor="my-profile"), ["apparmor=my-profile"]),
    ],
    ids=["default", "no new privileges", "unconfined", "a profile of its own", "AppArmor"],
)
def test_security_options(security: Security, options: list[str]) -> None:
    assert host_of(replace(CONTAINER, security=security))["SecurityOpt"] == options


def test_masks_are_taken_off_only_when_asked() -> None:
    assert "MaskedPaths" not in host_of(CONTAINER)
    assert host_of(replace(CONTAINER, security=Security(unmasked_proc=True)))["MaskedPaths"] == []


def test_a_memory_limit_leaves_no_swap() -> None:
    host = host_of(replace(CONTAINER, resources=Resources(memory_bytes=1 << 20)))
    assert host["Memory"] == host["MemorySwap"] == 1 << 20
    assert "Memory" not in host_of(CONTAINER)


def test_command_and_arguments_are_absent_unless_given() -> None:
    body = requests.container(CONTAINER, OWNER, DockerSettings())
    assert not body.keys() & {"Entrypoint", "Cmd", "StopSignal"}
    given = replace(CONTAINER, command=("sh",), args=("-c", "true"), stop_signal="SIGQUIT")
    body = requests.container(given, OWNER, DockerSettings())
    assert (body["Entrypoint"], body["Cmd"], body["StopSignal"]) == (["sh"], ["-c", "true"], "SIGQUIT")


def test_mounts() -> None:
    mounts = (
        HostMount(source="/a", target="/b", read_only=True, propagation=Propagation.BIDIRECTIONAL),
        MemoryMount(volume="cache", target="/c"),
        PartMount(volume="disk", source="/a", part="x/y", target="/d"),
    )
    bind, volume, part = host_of(replace(CONTAINER, mounts=mounts))["Mounts"]
    assert (bind["Type"], bind["Source"], bind["Target"], bind["ReadOnly"]) == ("bind", "/a", "/b", True)
    assert bind["BindOptions"] == {"Propagation": "rshared", "ReadOnlyNonRecursive": True}
    assert (volume["Type"], volume["Source"], volume["Target"]) == ("volume", "steersman_cluster_uid_cache", "/c")
    assert (part["Type"], part["Source"], part["Target"]) == ("volume", "steersman_cluster_uid_disk", "/d")
    assert part["VolumeOptions"]["Subpath"] == "x/y"
    assert part["VolumeOptions"]["DriverConfig"]["Options"] == {"type": "none", "o": "bind", "device": "/a"}


def test_ports_are_published_by_the_sandbox() -> None:
    ports = (HostPort(8080, 80), HostPort(8081, 80, host_ip="127.0.0.1"), HostPort(53, 53, Protocol.UDP))
    body = requests.sandbox(replace(SANDBOX, ports=ports), OWNER, DockerSettings())
    assert body["HostConfig"]["PortBindings"] == {
        "80/tcp": [{"HostIp": "", "HostPort": "8080"}, {"HostIp": "127.0.0.1", "HostPort": "8081"}],
        "53/udp": [{"HostIp": "", "HostPort": "53"}],
    }
    assert body["ExposedPorts"] == {"80/tcp": {}, "53/udp": {}}


def test_on_the_hosts_network_nothing_is_published_or_renamed() -> None:
    spec = replace(SANDBOX, host_network=True, ports=(HostPort(80, 80),))
    body = requests.sandbox(spec, OWNER, DockerSettings(network="pods"))
    assert (body["HostConfig"]["NetworkMode"], body["HostConfig"]["PortBindings"]) == ("host", {})
    assert body["Hostname"] == ""


def test_nothing_ever_restarts_by_itself() -> None:
    sandbox = requests.sandbox(SANDBOX, OWNER, DockerSettings())
    assert sandbox["HostConfig"]["RestartPolicy"] == host_of(CONTAINER)["RestartPolicy"] == {"Name": "no"}
