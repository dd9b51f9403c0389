"""What a pod's RuntimeClass adds to it: the overhead of the sandbox, and where such pods can run."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from apiserver.admission import refusal
from apiserver.admission.lookup import Lookup
from apiserver.admission.tolerations import NO_EXECUTE
from steersman.api.core import Pod, Toleration
from steersman.api.node import RuntimeClass, Scheduling


async def admit(pod: Pod, lookup: Lookup) -> Pod:
    name = pod.spec.runtime_class_name
    if name is None:
        return _with_overhead(pod, None)
    runtime_class = await lookup.find(RuntimeClass, name)
    if runtime_class is None:
        raise refusal.of_pod(pod, f'pod rejected: RuntimeClass "{name}" not found')
    return of_class(pod, runtime_class)


def of_class(pod: Pod, runtime_class: RuntimeClass) -> Pod:
    """Pure: overhead and scheduling taken over; Forbidden where the pod says otherwise."""
    pod = _with_overhead(pod, runtime_class)
    return pod if runtime_class.scheduling is None else _scheduled(pod, runtime_class.scheduling)


def _with_overhead(pod: Pod, runtime_class: RuntimeClass | None) -> Pod:
    if runtime_class is None or runtime_class.overhead is None:
        if pod.spec.overhead:
            why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise refusal.of_pod(pod, why)
        return pod
    overhead = runtime_class.overhead.pod_fixed
    if pod.spec.overhead and pod.spec.overhead != overhead:
        raise refusal.of_pod(pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    return replace(pod, spec=replace(pod.spec, overhead=overhead))


def _scheduled(pod: Pod, scheduling: Scheduling) -> Pod:
    chosen = pod.spec.node_selector
    for key, value in scheduling.node_selector.items():
        if chosen.get(key, value) != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {chosen[key]}"
            )
            raise refusal.of_pod(pod, why)
    spec = replace(
        pod.spec,
        node_selector={**chosen, **scheduling.node_selector},
        tolerations=merged((*pod.spec.tolerations, *scheduling.tolerations)),
    )
    return replace(pod, spec=spec)


def merged(tolerations: Sequence[Toleration]) -> tuple[Toleration, ...]:
    """All but those that say nothing which another does not say; of equal ones the first."""
    kept: list[Toleration] = []
    for index, toleration in enumerate(tolerations):
        wider_before = any(covers(other, toleration) for other in kept)
        wider_behind = any(other != toleration and covers(other, toleration) for other in tolerations[index + 1 :])
        if not wider_before and not wider_behind:
            kept.append(toleration)
    return tuple(kept)


def covers(wide: Toleration, narrow: Toleration) -> bool:
    """Whether `wide` tolerates everything that `narrow` does."""
    if wide == narrow:
        return True
    if narrow.key != wide.key and (wide.key or wide.operator != "Exists"):
        return False
    if narrow.effect != wide.effect and wide.effect:
        return False
    limit, wanted = wide.toleration_seconds, narrow.toleration_seconds
    if wide.effect == NO_EXECUTE and limit is not None and (wanted is None or wanted > limit):
        return False
    if wide.operator in ("Equal", ""):
        return narrow.operator == "Equal" and narrow.value == wide.value
    return wide.operator == "Exists"
