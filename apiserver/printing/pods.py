"""Pods: how many containers are ready, and one word for the state of them all.

The word is the pod's phase, unless something more telling is known: what keeps an init container from finishing, why a
container waits or how it ended, that the pod is on its way out. Of several containers the first has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Outcome, Printer, wide
from apiserver.printing.podglimpse import ContainerStatus, PodGlimpse, Terminated
from steersman.api.core import PodTemplate

NODE_LOST = "NodeLost"
"""The reason that a pod bears when its node is no longer heard of."""
_OUTCOMES = {"Succeeded": Outcome.SUCCEEDED, "Failed": Outcome.FAILED}


@dataclass(slots=True)
class _Restarts:
    count: int = 0
    last: str = ""

    def add(self, container: ContainerStatus) -> None:
        self.count += container.restart_count
        ended = container.last_state.terminated
        if ended is not None and ended.finished_at is not None:
            self.last = max(self.last, ended.finished_at)

    def text(self, now: datetime) -> str:
        return f"{self.count} ({ages.since(self.last, now)} ago)" if self.count and self.last else str(self.count)


@dataclass(slots=True)
class _Tally:
    """What has been found out from the containers so far."""

    reason: str
    restarts: _Restarts
    ready: int = 0


def cells(pod: PodGlimpse, now: datetime) -> Cells:
    spec, status = pod.spec, pod.status
    tally = _Tally(_first_reason(pod), _Restarts())
    is_held_up, total = False, len(spec.containers)
    if status.init_container_statuses or spec.init_containers:
        sidecars = {each.name for each in spec.init_containers if each.restart_policy == "Always"}
        total += len(sidecars)
        is_held_up = _count_init_containers(pod, sidecars, tally)
    if not is_held_up:
        _count_containers(pod, tally)
    if pod.metadata.deletion_timestamp is not None:
        if status.reason == NODE_LOST:
            tally.reason = "Unknown"
        elif status.phase not in _OUTCOMES:
            tally.reason = "Terminating"
    return [
        pod.metadata.name,
        f"{tally.ready}/{total}",
        tally.reason,
        tally.restarts.text(now),
        ages.since(pod.metadata.creation_timestamp, now),
        (status.pod_ips[0].ip if status.pod_ips else "") or phrases.NONE,
        spec.node_name or phrases.NONE,
        status.nominated_node_name or phrases.NONE,
        _gates(pod) if spec.readiness_gates else phrases.NONE,
    ]


def outcome(pod: PodGlimpse) -> Outcome | None:
    return _OUTCOMES.get(pod.status.phase)


def _first_reason(pod: PodGlimpse) -> str:
    """What can be said without a look at the containers."""
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.reason == "SchedulingGated":
            return condition.reason
    return pod.status.reason or pod.status.phase


def _count_init_containers(pod: PodGlimpse, sidecars: set[str], tally: _Tally) -> bool:
    """Whether one of them still holds the pod back; then the tally says which and why.

    Restarts of those that have done their work are of interest only until the pod has begun its own.
    """
    of_sidecars, is_held_up = _Restarts(), False
    for index, container in enumerate(pod.status.init_container_statuses):
        is_sidecar = container.name in sidecars
        tally.restarts.add(container)
        if is_sidecar:
            of_sidecars.add(container)
        ended = container.state.terminated
        if ended is not None and ended.exit_code == 0:
            continue
        if is_sidecar and container.started:
            tally.ready += container.ready
            continue
        tally.reason = f"Init:{_hold_up(container, index, len(pod.spec.init_containers))}"
        is_held_up = not _condition(pod, "Initialized")
        break
    if not is_held_up:
        tally.restarts = of_sidecars
    return is_held_up


def _hold_up(container: ContainerStatus, index: int, total: int) -> str:
    state = container.state
    if state.terminated is not None:
        return _ending(state.terminated)
    if state.waiting is not None and state.waiting.reason not in ("", "PodInitializing"):
        return state.waiting.reason
    return f"{index}/{total}"


def _count_containers(pod: PodGlimpse, tally: _Tally) -> None:
    has_running, failure = False, ""
    for container in reversed(pod.status.container_statuses):
        tally.restarts.add(container)
        state = container.state
        if state.waiting is not None and state.waiting.reason:
            tally.reason = state.waiting.reason
        elif state.terminated is not None:
            tally.reason = _ending(state.terminated)
            if state.terminated.exit_code != 0:
                failure = tally.reason
        elif container.ready and state.running is not None:
            has_running = True
            tally.ready += 1
    if tally.reason == "Completed":
        # Some have ended well; the pod as a whole is what the others are.
        if has_running and _condition(pod, "Ready"):
            tally.reason = "Running"
        elif failure:
            tally.reason = failure
        elif has_running:
            tally.reason = "NotReady"


def _ending(ended: Terminated) -> str:
    if ended.reason:
        return ended.reason
    return f"Signal:{ended.signal}" if ended.signal else f"ExitCode:{ended.exit_code}"


def _condition(pod: PodGlimpse, kind: str) -> bool:
    for condition in pod.status.conditions:
        if condition.type == kind:
            return condition.status == "True"
    return False


def _gates(pod: PodGlimpse) -> str:
    gates = pod.spec.readiness_gates
    return f"{sum(_condition(pod, gate.condition_type) for gate in gates)}/{len(gates)}"


def template_cells(shown: PodTemplate, _: datetime) -> Cells:
    template = shown.template
    containers = template.spec.containers
    return [
        shown.metadata.name,
        phrases.container_names(containers),
        phrases.container_images(containers),
        phrases.labels(template.metadata.labels),
    ]


POD = Printer(
    (
        NAME,
        Column("Ready", "How many of the pod's containers are ready, of how many."),
        Column("Status", "One word for the state of the pod and its containers."),
        Column("Restarts", "How often containers of the pod were started again, and when the last time was."),
        AGE,
        wide("IP", "The pod's address in the cluster."),
        wide("Node", "The node that the pod is bound to."),
        wide("Nominated Node", "The node on which room is being made for the pod."),
        wide("Readiness Gates", "How many of the conditions that readiness waits for are true, of how many."),
    ),
    cells,
    outcome,
    reads=PodGlimpse,
)
POD_TEMPLATE = Printer(
    (
        NAME,
        Column("Containers", "The names of the containers in the template."),
        Column("Images", "The images of the containers in the template."),
        Column("Pod Labels", "The labels of pods made from the template."),
    ),
    template_cells,
)
