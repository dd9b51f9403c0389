"""Nodes: whether they are ready, and what they are there for."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, wide
from steersman.api.core import Node

ROLE_PREFIX = "node-role.kubernetes.io/"
ROLE_LABEL = "kubernetes.io/role"


def cells(node: Node, now: datetime) -> Cells:
    info = node.status.node_info
    kernel = info.kernel_version or phrases.UNKNOWN
    return [
        node.metadata.name,
        _status(node),
        _roles(node),
        ages.since(node.metadata.creation_timestamp, now),
        info.kubelet_version,
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        info.os_image or phrases.UNKNOWN,
        f"{kernel} ({info.architecture})" if info.architecture else kernel,
        info.container_runtime_version or phrases.UNKNOWN,
    ]


def _status(node: Node) -> str:
    word = "Unknown"
    for condition in node.status.conditions:
        if condition.type == "Ready":
            word = "Ready" if condition.status == "True" else "NotReady"
    return f"{word},SchedulingDisabled" if node.spec.unschedulable else word


def _roles(node: Node) -> str:
    """A role is the end of a label's key, or the value of the older label."""
    roles = {key.removeprefix(ROLE_PREFIX) for key in node.metadata.labels if key.startswith(ROLE_PREFIX)}
    roles.add(node.metadata.labels.get(ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or phrases.NONE


def _address(node: Node, kind: str) -> str:
    return next((each.address for each in node.status.addresses if each.type == kind), phrases.NONE)


NODE = Printer(
    (
        NAME,
        Column("Status", "Whether the node is ready, and whether pods may be scheduled to it."),
        Column("Roles", "What the node is there for, by its labels."),
        AGE,
        Column("Version", "The version of the node's agent."),
        wide("Internal-IP", "The node's address inside the cluster."),
        wide("External-IP", "The node's address outside the cluster."),
        wide("OS-Image", "The operating system that the node runs."),
        wide("Kernel-Version", "The kernel that the node runs, and its architecture."),
        wide("Container-Runtime", "What runs containers on the node."),
    ),
    cells,
)
