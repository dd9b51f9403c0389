"""What a cluster looks like from its API: who leads, how the nodes are, the pods by phase, the last Events.

`survey` is pure; `look` asks the API once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from steersman.api.coordination import Lease
from steersman.api.core import Event, Node, Pod
from steersman.cli.local import logs
from steersman.cli.local.ledger import Ledger, Part, Role
from steersman.client.client import Client

LEASE_NAMESPACE, HEARTBEATS = "kube-system", "kube-node-lease"
CONTROLLERS, SCHEDULER = "kube-controller-manager", "kube-scheduler"
LAST_EVENTS = 6


@dataclass(frozen=True, slots=True)
class NodeGlance:
    """`heard_at`: when its agent renewed its Lease last, as the agent wrote it."""

    name: str
    ready: bool
    runtime: str
    pods: int
    heard_at: str = ""


@dataclass(frozen=True, slots=True)
class EventGlance:
    at: str
    type: str
    reason: str
    about: str
    message: str


@dataclass(frozen=True, slots=True)
class Survey:
    """`holders`: the instance that holds each leader's Lease; empty: nobody."""

    holders: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[NodeGlance, ...] = ()
    phases: Mapping[str, int] = field(default_factory=dict)
    events: tuple[EventGlance, ...] = ()

    def lacks(self, nodes: Iterable[str], since: str) -> list[str]:
        """Which of these nodes are not ready, or were last heard of before `since`, by an agent of an earlier life."""
        well = {node.name for node in self.nodes if node.ready and node.heard_at >= since}
        return [name for name in nodes if name not in well]


def survey(leases: Iterable[Lease], nodes: Sequence[Node], pods: Sequence[Pod], events: Sequence[Event]) -> Survey:
    leases = tuple(leases)
    heard = {lease.metadata.name: lease for lease in leases if lease.metadata.namespace == HEARTBEATS}
    placed = Counter(pod.spec.node_name or "" for pod in pods)
    latest = sorted(events, key=lambda event: int(event.metadata.resource_version))[-LAST_EVENTS:]
    return Survey(
        holders={
            lease.metadata.name: lease.spec.holder_identity or ""
            for lease in leases
            if lease.metadata.namespace == LEASE_NAMESPACE and lease.metadata.name in (CONTROLLERS, SCHEDULER)
        },
        nodes=tuple(
            _node(node, placed[node.metadata.name], heard.get(node.metadata.name))
            for node in sorted(nodes, key=lambda node: node.metadata.name)
        ),
        phases=Counter(_phase(pod) for pod in pods),
        events=tuple(_event(event) for event in latest),
    )


def _node(node: Node, pods: int, heartbeat: Lease | None) -> NodeGlance:
    ready = any(each.type == "Ready" and each.status == "True" for each in node.status.conditions or ())
    heard_at = str(heartbeat.spec.renew_time or "") if heartbeat is not None else ""
    return NodeGlance(node.metadata.name, ready, node.status.node_info.container_runtime_version, pods, heard_at)


def _phase(pod: Pod) -> str:
    if pod.metadata.deletion_timestamp is not None:
        return "Terminating"
    return pod.status.phase or "Pending"


def _event(event: Event) -> EventGlance:
    about = event.involved_object
    at = event.last_timestamp or event.metadata.creation_timestamp
    return EventGlance(str(at or ""), event.type, event.reason, f"{about.kind.lower()}/{about.name}", event.message)


def instance_of(part: Part) -> str:
    """Under which name this start of a controller manager stands for election."""
    said = logs.first(part, "standing")
    return str(said["instance"]) if said is not None else ""


def leader_of(ledger: Ledger, holder: str) -> Part | None:
    """The component that holds a Lease under this name."""
    if not holder:
        return None
    return next((part for part in ledger.of(Role.CONTROLLER_MANAGER) if instance_of(part) == holder), None)


async def look(api: Client) -> Survey:
    return survey(
        (await api.of(Lease).list()).items,
        (await api.of(Node).list()).items,
        (await api.of(Pod).list()).items,
        (await api.of(Event).list()).items,
    )
