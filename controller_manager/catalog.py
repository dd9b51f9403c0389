"""Every controller on one screen: what it reads, and how it is built for a term.

A row's `reads` are followed by every replica, leading or not; `build` is called when a term begins, with an `Office`
that hands out just those. To add a controller: a build function below, in alphabetical order, and its row in ALL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from controller_manager import informers, pods, services, sketches
from controller_manager.controllers import podgc
from controller_manager.controllers.deployment.controller import DeploymentController
from controller_manager.controllers.endpoints import EndpointsController
from controller_manager.controllers.endpointslice import controller as slices
from controller_manager.controllers.endpointslice.controller import EndpointSliceController
from controller_manager.controllers.endpointslice.mirroring import EndpointSliceMirroringController
from controller_manager.controllers.garbagecollector.collecting import Collecting
from controller_manager.controllers.garbagecollector.controller import GarbageCollector
from controller_manager.controllers.namespace import NamespaceController
from controller_manager.controllers.nodelifecycle.controller import NodeLifecycleController
from controller_manager.controllers.nodelifecycle.heartbeats import Timing
from controller_manager.controllers.nodelifecycle.zones import Rates
from controller_manager.controllers.podgc import PodGarbageCollector
from controller_manager.controllers.replicaset import REPLICASET, Form, ReplicaSetController
from controller_manager.controllers.replicationcontroller import REPLICATION_CONTROLLER
from controller_manager.controllers.serviceaccount import ServiceAccountController
from controller_manager.controllers.tainteviction import TaintEvictionController
from controller_manager.informers import Reads
from controller_manager.office import KeysOf, Office, Work
from controller_manager.scheduler.carrying import Carrier
from controller_manager.scheduler.loop import SchedulerLoop
from controller_manager.scheduler.measures import SchedulerMetrics
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.coordination import Lease
from steersman.api.core import (
    ConfigMap,
    Endpoints,
    Namespace,
    Node,
    Pod,
    ReplicationController,
    Service,
    ServiceAccount,
)
from steersman.api.discovery import EndpointSlice
from steersman.api.policy import PodDisruptionBudget
from steersman.control.loop import own_key

CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
"""Names of Leases: who leads the one need not lead the other."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    build: Callable[[Office], Work]
    reads: tuple[Reads, ...]
    lease: str = CONTROLLER_MANAGER


def _deployment(office: Office) -> Work:
    controller = DeploymentController(
        office.writes(Deployment),
        office.writes(ReplicaSet),
        deployment_cache=office.cache(Deployment),
        replicaset_cache=office.cache(ReplicaSet),
        pod_cache=office.cache(Pod),
        recorder=office.recorder("deployment-controller"),
        clock=office.clock,
    )
    return office.loop(
        controller,
        {Deployment: own_key, ReplicaSet: controller.woken_by_replicaset, Pod: controller.woken_by_pod},
    )


def _endpoints(office: Office) -> Work:
    controller = EndpointsController(
        office.writes(Endpoints),
        service_cache=office.cache(Service),
        pod_cache=office.cache(Pod),
        endpoints_cache=office.cache(Endpoints),
        recorder=office.recorder("endpoint-controller"),
        clock=office.clock,
    )
    return office.loop(controller, {Service: own_key, Endpoints: own_key, Pod: controller.woken_by_pod})


def _endpointslice(office: Office) -> Work:
    controller = EndpointSliceController(
        office.writes(EndpointSlice),
        service_cache=office.cache(Service),
        pod_cache=office.cache(Pod),
        node_cache=office.cache(Node),
        slice_cache=office.cache(EndpointSlice),
        recorder=office.recorder("endpoint-slice-controller"),
        clock=office.clock,
        random=office.random,
    )
    return office.loop(controller, {Service: own_key, EndpointSlice: slices.service_of, Pod: controller.woken_by_pod})


def _endpointslicemirroring(office: Office) -> Work:
    controller = EndpointSliceMirroringController(
        office.writes(EndpointSlice),
        endpoints_cache=office.cache(Endpoints),
        service_cache=office.cache(Service),
        slice_cache=office.cache(EndpointSlice),
        recorder=office.recorder("endpoint-slice-mirroring-controller"),
        random=office.random,
    )
    return office.loop(controller, {Endpoints: own_key, Service: own_key, EndpointSlice: slices.service_of})


def _garbagecollector(office: Office) -> Work:
    collector = GarbageCollector(office.sketches, office.recorder("garbage-collector-controller"))
    queue, barrier = office.queue(collector.name), office.barrier()
    collecting = Collecting(office.api, collector, queue, barrier, office.clock)
    handlers = {kind: collecting.follow(kind, office.informer(kind)) for kind in sketches.BUILT_IN}
    for kind, handler in handlers.items():
        office.on_change(kind, handler)
    return collecting


def _namespace(office: Office) -> Work:
    controller = NamespaceController(
        office.writes(Namespace),
        office.sketches,
        office.api.kinds,
        namespace_cache=office.cache(Namespace),
        clock=office.clock,
    )
    contents: dict[Any, KeysOf] = {
        kind: partial(controller.woken_by_content, office.informer(kind).cache) for kind in sketches.NAMESPACED
    }
    return office.loop(controller, {Namespace: own_key, **contents})


def _podgc(office: Office) -> Work:
    controller = PodGarbageCollector(
        office.writes(Pod),
        office.writes(Node),
        pod_cache=office.cache(Pod),
        node_cache=office.cache(Node),
        clock=office.clock,
        threshold=office.settings.terminated_pod_gc_threshold,
    )
    return office.loop(controller, {Pod: controller.woken_by_pod, Node: controller.woken_by_node})


def _nodelifecycle(office: Office) -> Work:
    settings = office.settings
    controller = NodeLifecycleController(
        office.writes(Node),
        office.writes(Lease),
        office.writes(Pod),
        node_cache=office.cache(Node),
        lease_cache=office.cache(Lease),
        pod_cache=office.cache(Pod),
        recorder=office.recorder("node-controller"),
        clock=office.clock,
        timing=Timing(settings.node_monitor_grace_period, settings.node_startup_grace_period),
        rates=Rates(
            usual=settings.node_eviction_rate,
            disrupted=settings.secondary_node_eviction_rate,
            large_zone=settings.large_cluster_size_threshold,
            disruption_share=settings.unhealthy_zone_threshold,
        ),
    )
    office.on_change(Node, controller.node_changed)
    office.on_change(Lease, controller.lease_changed)
    return office.loop(controller, {Node: own_key})


def _replicas(form: Form[Any], owner: type[Any], component: str) -> Callable[[Office], Work]:
    def build(office: Office) -> Work:
        controller: ReplicaSetController[Any] = ReplicaSetController(
            form,
            office.writes(owner),
            office.writes(Pod),
            owner_cache=office.cache(owner),
            pod_cache=office.cache(Pod),
            recorder=office.recorder(component),
            clock=office.clock,
            random=office.random,
        )
        return office.loop(controller, {owner: own_key, Pod: controller.woken_by_pod})

    return build


def _scheduler(office: Office) -> Work:
    cache, recorder = office.cache(Pod), office.recorder("default-scheduler")
    scheduler = SchedulerLoop(
        Carrier(office.writes(Pod), cache, recorder, office.barrier()),
        namespaces=office.cache(Namespace),
        budgets=office.cache(PodDisruptionBudget),
        clock=office.clock,
        random=office.random,
        measures=office.measures.of(SchedulerMetrics),
    )
    office.on_change(Namespace, scheduler.take_namespace)
    office.on_change(Node, scheduler.take_node)
    office.on_change(Pod, scheduler.take_pod)
    return scheduler


def _serviceaccount(office: Office) -> Work:
    controller = ServiceAccountController(
        office.writes(ServiceAccount),
        office.writes(ConfigMap),
        namespace_cache=office.cache(Namespace),
        account_cache=office.cache(ServiceAccount),
        configmap_cache=office.cache(ConfigMap),
        ca=office.settings.root_ca(),
    )
    return office.loop(
        controller,
        {
            Namespace: own_key,
            ServiceAccount: controller.woken_by_account,
            ConfigMap: controller.woken_by_configmap,
        },
    )


def _tainteviction(office: Office) -> Work:
    controller = TaintEvictionController(
        office.writes(Pod),
        pod_cache=office.cache(Pod),
        node_cache=office.cache(Node),
        recorder=office.recorder("taint-eviction-controller"),
        clock=office.clock,
    )
    return office.loop(controller, {Pod: controller.woken_by_pod, Node: controller.woken_by_node}, workers=16)


_SELECTING_SERVICES = Reads(Service, {services.BY_SELECTOR: services.selector_index})
_LABELLED_PODS = Reads(Pod, {services.BY_LABEL: services.label_index})
_SLICES = Reads(EndpointSlice, {slices.BY_SERVICE: slices.service_index})
_PODS_BY_NODE = Reads(Pod, {pods.BY_NODE: pods.node_index})

ALL: tuple[Row, ...] = (
    Row("deployment", _deployment, (Reads(Deployment), informers.children(ReplicaSet), informers.children(Pod))),
    Row("endpoints", _endpoints, (_SELECTING_SERVICES, _LABELLED_PODS, Reads(Endpoints))),
    Row("endpointslice", _endpointslice, (_SELECTING_SERVICES, _LABELLED_PODS, Reads(Node), _SLICES)),
    Row("endpointslicemirroring", _endpointslicemirroring, (Reads(Endpoints), Reads(Service), _SLICES)),
    Row("garbagecollector", _garbagecollector, tuple(map(Reads, sketches.BUILT_IN))),
    Row("namespace", _namespace, (Reads(Namespace), *map(Reads, sketches.NAMESPACED))),
    Row("nodelifecycle", _nodelifecycle, (Reads(Node), Reads(Lease), _PODS_BY_NODE)),
    Row("podgc", _podgc, (Reads(Pod, podgc.INDEXES), Reads(Node))),
    Row(
        "replicaset",
        _replicas(REPLICASET, ReplicaSet, "replicaset-controller"),
        (informers.children(ReplicaSet), informers.children(Pod)),
    ),
    Row(
        "replicationcontroller",
        _replicas(REPLICATION_CONTROLLER, ReplicationController, "replication-controller"),
        (informers.children(ReplicationController), informers.children(Pod)),
    ),
    Row(
        "scheduler",
        _scheduler,
        (Reads(Namespace), Reads(Node), Reads(Pod), Reads(PodDisruptionBudget)),
        lease=SCHEDULER,
    ),
    Row("serviceaccount", _serviceaccount, (Reads(Namespace), Reads(ServiceAccount), Reads(ConfigMap))),
    Row("tainteviction", _tainteviction, (_PODS_BY_NODE, Reads(Node))),
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
