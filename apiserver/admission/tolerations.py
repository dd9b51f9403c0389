"""How long a pod stays on a node that is not ready or cannot be reached: said for every pod that does not say it."""

from __future__ import annotations

from msgspec.structs import replace

from steersman.api.core import Pod, Toleration

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
NO_EXECUTE = "NoExecute"


def admit(pod: Pod, not_ready_seconds: int, unreachable_seconds: int) -> Pod:
    missing = tuple(
        Toleration(key=key, operator="Exists", effect=NO_EXECUTE, toleration_seconds=seconds)
        for key, seconds in ((NOT_READY, not_ready_seconds), (UNREACHABLE, unreachable_seconds))
        if not any(_speaks_of(toleration, key) for toleration in pod.spec.tolerations)
    )
    if not missing:
        return pod
    return replace(pod, spec=replace(pod.spec, tolerations=(*pod.spec.tolerations, *missing)))


def _speaks_of(toleration: Toleration, key: str) -> bool:
    return toleration.key in (key, "") and toleration.effect in (NO_EXECUTE, "")
