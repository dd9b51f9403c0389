"""A pod of which nothing is known but what runs of it. Pure."""

from __future__ import annotations

from nodeagent.picture import GRACE
from nodeagent.runtime.seen import SeenPod
from steersman.api.core import Container, Pod, PodSpec
from steersman.api.meta import ObjectMeta


def pod_of(seen: SeenPod) -> Pod:
    """Enough of a pod to end it with the grace that it was promised."""
    notes = seen.sandbox.annotations if seen.sandbox is not None else {}
    grace = notes.get(GRACE, "")
    names = dict.fromkeys(each.name for each in seen.containers)
    return Pod(
        metadata=ObjectMeta(name=seen.pod.name, namespace=seen.pod.namespace, uid=seen.pod.uid),
        spec=PodSpec(
            containers=tuple(Container(name=name) for name in names),
            restart_policy="Never",
            termination_grace_period_seconds=int(grace) if grace.isdecimal() else None,
        ),
    )
