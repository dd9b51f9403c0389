"""What controllers ask about pods, and the pods that they make. Pure.

Active: neither finished nor going. Ready: its Ready condition is true. Available: ready for at least minReadySeconds.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from random import Random

from steersman.api import times
from steersman.api.core import ContainerStatus, Pod, PodCondition, PodTemplateSpec
from steersman.api.meta import ObjectMeta, OwnerReference
from steersman.api.part import Time

FINISHED = frozenset({"Succeeded", "Failed"})
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and no look-alikes, so that no word comes about by chance."""
SUFFIX_LENGTH = 5
MAX_BASE_LENGTH = 58

BY_NODE = "node"
"""Pods by the node that they are bound to; see `node_index`."""

_PHASE_RANK = {"Pending": 0, "": 0, "Unknown": 1, "Running": 2}
_COST = re.compile("0|-?[1-9][0-9]{0,9}|-0[0-9]{0,9}")
_INT32 = range(-(2**31), 2**31)
_NANOSECONDS = 1e9


def node_index(pod: Pod) -> tuple[str, ...]:
    return (pod.spec.node_name,) if pod.spec.node_name else ()


def is_finished(pod: Pod) -> bool:
    return pod.status.phase in FINISHED


def is_active(pod: Pod) -> bool:
    return not is_finished(pod) and pod.metadata.deletion_timestamp is None


def is_terminating(pod: Pod) -> bool:
    return not is_finished(pod) and pod.metadata.deletion_timestamp is not None


def is_ready(pod: Pod) -> bool:
    condition = _ready_condition(pod)
    return condition is not None and condition.status == "True"


def is_available(pod: Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Whether the pod has been ready for that long."""
    if not is_ready(pod):
        return False
    return min_ready_seconds == 0 or _remaining_seconds(pod, min_ready_seconds, now) == 0


def seconds_until_available(crowd: Iterable[Pod], min_ready_seconds: int, now: datetime) -> float | None:
    """When the next ready pod of `crowd` becomes available; None: none is about to."""
    if min_ready_seconds == 0:
        return None
    waits = (_remaining_seconds(pod, min_ready_seconds, now) for pod in crowd if is_ready(pod))
    return min((wait for wait in waits if 0 < wait < math.inf), default=None)


def _remaining_seconds(pod: Pod, min_ready_seconds: int, now: datetime) -> float:
    since = _ready_since(pod)
    if since is None:
        return math.inf
    return max((times.to_datetime(since) + timedelta(seconds=min_ready_seconds) - now).total_seconds(), 0.0)


def _ready_condition(pod: Pod) -> PodCondition | None:
    for condition in pod.status.conditions:  # a plain loop: asked of every pod in every pass
        if condition.type == "Ready":
            return condition
    return None


def _ready_since(pod: Pod) -> Time | None:
    condition = _ready_condition(pod)
    return condition.last_transition_time if condition is not None and condition.status == "True" else None


# --- Which pod to give up first


def cheapest_to_lose(
    candidates: Iterable[Pod], related: Iterable[Pod], now: datetime, *, min_ready_seconds: int = 0
) -> list[Pod]:
    """The candidates in the order in which to delete them.

    Kubernetes' order: without a node, by phase, not ready, lower deletion cost, on a node with more of `related` (the
    pods of all replica sets under the same owner), ready more recently, restarted more often, created more recently.
    Ages count by powers of two, so that chance (the uid) spreads deletions over pods of about one age. In two points we
    differ: a pod that is ready but not yet available goes before one that is, so that a deletion never costs more
    availability than it must; and pods of about one age are still told apart by their restarts.
    """
    crowding = Counter(pod.spec.node_name for pod in related if is_active(pod))

    def cost(pod: Pod) -> tuple[object, ...]:
        node = pod.spec.node_name
        return (
            bool(node),
            _PHASE_RANK.get(pod.status.phase, 0),
            is_ready(pod),
            is_available(pod, min_ready_seconds, now),
            deletion_cost(pod),
            -crowding[node],
            _age_rank(_ready_since(pod), now),
            -_restarts(pod.status.container_statuses),
            -_sidecar_restarts(pod),
            _age_rank(pod.metadata.creation_timestamp, now),
            pod.metadata.uid,
        )

    return sorted(candidates, key=cost)


def deletion_cost(pod: Pod) -> int:
    """What the user says it costs to lose the pod; 0 for what is not a 32-bit number in plain digits."""
    text = pod.metadata.annotations.get(DELETION_COST, "")
    return int(text) if _COST.fullmatch(text) and int(text) in _INT32 else 0


def _age_rank(since: Time | None, now: datetime) -> int:
    """How old, by powers of two; a time that is missing counts as younger than any other."""
    if since is None:
        return -2
    nanoseconds = (now - times.to_datetime(since)).total_seconds() * _NANOSECONDS
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1


def _restarts(statuses: Sequence[ContainerStatus]) -> int:
    return max((status.restart_count for status in statuses), default=0)


def _sidecar_restarts(pod: Pod) -> int:
    sidecars = {container.name for container in pod.spec.init_containers if container.restart_policy == "Always"}
    return _restarts([status for status in pod.status.init_container_statuses if status.name in sidecars])


# --- New pods


def fresh_name(owner_name: str, random: Random) -> str:
    """A name for a child, such as a server would make from `<owner>-`."""
    suffix = "".join(random.choices(NAME_ALPHABET, k=SUFFIX_LENGTH))
    return f"{owner_name}-"[:MAX_BASE_LENGTH] + suffix


def from_template(template: PodTemplateSpec, name: str, namespace: str, reference: OwnerReference) -> Pod:
    """The pod that a workload asks for."""
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            labels=template.metadata.labels,
            annotations=template.metadata.annotations,
            finalizers=template.metadata.finalizers,
            owner_references=(reference,),
        ),
        spec=template.spec,
        api_version="v1",
        kind="Pod",
    )
