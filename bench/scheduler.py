"""What scheduling costs: decisions in memory, each pod put on the node that it got; and pods bound, end to end.

    make bench-scheduler

Decisions: medians of three runs. `cost` must stay within twice that of 100 nodes; the target is 2,000 decisions a
second, four times the rate at which pods are to be bound. End to end (see `scheduling`): 500 pods bound a second on two
idle cores, the scheduler's CPU time per pod within twice that of 100 nodes, no node over its capacity.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec

from bench import measuring, scheduling
from controller_manager.scheduler import requirements, snapshot
from controller_manager.scheduler.equivalence import Chosen, Equivalence
from steersman.api import codec
from steersman.api.core import Node, Pod

NODES = (100, 1_000, 5_000)
PODS = 5_000
ROUNDS = 3
TARGET_PER_SECOND = 2_000
BOUND_PER_SECOND = 500
FLAT_WITHIN = 2.0
ZONE = "topology.kubernetes.io/zone"
Shape = Callable[[int], dict[str, Any]]


def plain(_number: int) -> dict[str, Any]:
    return {}


def of_fifty_templates(number: int) -> dict[str, Any]:
    return {"priority": number % 50}


def each_its_own(number: int) -> dict[str, Any]:
    return {"priority": number}


def spread_over_zones(_number: int) -> dict[str, Any]:
    selector = {"matchLabels": {"app": "web"}}
    constraint = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "topologyKey": ZONE, "labelSelector": selector}
    return {"topologySpreadConstraints": [constraint]}


SHAPES: Sequence[tuple[str, Shape]] = (
    ("one template", plain),
    ("one template, spread over zones", spread_over_zones),
    ("50 templates in turn", of_fifty_templates),
    ("each pod its own", each_its_own),
)


def nodes(count: int) -> list[Node]:
    allocatable = {"cpu": "64", "memory": "256Gi", "pods": "200"}
    return [
        codec.load(
            Node,
            msgspec.json.encode(
                {
                    "metadata": {"name": f"node-{number}", "labels": {ZONE: f"zone-{number % 3}"}},
                    "status": {"allocatable": allocatable},
                }
            ),
        )
        for number in range(count)
    ]


def pods(shape: Shape) -> list[Pod]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}
    return [
        codec.load(
            Pod,
            msgspec.json.encode(
                {
                    "metadata": {"name": f"p-{number}", "uid": f"u-{number}", "labels": {"app": "web"}},
                    "spec": {"containers": [container], **shape(number)},
                }
            ),
        )
        for number in range(PODS)
    ]


def seconds(cluster: snapshot.Snapshot, waiting: Sequence[Pod]) -> float:
    """Place them all."""
    shared, chance = Equivalence(), Random(1).random
    started = time.perf_counter()
    for pod in waiting:
        decision = shared.choose(requirements.of(pod), cluster, chance)
        if not isinstance(decision, Chosen):
            raise RuntimeError(f"{pod.metadata.name} found no node")
        cluster = cluster.with_pod(pod, decision.node)
    return time.perf_counter() - started


def main() -> int:
    return max(_decisions(), asyncio.run(_end_to_end()))


async def _end_to_end() -> int:
    measured = [await scheduling.measure(count, PODS) for count in NODES]
    rows = [scheduling.row(count, bound) for count, bound in zip(NODES, measured, strict=True)]
    headings = ("nodes", "pods bound", "pods/s", "API server ms/pod", "scheduler ms/pod", "overfilled nodes")
    print(f"\n{measuring.table(headings, rows)}")
    costs = [bound.scheduler_cpu for bound in measured]
    slow = measured[NODES.index(1_000)].per_second < BOUND_PER_SECOND
    return int(slow or any(bound.overfilled for bound in measured) or max(costs) > FLAT_WITHIN * costs[0])


def _decisions() -> int:
    rows: list[list[str]] = []
    failed = False
    clusters = {count: snapshot.of(nodes(count)) for count in NODES}
    for title, shape in SHAPES:
        waiting = pods(shape)
        costs = [statistics.median(seconds(clusters[count], waiting) for _ in range(ROUNDS)) for count in NODES]
        for count, cost in zip(NODES, costs, strict=True):
            ratio = cost / costs[0]
            failed = failed or (shape is plain and (ratio > FLAT_WITHIN or PODS / cost < TARGET_PER_SECOND))
            figures = [f"{PODS / cost:,.0f}", f"{cost / PODS * 1e6:,.0f}", f"{ratio:.2f}"]
            rows.append([title, f"{count:,}", *figures])
    print(measuring.table(("pods", "nodes", "decisions/s", "µs/pod", "cost"), rows))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
