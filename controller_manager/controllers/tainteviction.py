"""Move pods away from nodes that have a NoExecute taint which they do not tolerate, or no longer.

Reads Pods (index: node) and Nodes. Writes Pods: the condition DisruptionTarget, and then deletes them. How long a pod
has stayed in spite of a taint is counted on our own clock from when we saw both, and anew by the next leader.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from controller_manager import pods
from controller_manager.recording import Recorder
from controller_manager.scheduler import terms
from steersman.api import times
from steersman.api.core import Node, Pod, PodCondition, Taint
from steersman.api.errors import NotFound
from steersman.api.part import Time
from steersman.base.clock import Clock
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, After, Outcome
from steersman.control.writes import Tracked

NO_EXECUTE = "NoExecute"
DISRUPTED = "DisruptionTarget"


@dataclass(frozen=True, slots=True)
class Stay:
    """For ever, as far as taints are concerned."""


@dataclass(frozen=True, slots=True)
class StayFor:
    seconds: float


@dataclass(frozen=True, slots=True)
class Leave:
    """Now."""


Decision = Stay | StayFor | Leave


def evicting(node: Node | None) -> list[Taint]:
    return [] if node is None else [taint for taint in node.spec.taints if taint.effect == NO_EXECUTE]


def plan(pod: Pod, taints: Sequence[Taint], stayed_seconds: float) -> Decision:
    """`stayed_seconds`: for how long the pod has been there in spite of the taints."""
    if pod.metadata.deletion_timestamp is not None or not taints:
        return Stay()
    allowed = tolerated_seconds(pod, taints)
    if allowed == math.inf:
        return Stay()
    left = allowed - stayed_seconds
    return StayFor(left) if left > 0 else Leave()


def tolerated_seconds(pod: Pod, taints: Sequence[Taint]) -> float:
    """How long the pod puts up with all of the taints; of the tolerations that speak of them the shortest counts."""
    shortest = math.inf
    for taint in taints:
        matching = [each for each in pod.spec.tolerations if terms.tolerates(each, taint)]
        if not matching:
            return 0.0
        # Kubernetes takes the first toleration that matches a taint, and the shortest of those over all taints.
        seconds = matching[0].toleration_seconds
        if seconds is not None:
            shortest = min(shortest, max(seconds, 0))
    return shortest


def disrupted(pod: Pod, now: Time) -> Pod:
    """The pod with the reason why it is about to go."""
    told = PodCondition(
        type=DISRUPTED,
        status="True",
        reason="DeletionByTaintManager",
        message="Taint manager: deleting due to NoExecute taint",
        last_transition_time=now,
    )
    others = tuple(each for each in pod.status.conditions if each.type != DISRUPTED)
    return replace(pod, status=replace(pod.status, conditions=(*others, told)))


class TaintEvictionController:
    """The cache of Pods has the index `pods.BY_NODE`."""

    name = "tainteviction"

    def __init__(
        self,
        pods_written: Tracked[Pod],
        *,
        pod_cache: Cache[Pod],
        node_cache: Cache[Node],
        recorder: Recorder,
        clock: Clock,
    ) -> None:
        self._pods = pods_written
        self._pod_cache = pod_cache
        self._node_cache = node_cache
        self._recorder = recorder
        self._clock = clock
        self._waiting: dict[ObjectKey, tuple[str, float]] = {}
        """Pods that stay for a while: their uid, and since when."""

    async def reconcile(self, key: ObjectKey) -> Outcome:
        pod = self._pod_cache.get(key)
        if pod is None:
            self._waiting.pop(key, None)
            return DONE
        taints = evicting(self._node_cache.get(ObjectKey("", pod.spec.node_name)))
        match plan(pod, taints, self._stayed_seconds(key, pod)):
            case StayFor(seconds):
                self._waiting.setdefault(key, (pod.metadata.uid, self._clock.monotonic()))
                return After(seconds)
            case Leave():
                await self._evict(key, pod)
            case Stay():
                if self._waiting.pop(key, None) is not None and pod.metadata.deletion_timestamp is None:
                    self._recorder.normal(pod, "TaintManagerEviction", f"Cancelling deletion of Pod {key}")
        return DONE

    def _stayed_seconds(self, key: ObjectKey, pod: Pod) -> float:
        uid, since = self._waiting.get(key, ("", 0.0))
        if uid == pod.metadata.uid:
            return self._clock.monotonic() - since
        self._waiting.pop(key, None)  # of a namesake
        return 0.0

    async def _evict(self, key: ObjectKey, pod: Pod) -> None:
        self._recorder.normal(pod, "TaintManagerEviction", f"Marking for deletion Pod {key}")
        try:
            if not any(each.type == DISRUPTED and each.status == "True" for each in pod.status.conditions):
                await self._pods.update_status(disrupted(pod, times.from_datetime(self._clock.now())))
            await self._pods.delete(key.name, key.namespace, uid=pod.metadata.uid)
        except NotFound:
            pass  # gone is success
        self._waiting.pop(key, None)

    # -- who is woken

    def woken_by_pod(self, pod: Pod) -> list[ObjectKey]:
        """Only where there is a taint, or was one when we last looked: most pods never are."""
        key = ObjectKey(pod.metadata.namespace, pod.metadata.name)
        concerned = key in self._waiting or evicting(self._node_cache.get(ObjectKey("", pod.spec.node_name)))
        return [key] if concerned else []

    def woken_by_node(self, node: Node) -> list[ObjectKey]:
        if not evicting(node):
            return []
        running = self._pod_cache.by_index(pods.BY_NODE, node.metadata.name)
        return [ObjectKey(pod.metadata.namespace, pod.metadata.name) for pod in running]
