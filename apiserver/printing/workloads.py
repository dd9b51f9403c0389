"""What keeps a number of pods running: how many are wanted, and how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Cells,
    Column,
    Printer,
    number,
)
from steersman.api.apps import ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet
from steersman.api.autoscaling import Scale
from steersman.api.core import Container, ReplicationController


def containers_of(containers: Sequence[Container]) -> Cells:
    return [phrases.container_names(containers), phrases.container_images(containers)]


def deployment_cells(shown: Deployment, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        f"{status.ready_replicas}/{spec.replicas or 0}",
        status.updated_replicas,
        status.available_replicas,
        ages.since(shown.metadata.creation_timestamp, now),
        *containers_of(spec.template.spec.containers),
        phrases.selector_text(spec.selector, invalid="<invalid>"),
    ]


def replicaset_cells(shown: ReplicaSet, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        spec.replicas or 0,
        status.replicas,
        status.ready_replicas,
        ages.since(shown.metadata.creation_timestamp, now),
        *containers_of(spec.template.spec.containers),
        phrases.selector(spec.selector),
    ]


def replicationcontroller_cells(shown: ReplicationController, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        spec.replicas or 0,
        status.replicas,
        status.ready_replicas,
        ages.since(shown.metadata.creation_timestamp, now),
        *containers_of(spec.template.spec.containers if spec.template is not None else ()),
        phrases.labels(spec.selector),
    ]


def statefulset_cells(shown: StatefulSet, now: datetime) -> Cells:
    return [
        shown.metadata.name,
        f"{shown.status.ready_replicas}/{shown.spec.replicas or 0}",
        ages.since(shown.metadata.creation_timestamp, now),
        *containers_of(shown.spec.template.spec.containers),
    ]


def daemonset_cells(shown: DaemonSet, now: datetime) -> Cells:
    pod, status = shown.spec.template.spec, shown.status
    return [
        shown.metadata.name,
        status.desired_number_scheduled,
        status.current_number_scheduled,
        status.number_ready,
        status.updated_number_scheduled,
        status.number_available,
        phrases.labels(pod.node_selector),
        ages.since(shown.metadata.creation_timestamp, now),
        *containers_of(pod.containers),
        phrases.selector(shown.spec.selector),
    ]


def controllerrevision_cells(shown: ControllerRevision, now: datetime) -> Cells:
    owner = next((owner for owner in shown.metadata.owner_references if owner.controller), None)
    controller = phrases.NONE
    if owner is not None:
        group = owner.api_version.rpartition("/")[0]
        kind = f"{owner.kind}.{group}" if group else owner.kind
        controller = f"{kind.lower()}/{owner.name}"
    return [shown.metadata.name, controller, shown.revision, ages.since(shown.metadata.creation_timestamp, now)]


def scale_cells(shown: Scale, now: datetime) -> Cells:
    age = ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, shown.spec.replicas, shown.status.replicas, age]


_WIDE = (CONTAINERS, IMAGES, SELECTOR)
_REPLICAS = (
    NAME,
    number("Desired", "How many pods there should be."),
    number("Current", "How many pods there are."),
    number("Ready", "How many of the pods are ready."),
    AGE,
    *_WIDE,
)
_READY = Column("Ready", "How many of the pods are ready, of how many there should be.")

DEPLOYMENT = Printer(
    (
        NAME,
        _READY,
        Column("Up-to-date", "How many pods are made from the present template."),
        Column("Available", "How many pods have been ready for long enough."),
        AGE,
        *_WIDE,
    ),
    deployment_cells,
)
REPLICA_SET = Printer(_REPLICAS, replicaset_cells)
REPLICATION_CONTROLLER = Printer(_REPLICAS, replicationcontroller_cells)
STATEFUL_SET = Printer((NAME, _READY, AGE, CONTAINERS, IMAGES), statefulset_cells)
DAEMON_SET = Printer(
    (
        NAME,
        number("Desired", "How many nodes should run the pod."),
        number("Current", "How many of those nodes have the pod."),
        number("Ready", "On how many nodes the pod is ready."),
        number("Up-to-date", "How many nodes have the pod from the present template."),
        number("Available", "On how many nodes the pod has been ready for long enough."),
        Column("Node Selector", "The labels of the nodes that should run the pod."),
        AGE,
        *_WIDE,
    ),
    daemonset_cells,
)
CONTROLLER_REVISION = Printer(
    (
        NAME,
        Column("Controller", "Whose past state it keeps."),
        Column("Revision", "The number of that state: later ones are higher."),
        AGE,
    ),
    controllerrevision_cells,
)
SCALE = Printer(
    (
        Column("Name", NAME.description),
        number("Desired", "How many pods there should be."),
        number("Available", "How many pods there are."),
        AGE,
    ),
    scale_cells,
)
