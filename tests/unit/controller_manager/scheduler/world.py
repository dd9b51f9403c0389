"""Nodes, pods and volumes for the scheduler's tests: valid by default, the test names only what matters."""

from __future__ import annotations

from typing import Any

import msgspec

from controller_manager.scheduler import requirements
from controller_manager.scheduler.requirements import Requirements
from steersman.api import codec
from steersman.api.core import Node, PersistentVolume, PersistentVolumeClaim, Pod
from steersman.api.storage import StorageClass

Manifest = dict[str, Any]
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def node(name: str = "n", *, cpu: str = "4", memory: str = "8Gi", pods: str = "110", **fields: Any) -> Node:
    labels = {HOST: name, **fields.pop("labels", {})}
    allocatable = {"cpu": cpu, "memory": memory, "pods": pods, **fields.pop("extended", {})}
    images = fields.pop("images", [])
    manifest = {
        "metadata": {"name": name, "labels": labels},
        "spec": fields,
        "status": {"allocatable": allocatable, "images": images},
    }
    return codec.load(Node, msgspec.json.encode(manifest))


def pod(name: str = "p", *, cpu: str = "", memory: str = "", on: str = "", **fields: Any) -> Pod:
    asked = {key: amount for key, amount in (("cpu", cpu), ("memory", memory)) if amount}
    asked |= fields.pop("extended", {})
    container = {"name": "c", "image": "i", "resources": {"requests": asked}, "ports": fields.pop("ports", [])}
    metadata = {"name": name, "namespace": fields.pop("namespace", "default"), "uid": f"uid-{name}"}
    metadata |= {key: fields.pop(key) for key in ("labels", "deletionTimestamp") if key in fields}
    status = {"startTime": fields.pop("started")} if "started" in fields else {}
    spec = {"containers": [container], "nodeName": on, **fields}
    manifest = {"metadata": metadata, "spec": spec, "status": status}
    return codec.load(Pod, msgspec.json.encode(manifest))


def asking(**fields: Any) -> Requirements:
    return requirements.of(pod(**fields))


def term(app: str, key: str = ZONE, **more: Any) -> Manifest:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


def near(app: str, key: str = ZONE) -> Manifest:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(app, key)]}}


def away_from(app: str, key: str = ZONE) -> Manifest:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(app, key)]}}


def spread(app: str, key: str = ZONE, **more: Any) -> list[Manifest]:
    constraint = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term(app, key), **more}
    return [constraint]


def claim(
    name: str = "data", *, volume: str = "", phase: str = "Pending", of_class: str | None = None, **meta: Any
) -> PersistentVolumeClaim:
    spec = {"volumeName": volume, "storageClassName": of_class}
    manifest = {"metadata": {"name": name, "namespace": "default", **meta}, "spec": spec, "status": {"phase": phase}}
    return codec.load(PersistentVolumeClaim, msgspec.json.encode(manifest))


def bound(name: str = "data", volume: str = "disk") -> PersistentVolumeClaim:
    return claim(name, volume=volume, phase="Bound", annotations={"pv.kubernetes.io/bind-completed": "yes"})


def volume(name: str = "disk", *zones: str) -> PersistentVolume:
    """That can be reached from these zones; without any: from everywhere."""
    demand = {"key": ZONE, "operator": "In", "values": zones}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [demand]}]}} if zones else None
    manifest = {"metadata": {"name": name}, "spec": {"nodeAffinity": affinity}}
    return codec.load(PersistentVolume, msgspec.json.encode(manifest))


def storage_class(name: str, mode: str) -> StorageClass:
    return codec.load(StorageClass, msgspec.json.encode({"metadata": {"name": name}, "volumeBindingMode": mode}))
