"""A pod's priority is a number that the cluster derives from a class name; users name the class, never the number."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.admission import refusal
from apiserver.admission.lookup import Lookup
from steersman.api import errors
from steersman.api.core import Pod
from steersman.api.errors import Subject
from steersman.api.scheduling import PriorityClass

PREEMPT_LOWER = "PreemptLowerPriority"
_CLASSES = Subject(group="scheduling.k8s.io", resource="priorityclasses", kind="PriorityClass")


async def admit(pod: Pod, lookup: Lookup) -> Pod:
    if pod.spec.priority_class_name:
        chosen = await lookup.find(PriorityClass, pod.spec.priority_class_name)
        if chosen is None:
            raise refusal.of_pod(pod, f"no PriorityClass with name {pod.spec.priority_class_name} was found")
    else:
        chosen = default_class(await lookup.every(PriorityClass))
    return with_priority(pod, chosen)


def default_class(classes: list[PriorityClass]) -> PriorityClass | None:
    """The one marked as default; of several (a race between their creators) the lowest."""
    return min((each for each in classes if each.global_default), key=lambda each: each.value, default=None)


def with_priority(pod: Pod, chosen: PriorityClass | None) -> Pod:
    value = chosen.value if chosen is not None else 0
    policy = (chosen.preemption_policy if chosen is not None else None) or PREEMPT_LOWER
    name = chosen.metadata.name if chosen is not None else ""
    if pod.spec.priority is not None and pod.spec.priority != value:
        why = (
            f"the integer value of priority ({pod.spec.priority}) must not be provided in pod spec; "
            f"priority admission controller computed {value} from the given PriorityClass name"
        )
        raise refusal.of_pod(pod, why)
    if pod.spec.preemption_policy is not None and pod.spec.preemption_policy != policy:
        why = (
            f"the string value of PreemptionPolicy ({pod.spec.preemption_policy}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise refusal.of_pod(pod, why)
    return replace(pod, spec=replace(pod.spec, priority=value, preemption_policy=policy, priority_class_name=name))


async def admit_class(new: PriorityClass, lookup: Lookup) -> PriorityClass:
    if new.global_default:
        others = [each for each in await lookup.every(PriorityClass) if each.metadata.name != new.metadata.name]
        marked = default_class(others)
        if marked is not None:
            why = f"PriorityClass {marked.metadata.name} is already marked as default. Only one default can exist"
            raise errors.forbidden(_CLASSES, new.metadata.name, why)
    return new
