"""What an object waits for, in sentences: read off its conditions, its containers and its Events. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import ContainerStatus, Event, Pod
from steersman.api.meta import Object
from steersman.base import values
from steersman.cli import ages, happenings

LAST_WARNINGS = 3
_BACK_OFF = re.compile(r"back-off (\S+) restarting")


@dataclass(frozen=True, slots=True)
class Link:
    """One object of the chain: what it is, how it is, what it waits for (nothing: it is well), and what comes below.

    `happened`: the last warnings about it.
    """

    title: str
    state: str
    waits_for: tuple[str, ...] = ()
    happened: tuple[str, ...] = ()
    trace: str = ""
    below: tuple[Link, ...] = ()

    @property
    def is_well(self) -> bool:
        return not self.waits_for and all(link.is_well for link in self.below)


def of_deployment(deployment: Deployment) -> tuple[str, list[str]]:
    spec, status = deployment.spec, deployment.status
    wanted = spec.replicas if spec.replicas is not None else 1
    state = f"{status.available_replicas} of {wanted} available, {status.updated_replicas} up to date"
    found = _unobserved(deployment.metadata.generation, status.observed_generation)
    if spec.paused and status.updated_replicas < wanted:
        found.append("it is paused: steer rollout resume lets it go on")
    for condition in status.conditions:
        is_bad = condition.status == ("True" if condition.type == "ReplicaFailure" else "False")
        if is_bad:
            found.append(f"{condition.type} is {condition.status}: {condition.reason}: {condition.message}")
    return state, found


def of_replicaset(replicaset: ReplicaSet) -> tuple[str, list[str]]:
    wanted = replicaset.spec.replicas if replicaset.spec.replicas is not None else 1
    status = replicaset.status
    found = _unobserved(replicaset.metadata.generation, status.observed_generation)
    if status.replicas < wanted:
        found.append(f"{wanted - status.replicas} of its pods are not made yet")
    for condition in status.conditions:
        if condition.type == "ReplicaFailure" and condition.status == "True":
            found.append(f"its pods cannot be made: {condition.reason}: {condition.message}")
    return f"{status.ready_replicas} of {wanted} ready", found


def _unobserved(generation: int, observed: int | None) -> list[str]:
    if generation <= (observed or 0):
        return []
    return ["its controller has not seen the last change yet: does anybody lead? (steer status)"]


def of_pod(pod: Pod, now: datetime) -> tuple[str, list[str]]:
    phase = pod.status.phase or "Pending"
    where = f" on {pod.spec.node_name}" if pod.spec.node_name else ""
    if phase in ("Succeeded", "Failed"):
        return f"{phase}{where}", [pod.status.message or pod.status.reason or "it failed"] if phase == "Failed" else []
    found = _leaving(pod, now)
    if not pod.spec.node_name:
        found += _unscheduled(pod)
    elif not pod.status.container_statuses and not found:
        found.append(f"the agent of {pod.spec.node_name} has not reported on it yet: is that node Ready?")
    for status in (*(pod.status.init_container_statuses or ()), *(pod.status.container_statuses or ())):
        found += of_container(status, now)
    return f"{phase}{where}", found


def _leaving(pod: Pod, now: datetime) -> list[str]:
    at = pod.metadata.deletion_timestamp
    if at is None:
        return []
    held = f", held by {', '.join(pod.metadata.finalizers)}" if pod.metadata.finalizers else ""
    due = datetime.fromisoformat(str(at))
    grace = f"its containers have {ages.age(due - now)} to end" if due > now else "its time to end is over"
    return [f"it is being deleted: {grace}{held}"]


def _unscheduled(pod: Pod) -> list[str]:
    gates = [gate.name for gate in pod.spec.scheduling_gates or ()]
    if gates:
        return [f"scheduling gates: {', '.join(gates)}"]
    refused = [each for each in pod.status.conditions if each.type == "PodScheduled" and each.status == "False"]
    return [f"a node: {each.message or each.reason}" for each in refused] or ["a node: the scheduler has not said why"]


def of_container(status: ContainerStatus, now: datetime) -> list[str]:
    state, name = status.state, status.name
    if state.waiting is not None and state.waiting.reason != "PodInitializing":
        said = f"container {name}: {state.waiting.reason or 'waiting'}"
        said += f": {state.waiting.message}" if state.waiting.message else ""
        return [said + _last_exit(status) + _next_try(status, now)]
    if state.running is not None and not status.ready and status.started is not None:
        probe = "readiness" if status.started else "startup"
        return [f"container {name}: its {probe} probe does not succeed yet"]
    if state.terminated is not None and state.terminated.exit_code:
        return [f"container {name}: ended with exit code {state.terminated.exit_code} ({state.terminated.reason})"]
    return []


def _last_exit(status: ContainerStatus) -> str:
    ended = status.last_state.terminated
    return f"; it ended with exit code {ended.exit_code}, {status.restart_count} restarts so far" if ended else ""


def _next_try(status: ContainerStatus, now: datetime) -> str:
    """The back-off counts from the last end."""
    ended, waiting = status.last_state.terminated, status.state.waiting
    match = _BACK_OFF.search(waiting.message) if waiting is not None and waiting.message else None
    if ended is None or match is None or not ended.finished_at:
        return ""
    again = datetime.fromisoformat(str(ended.finished_at)) + timedelta(seconds=values.parse_duration(match[1]))
    return f"; next try in {ages.age(again - now)}" if again > now else "; next try now"


def warnings(events: Iterable[Event], about: Object, now: datetime) -> list[str]:
    """The last warnings about an object, newest last."""
    uid = about.metadata.uid
    found = [
        event for event in happenings.ordered(events) if event.type == "Warning" and event.involved_object.uid == uid
    ]
    return [
        f"{ages.since(happenings.last_seen(event), now)} ago {event.reason}: {' '.join(event.message.split())}"
        for event in found[-LAST_WARNINGS:]
    ]


def drawn(link: Link, prefix: str = "", *, last: bool = True, top: bool = True) -> list[str]:
    """The chain as a tree of lines."""
    here = "" if top else prefix + ("└─ " if last else "├─ ")
    inner = "" if top else prefix + ("   " if last else "│  ")
    lines = [f"{here}{link.title}  {link.state}"]
    beside = "│  " if link.below else "   "
    lines += [f"{inner}{beside}→ {each}" for each in link.waits_for]
    lines += [f"{inner}{beside}{each}" for each in link.happened]
    lines += [f"{inner}{beside}trace {link.trace}"] if link.trace else []
    for number, each in enumerate(link.below):
        lines += drawn(each, inner, last=number == len(link.below) - 1, top=False)
    return lines


def verdict(link: Link) -> str:
    if link.is_well:
        return f"{link.title} waits for nothing"
    return f"{link.title} waits for: {'; '.join(dict.fromkeys(_deepest(link)))}"


def _deepest(link: Link) -> Sequence[str]:
    """The causes: what lies lowest in the chain; what stands above follows from it."""
    below = [cause for each in link.below for cause in _deepest(each)]
    return below or link.waits_for
