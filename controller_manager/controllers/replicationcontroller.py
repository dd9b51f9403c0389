"""ReplicationControllers, the forerunners of ReplicaSets: looked at as ReplicaSets, they share their controller."""

from __future__ import annotations

from msgspec.structs import replace

from controller_manager.controllers.replicaset import Form
from steersman.api import kinds
from steersman.api.apps import ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus
from steersman.api.core import (
    PodTemplateSpec,
    ReplicationController,
    ReplicationControllerCondition,
    ReplicationControllerStatus,
)
from steersman.api.meta import LabelSelector


def view(owner: ReplicationController) -> ReplicaSet:
    spec, status = owner.spec, owner.status
    return ReplicaSet(
        metadata=owner.metadata,
        spec=ReplicaSetSpec(
            replicas=spec.replicas,
            min_ready_seconds=spec.min_ready_seconds,
            # An empty selector of this kind selects nothing, an empty LabelSelector everything.
            selector=LabelSelector(match_labels=spec.selector) if spec.selector else None,
            template=spec.template or PodTemplateSpec(),
        ),
        status=ReplicaSetStatus(
            replicas=status.replicas,
            fully_labeled_replicas=status.fully_labeled_replicas,
            ready_replicas=status.ready_replicas,
            available_replicas=status.available_replicas,
            observed_generation=status.observed_generation,
            conditions=tuple(_replicaset_condition(each) for each in status.conditions),
        ),
    )


def with_status(owner: ReplicationController, status: ReplicaSetStatus) -> ReplicationController:
    """This kind does not count the pods that are going away."""
    told = ReplicationControllerStatus(
        replicas=status.replicas,
        fully_labeled_replicas=status.fully_labeled_replicas,
        ready_replicas=status.ready_replicas,
        available_replicas=status.available_replicas,
        observed_generation=status.observed_generation,
        conditions=tuple(_own_condition(each) for each in status.conditions),
    )
    return replace(owner, status=told)


def _replicaset_condition(condition: ReplicationControllerCondition) -> ReplicaSetCondition:
    return ReplicaSetCondition(
        type=condition.type,
        status=condition.status,
        last_transition_time=condition.last_transition_time,
        reason=condition.reason,
        message=condition.message,
    )


def _own_condition(condition: ReplicaSetCondition) -> ReplicationControllerCondition:
    return ReplicationControllerCondition(
        type=condition.type,
        status=condition.status,
        last_transition_time=condition.last_transition_time,
        reason=condition.reason,
        message=condition.message,
    )


REPLICATION_CONTROLLER: Form[ReplicationController] = Form(
    kind=next(kind for kind in kinds.ALL if kind.struct is ReplicationController),
    view=view,
    with_status=with_status,
)
