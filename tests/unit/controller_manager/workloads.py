"""Deployments, ReplicaSets and pods as Structs: valid by default, the test names only what matters."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from controller_manager import ownership
from controller_manager.controllers.deployment import history
from steersman.api import kinds, times
from steersman.api.apps import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    DeploymentStrategy,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)
from steersman.api.core import Container, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus, PodTemplateSpec
from steersman.api.meta import LabelSelector, Object, ObjectMeta, OwnerReference
from steersman.api.part import IntOrString, Time

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
APP = {"app": "web"}
DEPLOYMENT = next(kind for kind in kinds.ALL if kind.struct is Deployment)
REPLICASET = next(kind for kind in kinds.ALL if kind.struct is ReplicaSet)


def ago(seconds: float) -> Time:
    return times.from_datetime(NOW - timedelta(seconds=seconds))


def owned_by(owner: Object) -> tuple[OwnerReference, ...]:
    return (ownership.reference_to(owner, DEPLOYMENT if isinstance(owner, Deployment) else REPLICASET),)


def template(image: str = "nginx:1", **labels: str) -> PodTemplateSpec:
    return PodTemplateSpec(
        metadata=ObjectMeta(labels={**APP, **labels}),
        spec=PodSpec(containers=(Container(name="main", image=image),)),
    )


def make_deployment(
    replicas: int = 10,
    *,
    surge: IntOrString = "25%",
    unavailable: IntOrString = "25%",
    image: str = "nginx:1",
    strategy: str = "RollingUpdate",
    status: DeploymentStatus | None = None,
    paused: bool = False,
    min_ready_seconds: int = 0,
    deadline: int | None = 600,
    limit: int | None = 10,
    generation: int = 1,
    annotations: dict[str, str] | None = None,
    deleted: bool = False,
) -> Deployment:
    rolling = RollingUpdateDeployment(max_surge=surge, max_unavailable=unavailable)
    return Deployment(
        metadata=ObjectMeta(
            name="web",
            namespace="default",
            uid="deployment-uid",
            generation=generation,
            annotations=annotations or {},
            deletion_timestamp=ago(1) if deleted else None,
        ),
        spec=DeploymentSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels=APP),
            template=template(image),
            strategy=DeploymentStrategy(type=strategy, rolling_update=rolling if strategy == "RollingUpdate" else None),
            min_ready_seconds=min_ready_seconds,
            paused=paused,
            progress_deadline_seconds=deadline,
            revision_history_limit=limit,
        ),
        status=status or DeploymentStatus(),
    )


def make_replicaset(
    name: str = "web-1",
    replicas: int = 10,
    *,
    image: str = "nginx:1",
    seen: int | None = None,
    available: int | None = None,
    age: float = 100,
    revision: int = 0,
    desired: int | None = None,
    most: int | None = None,
    generation: int = 1,
    observed: int | None = None,
    min_ready_seconds: int = 0,
    deleted: bool = False,
    owner: Deployment | None = None,
    labels: dict[str, str] | None = None,
) -> ReplicaSet:
    """As large as asked for, with all pods available, unless said otherwise."""
    seen = replicas if seen is None else seen
    available = seen if available is None else available
    noted = {history.REVISION: revision, history.DESIRED_REPLICAS: desired, history.MAX_REPLICAS: most}
    return ReplicaSet(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"{name}-uid",
            creation_timestamp=ago(age),
            generation=generation,
            labels=APP if labels is None else labels,
            annotations={key: str(value) for key, value in noted.items() if value},
            owner_references=owned_by(owner) if owner is not None else (),
            deletion_timestamp=ago(1) if deleted else None,
        ),
        spec=ReplicaSetSpec(
            replicas=replicas,
            min_ready_seconds=min_ready_seconds,
            selector=LabelSelector(match_labels=APP),
            template=template(image),
        ),
        status=ReplicaSetStatus(
            replicas=seen,
            ready_replicas=available,
            available_replicas=available,
            observed_generation=generation if observed is None else observed,
        ),
    )


def make_pod(
    name: str = "web-1-a",
    *,
    phase: str = "Running",
    ready: bool = True,
    ready_for: float | None = 50,
    age: float = 60,
    node: str = "node-1",
    cost: str = "",
    restarts: int = 0,
    labels: dict[str, str] | None = None,
    owner: Object | None = None,
    deleted: bool = False,
) -> Pod:
    since = None if ready_for is None else ago(ready_for)
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"{name}-uid",
            labels=APP if labels is None else labels,
            creation_timestamp=ago(age),
            annotations={"controller.kubernetes.io/pod-deletion-cost": cost} if cost else {},
            owner_references=owned_by(owner) if owner is not None else (),
            deletion_timestamp=ago(1) if deleted else None,
        ),
        spec=PodSpec(node_name=node),
        status=PodStatus(
            phase=phase,
            conditions=(PodCondition(type="Ready", status=str(ready), last_transition_time=since),),
            container_statuses=(ContainerStatus(name="main", restart_count=restarts),),
        ),
    )
