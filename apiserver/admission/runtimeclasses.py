"""What a pod's RuntimeClass adds to it: the overhead of the sandbox, and where such pods can run."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.admission import refusal
from apiserver.admission.lookup import Lookup
from steersman.api.core import Pod
from steersman.api.node import RuntimeClass


async def admit(pod: Pod, lookup: Lookup) -> Pod:
    name = pod.spec.runtime_class_name
    if not name:
        if pod.spec.overhead:
            raise refusal.of_pod(
                pod, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            )
        return pod
    runtime_class = await lookup.find(RuntimeClass, name)
    if runtime_class is None:
        raise refusal.of_pod(pod, f'pod rejected: RuntimeClass "{name}" not found')
    return of_class(pod, runtime_class)


def of_class(pod: Pod, runtime_class: RuntimeClass) -> Pod:
    """Pure: overhead and scheduling taken over; Forbidden where the pod says otherwise."""
    overhead = runtime_class.overhead.pod_fixed if runtime_class.overhead is not None else {}
    if pod.spec.overhead and pod.spec.overhead != overhead:
        raise refusal.of_pod(pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    spec = replace(pod.spec, overhead=dict(overhead))
    if runtime_class.scheduling is not None:
        wanted = runtime_class.scheduling.node_selector
        for key, value in wanted.items():
            if spec.node_selector.get(key, value) != value:
                why = (
                    f"pod rejected: conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                    f"pod.spec.nodeSelector[{key}] = {spec.node_selector[key]}"
                )
                raise refusal.of_pod(pod, why)
        more = tuple(each for each in runtime_class.scheduling.tolerations if each not in spec.tolerations)
        spec = replace(spec, node_selector={**spec.node_selector, **wanted}, tolerations=(*spec.tolerations, *more))
    return replace(pod, spec=spec)
