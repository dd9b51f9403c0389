"""Pods that their node ends because they, or all together, take too much of it, in the kubelet's words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nodeagent import admission, pressure, staticpods
from nodeagent.admission import Refusal
from nodeagent.phase import FINISHED
from nodeagent.picture import Ousting
from nodeagent.pressure import Shortage, Signal
from steersman.api import podresources, quantity
from steersman.api.core import Container, Pod, Taint
from steersman.api.podresources import Qos, Side

REASON = "Evicted"
CRITICAL_PRIORITY = 2_000_000_000
GRACE_SECONDS = 1.0
"""Who has taken too much gets no time to take more."""

RESOURCES = {Signal.MEMORY: "memory", Signal.DISK: "ephemeral-storage", Signal.PIDS: "pids"}
"""What pods are ended for, and how it is called. Of inodes nobody can say which pod has taken them."""
_MEMORY_TAINT = Taint(key="node.kubernetes.io/memory-pressure", effect="NoSchedule")


@dataclass(frozen=True, slots=True)
class Consumption:
    """What a pod takes of the resource that is short; `containers` by name, where that is known."""

    pod: Pod
    used: int
    containers: Mapping[str, int] = field(default_factory=dict)


def is_critical(pod: Pod) -> bool:
    """What the cluster cannot do without; and static pods, which nobody would start elsewhere."""
    return staticpods.is_static(pod) or (pod.spec.priority or 0) >= CRITICAL_PRIORITY


def may_be_evicted(pod: Pod) -> bool:
    return pod.status.phase not in FINISHED and pod.metadata.deletion_timestamp is None and not is_critical(pod)


def eviction(message: str, now: datetime, *, is_disruption: bool = False) -> Ousting:
    return Ousting(REASON, message, now + timedelta(seconds=GRACE_SECONDS), is_disruption)


# --- A pod that exceeds a limit of its own


def limited_volumes(pod: Pod) -> dict[str, str]:
    """The emptyDirs on disk that have a `sizeLimit`, by name. One in memory is kept small by the kernel."""
    return {
        volume.name: volume.empty_dir.size_limit
        for volume in pod.spec.volumes
        if volume.empty_dir is not None
        and not volume.empty_dir.medium
        and volume.empty_dir.size_limit
        and podresources.is_positive(volume.empty_dir.size_limit)
    }


def overfull_volume(pod: Pod, used_bytes: Mapping[str, int]) -> str | None:
    """What to tell of the first volume that holds more than it may; None: all are within their limits."""
    for name, limit in limited_volumes(pod).items():
        if used_bytes.get(name, 0) > quantity.units(limit):
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{limit}". '
    return None


# --- A node that is short of something


def refusal(pod: Pod, conditions: Collection[str]) -> Refusal | None:
    """Why a pod is not taken while the node is short of something. None: it is."""
    if not conditions or is_critical(pod):
        return None
    if [*conditions] == ["MemoryPressure"]:
        is_spared = podresources.qos_class(pod) is not Qos.BEST_EFFORT
        if is_spared or admission.tolerates(pod.spec.tolerations, _MEMORY_TAINT):
            return None
    return Refusal(REASON, f"The node had condition: [{' '.join(sorted(conditions))}]. ")


def first_to_go(shortage: Shortage, consumers: Iterable[Consumption]) -> Consumption | None:
    """Who has taken more than was asked for goes first, then who matters least, then who takes the most beyond it."""
    candidates = [each for each in consumers if may_be_evicted(each.pod)]

    def rank(each: Consumption) -> tuple[bool, int, int]:
        excess = each.used - _requested(each.pod, shortage.signal)
        is_modest = shortage.signal is not Signal.PIDS and excess <= 0
        return is_modest, each.pod.spec.priority or 0, -excess

    return min(candidates, key=rank, default=None)


def message(shortage: Shortage, gone: Consumption) -> str:
    resource, signal = RESOURCES[shortage.signal], shortage.signal
    least, available = pressure.shown(signal, shortage.least), pressure.shown(signal, shortage.available)
    told = f"The node was low on resource: {resource}. Threshold quantity: {least}, available: {available}. "
    for container in (*gone.pod.spec.containers, *gone.pod.spec.init_containers):
        used, requested = gone.containers.get(container.name, 0), _request_of(container, signal)
        if used > quantity.units(requested):
            told += (
                f"Container {container.name} was using {pressure.shown(signal, used)}, request is {requested}, "
                f"has larger consumption of {resource}. "
            )
    return told


def _requested(pod: Pod, signal: Signal) -> int:
    return quantity.units(podresources.effective(pod.spec, Side.REQUESTS).get(RESOURCES[signal], "0"))


def _request_of(container: Container, signal: Signal) -> str:
    return container.resources.requests.get(RESOURCES[signal], "0")
