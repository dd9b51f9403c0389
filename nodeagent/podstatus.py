"""What is seen of a pod, as its status: phase, conditions, addresses, containers. Pure.

A status never goes backwards: a finished phase stays, with its reason; counts of restarts do not fall; a condition
keeps its transition time until it changes. Conditions that others own are theirs and are carried along untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import structs

from nodeagent import admission, conditions, containerstatus, phase, podmachine
from nodeagent.phase import FINISHED, Phase
from nodeagent.picture import Seen
from nodeagent.podmachine import Stage
from steersman.api import podresources, times
from steersman.api.core import ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodStatus, ResourceRequirements
from steersman.api.part import Quantity
from steersman.api.podresources import Side

DEADLINE_EXCEEDED = "DeadlineExceeded"
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"


@dataclass(frozen=True, slots=True)
class Host:
    """Where the pod runs, and what its container ids begin with."""

    ips: tuple[str, ...]
    engine: str


def generate(pod: Pod, stage: Stage, seen: Seen, host: Host, now: datetime) -> PodStatus:
    """The status of `pod` now; `pod.status` is the last one known."""
    before = pod.status
    reached, reason, message = _phase(pod, stage, seen, now)
    goes_on = stage is Stage.SYNC and reached not in FINISHED and not podmachine.work_is_done(pod, seen)
    lists = containerstatus.of_all(pod, seen, host.engine, now if goes_on else None)
    pod_ips = _addresses(pod, stage, seen, host)
    status = structs.replace(
        before,
        observed_generation=pod.metadata.generation,
        phase=reached,
        reason=reason,
        message=message,
        host_ip=host.ips[0] if host.ips else "",
        host_ips=tuple(HostIP(ip=ip) for ip in host.ips),
        pod_ip=pod_ips[0] if pod_ips else "",
        pod_ips=tuple(PodIP(ip=ip) for ip in pod_ips),
        start_time=before.start_time or times.from_datetime(now),
        qos_class=before.qos_class or podresources.qos_class(pod),
        allocated_resources=_quantities(admission.requests(pod)),
        resources=_resources(pod),
        conditions=(
            *conditions.of(pod, (*lists.init, *lists.regular), reached, has_sandbox=_has_sandbox(pod, seen)),
            *_disruptions(pod, stage, seen),
        ),
        init_container_statuses=lists.init,
        container_statuses=lists.regular,
        ephemeral_container_statuses=lists.ephemeral,
    )
    return merge(status, before, now)


def refused(pod: Pod, refusal: admission.Refusal, now: datetime) -> PodStatus:
    """Of a pod that was bound here and cannot run here."""
    return structs.replace(
        pod.status,
        observed_generation=pod.metadata.generation,
        phase=Phase.FAILED.value,
        reason=refusal.reason,
        message=f"Pod was rejected: {refusal.message}",
        start_time=pod.status.start_time or times.from_datetime(now),
        qos_class=pod.status.qos_class or podresources.qos_class(pod),
    )


def merge(ours: PodStatus, theirs: PodStatus, now: datetime) -> PodStatus:
    """`ours` on top of what the API has: nothing backwards, foreign conditions kept, unchanged ones as old as ever."""
    changes: dict[str, object] = {"conditions": conditions.merge(ours.conditions, theirs.conditions, now)}
    if theirs.phase in FINISHED and ours.phase != theirs.phase:
        changes |= {"phase": theirs.phase, "reason": theirs.reason, "message": theirs.message}
    elif ours.phase == theirs.phase and not ours.reason:
        changes |= {"reason": theirs.reason, "message": theirs.message}
    if theirs.start_time is not None:
        changes["start_time"] = theirs.start_time
    for name in ("init_container_statuses", "container_statuses", "ephemeral_container_statuses"):
        changes[name] = _not_backwards(getattr(ours, name), getattr(theirs, name))
    return structs.replace(ours, **changes)


def _not_backwards(ours: Sequence[ContainerStatus], theirs: Sequence[ContainerStatus]) -> tuple[ContainerStatus, ...]:
    """Whoever counts more restarts has seen more."""
    known = {status.name: status for status in theirs}
    return tuple(
        known[status.name]
        if status.name in known and known[status.name].restart_count > status.restart_count
        else status
        for status in ours
    )


def _phase(pod: Pod, stage: Stage, seen: Seen, now: datetime) -> tuple[str, str, str]:
    """With reason and message."""
    before = pod.status
    if before.phase in FINISHED:
        return before.phase, before.reason, before.message
    reached = phase.of(pod, seen, is_over=stage is Stage.TERMINATED)
    if seen.ousting is not None and (reached in FINISHED or stage is Stage.TERMINATED):
        return Phase.FAILED.value, seen.ousting.reason, seen.ousting.message
    if reached in FINISHED:
        return reached.value, "", ""
    deadline = podmachine.deadline_of(pod)
    if deadline is not None and now >= deadline and stage is not Stage.SYNC:
        return Phase.FAILED.value, DEADLINE_EXCEEDED, DEADLINE_MESSAGE
    if stage is Stage.TERMINATED:
        return podmachine.final_phase(reached).value, "", ""
    return reached.value, "", ""


def _disruptions(pod: Pod, stage: Stage, seen: Seen) -> tuple[PodCondition, ...]:
    ousting, was_over = seen.ousting, pod.status.phase in FINISHED
    if ousting is None or not ousting.is_disruption or stage is Stage.SYNC or was_over:
        return ()
    return (conditions.disrupted(pod, ousting.message),)


def _has_sandbox(pod: Pod, seen: Seen) -> bool:
    sandbox = seen.sandbox
    return sandbox is not None and (bool(sandbox.ips) or pod.spec.host_network)


def _addresses(pod: Pod, stage: Stage, seen: Seen, host: Host) -> tuple[str, ...]:
    """A pod that ended keeps the address it had; one whose sandbox died has none until it gets a new one."""
    if pod.spec.host_network:
        return host.ips
    if seen.sandbox is not None:
        return seen.sandbox.ips
    return tuple(each.ip for each in pod.status.pod_ips) if stage is not Stage.SYNC else ()


def _resources(pod: Pod) -> ResourceRequirements:
    limits: dict[str, Quantity] = podresources.effective(pod.spec, Side.LIMITS)
    if pod.spec.resources is not None:
        limits |= pod.spec.resources.limits
    return ResourceRequirements(requests=_quantities(admission.requests(pod)), limits=limits)


def _quantities(amounts: dict[str, str]) -> dict[str, Quantity]:
    return {name: Quantity(amount) for name, amount in amounts.items()}
