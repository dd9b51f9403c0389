"""A pod's priority is a number that the cluster derives from a class name; users name the class, never the number."""

from __future__ import annotations

from collections.abc import Iterable

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
        chosen = default_class(lookup.cached(PriorityClass))
    return with_priority(pod, chosen)


def default_class(classes: Iterable[PriorityClass]) -> PriorityClass | None:
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


def kept(new: Pod, old: Pod) -> Pod:
    """An updated pod that is silent about its priority has the one that it was given."""
    spec = new.spec
    if spec.priority is not None and spec.preemption_policy is not None:
        return new
    priority = old.spec.priority if spec.priority is None else spec.priority
    policy = old.spec.preemption_policy if spec.preemption_policy is None else spec.preemption_policy
    return replace(new, spec=replace(spec, priority=priority, preemption_policy=policy))


def only_default(new: PriorityClass, present: Iterable[PriorityClass]) -> PriorityClass:
    """Forbidden if the class is to be the default and another one is."""
    if new.global_default:
        marked = default_class([each for each in present if each.metadata.name != new.metadata.name])
        if marked is not None:
            why = f"PriorityClass {marked.metadata.name} is already marked as default. Only one default can exist"
            raise errors.forbidden(_CLASSES, new.metadata.name, why)
    return new
