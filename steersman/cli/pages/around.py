"""What a page tells beside the object itself, read once. Only `read` asks the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from steersman.api import selectors
from steersman.api.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from steersman.api.coordination import Lease
from steersman.api.core import Node, PersistentVolumeClaim, Pod, Service
from steersman.api.discovery import EndpointSlice
from steersman.api.errors import NotFound
from steersman.api.meta import LabelSelector, Object, OwnerReference
from steersman.client.client import Client

NODE_LEASES = "kube-node-lease"
SERVICE_LABEL = "kubernetes.io/service-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    now: datetime
    pods: Sequence[Pod] = ()
    replicasets: Sequence[ReplicaSet] = ()
    slices: Sequence[EndpointSlice] = ()
    lease: Lease | None = None


def controller_of(value: Object) -> OwnerReference | None:
    return next((owner for owner in value.metadata.owner_references if owner.controller), None)


def owns(owner: Object, value: Object) -> bool:
    controller = controller_of(value)
    return controller is not None and controller.uid == owner.metadata.uid


async def read(api: Client, value: Object, now: datetime) -> Around:
    namespace = value.metadata.namespace
    match value:
        case Deployment():
            found = await api.of(ReplicaSet).list(namespace, label_selector=_selector(value.spec.selector))
            return Around(now=now, replicasets=[each for each in found.items if owns(value, each)])
        case ReplicaSet() | StatefulSet() | DaemonSet():
            pods = await api.of(Pod).list(namespace, label_selector=_selector(value.spec.selector))
            return Around(now=now, pods=[each for each in pods.items if owns(value, each)])
        case Node():
            name = value.metadata.name
            selector = f"spec.nodeName={name},status.phase!=Succeeded,status.phase!=Failed"
            on_it = await api.of(Pod).list(field_selector=selector)
            return Around(now=now, pods=on_it.items, lease=await _lease(api, name))
        case Service():
            label = f"{SERVICE_LABEL}={value.metadata.name}"
            slices = await api.of(EndpointSlice).list(namespace, label_selector=label)
            return Around(now=now, slices=slices.items)
        case PersistentVolumeClaim():
            return Around(now=now, pods=(await api.of(Pod).list(namespace)).items)
        case _:
            return Around(now=now)


def _selector(given: LabelSelector | None) -> str:
    return selectors.text_of(given) if given is not None else ""


async def _lease(api: Client, node: str) -> Lease | None:
    try:
        return await api.of(Lease).get(node, NODE_LEASES)
    except NotFound:
        return None
