"""How each controller is built for a term: from an `Office`, which hands out what its row in the catalog says it reads.

In the catalog's order, one function per row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from controller_manager import sketches
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
from controller_manager.controllers.replicaset import Form, ReplicaSetController
from controller_manager.controllers.serviceaccount import ServiceAccountController
from controller_manager.controllers.tainteviction import TaintEvictionController
from controller_manager.office import KeysOf, Office, Work
from controller_manager.scheduler.carrying import Carrier
from controller_manager.scheduler.loop import SchedulerLoop
from controller_manager.scheduler.measures import SchedulerMetrics
from controller_manager.scheduler.volumebinding import VolumeBinding
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
    Service,
    ServiceAccount,
)
from steersman.api.discovery import EndpointSlice
from steersman.api.policy import PodDisruptionBudget
from steersman.api.storage import StorageClass
from steersman.control.loop import own_key


def deployment(office: Office) -> Work:
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


def endpoints(office: Office) -> Work:
    controller = EndpointsController(
        office.writes(Endpoints),
        service_cache=office.cache(Service),
        pod_cache=office.cache(Pod),
        endpoints_cache=office.cache(Endpoints),
        recorder=office.recorder("endpoint-controller"),
        clock=office.clock,
    )
    return office.loop(controller, {Service: own_key, Endpoints: own_key, Pod: controller.woken_by_pod})


def endpointslice(office: Office) -> Work:
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


def endpointslicemirroring(office: Office) -> Work:
    controller = EndpointSliceMirroringController(
        office.writes(EndpointSlice),
        endpoints_cache=office.cache(Endpoints),
        service_cache=office.cache(Service),
        slice_cache=office.cache(EndpointSlice),
        recorder=office.recorder("endpoint-slice-mirroring-controller"),
        random=office.random,
    )
    return office.loop(controller, {Endpoints: own_key, Service: own_key, EndpointSlice: slices.service_of})


def garbagecollector(office: Office) -> Work:
    collector = GarbageCollector(office.sketches, office.recorder("garbage-collector-controller"))
    queue, barrier = office.queue(collector.name), office.barrier()
    collecting = Collecting(office.api, collector, queue, barrier, office.clock)
    handlers = {kind: collecting.follow(kind, office.informer(kind)) for kind in sketches.BUILT_IN}
    for kind, handler in handlers.items():
        office.on_change(kind, handler)
    return collecting


def namespace(office: Office) -> Work:
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


def nodelifecycle(office: Office) -> Work:
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


def podgc(office: Office) -> Work:
    controller = PodGarbageCollector(
        office.writes(Pod),
        office.writes(Node),
        pod_cache=office.cache(Pod),
        node_cache=office.cache(Node),
        clock=office.clock,
        threshold=office.settings.terminated_pod_gc_threshold,
    )
    return office.loop(controller, {Pod: controller.woken_by_pod, Node: controller.woken_by_node})


def replicas(form: Form[Any], owner: type[Any], component: str) -> Callable[[Office], Work]:
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


def scheduler(office: Office) -> Work:
    cache, recorder = office.cache(Pod), office.recorder("default-scheduler")
    work = SchedulerLoop(
        Carrier(office.writes(Pod), cache, recorder, office.barrier()),
        namespaces=office.cache(Namespace),
        budgets=office.cache(PodDisruptionBudget),
        volumes=VolumeBinding(
            office.cache(PersistentVolumeClaim), office.cache(PersistentVolume), office.cache(StorageClass)
        ),
        clock=office.clock,
        random=office.random,
        measures=office.measures.of(SchedulerMetrics),
    )
    office.on_change(Namespace, work.take_namespace)
    office.on_change(StorageClass, work.take_class)
    office.on_change(PersistentVolume, work.take_volume)
    office.on_change(PersistentVolumeClaim, work.take_claim)
    office.on_change(Node, work.take_node)
    office.on_change(Pod, work.take_pod)
    return work


def serviceaccount(office: Office) -> Work:
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


def tainteviction(office: Office) -> Work:
    controller = TaintEvictionController(
        office.writes(Pod),
        pod_cache=office.cache(Pod),
        node_cache=office.cache(Node),
        recorder=office.recorder("taint-eviction-controller"),
        clock=office.clock,
    )
    return office.loop(controller, {Pod: controller.woken_by_pod, Node: controller.woken_by_node}, workers=16)
