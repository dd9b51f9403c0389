"""A node as its agent describes it: labels, capacity, conditions, addresses, images, versions. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from nodeagent.runtime.seen import Engine, Image
from steersman.api import times
from steersman.api.core import (
    ContainerImage,
    DaemonEndpoint,
    Node,
    NodeAddress,
    NodeCondition,
    NodeDaemonEndpoints,
    NodeStatus,
    NodeSystemInfo,
)
from steersman.api.meta import ObjectMeta
from steersman.api.part import Quantity
from steersman.version import KUBERNETES, VERSION

MAX_IMAGES = 50
MAX_IMAGE_NAMES = 5
HEARTBEAT_SECONDS = 300.0
"""How often an unchanged status is written all the same; the Lease is the sign of life."""

_HEALTHY = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
_UNHEALTHY = {
    "MemoryPressure": ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
    "DiskPressure": ("KubeletHasDiskPressure", "kubelet has disk pressure"),
    "PIDPressure": ("KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
}
_OURS = frozenset({"Ready", *(kind for kind, _, _ in _HEALTHY)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the agent knows of its machine. `trouble`: why no pod can be run now. `host_name`: the name in the agent's
    certificate, if that is not the node's: of hollow nodes, that of the process that plays them."""

    name: str
    addresses: tuple[str, ...]
    port: int
    engine: Engine
    host_name: str = ""
    max_pods: int
    disk_bytes: int = 0
    machine_id: str = ""
    system_uuid: str = ""
    boot_id: str = ""
    images: Sequence[Image] = ()
    trouble: str = ""
    pressures: frozenset[str] = frozenset()
    """The types of the conditions that tell of a shortage now."""
    reserved_cpu_milli: int = 0
    reserved_memory_bytes: int = 0


def labels(facts: Facts) -> dict[str, str]:
    system, machine = facts.engine.os_type, facts.engine.architecture
    return {
        "beta.kubernetes.io/arch": machine,
        "beta.kubernetes.io/os": system,
        "kubernetes.io/arch": machine,
        "kubernetes.io/hostname": facts.name,
        "kubernetes.io/os": system,
    }


def new(facts: Facts, now: datetime) -> Node:
    """To be registered."""
    return Node(
        metadata=ObjectMeta(name=facts.name, labels=labels(facts)),
        status=status(facts, NodeStatus(), now),
        api_version="v1",
        kind="Node",
    )


def with_labels(node: Node, facts: Facts) -> Node:
    """Our labels as they must be; everybody else's as they are."""
    wanted = node.metadata.labels | labels(facts)
    if wanted == node.metadata.labels:
        return node
    return structs.replace(node, metadata=structs.replace(node.metadata, labels=wanted))


def status(facts: Facts, before: NodeStatus, now: datetime) -> NodeStatus:
    """The new status; `before` is what the API has, of which others own a part."""
    engine = facts.engine
    return structs.replace(
        before,
        capacity=_capacity(facts),
        allocatable=_allocatable(facts),
        conditions=_conditions(facts, before.conditions, now),
        addresses=(
            *(NodeAddress(type="InternalIP", address=each) for each in facts.addresses),
            NodeAddress(type="Hostname", address=facts.host_name or facts.name),
        ),
        daemon_endpoints=NodeDaemonEndpoints(kubelet_endpoint=DaemonEndpoint(port=facts.port)),
        images=_images(facts.images),
        node_info=NodeSystemInfo(
            machine_id=facts.machine_id,
            system_uuid=facts.system_uuid,
            boot_id=facts.boot_id,
            kernel_version=engine.kernel,
            os_image=engine.operating_system,
            container_runtime_version=f"{engine.name}://{engine.version}",
            kubelet_version=f"v{KUBERNETES}.0+steersman.{VERSION}",
            operating_system=engine.os_type,
            architecture=engine.architecture,
        ),
    )


def is_worth_writing(new: NodeStatus, old: NodeStatus, now: datetime) -> bool:
    """Something changed, or it is time to repeat what has not."""
    if _timeless(new) != _timeless(old):
        return True
    beats = [each.last_heartbeat_time for each in old.conditions if each.type == "Ready"]
    if not beats or beats[0] is None:
        return True
    return (now - times.to_datetime(beats[0])).total_seconds() >= HEARTBEAT_SECONDS


def _timeless(status: NodeStatus) -> NodeStatus:
    plain = tuple(structs.replace(each, last_heartbeat_time=None) for each in status.conditions)
    return structs.replace(status, conditions=plain)


def _capacity(facts: Facts) -> dict[str, Quantity]:
    found = {
        "cpu": Quantity(str(facts.engine.cpus)),
        "memory": Quantity(f"{facts.engine.memory_bytes // 1024}Ki"),
        "pods": Quantity(str(facts.max_pods)),
    }
    if facts.disk_bytes:
        found["ephemeral-storage"] = Quantity(f"{facts.disk_bytes // 1024}Ki")
    return found


def _allocatable(facts: Facts) -> dict[str, Quantity]:
    found = _capacity(facts)
    if facts.reserved_cpu_milli:
        found["cpu"] = Quantity(f"{max(facts.engine.cpus * 1000 - facts.reserved_cpu_milli, 0)}m")
    if facts.reserved_memory_bytes:
        found["memory"] = Quantity(f"{max(facts.engine.memory_bytes - facts.reserved_memory_bytes, 0) // 1024}Ki")
    return found


def _conditions(facts: Facts, before: Sequence[NodeCondition], now: datetime) -> tuple[NodeCondition, ...]:
    known = {each.type: each for each in before}
    stamp = times.from_datetime(now)
    ready = ("Ready", "True", "KubeletReady", "kubelet is posting ready status")
    if facts.trouble:
        ready = ("Ready", "False", "KubeletNotReady", facts.trouble)
    found = []
    for kind, state, reason, message in (*_reserves(facts), ready):
        old = known.get(kind)
        since = old.last_transition_time if old is not None and old.status == state else stamp
        found.append(
            NodeCondition(
                type=kind,
                status=state,
                last_heartbeat_time=stamp,
                last_transition_time=since or stamp,
                reason=reason,
                message=message,
            )
        )
    return (*(each for each in before if each.type not in _OURS), *found)


def _reserves(facts: Facts) -> list[tuple[str, str, str, str]]:
    """Type, status, reason and message of the conditions about what the machine has left."""
    return [
        (kind, "True", *_UNHEALTHY[kind]) if kind in facts.pressures else (kind, "False", reason, message)
        for kind, reason, message in _HEALTHY
    ]


def _images(images: Sequence[Image]) -> tuple[ContainerImage, ...]:
    """The largest ones: the scheduler likes nodes that need not fetch much."""
    largest = sorted(images, key=lambda image: (-image.size_bytes, image.id))[:MAX_IMAGES]
    return tuple(
        ContainerImage(names=(*image.digests, *image.tags)[:MAX_IMAGE_NAMES], size_bytes=image.size_bytes)
        for image in largest
        if image.digests or image.tags
    )
