"""Which pod and which container is meant by `web`, `deploy/web` or a selector, as kubectl takes it.

All but the asking is pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steersman.api import selectors
from steersman.api.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from steersman.api.batch import Job
from steersman.api.core import Pod, ReplicationController, Service
from steersman.api.meta import Object
from steersman.cli import arguments, naming, refusals
from steersman.client.client import Client

DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_PHASES = ("Running", "Unknown", "Pending")


class NoSuchContainer(ValueError):
    """The pod has no container of that name."""


def container_names(pod: Pod) -> list[str]:
    """In the order in which they start, then those that were put in later."""
    spec = pod.spec
    started = [each.name for each in (*spec.init_containers, *spec.containers)]
    return started + [each.name for each in spec.ephemeral_containers]


def listed(pod: Pod) -> str:
    """All containers as kubectl lists them, with what sort they are."""
    spec = pod.spec
    names = [each.name for each in spec.containers]
    names += [f"{each.name} (ephem)" for each in spec.ephemeral_containers]
    names += [f"{each.name} (init)" for each in spec.init_containers]
    return ", ".join(names)


def container(pod: Pod, asked: str) -> tuple[str, str]:
    """The container that is meant, and what to say when it was chosen among several. NoSuchContainer."""
    chosen = asked or pod.metadata.annotations.get(DEFAULT_CONTAINER, "")
    names = container_names(pod)
    if chosen:
        if chosen not in names:
            raise NoSuchContainer(f"container {chosen} is not valid for pod {pod.metadata.name} out of: {listed(pod)}")
        return chosen, ""
    first = pod.spec.containers[0].name
    return first, f'Defaulted container "{first}" out of: {listed(pod)}' if len(names) > 1 else ""


def selector_of(value: Object) -> str | None:
    """Of the pods that belong to an object; None if it has none."""
    match value:
        case Deployment() | ReplicaSet() | StatefulSet() | DaemonSet() | Job():
            return selectors.text_of(value.spec.selector) if value.spec.selector is not None else None
        case Service() | ReplicationController():
            return str(selectors.of_labels(value.spec.selector)) if value.spec.selector else None
        case _:
            return None


def liveliest(pods: Iterable[Pod]) -> list[Pod]:
    """First those that run and are ready, of these the one that has been for longest."""

    def rank(pod: Pod) -> tuple[bool, int, bool, str, str]:
        ready = next((each for each in pod.status.conditions if each.type == "Ready" and each.status == "True"), None)
        phase = _PHASES.index(pod.status.phase) if pod.status.phase in _PHASES else len(_PHASES)
        since = str(ready.last_transition_time or "") if ready is not None else ""
        return not pod.spec.node_name, phase, ready is None, since, str(pod.metadata.creation_timestamp or "")

    return sorted(pods, key=rank)


async def pod(api: Client, what: str, namespace: str) -> Pod:
    """`web` is a pod; `deploy/web` means one of its pods, and which one is said. ApiError."""
    kind, name = arguments.understood(naming.one, [what if "/" in what else f"pod/{what}"])
    found = await api.of(kind).get(name, namespace if kind.namespaced else "")
    if isinstance(found, Pod):
        return found
    selector = selector_of(found)
    if selector is None:
        refusals.fail(f"error: {naming.reference(kind, name)} selects no pods")
    pods = liveliest(await selected(api, selector, namespace))
    if not pods:
        refusals.fail(f"error: {naming.reference(kind, name)} has no pods (yet)")
    if len(pods) > 1:
        refusals.complain(f"Found {len(pods)} pods, using pod/{pods[0].metadata.name}")
    return pods[0]


async def selected(api: Client, selector: str, namespace: str) -> Sequence[Pod]:
    return [each async for page in api.of(Pod).pages(namespace, label_selector=selector) for each in page.items]
