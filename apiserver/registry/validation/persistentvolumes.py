"""Rules for PersistentVolumes: a capacity, a way to be used, a source, and nodes that reach it."""

from __future__ import annotations

import posixpath

from apiserver.registry.validation import affinity, checks, claims, persistentdisks
from steersman.api import fields, names, quantity
from steersman.api.core import PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity
from steersman.api.errors import Cause
from steersman.api.fields import Path

RECLAIM_POLICIES = ("Delete", "Recycle", "Retain")
MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options"

_SPEC = Path("spec")
_CAPACITY = _SPEC.child("capacity")
_WITH_MOUNT_OPTIONS = (
    "gce_persistent_disk",
    "aws_elastic_block_store",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azure_file",
    "vsphere_volume",
    "azure_disk",
    "photon_persistent_disk",
)


def validate_volume(new: PersistentVolume) -> list[Cause]:
    spec = new.spec
    causes = [] if spec.access_modes else [fields.required(_SPEC.child("accessModes"))]
    causes += claims.validate_access_modes(spec.access_modes, _SPEC.child("accessModes"))
    causes += _validate_capacity(spec)
    if spec.persistent_volume_reclaim_policy:
        path = _SPEC.child("persistentVolumeReclaimPolicy")
        causes += checks.choice(spec.persistent_volume_reclaim_policy, path, RECLAIM_POLICIES)
    if spec.node_affinity is not None:
        causes += _validate_node_affinity(spec.node_affinity, _SPEC.child("nodeAffinity"))
    causes += persistentdisks.validate_sources(spec, new.metadata.name, _SPEC)
    causes += _validate_recycling(spec)
    causes += _validate_classes(spec)
    return causes + _validate_mount_options(new)


def _validate_capacity(spec: PersistentVolumeSpec) -> list[Cause]:
    causes = [] if spec.capacity else [fields.required(_CAPACITY)]
    if set(spec.capacity) != {"storage"}:
        causes.append(fields.not_supported(_CAPACITY, spec.capacity or None, ("storage",)))
    for name, amount in spec.capacity.items():
        if quantity.value(amount) <= 0:
            if (whole := quantity.units(amount)) < 0:
                causes.append(fields.invalid(_CAPACITY.key(name), whole, "must be a valid resource quantity"))
            causes.append(fields.invalid(_CAPACITY.key(name), amount, "must be greater than zero"))
    return causes


def _validate_node_affinity(nodes: VolumeNodeAffinity, path: Path) -> list[Cause]:
    if nodes.required is None:
        return [fields.required(path.child("required"), "must specify required node constraints")]
    return affinity.validate_node_selector(nodes.required, path.child("required"))


def _validate_recycling(spec: PersistentVolumeSpec) -> list[Cause]:
    """Recycling deletes everything below the path."""
    if spec.host_path is None or spec.persistent_volume_reclaim_policy != "Recycle":
        return []
    if not spec.host_path.path or posixpath.normpath(spec.host_path.path) not in ("/", "//"):
        return []
    path = _SPEC.child("persistentVolumeReclaimPolicy")
    return [fields.forbidden(path, "may not be 'recycle' for a hostPath mount of '/'")]


def _validate_classes(spec: PersistentVolumeSpec) -> list[Cause]:
    causes: list[Cause] = []
    if spec.storage_class_name:
        causes += checks.name(spec.storage_class_name, _SPEC.child("storageClassName"), names.dns_subdomain)
    if spec.volume_mode is not None:
        causes += checks.choice(spec.volume_mode, _SPEC.child("volumeMode"), claims.VOLUME_MODES)
    attributes, path = spec.volume_attributes_class_name, _SPEC.child("volumeAttributesClassName")
    if attributes is None:
        return causes
    if attributes:
        causes += checks.name(attributes, path, names.dns_subdomain)
    else:
        causes.append(fields.required(path, "an empty string is disallowed"))
    if spec.csi is None:
        detail = "has to be specified when using volumeAttributesClassName"
        causes.append(fields.required(_SPEC.child("csi"), detail))
    return causes


def _validate_mount_options(new: PersistentVolume) -> list[Cause]:
    if MOUNT_OPTIONS not in new.metadata.annotations:
        return []
    if any(getattr(new.spec, source) is not None for source in _WITH_MOUNT_OPTIONS):
        return []
    path = Path("metadata").child("annotations", MOUNT_OPTIONS)
    return [fields.forbidden(path, "may not specify mount options for this volume type")]
