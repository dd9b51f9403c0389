"""The conditions of a pod that its agent owns, in the words of Kubernetes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import structs

from nodeagent.phase import Phase
from steersman.api import podresources, times
from steersman.api.core import Container, ContainerStatus, Pod, PodCondition

READY_TO_START = "PodReadyToStartContainers"
INITIALIZED = "Initialized"
READY = "Ready"
CONTAINERS_READY = "ContainersReady"
SCHEDULED = "PodScheduled"
OWNED = frozenset({READY_TO_START, INITIALIZED, READY, CONTAINERS_READY, SCHEDULED})
DISRUPTED = "DisruptionTarget"
BY_US = "TerminationByKubelet"


def of(pod: Pod, statuses: Sequence[ContainerStatus], reached: str, *, has_sandbox: bool) -> tuple[PodCondition, ...]:
    """All of them, without their times. `statuses` are those of init and regular containers."""
    known = {status.name: status for status in statuses}
    sandbox = _true(READY_TO_START) if has_sandbox else _false(READY_TO_START, "PodSandboxNotReady", _NO_SANDBOX)
    containers = _containers_ready(pod, known, reached)
    found = (sandbox, _initialized(pod, known, reached), _ready(pod, containers), containers, _true(SCHEDULED))
    return tuple(structs.replace(each, observed_generation=pod.metadata.generation) for each in found)


_NO_SANDBOX = "no pod sandbox exists"


def merge(ours: Sequence[PodCondition], theirs: Sequence[PodCondition], now: datetime) -> tuple[PodCondition, ...]:
    """The foreign ones of `theirs`, then `ours`; what has not changed keeps the time of its last change."""
    disruptions = [each for each in ours if each.reason == BY_US]
    own = [*disruptions, *(each for each in ours if each.type in OWNED)]
    types = {each.type for each in own}
    foreign = tuple(each for each in theirs if each.type not in OWNED and each.type not in types)
    before = {each.type: each for each in theirs}
    return foreign + tuple(_dated(each, before.get(each.type), now) for each in own)


def disrupted(pod: Pod, message: str) -> PodCondition:
    """Of a pod that its node has ended for reasons of its own. Others tell of disruptions, too, with their reasons."""
    condition = PodCondition(type=DISRUPTED, status="True", reason=BY_US, message=message)
    return structs.replace(condition, observed_generation=pod.metadata.generation)


def _dated(condition: PodCondition, before: PodCondition | None, now: datetime) -> PodCondition:
    is_old = before is not None and before.status == condition.status and before.last_transition_time is not None
    since = before.last_transition_time if before is not None and is_old else times.from_datetime(now)
    return structs.replace(condition, last_transition_time=since)


def _containers_ready(pod: Pod, known: dict[str, ContainerStatus], reached: str) -> PodCondition:
    if reached == Phase.FAILED:
        return _false(CONTAINERS_READY, "PodFailed")
    lasting = [each for each in pod.spec.init_containers if podresources.is_sidecar(each)]
    names = [each.name for each in (*lasting, *pod.spec.containers)]
    unknown = [name for name in names if name not in known]
    if reached == Phase.SUCCEEDED and not unknown:
        return _false(CONTAINERS_READY, "PodCompleted")
    unready = [name for name in names if name in known and not known[name].ready]
    told = _told(("unknown", unknown), ("unready", unready))
    return _false(CONTAINERS_READY, "ContainersNotReady", told) if told else _true(CONTAINERS_READY)


def _ready(pod: Pod, containers: PodCondition) -> PodCondition:
    """As the containers are; then as the readiness gates are, which others keep."""
    if containers.status != "True":
        return structs.replace(containers, type=READY)
    present = {each.type: each.status for each in pod.status.conditions}
    complaints = []
    for gate in pod.spec.readiness_gates:
        status = present.get(gate.condition_type)
        if status is None:
            complaints.append(f'corresponding condition of pod readiness gate "{gate.condition_type}" does not exist.')
        elif status != "True":
            complaints.append(f'the status of pod readiness gate "{gate.condition_type}" is not "True", but {status}')
    return _false(READY, "ReadinessGatesNotReady", ", ".join(complaints)) if complaints else _true(READY)


def _initialized(pod: Pod, known: dict[str, ContainerStatus], reached: str) -> PodCondition:
    inits = pod.spec.init_containers
    unknown = [each.name for each in inits if each.name not in known]
    if reached == Phase.SUCCEEDED and not unknown:
        return structs.replace(_true(INITIALIZED), reason="PodCompleted")
    if any(_has_run(known.get(each.name)) for each in pod.spec.containers):
        return _true(INITIALIZED)
    incomplete = [each.name for each in inits if each.name in known and not _is_passed(each, known[each.name])]
    told = _told(("unknown", unknown), ("incomplete", incomplete))
    return _false(INITIALIZED, "ContainersNotInitialized", told) if told else _true(INITIALIZED)


def _is_passed(container: Container, status: ContainerStatus) -> bool:
    return bool(status.started) if podresources.is_sidecar(container) else status.ready


def _has_run(status: ContainerStatus | None) -> bool:
    if status is None:
        return False
    return (
        status.state.running is not None
        or status.state.terminated is not None
        or status.last_state.terminated is not None
    )


def _told(*groups: tuple[str, Iterable[str]]) -> str:
    return ", ".join(f"containers with {word} status: [{' '.join(names)}]" for word, names in groups if names)


def _true(kind: str) -> PodCondition:
    return PodCondition(type=kind, status="True")


def _false(kind: str, reason: str, message: str = "") -> PodCondition:
    return PodCondition(type=kind, status="False", reason=reason, message=message)
