"""From a pod to what its runtime is asked for: the sandbox, and each container down to its cgroup limits. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nodeagent import environment, expansion, picture, podmachine, privileges, restarts
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
    PodRef,
    Propagation,
    Protocol,
    Resources,
    SandboxSpec,
    Terminal,
)
from nodeagent.volumes import Prepared
from steersman.api import podresources, quantity
from steersman.api.core import Container, EphemeralContainer, Pod, VolumeMount
from steersman.api.names import Uid
from steersman.api.podresources import Qos

LONGEST_HOSTNAME = 63
CPU_PERIOD_MICROSECONDS = 100_000
LEAST_QUOTA_MICROSECONDS = 1_000
LEAST_SHARES = 2
TERMINATION_LOG = "/dev/termination-log"
_PROPAGATION = {"HostToContainer": Propagation.HOST_TO_CONTAINER, "Bidirectional": Propagation.BIDIRECTIONAL}


@dataclass(frozen=True, slots=True)
class ClusterDns:
    """What ClusterFirst means. Without servers, the engine's own resolver is used."""

    servers: tuple[str, ...] = ()
    domain: str = "cluster.local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What a container is made of besides its spec. `message_file` is where its last words will be found."""

    sandbox_id: str
    attempt: int
    setbacks: int
    image: Image
    environment: Mapping[str, str]
    volumes: Prepared = field(default_factory=Prepared)
    message_file: Path | None = None
    memory_bytes: int = 0
    """What the node has, for judging who goes first when memory runs out."""


def ref(pod: Pod) -> PodRef:
    return PodRef(Uid(pod.metadata.uid), pod.metadata.namespace, pod.metadata.name)


def hostname(pod: Pod) -> str:
    return (pod.spec.hostname or pod.metadata.name)[:LONGEST_HOSTNAME].rstrip("-.")


def sandbox(pod: Pod, attempt: int, dns: ClusterDns, volumes: Prepared) -> SandboxSpec:
    spec = pod.spec
    long_running = [each for each in spec.init_containers if podresources.is_sidecar(each)]
    ports = [
        HostPort(port.host_port, port.container_port, Protocol((port.protocol or "TCP").lower()), port.host_ip)
        for container in (*spec.containers, *long_running)
        for port in container.ports
        if port.host_port
    ]
    sysctls = spec.security_context.sysctls if spec.security_context is not None else ()
    memory = tuple(source for source in volumes.sources.values() if isinstance(source, MemoryVolume))
    return SandboxSpec(
        pod=ref(pod),
        attempt=attempt,
        hostname="" if spec.host_network else hostname(pod),
        host_network=spec.host_network,
        host_pid=spec.host_pid,
        host_ipc=spec.host_ipc,
        ports=() if spec.host_network else tuple(ports),
        dns=resolver(pod, dns),
        host_aliases=tuple(HostAlias(each.ip, name) for each in spec.host_aliases for name in each.hostnames),
        sysctls={each.name: each.value for each in sysctls},
        memory_volumes=memory,
        annotations={picture.GRACE: str(podmachine.grace_seconds(pod))},
    )


def resolver(pod: Pod, cluster: ClusterDns) -> Dns:
    """What the pod's policy says, with the pod's own settings behind it."""
    spec, namespace = pod.spec, pod.metadata.namespace
    asks_cluster = spec.dns_policy == "ClusterFirstWithHostNet" or (
        spec.dns_policy in ("", "ClusterFirst") and not spec.host_network
    )
    base = Dns()
    if asks_cluster and cluster.servers:
        domain = cluster.domain
        base = Dns(cluster.servers, (f"{namespace}.svc.{domain}", f"svc.{domain}", domain), ("ndots:5",))
    own = spec.dns_config
    if own is None:
        return base
    options = {each.name: each.value for each in own.options}
    kept = [each for each in base.options if each.partition(":")[0] not in options]
    added = [name if value is None else f"{name}:{value}" for name, value in options.items()]
    return Dns(
        tuple(dict.fromkeys((*base.nameservers, *own.nameservers))),
        tuple(dict.fromkeys((*base.searches, *own.searches))),
        (*kept, *added),
    )


def container(pod: Pod, spec: Container | EphemeralContainer, made_of: Ingredients) -> ContainerSpec:
    """Raises ConfigProblem."""
    env = made_of.environment
    image = made_of.image
    plain = as_container(spec)
    is_init = any(each.name == spec.name for each in pod.spec.init_containers) and not podresources.is_sidecar(plain)
    stop_signal = (plain.lifecycle.stop_signal or "") if plain.lifecycle is not None else ""
    return ContainerSpec(
        pod=ref(pod),
        sandbox_id=made_of.sandbox_id,
        name=spec.name,
        attempt=made_of.attempt,
        image=image.id,
        command=environment.command(plain, env),
        args=environment.arguments(plain, env),
        env=tuple(env.items()),
        working_dir=spec.working_dir,
        mounts=mounts(plain, made_of),
        security=privileges.of(pod, plain, image),
        resources=resources(pod, plain, made_of.memory_bytes),
        terminal=Terminal(tty=spec.tty, stdin=spec.stdin, stdin_once=spec.stdin_once),
        share_process_namespace=bool(pod.spec.share_process_namespace),
        host_pid=pod.spec.host_pid,
        host_ipc=pod.spec.host_ipc,
        stop_signal=stop_signal,
        ends=is_init or restarts.policy_of(pod, plain) != "Always",
        annotations={
            picture.IMAGE: spec.image,
            picture.IMAGE_ID: image.digests[0] if image.digests else image.id,
            picture.SETBACKS: str(made_of.setbacks),
        },
    )


def as_container(spec: Container | EphemeralContainer) -> Container:
    """An ephemeral container has all the fields of others, but for the one that says whom it looks at."""
    if isinstance(spec, Container):
        return spec
    shared = {name: getattr(spec, name) for name in Container.__struct_fields__}
    return Container(**shared)


def mounts(spec: Container, made_of: Ingredients) -> tuple[Mount, ...]:
    found = [_mount(each, made_of) for each in spec.volume_mounts if each.name in made_of.volumes.sources]
    if made_of.message_file is not None:
        target = spec.termination_message_path or TERMINATION_LOG
        found.append(HostMount(source=str(made_of.message_file), target=target))
    return tuple(found)


def _mount(mount: VolumeMount, made_of: Ingredients) -> Mount:
    source = made_of.volumes.sources[mount.name]
    part = sub_path(mount, made_of.environment)
    if isinstance(source, MemoryVolume):
        if part:
            raise ConfigProblem(f'volume "{mount.name}" is in memory: subPath is not supported on this node')
        return MemoryMount(volume=source.name, target=mount.mount_path, read_only=mount.read_only)
    read_only = mount.read_only or source.read_only
    if part:
        folder = str(source.path)
        return PartMount(volume=mount.name, source=folder, part=part, target=mount.mount_path, read_only=read_only)
    return HostMount(
        source=str(source.path),
        target=mount.mount_path,
        read_only=read_only,
        recursive_read_only=mount.recursive_read_only in ("Enabled", "IfPossible"),
        propagation=_PROPAGATION.get(mount.mount_propagation or "", Propagation.PRIVATE),
    )


def sub_path(mount: VolumeMount, env: Mapping[str, str]) -> str:
    """The part of the volume that is mounted; all of it if empty. ConfigProblem when it cannot be within the volume."""
    inner = expansion.expand(mount.sub_path_expr, env) if mount.sub_path_expr else mount.sub_path
    if Path(inner).is_absolute() or ".." in Path(inner).parts or "$(" in inner:
        raise ConfigProblem(f'subPath "{inner}" of volume "{mount.name}" must be a path below the volume')
    return "" if inner in ("", ".") else inner


def resources(pod: Pod, spec: Container, memory_bytes: int) -> Resources:
    limits, requests = spec.resources.limits, spec.resources.requests
    cpu_limit = quantity.milli(limits.get("cpu", "0"))
    cpu_request = quantity.milli(requests.get("cpu", "0")) if "cpu" in requests else cpu_limit
    quota = max(cpu_limit * CPU_PERIOD_MICROSECONDS // 1000, LEAST_QUOTA_MICROSECONDS) if cpu_limit else 0
    return Resources(
        cpu_shares=max(cpu_request * 1024 // 1000, LEAST_SHARES),
        cpu_quota_microseconds=quota,
        cpu_period_microseconds=CPU_PERIOD_MICROSECONDS,
        memory_bytes=quantity.units(limits.get("memory", "0")),
        oom_score_adjustment=_oom_score(pod, spec, memory_bytes),
    )


def _oom_score(pod: Pod, spec: Container, memory_bytes: int) -> int:
    """Who asked for much memory and stays within it is spared; who asked for nothing goes first."""
    match podresources.qos_class(pod):
        case Qos.GUARANTEED:
            return -997
        case Qos.BEST_EFFORT:
            return 1000
        case Qos.BURSTABLE:
            asked = quantity.units(spec.resources.requests.get("memory", "0"))
            return min(max(3, 1000 - 1000 * asked // memory_bytes), 999) if memory_bytes else 999
