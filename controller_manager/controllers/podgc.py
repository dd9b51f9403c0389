"""Clear away pods that nobody else will: of nodes that are gone or out of service, and finished ones if there are many.

Reads Pods (indexes: node, finished) and Nodes. Writes Pods: their status, and deletes them without grace, because there
is nobody who could stop them gracefully. A pod that had not ended is marked Failed first, so that whoever counts on it
knows. A node that is missing from the cache is quarantined, and then asked for live, before its pods count as lost.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from functools import partial

from msgspec.structs import replace

from controller_manager import pods
from steersman.api import times
from steersman.api.core import Node, Pod, PodCondition
from steersman.api.errors import NotFound
from steersman.base.clock import Clock
from steersman.client.cache import Cache, Index, ObjectKey
from steersman.control import batches
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

THRESHOLD = 12_500
"""So many finished pods are kept."""
QUARANTINE_SECONDS = 40.0
SWEEP_SECONDS = 20.0
SWEEP = ObjectKey("", "finished")
"""The key under which the finished pods are counted; a pod's own key has a namespace."""
AT_ONCE = 64

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
DISRUPTED = "DisruptionTarget"
EVICTED = "Evicted"

BY_NODE = "podgc/node"
FINISHED = "podgc/finished"


def node_index(pod: Pod) -> tuple[str, ...]:
    return (pod.spec.node_name,) if pod.spec.node_name else ()


def finished_index(pod: Pod) -> tuple[str, ...]:
    return (FINISHED,) if pods.is_finished(pod) else ()


INDEXES: Mapping[str, Index[Pod]] = {BY_NODE: node_index, FINISHED: finished_index}


class Whereabouts(Enum):
    """Where a pod is, as far as its end is concerned."""

    NOWHERE = auto()  # no node has it
    AT_HOME = auto()
    OUT_OF_SERVICE = auto()  # its node is down, and somebody has vouched that nothing runs there any more
    LOST = auto()  # its node does not exist


@dataclass(frozen=True, slots=True)
class Fail:
    """Note that the pod has not ended by itself. `why`: set as its DisruptionTarget condition."""

    why: PodCondition | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete the pod without grace."""


Action = Fail | Remove


def plan(pod: Pod, where: Whereabouts, now: datetime) -> list[Action]:
    leaving = pod.metadata.deletion_timestamp is not None
    forsaken = leaving and where in (Whereabouts.NOWHERE, Whereabouts.OUT_OF_SERVICE)
    if where is not Whereabouts.LOST and not forsaken:
        return []
    actions: list[Action] = []
    if not pods.is_finished(pod):
        actions.append(Fail(_node_is_gone(pod, now) if where is Whereabouts.LOST else None))
    if not leaving or pod.metadata.deletion_grace_period_seconds:
        actions.append(Remove())
    return actions


def _node_is_gone(pod: Pod, now: datetime) -> PodCondition:
    return PodCondition(
        type=DISRUPTED,
        status="True",
        observed_generation=pod.metadata.generation,
        last_transition_time=times.from_datetime(now),
        reason="DeletionByPodGC",
        message="PodGC: node no longer exists",
    )


def surplus(finished: Sequence[Pod], threshold: int) -> list[Pod]:
    """The finished pods that are too many: evicted ones first, then by age. What is going already counts as gone."""
    excess = len(finished) - threshold
    if threshold <= 0 or excess <= 0:
        return []
    ranked = sorted(finished, key=_uselessness)[:excess]
    return [pod for pod in ranked if pod.metadata.deletion_timestamp is None]


def _uselessness(pod: Pod) -> tuple[bool, str, str]:
    meta, status = pod.metadata, pod.status
    evicted = status.phase == "Failed" and status.reason == EVICTED
    return not evicted, meta.creation_timestamp or "", meta.name


def failed(pod: Pod, why: PodCondition | None) -> Pod:
    """The pod in its last phase."""
    conditions = pod.status.conditions
    if why is not None:
        conditions = (*(each for each in conditions if each.type != why.type), why)
    status = replace(pod.status, phase="Failed", observed_generation=pod.metadata.generation, conditions=conditions)
    return replace(pod, status=status)


def is_out_of_service(node: Node) -> bool:
    ready = any(each.type == "Ready" and each.status == "True" for each in node.status.conditions)
    return not ready and any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints)


class PodGarbageCollector:
    """The cache of Pods has INDEXES. `threshold` 0: finished pods are kept for ever."""

    name = "podgc"

    def __init__(
        self,
        pods_written: Tracked[Pod],
        nodes: Tracked[Node],
        *,
        pod_cache: Cache[Pod],
        node_cache: Cache[Node],
        clock: Clock,
        threshold: int = THRESHOLD,
        quarantine_seconds: float = QUARANTINE_SECONDS,
    ) -> None:
        self._pods = pods_written
        self._nodes = nodes
        self._pod_cache = pod_cache
        self._node_cache = node_cache
        self._clock = clock
        self._threshold = threshold
        self._quarantine_seconds = quarantine_seconds
        self._missing_since: dict[str, float] = {}

    async def reconcile(self, key: ObjectKey) -> Outcome:
        if key == SWEEP:
            return await self._sweep()
        pod = self._pod_cache.get(key)
        if pod is None:
            return DONE
        wait = self._quarantine_left(pod.spec.node_name)
        if wait > 0:
            return After(wait)
        where = await self._whereabouts(pod)
        with contextlib.suppress(NotFound):  # gone is success
            for action in plan(pod, where, self._clock.now()):
                match action:
                    case Fail(why):
                        pod = (await self._pods.update_status(failed(pod, why))).object
                    case Remove():
                        await self._remove(pod)
        unseen = where is not Whereabouts.LOST and self._is_missing(pod.spec.node_name)
        return After(self._quarantine_seconds) if unseen else DONE

    # -- who is woken

    def woken_by_pod(self, pod: Pod) -> Iterable[ObjectKey]:
        """Most changes are of pods at home that stay, and wake nobody."""
        if pods.is_finished(pod):
            yield SWEEP
        if pod.metadata.deletion_timestamp is not None or self._is_missing(pod.spec.node_name):
            yield ObjectKey(pod.metadata.namespace, pod.metadata.name)

    def woken_by_node(self, node: Node) -> Iterable[ObjectKey]:
        """The pods of a node that has gone or is out of service; all others are none of our business."""
        name = node.metadata.name
        if not self._is_missing(name) and not is_out_of_service(node):
            return ()
        bound = self._pod_cache.by_index(BY_NODE, name)
        return [ObjectKey(pod.metadata.namespace, pod.metadata.name) for pod in bound]

    # -- where it is

    async def _whereabouts(self, pod: Pod) -> Whereabouts:
        name = pod.spec.node_name
        if not name:
            return Whereabouts.NOWHERE
        node = self._node_cache.get(ObjectKey("", name)) or await self._live(name)
        if node is None:
            return Whereabouts.LOST
        return Whereabouts.OUT_OF_SERVICE if is_out_of_service(node) else Whereabouts.AT_HOME

    async def _live(self, name: str) -> Node | None:
        try:
            return await self._nodes.get(name)
        except NotFound:
            return None

    def _is_missing(self, node: str) -> bool:
        return bool(node) and self._node_cache.get(ObjectKey("", node)) is None

    def _quarantine_left(self, node: str) -> float:
        """Seconds for which nothing is concluded from the node's absence: it may be about to register again."""
        if not self._is_missing(node):
            self._missing_since.pop(node, None)
            return 0.0
        now = self._clock.monotonic()
        return self._missing_since.setdefault(node, now) + self._quarantine_seconds - now

    # -- acting

    async def _sweep(self) -> Outcome:
        finished = self._pod_cache.by_index(FINISHED, FINISHED)
        doomed = surplus(finished, self._threshold)
        await batches.slow_start([partial(self._remove, pod) for pod in doomed], largest=AT_ONCE)
        for node in [name for name in self._missing_since if not self._pod_cache.by_index(BY_NODE, name)]:
            del self._missing_since[node]
        return After(SWEEP_SECONDS)

    async def _remove(self, pod: Pod) -> None:
        meta = pod.metadata
        with contextlib.suppress(NotFound):
            await self._pods.delete(meta.name, meta.namespace, uid=meta.uid, grace_period_seconds=0)
