"""Every controller on one screen: what it reads, and how it is built for a term.

A row's `reads` are followed by every replica, leading or not; `build` is called when a term begins, with an `Office`
that hands out just those. To add a controller: a function in `builds` and its row in ALL, in alphabetical order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from controller_manager import builds, informers, pods, services, sketches
from controller_manager.controllers import podgc
from controller_manager.controllers.endpointslice import controller as slices
from controller_manager.controllers.replicaset import REPLICASET
from controller_manager.controllers.replicationcontroller import REPLICATION_CONTROLLER
from controller_manager.informers import Reads
from controller_manager.office import Office, Work
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import (
    ConfigMap,
    Endpoints,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    ReplicationController,
    Service,
    ServiceAccount,
)
from steersman.api.discovery import EndpointSlice
from steersman.api.policy import PodDisruptionBudget
from steersman.api.storage import StorageClass

CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
"""Names of Leases: who leads the one need not lead the other."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    build: Callable[[Office], Work]
    reads: tuple[Reads, ...]
    lease: str = CONTROLLER_MANAGER


_SELECTING_SERVICES = Reads(Service, {services.BY_SELECTOR: services.selector_index})
_LABELLED_PODS = Reads(Pod, {services.BY_LABEL: services.label_index})
_SLICES = Reads(EndpointSlice, {slices.BY_SERVICE: slices.service_index})
_PODS_BY_NODE = Reads(Pod, {pods.BY_NODE: pods.node_index})

ALL: tuple[Row, ...] = (
    Row("deployment", builds.deployment, (Reads(Deployment), informers.children(ReplicaSet), informers.children(Pod))),
    Row("endpoints", builds.endpoints, (_SELECTING_SERVICES, _LABELLED_PODS, Reads(Endpoints))),
    Row("endpointslice", builds.endpointslice, (_SELECTING_SERVICES, _LABELLED_PODS, Reads(Node), _SLICES)),
    Row("endpointslicemirroring", builds.endpointslicemirroring, (Reads(Endpoints), Reads(Service), _SLICES)),
    Row("garbagecollector", builds.garbagecollector, tuple(map(Reads, sketches.BUILT_IN))),
    Row("namespace", builds.namespace, (Reads(Namespace), *map(Reads, sketches.NAMESPACED))),
    Row("nodelifecycle", builds.nodelifecycle, (Reads(Node), Reads(Lease), _PODS_BY_NODE)),
    Row("podgc", builds.podgc, (Reads(Pod, podgc.INDEXES), Reads(Node))),
    Row(
        "replicaset",
        builds.replicas(REPLICASET, ReplicaSet, "replicaset-controller"),
        (informers.children(ReplicaSet), informers.children(Pod)),
    ),
    Row(
        "replicationcontroller",
        builds.replicas(REPLICATION_CONTROLLER, ReplicationController, "replication-controller"),
        (informers.children(ReplicationController), informers.children(Pod)),
    ),
    Row(
        "scheduler",
        builds.scheduler,
        (
            *(Reads(Namespace), Reads(Node), Reads(Pod), Reads(PodDisruptionBudget)),
            *(Reads(PersistentVolume), Reads(PersistentVolumeClaim), Reads(StorageClass)),
        ),
        lease=SCHEDULER,
    ),
    Row("serviceaccount", builds.serviceaccount, (Reads(Namespace), Reads(ServiceAccount), Reads(ConfigMap))),
    Row("tainteviction", builds.tainteviction, (_PODS_BY_NODE, Reads(Node))),
)


def chosen(wanted: Iterable[str]) -> tuple[Row, ...]:
    """The rows that `--controllers` means: `*` is all, `name` that one, `-name` not that one.

    ValueError for a name that is not in the catalog.
    """
    names = {row.name for row in ALL}
    asked = tuple(wanted)
    unknown = [text for text in asked if text != "*" and text.removeprefix("-") not in names]
    if unknown:
        raise ValueError(f"unknown controllers: {', '.join(unknown)}; there are: {', '.join(sorted(names))}")
    everything = "*" in asked
    return tuple(row for row in ALL if f"-{row.name}" not in asked and (everything or row.name in asked))
