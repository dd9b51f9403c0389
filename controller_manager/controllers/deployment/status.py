"""What a Deployment says about itself: its counts and its conditions, in Kubernetes' words. Pure.

Progressing is the clock of a rollout: each step forward renews its lastUpdateTime, and a rollout that has made none for
progressDeadlineSeconds has timed out. While a Deployment is paused or only being scaled the clock is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto

from msgspec.structs import replace

from controller_manager.controllers.deployment import rolling
from steersman.api import times
from steersman.api.apps import Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet
from steersman.api.part import Time

AVAILABLE = "Available"
PROGRESSING = "Progressing"
REPLICA_FAILURE = "ReplicaFailure"

CREATED = "NewReplicaSetCreated"
FOUND = "FoundNewReplicaSet"
UPDATED = "ReplicaSetUpdated"
COMPLETE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"
RESUMED = "DeploymentResumed"
CREATE_FAILED = "ReplicaSetCreateError"

NO_DEADLINE = 2**31 - 1
_SKEW_SECONDS = 1.0
"""Stored times are whole seconds: asked earlier, the deadline would not have passed yet."""


class Course(Enum):
    """What a pass does with a Deployment, which decides whether its progress is judged."""

    ROLLING = auto()
    HOLDING = auto()
    """Paused, scaling or being deleted."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A Deployment's ReplicaSets as the pass leaves them. `created`: the new one did not exist before."""

    course: Course
    new: ReplicaSet | None
    old: tuple[ReplicaSet, ...]
    created: bool = False

    @property
    def everyone(self) -> tuple[ReplicaSet, ...]:
        return (*self.old, self.new) if self.new is not None else self.old


def has_deadline(deployment: Deployment) -> bool:
    return deployment.spec.progress_deadline_seconds not in (None, NO_DEADLINE)


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Whether `status` shows all pods of the newest template, available, and none of another."""
    counts = {status.updated_replicas, status.replicas, status.available_replicas}
    return counts == {rolling.wanted(deployment)} and status.observed_generation >= deployment.metadata.generation


def status_of(deployment: Deployment, outlook: Outlook, now: datetime) -> DeploymentStatus:
    moment = times.from_datetime(now)
    counted = _counted(deployment, outlook)
    conditions = _begun(deployment, outlook, moment)
    conditions = _set(conditions, _availability(deployment, counted, moment))
    if outlook.course is Course.ROLLING:
        conditions = _judged(deployment, outlook, replace(counted, conditions=conditions), now)
        conditions = _with_failure(conditions, outlook)
    return replace(counted, conditions=conditions)


def _counted(deployment: Deployment, outlook: Outlook) -> DeploymentStatus:
    everyone = outlook.everyone
    available = sum(each.status.available_replicas for each in everyone)
    return DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(each.status.replicas for each in everyone),
        updated_replicas=outlook.new.status.replicas if outlook.new is not None else 0,
        ready_replicas=sum(each.status.ready_replicas for each in everyone),
        available_replicas=available,
        unavailable_replicas=max(sum(map(rolling.size, everyone)) - available, 0),
        terminating_replicas=_terminating(everyone),
        collision_count=deployment.status.collision_count,
    )


def _terminating(everyone: Iterable[ReplicaSet]) -> int | None:
    """Unknown as soon as one ReplicaSet that has been looked at does not say."""
    total = 0
    for each in everyone:
        if each.status.terminating_replicas is not None:
            total += each.status.terminating_replicas
        elif each.status.observed_generation:
            return None
    return total


# --- Conditions

Conditions = tuple[DeploymentCondition, ...]


def condition(status: DeploymentStatus, kind: str) -> DeploymentCondition | None:
    return _find(status.conditions, kind)


def _find(conditions: Conditions, kind: str) -> DeploymentCondition | None:
    return next((each for each in conditions if each.type == kind), None)


def _made(kind: str, status: str, reason: str, message: str, moment: Time) -> DeploymentCondition:
    return DeploymentCondition(
        type=kind,
        status=status,
        reason=reason,
        message=message,
        last_update_time=moment,
        last_transition_time=moment,
    )


def _set(conditions: Conditions, new: DeploymentCondition) -> Conditions:
    """One that says the same as before stays as it is."""
    held = _find(conditions, new.type)
    if held is not None and (held.status, held.reason) == (new.status, new.reason):
        return conditions
    return _renewed(conditions, new)


def _renewed(conditions: Conditions, new: DeploymentCondition) -> Conditions:
    held = _find(conditions, new.type)
    if held is not None and held.status == new.status:
        new = replace(new, last_transition_time=held.last_transition_time)
    return (*_without(conditions, new.type), new)


def _without(conditions: Conditions, kind: str) -> Conditions:
    return tuple(each for each in conditions if each.type != kind)


def _availability(deployment: Deployment, counted: DeploymentStatus, moment: Time) -> DeploymentCondition:
    if counted.available_replicas >= rolling.bounds_of(deployment).least:
        message = "Deployment has minimum availability."
        return _made(AVAILABLE, "True", "MinimumReplicasAvailable", message, moment)
    message = "Deployment does not have minimum availability."
    return _made(AVAILABLE, "False", "MinimumReplicasUnavailable", message, moment)


def _begun(deployment: Deployment, outlook: Outlook, moment: Time) -> Conditions:
    """What pausing, resuming and the appearance of the new ReplicaSet have to say, before progress is judged."""
    conditions = deployment.status.conditions
    if not has_deadline(deployment) or deployment.metadata.deletion_timestamp is not None:
        return conditions
    held = _find(conditions, PROGRESSING)
    if held is None or held.reason != TIMED_OUT:
        is_marked = held is not None and held.reason == PAUSED
        if deployment.spec.paused and not is_marked:
            conditions = _set(conditions, _made(PROGRESSING, "Unknown", PAUSED, "Deployment is paused", moment))
        elif is_marked and not deployment.spec.paused:
            conditions = _set(conditions, _made(PROGRESSING, "Unknown", RESUMED, "Deployment is resumed", moment))
    if outlook.new is None:
        return conditions
    name = outlook.new.metadata.name
    if outlook.created:
        return _set(conditions, _made(PROGRESSING, "True", CREATED, f'Created new replica set "{name}"', moment))
    if _find(conditions, PROGRESSING) is None:
        return _set(conditions, _made(PROGRESSING, "True", FOUND, f'Found new replica set "{name}"', moment))
    return conditions


def _judged(deployment: Deployment, outlook: Outlook, counted: DeploymentStatus, now: datetime) -> Conditions:
    """The conditions with Progressing brought up to date."""
    if not has_deadline(deployment):
        return _without(counted.conditions, PROGRESSING)
    held = _find(counted.conditions, PROGRESSING)
    if held is not None and held.reason == COMPLETE and counted.replicas == counted.updated_replicas:
        return counted.conditions
    moment = times.from_datetime(now)
    if outlook.new is not None:
        subject = f'ReplicaSet "{outlook.new.metadata.name}"'
    else:
        subject = f'Deployment "{deployment.metadata.name}"'
    if is_complete(deployment, counted):
        done = _made(PROGRESSING, "True", COMPLETE, f"{subject} has successfully progressed.", moment)
        return _set(counted.conditions, done)
    if _has_advanced(deployment.status, counted):
        forward = _made(PROGRESSING, "True", UPDATED, f"{subject} is progressing.", moment)
        return _renewed(counted.conditions, forward)
    if _has_timed_out(deployment, held, now):
        late = _made(PROGRESSING, "False", TIMED_OUT, f"{subject} has timed out progressing.", moment)
        return _set(counted.conditions, late)
    return counted.conditions


def _has_advanced(before: DeploymentStatus, after: DeploymentStatus) -> bool:
    return (
        after.updated_replicas > before.updated_replicas
        or after.replicas - after.updated_replicas < before.replicas - before.updated_replicas
        or after.ready_replicas > before.ready_replicas
        or after.available_replicas > before.available_replicas
    )


def _has_timed_out(deployment: Deployment, held: DeploymentCondition | None, now: datetime) -> bool:
    if held is None or held.reason == COMPLETE:
        return False
    return held.reason == TIMED_OUT or _deadline(deployment, held) < now


def _deadline(deployment: Deployment, held: DeploymentCondition) -> datetime:
    since = (
        datetime.min.replace(tzinfo=UTC) if held.last_update_time is None else times.to_datetime(held.last_update_time)
    )
    return since + timedelta(seconds=deployment.spec.progress_deadline_seconds or 0)


def _with_failure(conditions: Conditions, outlook: Outlook) -> Conditions:
    """A ReplicaSet that cannot create its pods says why; the new one is heard first."""
    asked: Sequence[ReplicaSet] = (outlook.new, *outlook.old) if outlook.new is not None else outlook.old
    for replicaset in asked:
        for failure in replicaset.status.conditions:
            if failure.type == REPLICA_FAILURE:
                copied = _made(REPLICA_FAILURE, failure.status, failure.reason, failure.message, Time(""))
                since = failure.last_transition_time
                return _set(conditions, replace(copied, last_update_time=since, last_transition_time=since))
    return _without(conditions, REPLICA_FAILURE)


def with_creation_failure(deployment: Deployment, message: str, now: datetime) -> DeploymentStatus:
    """The status after the new ReplicaSet was refused."""
    held = deployment.status
    if not has_deadline(deployment):
        return held
    failed = _made(PROGRESSING, "False", CREATE_FAILED, message, times.from_datetime(now))
    return replace(held, conditions=_set(held.conditions, failed))


def seconds_until_check(deployment: Deployment, status: DeploymentStatus, now: datetime) -> float | None:
    """When to look whether the deadline has passed; None: nothing depends on it."""
    held = condition(status, PROGRESSING)
    if held is None or held.reason in (TIMED_OUT, PAUSED) or not has_deadline(deployment):
        return None
    if is_complete(deployment, status):
        return None
    return max((_deadline(deployment, held) - now).total_seconds(), 0.0) + _SKEW_SECONDS
