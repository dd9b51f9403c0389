"""From a pod to what its runtime is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeagent import blueprint, privileges
from nodeagent.blueprint import ClusterDns, Ingredients
from nodeagent.environment import ConfigProblem
from nodeagent.runtime.seen import Image
from nodeagent.runtime.specs import (
    ContainerSpec,
    Dns,
    HostAlias,
    HostMount,
    HostPort,
    MemoryMount,
    MemoryVolume,
    Mount,
    PartMount,
    Profile,
    Propagation,
    Protocol,
    Resources,
    SandboxSpec,
    Security,
)
from nodeagent.volumes import Folder, Prepared
from steersman.api import core
from steersman.api.core import (
    Capabilities,
    Container,
    ContainerPort,
    EphemeralContainer,
    Lifecycle,
    Pod,
    PodDNSConfig,
    PodDNSConfigOption,
    PodSecurityContext,
    ResourceRequirements,
    SeccompProfile,
    SecurityContext,
    Sysctl,
    VolumeMount,
)
from steersman.api.part import Quantity
from tests.unit.nodeagent.views import NEVER, container, pod, sidecar

IMAGE = Image(id="sha256:1", tags=("nginx:1.25",), digests=("nginx@sha256:2",), size_bytes=1, user="")
CLUSTER = ClusterDns(("10.96.0.10",), "cluster.local")
VOLUMES = Prepared({"disk": Folder(Path("/data/disk")), "ram": MemoryVolume("ram", 1024)})


def made(**fields: Any) -> Ingredients:
    return Ingredients(**{"sandbox_id": "s", "attempt": 2, "setbacks": 1, "image": IMAGE, "environment": {}, **fields})


def spec_of(wanted: Container, whole: Pod | None = None, **fields: Any) -> ContainerSpec:
    return blueprint.container(whole or pod(wanted), wanted, made(**fields))


def sandbox_of(whole: Pod, dns: ClusterDns = CLUSTER) -> SandboxSpec:
    return blueprint.sandbox(whole, 1, dns, VOLUMES)


def test_a_container() -> None:
    wanted = container(
        command=("/bin/$(X)",), args=("$(Y)",), working_dir="/srv", tty=True, stdin=True,
        lifecycle=Lifecycle(stop_signal="SIGINT"),
    )  # fmt: skip
    spec = spec_of(wanted, environment={"X": "run"})
    assert (spec.command, spec.args) == (("/bin/run",), ("$(Y)",))
    assert spec.env == (("X", "run"),)
    assert (spec.image, spec.attempt, spec.sandbox_id, spec.stop_signal) == ("sha256:1", 2, "s", "SIGINT")
    assert spec.annotations == {"image": "nginx:1.25", "image-id": "nginx@sha256:2", "setbacks": "1"}
    assert spec.terminal.tty
    assert not spec.ends


@pytest.mark.parametrize(
    ("whole", "name", "ends"),
    [
        (pod(), "main", False),
        (pod(policy=NEVER), "main", True),
        (pod(init=(container("i"),)), "i", True),
        (pod(init=(sidecar(),), policy=NEVER), "proxy", False),
    ],
    ids=["Always", "Never", "init", "sidecar"],
)
def test_which_containers_end(whole: Pod, name: str, ends: bool) -> None:
    wanted = next(each for each in (*whole.spec.containers, *whole.spec.init_containers) if each.name == name)
    assert spec_of(wanted, whole).ends == ends


def test_an_ephemeral_container_is_one_like_others() -> None:
    wanted = EphemeralContainer(name="debug", image="busybox", target_container_name="main", tty=True)
    plain = blueprint.as_container(wanted)
    assert (plain.name, plain.image, plain.tty) == ("debug", "busybox", True)


def test_a_sandbox() -> None:
    ports = (ContainerPort(container_port=80, host_port=8080, protocol="UDP"), ContainerPort(container_port=81))
    whole = pod(
        container(ports=ports),
        host_aliases=(core.HostAlias(ip="10.0.0.1", hostnames=("a", "b")),),
        security_context=PodSecurityContext(sysctls=(Sysctl(name="net.core.somaxconn", value="9"),)),
        termination_grace_period_seconds=7,
    )
    spec = sandbox_of(whole)
    assert (spec.attempt, spec.hostname) == (1, "web")
    assert spec.ports == (HostPort(8080, 80, Protocol.UDP),)
    assert spec.host_aliases == (HostAlias("10.0.0.1", "a"), HostAlias("10.0.0.1", "b"))
    assert spec.sysctls == {"net.core.somaxconn": "9"}
    assert spec.memory_volumes == (MemoryVolume("ram", 1024),)
    assert spec.annotations == {"grace-seconds": "7"}


def test_a_sandbox_on_the_hosts_network() -> None:
    ports = (ContainerPort(container_port=80, host_port=80),)
    spec = sandbox_of(pod(container(ports=ports), host_network=True))
    assert spec.host_network
    assert (spec.hostname, spec.ports) == ("", ())


SEARCHES = ("default.svc.cluster.local", "svc.cluster.local", "cluster.local")


@pytest.mark.parametrize(
    ("fields", "dns"),
    [
        ({}, Dns(("10.96.0.10",), SEARCHES, ("ndots:5",))),
        ({"dns_policy": "Default"}, Dns()),
        ({"host_network": True, "dns_policy": "ClusterFirst"}, Dns()),
        (
            {"host_network": True, "dns_policy": "ClusterFirstWithHostNet"},
            Dns(("10.96.0.10",), SEARCHES, ("ndots:5",)),
        ),
        (
            {
                "dns_policy": "None",
                "dns_config": PodDNSConfig(
                    nameservers=("1.1.1.1",), searches=("x",), options=(PodDNSConfigOption(name="rotate"),)
                ),
            },
            Dns(("1.1.1.1",), ("x",), ("rotate",)),
        ),
        (
            {"dns_config": PodDNSConfig(options=(PodDNSConfigOption(name="ndots", value="2"),))},
            Dns(("10.96.0.10",), SEARCHES, ("ndots:2",)),
        ),
    ],
    ids=["cluster", "default", "host network", "host network by name", "own", "own option"],
)
def test_resolver(fields: dict[str, Any], dns: Dns) -> None:
    assert blueprint.resolver(pod(**fields), CLUSTER) == dns


def test_without_a_cluster_resolver_the_engine_has_its_own() -> None:
    assert blueprint.resolver(pod(), ClusterDns()) == Dns()


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        (VolumeMount(name="disk", mount_path="/d"), HostMount(source="/data/disk", target="/d")),
        (
            VolumeMount(name="disk", mount_path="/d", sub_path="a/b", read_only=True),
            PartMount(volume="disk", source="/data/disk", part="a/b", target="/d", read_only=True),
        ),
        (
            VolumeMount(name="disk", mount_path="/d", sub_path_expr="$(POD)"),
            PartMount(volume="disk", source="/data/disk", part="web", target="/d"),
        ),
        (
            VolumeMount(name="disk", mount_path="/d", read_only=True, recursive_read_only="Enabled"),
            HostMount(source="/data/disk", target="/d", read_only=True, recursive_read_only=True),
        ),
        (
            VolumeMount(name="disk", mount_path="/d", mount_propagation="HostToContainer"),
            HostMount(source="/data/disk", target="/d", propagation=Propagation.HOST_TO_CONTAINER),
        ),
        (VolumeMount(name="ram", mount_path="/r"), MemoryMount(volume="ram", target="/r")),
    ],
    ids=["whole", "part", "part by name", "all below read-only", "propagation", "memory"],
)
def test_mounts(mount: VolumeMount, expected: Mount) -> None:
    spec = spec_of(container(volume_mounts=(mount,)), volumes=VOLUMES, environment={"POD": "web"})
    assert spec.mounts == (expected,)


@pytest.mark.parametrize("inner", ["../x", "/etc", "a/../../b", "$(NOBODY)"])
def test_a_part_of_a_volume_lies_inside_it(inner: str) -> None:
    mount = VolumeMount(name="disk", mount_path="/d", sub_path_expr=inner)
    with pytest.raises(ConfigProblem, match="must be a path below the volume"):
        spec_of(container(volume_mounts=(mount,)), volumes=VOLUMES)


def test_last_words_have_a_file() -> None:
    spec = spec_of(container(termination_message_path="/dev/bye"), message_file=Path("/data/bye"))
    assert spec.mounts == (HostMount(source="/data/bye", target="/dev/bye"),)


def amounts(**given: str) -> dict[str, Quantity]:
    return {name: Quantity(amount) for name, amount in given.items()}


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        ({}, {}, Resources(cpu_shares=2, oom_score_adjustment=1000)),
        (
            amounts(cpu="500m", memory="1Gi"),
            amounts(cpu="500m", memory="1Gi"),
            Resources(cpu_shares=512, cpu_quota_microseconds=50_000, memory_bytes=1 << 30, oom_score_adjustment=-997),
        ),
        (amounts(memory="1Gi"), {}, Resources(cpu_shares=2, oom_score_adjustment=750)),
        ({}, amounts(cpu="1m"), Resources(cpu_shares=2, cpu_quota_microseconds=1_000, oom_score_adjustment=999)),
    ],
    ids=["nothing", "guaranteed", "memory asked for", "tiny limit"],
)
def test_resources(requests: dict[str, Quantity], limits: dict[str, Quantity], expected: Resources) -> None:
    wanted = container(resources=ResourceRequirements(requests=requests, limits=limits))
    assert blueprint.resources(pod(wanted), wanted, 4 << 30) == expected


def security(own: SecurityContext | None = None, image: Image = IMAGE, **common: Any) -> Security:
    wanted = container(security_context=own)
    return privileges.of(pod(wanted, security_context=PodSecurityContext(**common)), wanted, image)


def test_privileges() -> None:
    own = SecurityContext(
        run_as_user=5,
        read_only_root_filesystem=True,
        allow_privilege_escalation=False,
        capabilities=Capabilities(add=("CAP_NET_ADMIN",), drop=("ALL",)),
        seccomp_profile=SeccompProfile(type="RuntimeDefault"),
    )
    found = security(own, run_as_user=1, run_as_group=2, supplemental_groups=(7,), fs_group=8)
    assert found == Security(
        user="5:2",
        supplemental_groups=(7, 8),
        add_capabilities=("NET_ADMIN",),
        drop_capabilities=("ALL",),
        read_only_root=True,
        no_new_privileges=True,
        seccomp=Profile.RUNTIME_DEFAULT,
    )
    assert security().seccomp == Profile.UNCONFINED


@pytest.mark.parametrize(
    ("user", "image_user", "complaint"),
    [
        (0, "", "container's runAsUser breaks non-root policy"),
        (None, "", "image will run as root"),
        (None, "0:0", "image will run as root"),
        (None, "app", r"image has non-numeric user \(app\)"),
        (1000, "", ""),
        (None, "1000:1000", ""),
    ],
)
def test_who_must_not_be_root(user: int | None, image_user: str, complaint: str) -> None:
    image = Image(id="x", tags=(), digests=(), size_bytes=0, user=image_user)
    own = SecurityContext(run_as_user=user)
    if complaint:
        with pytest.raises(ConfigProblem, match=complaint):
            security(own, image, run_as_non_root=True)
    else:
        security(own, image, run_as_non_root=True)
