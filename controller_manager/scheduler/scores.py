"""How good a node is for a pod that fits there, from 0 to 100 per aspect, weighted as Kubernetes weights them.

Every score here is absolute: it depends on the pod and on that node, never on which other nodes there are. So it stays
right until that very node changes, and pods of one class can share it. (Kubernetes rescales some of them over the
nodes at hand; the order within one aspect is the same.) What depends on other nodes' pods is in `topology`.
"""

from __future__ import annotations

from collections.abc import Callable

from controller_manager.scheduler.requirements import CPU, MEMORY, Requirements
from controller_manager.scheduler.snapshot import NodeView

BEST = 100
_MEGABYTE = 1024 * 1024
_SMALLEST_IMAGES = 23 * _MEGABYTE
_LARGEST_IMAGE = 1000 * _MEGABYTE
Score = Callable[[Requirements, NodeView], float]


def least_allocated(pod: Requirements, node: NodeView) -> float:
    """Room that stays free. Who asks for nothing counts for a little, or they would all gather in one place."""
    allocatable = node.known.allocatable
    free = 0.0
    for index, name in enumerate((CPU, MEMORY)):
        capacity = allocatable.get(name, 0)
        used = node.weighed[index] + pod.weighed[index]
        free += (capacity - used) / capacity if used < capacity else 0
    return free * BEST / 2


def balanced(pod: Requirements, node: NodeView) -> float:
    """CPU and memory used in equal parts, so that neither is left over without the other."""
    cpu, memory = _share(pod, node, CPU), _share(pod, node, MEMORY)
    return (1 - abs(cpu - memory) / 2) * BEST


def node_affinity(pod: Requirements, node: NodeView) -> float:
    """The weights of the wishes that come true, as a part of all."""
    if not pod.preferred_nodes:
        return 0
    wished = sum(weight for weight, _ in pod.preferred_nodes)
    labels = node.known.labels
    return BEST * sum(weight for weight, term in pod.preferred_nodes if term.matches(node.name, labels)) / wished


def taints(pod: Requirements, node: NodeView) -> float:
    """Fewer taints that would rather not have the pod are better."""
    if not node.known.taints:
        return BEST
    unwelcome = sum(taint.effect == "PreferNoSchedule" and not pod.tolerates(taint) for taint in node.known.taints)
    return BEST / (1 + unwelcome)


def image_locality(pod: Requirements, node: NodeView) -> float:
    """Megabytes that need not be fetched. What is too little to matter counts nothing."""
    images = node.known.images
    if not images:
        return 0
    present = sum(images.get(name, 0) for name in pod.images)
    most = _LARGEST_IMAGE * len(pod.images)
    return BEST * (min(max(present, _SMALLEST_IMAGES), most) - _SMALLEST_IMAGES) / (most - _SMALLEST_IMAGES)


WEIGHTS: tuple[tuple[Score, int], ...] = (
    (least_allocated, 1),
    (balanced, 1),
    (node_affinity, 2),
    (taints, 3),
    (image_locality, 1),
)


def score(pod: Requirements, node: NodeView) -> int:
    total = 0.0
    for rate, weight in WEIGHTS:
        total += weight * rate(pod, node)
    return round(total)


def _share(pod: Requirements, node: NodeView, name: str) -> float:
    capacity = node.known.allocatable.get(name, 0)
    used = node.requested.get(name, 0) + pod.requests.get(name, 0)
    return min(used / capacity, 1.0) if capacity else 0.0
