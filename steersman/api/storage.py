"""The storage group, v1: classes, drivers and attachments of volumes."""

from typing import Annotated

from msgspec import field

from steersman.api.core import PersistentVolumeSpec, TopologySelectorTerm
from steersman.api.meta import LabelSelector, Object
from steersman.api.part import At, Int32, Int64, Part, Quantity, Some, Time, atomic, keyed, null, unique

# --- Classes


class StorageClass(Object):
    """A way to provision volumes."""

    provisioner: Annotated[str, At(2)] = field(default_factory=str)
    parameters: Annotated[dict[str, str], At(3)] = field(default_factory=dict)
    reclaim_policy: Annotated[str | None, At(4)] = None
    mount_options: Annotated[tuple[str, ...], atomic(5)] = ()
    allow_volume_expansion: Annotated[bool | None, At(6)] = None
    volume_binding_mode: Annotated[str | None, At(7)] = None
    allowed_topologies: Annotated[tuple[TopologySelectorTerm, ...], atomic(8)] = ()


class VolumeAttributesClass(Object):
    """Changeable properties of volumes, by name."""

    driver_name: Annotated[str, At(2)] = field(default_factory=str)
    parameters: Annotated[dict[str, str], At(3)] = field(default_factory=dict)


# --- Drivers


class TokenRequest(Part):
    audience: Annotated[str, At(1)] = field(default_factory=str)
    expiration_seconds: Annotated[Int64 | None, At(2)] = None


class CSIDriverSpec(Part):
    attach_required: Annotated[bool | None, At(1)] = None
    pod_info_on_mount: Annotated[bool | None, At(2)] = None
    volume_lifecycle_modes: Annotated[tuple[str, ...], unique(3)] = ()
    storage_capacity: Annotated[bool | None, At(4)] = None
    fs_group_policy: Annotated[str | None, At(5)] = None
    token_requests: Annotated[tuple[TokenRequest, ...], atomic(6)] = ()
    requires_republish: Annotated[bool | None, At(7)] = None
    se_linux_mount: Annotated[bool | None, At(8)] = None
    node_allocatable_update_period_seconds: Annotated[Int64 | None, At(9)] = None
    service_account_token_in_secrets: Annotated[bool | None, At(10)] = None
    prevent_pod_scheduling_if_missing: Annotated[bool | None, At(11)] = None


class CSIDriver(Object):
    """What the cluster should know about a storage driver."""

    spec: Annotated[CSIDriverSpec, At(2, required=True)] = field(default_factory=CSIDriverSpec)


class VolumeNodeResources(Part):
    count: Annotated[Int32 | None, At(1)] = None


class CSINodeDriver(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    node_id: Annotated[str, At(2)] = field(default_factory=str, name="nodeID")
    topology_keys: Annotated[Some[str] | None, atomic(3, required=False)] = field(default_factory=null)
    allocatable: Annotated[VolumeNodeResources | None, At(4)] = None


class CSINodeSpec(Part):
    drivers: Annotated[Some[CSINodeDriver] | None, keyed(1, "name")] = field(default_factory=null)


class StorageHealthCondition(Part):
    status: Annotated[str, At(1)] = field(default_factory=str)
    reason: Annotated[str, At(2)] = field(default_factory=str)
    message: Annotated[str, At(3)] = ""
    access_mode: Annotated[str | None, At(4)] = None
    volume_mode: Annotated[str | None, At(5)] = None
    last_transition_time: Annotated[Time | None, At(6)] = field(default_factory=null)


class StorageHealth(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    health_conditions: Annotated[tuple[StorageHealthCondition, ...], atomic(2)] = ()


class CSINodeStatus(Part):
    storage_health: Annotated[tuple[StorageHealth, ...], keyed(1, "name")] = ()


class CSINode(Object):
    """The storage drivers installed on a node."""

    spec: Annotated[CSINodeSpec, At(2, required=True)] = field(default_factory=CSINodeSpec)
    status: Annotated[CSINodeStatus, At(3)] = field(default_factory=CSINodeStatus)


class CSIStorageCapacity(Object):
    """How much room a storage class has in one part of the cluster."""

    node_topology: Annotated[LabelSelector | None, At(2)] = None
    storage_class_name: Annotated[str, At(3)] = field(default_factory=str)
    capacity: Annotated[Quantity | None, At(4)] = None
    maximum_volume_size: Annotated[Quantity | None, At(5)] = None


# --- Attachments


class VolumeAttachmentSource(Part):
    persistent_volume_name: Annotated[str | None, At(1)] = None
    inline_volume_spec: Annotated[PersistentVolumeSpec | None, At(2)] = None


class VolumeAttachmentSpec(Part):
    attacher: Annotated[str, At(1)] = field(default_factory=str)
    source: Annotated[VolumeAttachmentSource, At(2, required=True)] = field(default_factory=VolumeAttachmentSource)
    node_name: Annotated[str, At(3)] = field(default_factory=str)


class VolumeError(Part):
    time: Annotated[Time | None, At(1)] = field(default_factory=null)
    message: Annotated[str, At(2)] = ""
    error_code: Annotated[Int32 | None, At(3)] = None


class VolumeAttachmentStatus(Part):
    attached: Annotated[bool, At(1)] = field(default_factory=bool)
    attachment_metadata: Annotated[dict[str, str], At(2)] = field(default_factory=dict)
    attach_error: Annotated[VolumeError | None, At(3)] = None
    detach_error: Annotated[VolumeError | None, At(4)] = None


class VolumeAttachment(Object):
    """The wish to attach a volume to a node, and how it went."""

    spec: Annotated[VolumeAttachmentSpec, At(2, required=True)] = field(default_factory=VolumeAttachmentSpec)
    status: Annotated[VolumeAttachmentStatus, At(3)] = field(default_factory=VolumeAttachmentStatus)
