"""Storage: volumes, the claims on them, and the classes and drivers behind them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, flag, number, wide
from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.storage import (
    CSIDriver,
    CSINode,
    StorageClass,
    VolumeAttachment,
    VolumeAttributesClass,
)

STORAGE = "storage"
CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
"""Where a volume or claim named its class before there was a field for it; it still counts first."""
DEFAULT_CLASS_ANNOTATIONS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def volume_cells(shown: PersistentVolume, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        spec.capacity.get(STORAGE, "0"),
        _modes(spec.access_modes),
        spec.persistent_volume_reclaim_policy,
        _phase(shown),
        "" if spec.claim_ref is None else f"{spec.claim_ref.namespace}/{spec.claim_ref.name}",
        shown.metadata.annotations.get(CLASS_ANNOTATION, spec.storage_class_name),
        _or_unset(spec.volume_attributes_class_name),
        status.reason,
        ages.since(shown.metadata.creation_timestamp, now),
        _or_unset(spec.volume_mode),
    ]


def claim_cells(shown: PersistentVolumeClaim, now: datetime) -> Cells:
    spec, status = shown.spec, shown.status
    return [
        shown.metadata.name,
        _phase(shown),
        spec.volume_name,
        status.capacity.get(STORAGE, "0") if spec.volume_name else "",
        _modes(status.access_modes) if spec.volume_name else "",
        shown.metadata.annotations.get(CLASS_ANNOTATION, spec.storage_class_name or ""),
        _or_unset(spec.volume_attributes_class_name),
        ages.since(shown.metadata.creation_timestamp, now),
        _or_unset(spec.volume_mode),
    ]


def _phase(shown: PersistentVolume | PersistentVolumeClaim) -> str:
    return shown.status.phase if shown.metadata.deletion_timestamp is None else "Terminating"


def _modes(modes: Collection[str]) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in modes)


def _or_unset(text: str | None) -> str:
    return phrases.UNSET if text is None else text


def storageclass_cells(shown: StorageClass, now: datetime) -> Cells:
    metadata = shown.metadata
    is_default = any(metadata.annotations.get(key) == "true" for key in DEFAULT_CLASS_ANNOTATIONS)
    return [
        f"{metadata.name} (default)" if is_default else metadata.name,
        shown.provisioner,
        "Delete" if shown.reclaim_policy is None else shown.reclaim_policy,
        "Immediate" if shown.volume_binding_mode is None else shown.volume_binding_mode,
        bool(shown.allow_volume_expansion),
        ages.since(metadata.creation_timestamp, now),
    ]


def attributesclass_cells(shown: VolumeAttributesClass, now: datetime) -> Cells:
    return [shown.metadata.name, shown.driver_name, ages.since(shown.metadata.creation_timestamp, now)]


def attachment_cells(shown: VolumeAttachment, now: datetime) -> Cells:
    spec = shown.spec
    return [
        shown.metadata.name,
        spec.attacher,
        spec.source.persistent_volume_name or "",
        spec.node_name,
        shown.status.attached,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


def csinode_cells(shown: CSINode, now: datetime) -> Cells:
    return [shown.metadata.name, len(shown.spec.drivers or ()), ages.since(shown.metadata.creation_timestamp, now)]


def csidriver_cells(shown: CSIDriver, now: datetime) -> Cells:
    spec = shown.spec
    audiences = ",".join(request.audience for request in spec.token_requests)
    return [
        shown.metadata.name,
        spec.attach_required is not False,
        bool(spec.pod_info_on_mount),
        bool(spec.storage_capacity),
        audiences if spec.token_requests else phrases.UNSET,
        bool(spec.requires_republish),
        ",".join(spec.volume_lifecycle_modes) or phrases.NONE,
        ages.since(shown.metadata.creation_timestamp, now),
    ]


_VOLUME_MODE = wide("VolumeMode", "Whether the volume is a file system or a bare device.")

PERSISTENT_VOLUME = Printer(
    (
        NAME,
        Column("Capacity", "How much fits on the volume."),
        Column("Access Modes", "How the volume may be mounted: by how many nodes, for reading or writing."),
        Column("Reclaim Policy", "What becomes of the volume when its claim is gone."),
        Column("Status", "Whether the volume is free, bound or released."),
        Column("Claim", "The claim that the volume is bound to."),
        Column("StorageClass", "The class that the volume belongs to."),
        Column("VolumeAttributesClass", "The class that its changeable properties come from."),
        Column("Reason", "Why the volume is in a state of failure."),
        AGE,
        _VOLUME_MODE,
    ),
    volume_cells,
)
PERSISTENT_VOLUME_CLAIM = Printer(
    (
        NAME,
        Column("Status", "Whether the claim has a volume."),
        Column("Volume", "The volume that the claim is bound to."),
        Column("Capacity", "How much fits on that volume."),
        Column("Access Modes", "How that volume may be mounted."),
        Column("StorageClass", "The class that the claim asks for."),
        Column("VolumeAttributesClass", "The class that changeable properties are to come from."),
        AGE,
        _VOLUME_MODE,
    ),
    claim_cells,
)
STORAGE_CLASS = Printer(
    (
        NAME,
        Column("Provisioner", "What makes volumes of the class."),
        Column("ReclaimPolicy", "What becomes of a volume of the class when its claim is gone."),
        Column("VolumeBindingMode", "When a claim gets its volume: at once, or with its first pod."),
        Column("AllowVolumeExpansion", "Whether volumes of the class can grow."),
        AGE,
    ),
    storageclass_cells,
)
VOLUME_ATTRIBUTES_CLASS = Printer(
    (NAME, Column("DriverName", "The driver that knows the class's parameters."), AGE), attributesclass_cells
)
VOLUME_ATTACHMENT = Printer(
    (
        NAME,
        Column("Attacher", "The driver that attaches the volume.", format="name"),
        Column("PV", "The volume that is attached."),
        Column("Node", "The node that it is attached to."),
        flag("Attached", "Whether it has been attached."),
        AGE,
    ),
    attachment_cells,
)
CSI_NODE = Printer((NAME, number("Drivers", "How many storage drivers the node has."), AGE), csinode_cells)
CSI_DRIVER = Printer(
    (
        NAME,
        flag("AttachRequired", "Whether volumes must be attached to a node before they are mounted."),
        flag("PodInfoOnMount", "Whether the driver is told about the pod when it mounts."),
        flag("StorageCapacity", "Whether the driver publishes how much room there is."),
        Column("TokenRequests", "For whom tokens of the pod's account are made."),
        flag("RequiresRepublish", "Whether the driver is called again from time to time."),
        Column("Modes", "What kinds of volumes the driver makes."),
        AGE,
    ),
    csidriver_cells,
)
