"""The core group, v1: pods and what they need, nodes, namespaces, services, storage.

Fields stand in the order in which Kubernetes writes them; see `part` for the notation.
"""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Condition, LabelSelector, Object, ObjectMeta
from steersman.api.part import (
    At,
    Int32,
    Int64,
    IntOrString,
    MicroTime,
    Part,
    Quantity,
    Some,
    Time,
    atomic,
    empty,
    keyed,
    null,
    unique,
    whole,
    zero,
)

# --- References


@whole
class LocalObjectReference(Part):
    """A reference by name within the same namespace."""

    name: Annotated[str, At(1)] = ""


@whole
class ObjectReference(Part):
    """A reference to any object, loosely typed."""

    kind: Annotated[str, At(1)] = ""
    namespace: Annotated[str, At(2)] = ""
    name: Annotated[str, At(3)] = ""
    uid: Annotated[str, At(4)] = ""
    api_version: Annotated[str, At(5)] = ""
    resource_version: Annotated[str, At(6)] = ""
    field_path: Annotated[str, At(7)] = ""


@whole
class TypedLocalObjectReference(Part):
    api_group: Annotated[str | None, At(1)] = field(default_factory=null)
    kind: Annotated[str, At(2)] = field(default_factory=str)
    name: Annotated[str, At(3)] = field(default_factory=str)


class TypedObjectReference(Part):
    api_group: Annotated[str | None, At(1)] = field(default_factory=null)
    kind: Annotated[str, At(2)] = field(default_factory=str)
    name: Annotated[str, At(3)] = field(default_factory=str)
    namespace: Annotated[str | None, At(4)] = None


@whole
class SecretReference(Part):
    name: Annotated[str, At(1)] = ""
    namespace: Annotated[str, At(2)] = ""


# --- Selectors of nodes


class NodeSelectorRequirement(Part):
    key: Annotated[str, At(1)] = field(default_factory=str)
    operator: Annotated[str, At(2)] = field(default_factory=str)
    values: Annotated[tuple[str, ...], atomic(3)] = ()


@whole
class NodeSelectorTerm(Part):
    """Nodes that match all of the requirements."""

    match_expressions: Annotated[tuple[NodeSelectorRequirement, ...], atomic(1)] = ()
    match_fields: Annotated[tuple[NodeSelectorRequirement, ...], atomic(2)] = ()


@whole
class NodeSelector(Part):
    """Nodes that match any of the terms."""

    node_selector_terms: Annotated[tuple[NodeSelectorTerm, ...], atomic(1)] = field(default_factory=empty)


class Toleration(Part):
    """A taint that a pod puts up with."""

    key: Annotated[str, At(1)] = ""
    operator: Annotated[str, At(2)] = ""
    value: Annotated[str, At(3)] = ""
    effect: Annotated[str, At(4)] = ""
    toleration_seconds: Annotated[Int64 | None, At(5)] = None


class Taint(Part):
    """Why pods should keep off a node, or leave it."""

    key: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[str, At(2)] = ""
    effect: Annotated[str, At(3)] = field(default_factory=str)
    time_added: Annotated[Time | None, At(4)] = None


class TopologySelectorLabelRequirement(Part):
    key: Annotated[str, At(1)] = field(default_factory=str)
    values: Annotated[tuple[str, ...], atomic(2)] = field(default_factory=empty)


@whole
class TopologySelectorTerm(Part):
    match_label_expressions: Annotated[tuple[TopologySelectorLabelRequirement, ...], atomic(1)] = ()


# --- Selectors of fields and keys


@whole
class ObjectFieldSelector(Part):
    api_version: Annotated[str, At(1)] = ""
    field_path: Annotated[str, At(2)] = field(default_factory=str)


@whole
class ResourceFieldSelector(Part):
    container_name: Annotated[str, At(1)] = ""
    resource: Annotated[str, At(2)] = field(default_factory=str)
    divisor: Annotated[Quantity, At(3, required=False)] = field(default_factory=zero)


@whole
class ConfigMapKeySelector(Part):
    name: Annotated[str, At((1, 1))] = ""
    key: Annotated[str, At(2)] = field(default_factory=str)
    optional: Annotated[bool | None, At(3)] = None


@whole
class SecretKeySelector(Part):
    name: Annotated[str, At((1, 1))] = ""
    key: Annotated[str, At(2)] = field(default_factory=str)
    optional: Annotated[bool | None, At(3)] = None


@whole
class FileKeySelector(Part):
    volume_name: Annotated[str, At(1)] = field(default_factory=str)
    path: Annotated[str, At(2)] = field(default_factory=str)
    key: Annotated[str, At(3)] = field(default_factory=str)
    optional: Annotated[bool | None, At(4)] = None


class KeyToPath(Part):
    key: Annotated[str, At(1)] = field(default_factory=str)
    path: Annotated[str, At(2)] = field(default_factory=str)
    mode: Annotated[Int32 | None, At(3)] = None
    user: Annotated[Int64 | None, At(4)] = None


# --- Claims for storage


class VolumeResourceRequirements(Part):
    limits: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    requests: Annotated[dict[str, Quantity], At(2)] = field(default_factory=dict)


class PersistentVolumeClaimSpec(Part):
    access_modes: Annotated[tuple[str, ...], atomic(1)] = ()
    selector: Annotated[LabelSelector | None, At(4)] = None
    resources: Annotated[VolumeResourceRequirements, At(2)] = field(default_factory=VolumeResourceRequirements)
    volume_name: Annotated[str, At(3)] = ""
    storage_class_name: Annotated[str | None, At(5)] = None
    volume_mode: Annotated[str | None, At(6)] = None
    data_source: Annotated[TypedLocalObjectReference | None, At(7)] = None
    data_source_ref: Annotated[TypedObjectReference | None, At(8)] = None
    volume_attributes_class_name: Annotated[str | None, At(9)] = None


class PersistentVolumeClaimCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_probe_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = ""
    message: Annotated[str, At(6)] = ""


class VolumeHealthCondition(Part):
    status: Annotated[str, At(1)] = field(default_factory=str)
    reason: Annotated[str, At(2)] = field(default_factory=str)
    message: Annotated[str, At(3)] = ""


class VolumeHealthStatus(Part):
    health_conditions: Annotated[tuple[VolumeHealthCondition, ...], keyed(1, "status", "reason")] = ()
    last_transition_time: Annotated[Time | None, At(2)] = field(default_factory=null)


class ModifyVolumeStatus(Part):
    target_volume_attributes_class_name: Annotated[str, At(1)] = ""
    status: Annotated[str, At(2)] = field(default_factory=str)


class PersistentVolumeClaimStatus(Part):
    phase: Annotated[str, At(1)] = ""
    access_modes: Annotated[tuple[str, ...], atomic(2)] = ()
    capacity: Annotated[dict[str, Quantity], At(3)] = field(default_factory=dict)
    conditions: Annotated[tuple[PersistentVolumeClaimCondition, ...], keyed(4, "type")] = ()
    allocated_resources: Annotated[dict[str, Quantity], At(5)] = field(default_factory=dict)
    allocated_resource_statuses: Annotated[dict[str, str], At(7, map_type="granular")] = field(default_factory=dict)
    current_volume_attributes_class_name: Annotated[str | None, At(8)] = None
    modify_volume_status: Annotated[ModifyVolumeStatus | None, At(9)] = None
    health_status: Annotated[VolumeHealthStatus | None, At(10)] = None


class PersistentVolumeClaim(Object):
    """A request for storage, bound to one volume."""

    spec: Annotated[PersistentVolumeClaimSpec, At(2)] = field(default_factory=PersistentVolumeClaimSpec)
    status: Annotated[PersistentVolumeClaimStatus, At(3)] = field(default_factory=PersistentVolumeClaimStatus)


class PersistentVolumeClaimTemplate(Part):
    metadata: Annotated[ObjectMeta, At(1)] = field(default_factory=ObjectMeta)
    spec: Annotated[PersistentVolumeClaimSpec, At(2, required=True)] = field(default_factory=PersistentVolumeClaimSpec)


# --- Volumes


class AWSElasticBlockStoreVolumeSource(Part):
    volume_id: Annotated[str, At(1)] = field(default_factory=str, name="volumeID")
    fs_type: Annotated[str, At(2)] = ""
    partition: Annotated[Int32, At(3)] = 0
    read_only: Annotated[bool, At(4)] = False


class AzureDiskVolumeSource(Part):
    disk_name: Annotated[str, At(1)] = field(default_factory=str)
    disk_uri: Annotated[str, At(2)] = field(default_factory=str, name="diskURI")
    caching_mode: Annotated[str | None, At(3, default="ReadWrite")] = None
    fs_type: Annotated[str | None, At(4, default="ext4")] = None
    read_only: Annotated[bool | None, At(5)] = None
    kind: Annotated[str | None, At(6, default="Shared")] = None


class AzureFileVolumeSource(Part):
    secret_name: Annotated[str, At(1)] = field(default_factory=str)
    share_name: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False


class CephFSVolumeSource(Part):
    monitors: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    path: Annotated[str, At(2)] = ""
    user: Annotated[str, At(3)] = ""
    secret_file: Annotated[str, At(4)] = ""
    secret_ref: Annotated[LocalObjectReference | None, At(5)] = None
    read_only: Annotated[bool, At(6)] = False


class CinderVolumeSource(Part):
    volume_id: Annotated[str, At(1)] = field(default_factory=str, name="volumeID")
    fs_type: Annotated[str, At(2)] = ""
    read_only: Annotated[bool, At(3)] = False
    secret_ref: Annotated[LocalObjectReference | None, At(4)] = None


class ConfigMapVolumeSource(Part):
    name: Annotated[str, At((1, 1))] = ""
    items: Annotated[tuple[KeyToPath, ...], atomic(2)] = ()
    default_mode: Annotated[Int32 | None, At(3)] = None
    optional: Annotated[bool | None, At(4)] = None
    default_user: Annotated[Int64 | None, At(5)] = None


class CSIVolumeSource(Part):
    driver: Annotated[str, At(1)] = field(default_factory=str)
    read_only: Annotated[bool | None, At(2)] = None
    fs_type: Annotated[str | None, At(3)] = None
    volume_attributes: Annotated[dict[str, str], At(4)] = field(default_factory=dict)
    node_publish_secret_ref: Annotated[LocalObjectReference | None, At(5)] = None


class DownwardAPIVolumeFile(Part):
    path: Annotated[str, At(1)] = field(default_factory=str)
    field_ref: Annotated[ObjectFieldSelector | None, At(2)] = None
    resource_field_ref: Annotated[ResourceFieldSelector | None, At(3)] = None
    mode: Annotated[Int32 | None, At(4)] = None
    user: Annotated[Int64 | None, At(5)] = None


class DownwardAPIVolumeSource(Part):
    items: Annotated[tuple[DownwardAPIVolumeFile, ...], atomic(1)] = ()
    default_mode: Annotated[Int32 | None, At(2)] = None
    default_user: Annotated[Int64 | None, At(3)] = None


class EmptyDirVolumeSource(Part):
    medium: Annotated[str, At(1)] = ""
    size_limit: Annotated[Quantity | None, At(2)] = None
    mode: Annotated[Int32 | None, At(3)] = None


class EphemeralVolumeSource(Part):
    volume_claim_template: Annotated[PersistentVolumeClaimTemplate | None, At(1)] = None


class FCVolumeSource(Part):
    target_wwns: Annotated[tuple[str, ...], atomic(1)] = field(default=(), name="targetWWNs")
    lun: Annotated[Int32 | None, At(2)] = None
    fs_type: Annotated[str, At(3)] = ""
    read_only: Annotated[bool, At(4)] = False
    wwids: Annotated[tuple[str, ...], atomic(5)] = ()


class FlexVolumeSource(Part):
    driver: Annotated[str, At(1)] = field(default_factory=str)
    fs_type: Annotated[str, At(2)] = ""
    secret_ref: Annotated[LocalObjectReference | None, At(3)] = None
    read_only: Annotated[bool, At(4)] = False
    options: Annotated[dict[str, str], At(5)] = field(default_factory=dict)


class FlockerVolumeSource(Part):
    dataset_name: Annotated[str, At(1)] = ""
    dataset_uuid: Annotated[str, At(2)] = field(default="", name="datasetUUID")


class GCEPersistentDiskVolumeSource(Part):
    pd_name: Annotated[str, At(1)] = field(default_factory=str)
    fs_type: Annotated[str, At(2)] = ""
    partition: Annotated[Int32, At(3)] = 0
    read_only: Annotated[bool, At(4)] = False


class GitRepoVolumeSource(Part):
    repository: Annotated[str, At(1)] = field(default_factory=str)
    revision: Annotated[str, At(2)] = ""
    directory: Annotated[str, At(3)] = ""


class GlusterfsVolumeSource(Part):
    endpoints: Annotated[str, At(1)] = field(default_factory=str)
    path: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False


class HostPathVolumeSource(Part):
    path: Annotated[str, At(1)] = field(default_factory=str)
    type: Annotated[str | None, At(2)] = None


class ImageVolumeSource(Part):
    reference: Annotated[str, At(1)] = ""
    pull_policy: Annotated[str, At(2)] = ""


class ISCSIVolumeSource(Part):
    target_portal: Annotated[str, At(1)] = field(default_factory=str)
    iqn: Annotated[str, At(2)] = field(default_factory=str)
    lun: Annotated[Int32, At(3)] = field(default_factory=int)
    iscsi_interface: Annotated[str, At(4, default="default")] = ""
    fs_type: Annotated[str, At(5)] = ""
    read_only: Annotated[bool, At(6)] = False
    portals: Annotated[tuple[str, ...], atomic(7)] = ()
    chap_auth_discovery: Annotated[bool, At(8)] = False
    chap_auth_session: Annotated[bool, At(11)] = False
    secret_ref: Annotated[LocalObjectReference | None, At(10)] = None
    initiator_name: Annotated[str | None, At(12)] = None


class NFSVolumeSource(Part):
    server: Annotated[str, At(1)] = field(default_factory=str)
    path: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False


class PersistentVolumeClaimVolumeSource(Part):
    claim_name: Annotated[str, At(1)] = field(default_factory=str)
    read_only: Annotated[bool, At(2)] = False


class PhotonPersistentDiskVolumeSource(Part):
    pd_id: Annotated[str, At(1)] = field(default_factory=str, name="pdID")
    fs_type: Annotated[str, At(2)] = ""


class PortworxVolumeSource(Part):
    volume_id: Annotated[str, At(1)] = field(default_factory=str, name="volumeID")
    fs_type: Annotated[str, At(2)] = ""
    read_only: Annotated[bool, At(3)] = False


class ClusterTrustBundleProjection(Part):
    name: Annotated[str | None, At(1)] = None
    signer_name: Annotated[str | None, At(2)] = None
    label_selector: Annotated[LabelSelector | None, At(3)] = None
    optional: Annotated[bool | None, At(5)] = None
    path: Annotated[str, At(4)] = field(default_factory=str)
    user: Annotated[Int64 | None, At(6)] = None


class ConfigMapProjection(Part):
    name: Annotated[str, At((1, 1))] = ""
    items: Annotated[tuple[KeyToPath, ...], atomic(2)] = ()
    optional: Annotated[bool | None, At(4)] = None


class DownwardAPIProjection(Part):
    items: Annotated[tuple[DownwardAPIVolumeFile, ...], atomic(1)] = ()


class PodCertificateProjection(Part):
    signer_name: Annotated[str, At(1, required=True)] = ""
    key_type: Annotated[str, At(2, required=True)] = ""
    max_expiration_seconds: Annotated[Int32 | None, At(3)] = None
    credential_bundle_path: Annotated[str, At(4)] = ""
    key_path: Annotated[str, At(5)] = ""
    certificate_chain_path: Annotated[str, At(6)] = ""
    user_annotations: Annotated[dict[str, str], At(7)] = field(default_factory=dict)
    user: Annotated[Int64 | None, At(8)] = None


class SecretProjection(Part):
    name: Annotated[str, At((1, 1))] = ""
    items: Annotated[tuple[KeyToPath, ...], atomic(2)] = ()
    optional: Annotated[bool | None, At(4)] = None


class ServiceAccountTokenProjection(Part):
    audience: Annotated[str, At(1)] = ""
    expiration_seconds: Annotated[Int64 | None, At(2)] = None
    path: Annotated[str, At(3)] = field(default_factory=str)
    user: Annotated[Int64 | None, At(4)] = None


class VolumeProjection(Part):
    secret: Annotated[SecretProjection | None, At(1)] = None
    downward_api: Annotated[DownwardAPIProjection | None, At(2)] = field(default=None, name="downwardAPI")
    config_map: Annotated[ConfigMapProjection | None, At(3)] = None
    service_account_token: Annotated[ServiceAccountTokenProjection | None, At(4)] = None
    cluster_trust_bundle: Annotated[ClusterTrustBundleProjection | None, At(5)] = None
    pod_certificate: Annotated[PodCertificateProjection | None, At(6)] = None


class ProjectedVolumeSource(Part):
    """Several sources in one directory."""

    sources: Annotated[Some[VolumeProjection] | None, atomic(1, required=False)] = field(default_factory=null)
    default_mode: Annotated[Int32 | None, At(2)] = None
    default_user: Annotated[Int64 | None, At(3)] = None


class QuobyteVolumeSource(Part):
    registry: Annotated[str, At(1)] = field(default_factory=str)
    volume: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False
    user: Annotated[str, At(4)] = ""
    group: Annotated[str, At(5)] = ""
    tenant: Annotated[str, At(6)] = ""


class RBDVolumeSource(Part):
    monitors: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    image: Annotated[str, At(2)] = field(default_factory=str)
    fs_type: Annotated[str, At(3)] = ""
    pool: Annotated[str, At(4, default="rbd")] = ""
    user: Annotated[str, At(5, default="admin")] = ""
    keyring: Annotated[str, At(6, default="/etc/ceph/keyring")] = ""
    secret_ref: Annotated[LocalObjectReference | None, At(7)] = None
    read_only: Annotated[bool, At(8)] = False


class ScaleIOVolumeSource(Part):
    gateway: Annotated[str, At(1)] = field(default_factory=str)
    system: Annotated[str, At(2)] = field(default_factory=str)
    secret_ref: Annotated[LocalObjectReference | None, At(3, required=True)] = field(default_factory=null)
    ssl_enabled: Annotated[bool, At(4)] = False
    protection_domain: Annotated[str, At(5)] = ""
    storage_pool: Annotated[str, At(6)] = ""
    storage_mode: Annotated[str, At(7, default="ThinProvisioned")] = ""
    volume_name: Annotated[str, At(8)] = ""
    fs_type: Annotated[str, At(9, default="xfs")] = ""
    read_only: Annotated[bool, At(10)] = False


class SecretVolumeSource(Part):
    secret_name: Annotated[str, At(1)] = ""
    items: Annotated[tuple[KeyToPath, ...], atomic(2)] = ()
    default_mode: Annotated[Int32 | None, At(3)] = None
    optional: Annotated[bool | None, At(4)] = None
    default_user: Annotated[Int64 | None, At(5)] = None


class StorageOSVolumeSource(Part):
    volume_name: Annotated[str, At(1)] = ""
    volume_namespace: Annotated[str, At(2)] = ""
    fs_type: Annotated[str, At(3)] = ""
    read_only: Annotated[bool, At(4)] = False
    secret_ref: Annotated[LocalObjectReference | None, At(5)] = None


class VsphereVirtualDiskVolumeSource(Part):
    volume_path: Annotated[str, At(1)] = field(default_factory=str)
    fs_type: Annotated[str, At(2)] = ""
    storage_policy_name: Annotated[str, At(3)] = ""
    storage_policy_id: Annotated[str, At(4)] = field(default="", name="storagePolicyID")


class Volume(Part):
    """A named directory (or device) of a pod; exactly one source is set."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    host_path: Annotated[HostPathVolumeSource | None, At((2, 1))] = None
    empty_dir: Annotated[EmptyDirVolumeSource | None, At((2, 2))] = None
    gce_persistent_disk: Annotated[GCEPersistentDiskVolumeSource | None, At((2, 3))] = None
    aws_elastic_block_store: Annotated[AWSElasticBlockStoreVolumeSource | None, At((2, 4))] = None
    git_repo: Annotated[GitRepoVolumeSource | None, At((2, 5))] = None
    secret: Annotated[SecretVolumeSource | None, At((2, 6))] = None
    nfs: Annotated[NFSVolumeSource | None, At((2, 7))] = None
    iscsi: Annotated[ISCSIVolumeSource | None, At((2, 8))] = None
    glusterfs: Annotated[GlusterfsVolumeSource | None, At((2, 9))] = None
    persistent_volume_claim: Annotated[PersistentVolumeClaimVolumeSource | None, At((2, 10))] = None
    rbd: Annotated[RBDVolumeSource | None, At((2, 11))] = None
    flex_volume: Annotated[FlexVolumeSource | None, At((2, 12))] = None
    cinder: Annotated[CinderVolumeSource | None, At((2, 13))] = None
    cephfs: Annotated[CephFSVolumeSource | None, At((2, 14))] = None
    flocker: Annotated[FlockerVolumeSource | None, At((2, 15))] = None
    downward_api: Annotated[DownwardAPIVolumeSource | None, At((2, 16))] = field(default=None, name="downwardAPI")
    fc: Annotated[FCVolumeSource | None, At((2, 17))] = None
    azure_file: Annotated[AzureFileVolumeSource | None, At((2, 18))] = None
    config_map: Annotated[ConfigMapVolumeSource | None, At((2, 19))] = None
    vsphere_volume: Annotated[VsphereVirtualDiskVolumeSource | None, At((2, 20))] = None
    quobyte: Annotated[QuobyteVolumeSource | None, At((2, 21))] = None
    azure_disk: Annotated[AzureDiskVolumeSource | None, At((2, 22))] = None
    photon_persistent_disk: Annotated[PhotonPersistentDiskVolumeSource | None, At((2, 23))] = None
    projected: Annotated[ProjectedVolumeSource | None, At((2, 26))] = None
    portworx_volume: Annotated[PortworxVolumeSource | None, At((2, 24))] = None
    scale_io: Annotated[ScaleIOVolumeSource | None, At((2, 25))] = field(default=None, name="scaleIO")
    storageos: Annotated[StorageOSVolumeSource | None, At((2, 27))] = None
    csi: Annotated[CSIVolumeSource | None, At((2, 28))] = None
    ephemeral: Annotated[EphemeralVolumeSource | None, At((2, 29))] = None
    image: Annotated[ImageVolumeSource | None, At((2, 30))] = None


# --- Volumes that outlive pods


class AzureFilePersistentVolumeSource(Part):
    secret_name: Annotated[str, At(1)] = field(default_factory=str)
    share_name: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False
    secret_namespace: Annotated[str | None, At(4)] = field(default_factory=null)


class CephFSPersistentVolumeSource(Part):
    monitors: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    path: Annotated[str, At(2)] = ""
    user: Annotated[str, At(3)] = ""
    secret_file: Annotated[str, At(4)] = ""
    secret_ref: Annotated[SecretReference | None, At(5)] = None
    read_only: Annotated[bool, At(6)] = False


class CinderPersistentVolumeSource(Part):
    volume_id: Annotated[str, At(1)] = field(default_factory=str, name="volumeID")
    fs_type: Annotated[str, At(2)] = ""
    read_only: Annotated[bool, At(3)] = False
    secret_ref: Annotated[SecretReference | None, At(4)] = None


class CSIPersistentVolumeSource(Part):
    driver: Annotated[str, At(1)] = field(default_factory=str)
    volume_handle: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False
    fs_type: Annotated[str, At(4)] = ""
    volume_attributes: Annotated[dict[str, str], At(5)] = field(default_factory=dict)
    controller_publish_secret_ref: Annotated[SecretReference | None, At(6)] = None
    node_stage_secret_ref: Annotated[SecretReference | None, At(7)] = None
    node_publish_secret_ref: Annotated[SecretReference | None, At(8)] = None
    controller_expand_secret_ref: Annotated[SecretReference | None, At(9)] = None
    node_expand_secret_ref: Annotated[SecretReference | None, At(10)] = None


class FlexPersistentVolumeSource(Part):
    driver: Annotated[str, At(1)] = field(default_factory=str)
    fs_type: Annotated[str, At(2)] = ""
    secret_ref: Annotated[SecretReference | None, At(3)] = None
    read_only: Annotated[bool, At(4)] = False
    options: Annotated[dict[str, str], At(5)] = field(default_factory=dict)


class GlusterfsPersistentVolumeSource(Part):
    endpoints: Annotated[str, At(1)] = field(default_factory=str)
    path: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False
    endpoints_namespace: Annotated[str | None, At(4)] = None


class ISCSIPersistentVolumeSource(Part):
    target_portal: Annotated[str, At(1)] = field(default_factory=str)
    iqn: Annotated[str, At(2)] = field(default_factory=str)
    lun: Annotated[Int32, At(3)] = field(default_factory=int)
    iscsi_interface: Annotated[str, At(4, default="default")] = ""
    fs_type: Annotated[str, At(5)] = ""
    read_only: Annotated[bool, At(6)] = False
    portals: Annotated[tuple[str, ...], atomic(7)] = ()
    chap_auth_discovery: Annotated[bool, At(8)] = False
    chap_auth_session: Annotated[bool, At(11)] = False
    secret_ref: Annotated[SecretReference | None, At(10)] = None
    initiator_name: Annotated[str | None, At(12)] = None


class LocalVolumeSource(Part):
    path: Annotated[str, At(1)] = field(default_factory=str)
    fs_type: Annotated[str | None, At(2)] = None


class VolumeNodeAffinity(Part):
    required: Annotated[NodeSelector | None, At(1)] = None


class RBDPersistentVolumeSource(Part):
    monitors: Annotated[tuple[str, ...], atomic(1)] = field(default_factory=empty)
    image: Annotated[str, At(2)] = field(default_factory=str)
    fs_type: Annotated[str, At(3)] = ""
    pool: Annotated[str, At(4, default="rbd")] = ""
    user: Annotated[str, At(5, default="admin")] = ""
    keyring: Annotated[str, At(6, default="/etc/ceph/keyring")] = ""
    secret_ref: Annotated[SecretReference | None, At(7)] = None
    read_only: Annotated[bool, At(8)] = False


class ScaleIOPersistentVolumeSource(Part):
    gateway: Annotated[str, At(1)] = field(default_factory=str)
    system: Annotated[str, At(2)] = field(default_factory=str)
    secret_ref: Annotated[SecretReference | None, At(3, required=True)] = field(default_factory=null)
    ssl_enabled: Annotated[bool, At(4)] = False
    protection_domain: Annotated[str, At(5)] = ""
    storage_pool: Annotated[str, At(6)] = ""
    storage_mode: Annotated[str, At(7, default="ThinProvisioned")] = ""
    volume_name: Annotated[str, At(8)] = ""
    fs_type: Annotated[str, At(9, default="xfs")] = ""
    read_only: Annotated[bool, At(10)] = False


class StorageOSPersistentVolumeSource(Part):
    volume_name: Annotated[str, At(1)] = ""
    volume_namespace: Annotated[str, At(2)] = ""
    fs_type: Annotated[str, At(3)] = ""
    read_only: Annotated[bool, At(4)] = False
    secret_ref: Annotated[ObjectReference | None, At(5)] = None


class PersistentVolumeSpec(Part):
    """What a piece of storage is; exactly one source is set."""

    capacity: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    gce_persistent_disk: Annotated[GCEPersistentDiskVolumeSource | None, At((2, 1))] = None
    aws_elastic_block_store: Annotated[AWSElasticBlockStoreVolumeSource | None, At((2, 2))] = None
    host_path: Annotated[HostPathVolumeSource | None, At((2, 3))] = None
    glusterfs: Annotated[GlusterfsPersistentVolumeSource | None, At((2, 4))] = None
    nfs: Annotated[NFSVolumeSource | None, At((2, 5))] = None
    rbd: Annotated[RBDPersistentVolumeSource | None, At((2, 6))] = None
    iscsi: Annotated[ISCSIPersistentVolumeSource | None, At((2, 7))] = None
    cinder: Annotated[CinderPersistentVolumeSource | None, At((2, 8))] = None
    cephfs: Annotated[CephFSPersistentVolumeSource | None, At((2, 9))] = None
    fc: Annotated[FCVolumeSource | None, At((2, 10))] = None
    flocker: Annotated[FlockerVolumeSource | None, At((2, 11))] = None
    flex_volume: Annotated[FlexPersistentVolumeSource | None, At((2, 12))] = None
    azure_file: Annotated[AzureFilePersistentVolumeSource | None, At((2, 13))] = None
    vsphere_volume: Annotated[VsphereVirtualDiskVolumeSource | None, At((2, 14))] = None
    quobyte: Annotated[QuobyteVolumeSource | None, At((2, 15))] = None
    azure_disk: Annotated[AzureDiskVolumeSource | None, At((2, 16))] = None
    photon_persistent_disk: Annotated[PhotonPersistentDiskVolumeSource | None, At((2, 17))] = None
    portworx_volume: Annotated[PortworxVolumeSource | None, At((2, 18))] = None
    scale_io: Annotated[ScaleIOPersistentVolumeSource | None, At((2, 19))] = field(default=None, name="scaleIO")
    local: Annotated[LocalVolumeSource | None, At((2, 20))] = None
    storageos: Annotated[StorageOSPersistentVolumeSource | None, At((2, 21))] = None
    csi: Annotated[CSIPersistentVolumeSource | None, At((2, 22))] = None
    access_modes: Annotated[tuple[str, ...], atomic(3)] = ()
    claim_ref: Annotated[ObjectReference | None, At(4, map_type="granular")] = None
    persistent_volume_reclaim_policy: Annotated[str, At(5)] = ""
    storage_class_name: Annotated[str, At(6)] = ""
    mount_options: Annotated[tuple[str, ...], atomic(7)] = ()
    volume_mode: Annotated[str | None, At(8)] = None
    node_affinity: Annotated[VolumeNodeAffinity | None, At(9)] = None
    volume_attributes_class_name: Annotated[str | None, At(10)] = None


class PersistentVolumeStatus(Part):
    phase: Annotated[str, At(1)] = ""
    message: Annotated[str, At(2)] = ""
    reason: Annotated[str, At(3)] = ""
    last_phase_transition_time: Annotated[Time | None, At(4)] = None


class PersistentVolume(Object):
    """A piece of storage in the cluster."""

    spec: Annotated[PersistentVolumeSpec, At(2)] = field(default_factory=PersistentVolumeSpec)
    status: Annotated[PersistentVolumeStatus, At(3)] = field(default_factory=PersistentVolumeStatus)


# --- Containers


class ExecAction(Part):
    command: Annotated[tuple[str, ...], atomic(1)] = ()


class GRPCAction(Part):
    port: Annotated[Int32, At(1)] = field(default_factory=int)
    service: Annotated[str | None, At(2)] = field(default_factory=null)
    mode: Annotated[str | None, At(3)] = None


class HTTPHeader(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[str, At(2)] = field(default_factory=str)


class HTTPGetAction(Part):
    path: Annotated[str, At(1)] = ""
    port: Annotated[IntOrString, At(2)] = field(default_factory=int)
    host: Annotated[str, At(3)] = ""
    scheme: Annotated[str, At(4)] = ""
    http_headers: Annotated[tuple[HTTPHeader, ...], atomic(5)] = ()
    protocol: Annotated[str | None, At(6)] = None


class TCPSocketAction(Part):
    port: Annotated[IntOrString, At(1)] = field(default_factory=int)
    host: Annotated[str, At(2)] = ""


class Probe(Part):
    """A question asked of a container again and again: exec, HTTP, TCP or gRPC."""

    exec: Annotated[ExecAction | None, At((1, 1))] = None
    http_get: Annotated[HTTPGetAction | None, At((1, 2))] = None
    tcp_socket: Annotated[TCPSocketAction | None, At((1, 3))] = None
    grpc: Annotated[GRPCAction | None, At((1, 4))] = None
    initial_delay_seconds: Annotated[Int32, At(2)] = 0
    timeout_seconds: Annotated[Int32, At(3)] = 0
    period_seconds: Annotated[Int32, At(4)] = 0
    success_threshold: Annotated[Int32, At(5)] = 0
    failure_threshold: Annotated[Int32, At(6)] = 0
    termination_grace_period_seconds: Annotated[Int64 | None, At(7)] = None


class SleepAction(Part):
    seconds: Annotated[Int64, At(1)] = field(default_factory=int)


class LifecycleHandler(Part):
    exec: Annotated[ExecAction | None, At(1)] = None
    http_get: Annotated[HTTPGetAction | None, At(2)] = None
    tcp_socket: Annotated[TCPSocketAction | None, At(3)] = None
    sleep: Annotated[SleepAction | None, At(4)] = None


class Lifecycle(Part):
    """What to run right after a container starts and right before it is stopped."""

    post_start: Annotated[LifecycleHandler | None, At(1)] = None
    pre_stop: Annotated[LifecycleHandler | None, At(2)] = None
    stop_signal: Annotated[str | None, At(3)] = None


class AppArmorProfile(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    localhost_profile: Annotated[str | None, At(2)] = None


class Capabilities(Part):
    add: Annotated[tuple[str, ...], atomic(1)] = ()
    drop: Annotated[tuple[str, ...], atomic(2)] = ()


class SELinuxOptions(Part):
    user: Annotated[str, At(1)] = ""
    role: Annotated[str, At(2)] = ""
    type: Annotated[str, At(3)] = ""
    level: Annotated[str, At(4)] = ""


class SeccompProfile(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    localhost_profile: Annotated[str | None, At(2)] = None


class WindowsSecurityContextOptions(Part):
    gmsa_credential_spec_name: Annotated[str | None, At(1)] = None
    gmsa_credential_spec: Annotated[str | None, At(2)] = None
    run_as_user_name: Annotated[str | None, At(3)] = None
    host_process: Annotated[bool | None, At(4)] = None


class SecurityContext(Part):
    """Rights and identity of one container; wins over the pod's."""

    capabilities: Annotated[Capabilities | None, At(1)] = None
    privileged: Annotated[bool | None, At(2)] = None
    se_linux_options: Annotated[SELinuxOptions | None, At(3)] = None
    windows_options: Annotated[WindowsSecurityContextOptions | None, At(10)] = None
    run_as_user: Annotated[Int64 | None, At(4)] = None
    run_as_group: Annotated[Int64 | None, At(8)] = None
    run_as_non_root: Annotated[bool | None, At(5)] = None
    read_only_root_filesystem: Annotated[bool | None, At(6)] = None
    allow_privilege_escalation: Annotated[bool | None, At(7)] = None
    proc_mount: Annotated[str | None, At(9)] = None
    seccomp_profile: Annotated[SeccompProfile | None, At(11)] = None
    app_armor_profile: Annotated[AppArmorProfile | None, At(12)] = None


class ResourceClaim(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    request: Annotated[str, At(2)] = ""


class ResourceRequirements(Part):
    """What a container asks for and what it may not exceed."""

    limits: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    requests: Annotated[dict[str, Quantity], At(2)] = field(default_factory=dict)
    claims: Annotated[tuple[ResourceClaim, ...], keyed(3, "name", patch="")] = ()


class EnvVarSource(Part):
    field_ref: Annotated[ObjectFieldSelector | None, At(1)] = None
    resource_field_ref: Annotated[ResourceFieldSelector | None, At(2)] = None
    config_map_key_ref: Annotated[ConfigMapKeySelector | None, At(3)] = None
    secret_key_ref: Annotated[SecretKeySelector | None, At(4)] = None
    file_key_ref: Annotated[FileKeySelector | None, At(5)] = None


class EnvVar(Part):
    """One environment variable, given or taken from elsewhere."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[str, At(2)] = ""
    value_from: Annotated[EnvVarSource | None, At(3)] = None


class ConfigMapEnvSource(Part):
    name: Annotated[str, At((1, 1))] = ""
    optional: Annotated[bool | None, At(2)] = None


class SecretEnvSource(Part):
    name: Annotated[str, At((1, 1))] = ""
    optional: Annotated[bool | None, At(2)] = None


class EnvFromSource(Part):
    prefix: Annotated[str, At(1)] = ""
    config_map_ref: Annotated[ConfigMapEnvSource | None, At(2)] = None
    secret_ref: Annotated[SecretEnvSource | None, At(3)] = None


class ContainerPort(Part):
    name: Annotated[str, At(1)] = ""
    host_port: Annotated[Int32, At(2)] = 0
    container_port: Annotated[Int32, At(3)] = field(default_factory=int)
    protocol: Annotated[str, At(4, default="TCP")] = ""
    host_ip: Annotated[str, At(5)] = field(default="", name="hostIP")


class ContainerResizePolicy(Part):
    resource_name: Annotated[str, At(1)] = field(default_factory=str)
    restart_policy: Annotated[str, At(2)] = field(default_factory=str)


class ContainerRestartRuleOnExitCodes(Part):
    operator: Annotated[str, At(1, required=True)] = ""
    values: Annotated[tuple[Int32, ...], unique(2)] = ()


class ContainerRestartRule(Part):
    action: Annotated[str, At(1, required=True)] = ""
    exit_codes: Annotated[ContainerRestartRuleOnExitCodes | None, At(2)] = None


class VolumeDevice(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    device_path: Annotated[str, At(2)] = field(default_factory=str)


class VolumeMount(Part):
    """Where a container sees a volume."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    read_only: Annotated[bool, At(2)] = False
    recursive_read_only: Annotated[str | None, At(7)] = None
    mount_path: Annotated[str, At(3)] = field(default_factory=str)
    sub_path: Annotated[str, At(4)] = ""
    mount_propagation: Annotated[str | None, At(5)] = None
    sub_path_expr: Annotated[str, At(6)] = ""
    bind_mount_options: Annotated[tuple[str, ...], unique(8)] = ()


class Container(Part):
    """One program in a pod."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    image: Annotated[str, At(2)] = ""
    command: Annotated[tuple[str, ...], atomic(3)] = ()
    args: Annotated[tuple[str, ...], atomic(4)] = ()
    working_dir: Annotated[str, At(5)] = ""
    ports: Annotated[tuple[ContainerPort, ...], keyed(6, "containerPort", "protocol")] = ()
    env_from: Annotated[tuple[EnvFromSource, ...], atomic(19)] = ()
    env: Annotated[tuple[EnvVar, ...], keyed(7, "name")] = ()
    resources: Annotated[ResourceRequirements, At(8)] = field(default_factory=ResourceRequirements)
    resize_policy: Annotated[tuple[ContainerResizePolicy, ...], atomic(23)] = ()
    restart_policy: Annotated[str | None, At(24)] = None
    restart_policy_rules: Annotated[tuple[ContainerRestartRule, ...], atomic(25)] = ()
    volume_mounts: Annotated[tuple[VolumeMount, ...], keyed(9, "mountPath")] = ()
    volume_devices: Annotated[tuple[VolumeDevice, ...], keyed(21, "devicePath")] = ()
    liveness_probe: Annotated[Probe | None, At(10)] = None
    readiness_probe: Annotated[Probe | None, At(11)] = None
    startup_probe: Annotated[Probe | None, At(22)] = None
    lifecycle: Annotated[Lifecycle | None, At(12)] = None
    termination_message_path: Annotated[str, At(13)] = ""
    termination_message_policy: Annotated[str, At(20)] = ""
    image_pull_policy: Annotated[str, At(14)] = ""
    security_context: Annotated[SecurityContext | None, At(15)] = None
    stdin: Annotated[bool, At(16)] = False
    stdin_once: Annotated[bool, At(17)] = False
    tty: Annotated[bool, At(18)] = False


class EphemeralContainer(Part):
    """A container put into a running pod to look around in it."""

    name: Annotated[str, At((1, 1))] = field(default_factory=str)
    image: Annotated[str, At((1, 2))] = ""
    command: Annotated[tuple[str, ...], atomic((1, 3))] = ()
    args: Annotated[tuple[str, ...], atomic((1, 4))] = ()
    working_dir: Annotated[str, At((1, 5))] = ""
    ports: Annotated[tuple[ContainerPort, ...], keyed((1, 6), "containerPort", "protocol")] = ()
    env_from: Annotated[tuple[EnvFromSource, ...], atomic((1, 19))] = ()
    env: Annotated[tuple[EnvVar, ...], keyed((1, 7), "name")] = ()
    resources: Annotated[ResourceRequirements, At((1, 8))] = field(default_factory=ResourceRequirements)
    resize_policy: Annotated[tuple[ContainerResizePolicy, ...], atomic((1, 23))] = ()
    restart_policy: Annotated[str | None, At((1, 24))] = None
    restart_policy_rules: Annotated[tuple[ContainerRestartRule, ...], atomic((1, 25))] = ()
    volume_mounts: Annotated[tuple[VolumeMount, ...], keyed((1, 9), "mountPath")] = ()
    volume_devices: Annotated[tuple[VolumeDevice, ...], keyed((1, 21), "devicePath")] = ()
    liveness_probe: Annotated[Probe | None, At((1, 10))] = None
    readiness_probe: Annotated[Probe | None, At((1, 11))] = None
    startup_probe: Annotated[Probe | None, At((1, 22))] = None
    lifecycle: Annotated[Lifecycle | None, At((1, 12))] = None
    termination_message_path: Annotated[str, At((1, 13))] = ""
    termination_message_policy: Annotated[str, At((1, 20))] = ""
    image_pull_policy: Annotated[str, At((1, 14))] = ""
    security_context: Annotated[SecurityContext | None, At((1, 15))] = None
    stdin: Annotated[bool, At((1, 16))] = False
    stdin_once: Annotated[bool, At((1, 17))] = False
    tty: Annotated[bool, At((1, 18))] = False
    target_container_name: Annotated[str, At(2)] = ""


# --- Where pods go


class PreferredSchedulingTerm(Part):
    weight: Annotated[Int32, At(1)] = field(default_factory=int)
    preference: Annotated[NodeSelectorTerm, At(2, required=True)] = field(default_factory=NodeSelectorTerm)


class NodeAffinity(Part):
    required_during_scheduling_ignored_during_execution: Annotated[NodeSelector | None, At(1)] = None
    preferred_during_scheduling_ignored_during_execution: Annotated[tuple[PreferredSchedulingTerm, ...], atomic(2)] = ()


class PodAffinityTerm(Part):
    label_selector: Annotated[LabelSelector | None, At(1)] = None
    namespaces: Annotated[tuple[str, ...], atomic(2)] = ()
    topology_key: Annotated[str, At(3)] = field(default_factory=str)
    namespace_selector: Annotated[LabelSelector | None, At(4)] = None
    match_label_keys: Annotated[tuple[str, ...], atomic(5)] = ()
    mismatch_label_keys: Annotated[tuple[str, ...], atomic(6)] = ()


class WeightedPodAffinityTerm(Part):
    weight: Annotated[Int32, At(1)] = field(default_factory=int)
    pod_affinity_term: Annotated[PodAffinityTerm, At(2, required=True)] = field(default_factory=PodAffinityTerm)


class PodAffinity(Part):
    required_during_scheduling_ignored_during_execution: Annotated[tuple[PodAffinityTerm, ...], atomic(1)] = ()
    preferred_during_scheduling_ignored_during_execution: Annotated[tuple[WeightedPodAffinityTerm, ...], atomic(2)] = ()


class PodAntiAffinity(Part):
    required_during_scheduling_ignored_during_execution: Annotated[tuple[PodAffinityTerm, ...], atomic(1)] = ()
    preferred_during_scheduling_ignored_during_execution: Annotated[tuple[WeightedPodAffinityTerm, ...], atomic(2)] = ()


class Affinity(Part):
    """Wishes and demands about the node and about the pods already there."""

    node_affinity: Annotated[NodeAffinity | None, At(1)] = None
    pod_affinity: Annotated[PodAffinity | None, At(2)] = None
    pod_anti_affinity: Annotated[PodAntiAffinity | None, At(3)] = None


class TopologySpreadConstraint(Part):
    """How evenly matching pods should lie over zones, nodes or other domains."""

    max_skew: Annotated[Int32, At(1)] = field(default_factory=int)
    topology_key: Annotated[str, At(2)] = field(default_factory=str)
    when_unsatisfiable: Annotated[str, At(3)] = field(default_factory=str)
    label_selector: Annotated[LabelSelector | None, At(4)] = None
    min_domains: Annotated[Int32 | None, At(5)] = None
    node_affinity_policy: Annotated[str | None, At(6)] = None
    node_taints_policy: Annotated[str | None, At(7)] = None
    match_label_keys: Annotated[tuple[str, ...], atomic(8)] = ()


# --- Pods


class Sysctl(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    value: Annotated[str, At(2)] = field(default_factory=str)


class PodSecurityContext(Part):
    """Rights and identity of all containers of a pod."""

    se_linux_options: Annotated[SELinuxOptions | None, At(1)] = None
    windows_options: Annotated[WindowsSecurityContextOptions | None, At(8)] = None
    run_as_user: Annotated[Int64 | None, At(2)] = None
    run_as_group: Annotated[Int64 | None, At(6)] = None
    run_as_non_root: Annotated[bool | None, At(3)] = None
    supplemental_groups: Annotated[tuple[Int64, ...], atomic(4)] = ()
    supplemental_groups_policy: Annotated[str | None, At(12)] = None
    fs_group: Annotated[Int64 | None, At(5)] = None
    sysctls: Annotated[tuple[Sysctl, ...], atomic(7)] = ()
    fs_group_change_policy: Annotated[str | None, At(9)] = None
    seccomp_profile: Annotated[SeccompProfile | None, At(10)] = None
    app_armor_profile: Annotated[AppArmorProfile | None, At(11)] = None
    se_linux_change_policy: Annotated[str | None, At(13)] = None


class PodDNSConfigOption(Part):
    name: Annotated[str, At(1)] = ""
    value: Annotated[str | None, At(2)] = None


class PodDNSConfig(Part):
    nameservers: Annotated[tuple[str, ...], atomic(1)] = ()
    searches: Annotated[tuple[str, ...], atomic(2)] = ()
    options: Annotated[tuple[PodDNSConfigOption, ...], atomic(3)] = ()


@whole
class EvictionResponder(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    priority: Annotated[Int32 | None, At(2, required=True)] = field(default_factory=null)


class HostAlias(Part):
    ip: Annotated[str, At(1)] = field(default_factory=str)
    hostnames: Annotated[tuple[str, ...], atomic(2)] = ()


class PodOS(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class PodReadinessGate(Part):
    condition_type: Annotated[str, At(1)] = field(default_factory=str)


class PodResourceClaim(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    resource_claim_name: Annotated[str | None, At(3)] = None
    resource_claim_template_name: Annotated[str | None, At(4)] = None


class PodSchedulingGate(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class PodSchedulingGroup(Part):
    pod_group_name: Annotated[str | None, At(1)] = None


class PodSpec(Part):
    """What a pod should run, and where it may."""

    volumes: Annotated[tuple[Volume, ...], keyed(1, "name", patch="merge,retainKeys")] = ()
    init_containers: Annotated[tuple[Container, ...], keyed(20, "name")] = ()
    containers: Annotated[tuple[Container, ...], keyed(2, "name")] = field(default_factory=empty)
    ephemeral_containers: Annotated[tuple[EphemeralContainer, ...], keyed(34, "name")] = ()
    restart_policy: Annotated[str, At(3)] = ""
    termination_grace_period_seconds: Annotated[Int64 | None, At(4)] = None
    active_deadline_seconds: Annotated[Int64 | None, At(5)] = None
    dns_policy: Annotated[str, At(6)] = ""
    node_selector: Annotated[dict[str, str], At(7, map_type="atomic")] = field(default_factory=dict)
    service_account_name: Annotated[str, At(8)] = ""
    service_account: Annotated[str, At(9)] = ""
    automount_service_account_token: Annotated[bool | None, At(21)] = None
    node_name: Annotated[str, At(10)] = ""
    host_network: Annotated[bool, At(11)] = False
    host_pid: Annotated[bool, At(12)] = field(default=False, name="hostPID")
    host_ipc: Annotated[bool, At(13)] = field(default=False, name="hostIPC")
    share_process_namespace: Annotated[bool | None, At(27)] = None
    security_context: Annotated[PodSecurityContext | None, At(14)] = None
    image_pull_secrets: Annotated[tuple[LocalObjectReference, ...], keyed(15, "name")] = ()
    hostname: Annotated[str, At(16)] = ""
    subdomain: Annotated[str, At(17)] = ""
    affinity: Annotated[Affinity | None, At(18)] = None
    scheduler_name: Annotated[str, At(19)] = ""
    tolerations: Annotated[tuple[Toleration, ...], atomic(22)] = ()
    host_aliases: Annotated[tuple[HostAlias, ...], keyed(23, "ip")] = ()
    priority_class_name: Annotated[str, At(24)] = ""
    priority: Annotated[Int32 | None, At(25)] = None
    dns_config: Annotated[PodDNSConfig | None, At(26)] = None
    readiness_gates: Annotated[tuple[PodReadinessGate, ...], atomic(28)] = ()
    runtime_class_name: Annotated[str | None, At(29)] = None
    enable_service_links: Annotated[bool | None, At(30)] = None
    preemption_policy: Annotated[str | None, At(31)] = None
    overhead: Annotated[dict[str, Quantity], At(32)] = field(default_factory=dict)
    topology_spread_constraints: Annotated[
        tuple[TopologySpreadConstraint, ...], keyed(33, "topologyKey", "whenUnsatisfiable")
    ] = ()
    set_hostname_as_fqdn: Annotated[bool | None, At(35)] = field(default=None, name="setHostnameAsFQDN")
    os: Annotated[PodOS | None, At(36)] = None
    host_users: Annotated[bool | None, At(37)] = None
    scheduling_gates: Annotated[tuple[PodSchedulingGate, ...], keyed(38, "name")] = ()
    resource_claims: Annotated[tuple[PodResourceClaim, ...], keyed(39, "name", patch="merge,retainKeys")] = ()
    resources: Annotated[ResourceRequirements | None, At(40)] = None
    hostname_override: Annotated[str | None, At(41)] = None
    scheduling_group: Annotated[PodSchedulingGroup | None, At(43)] = None
    eviction_responders: Annotated[tuple[EvictionResponder, ...], keyed(44, "name")] = ()


class ResourceHealth(Part):
    resource_id: Annotated[str, At(1)] = field(default_factory=str, name="resourceID")
    health: Annotated[str, At(2)] = ""
    message: Annotated[str | None, At(6)] = None


class ResourceStatus(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    resources: Annotated[tuple[ResourceHealth, ...], keyed(2, "resourceID", patch="")] = ()


class ContainerStateRunning(Part):
    started_at: Annotated[Time | None, At(1)] = field(default_factory=null)


class ContainerStateTerminated(Part):
    exit_code: Annotated[Int32, At(1)] = field(default_factory=int)
    signal: Annotated[Int32, At(2)] = 0
    reason: Annotated[str, At(3)] = ""
    message: Annotated[str, At(4)] = ""
    started_at: Annotated[Time | None, At(5)] = field(default_factory=null)
    finished_at: Annotated[Time | None, At(6)] = field(default_factory=null)
    container_id: Annotated[str, At(7)] = field(default="", name="containerID")


class ContainerStateWaiting(Part):
    reason: Annotated[str, At(1)] = ""
    message: Annotated[str, At(2)] = ""


class ContainerState(Part):
    """Exactly one of waiting, running and terminated."""

    waiting: Annotated[ContainerStateWaiting | None, At(1)] = None
    running: Annotated[ContainerStateRunning | None, At(2)] = None
    terminated: Annotated[ContainerStateTerminated | None, At(3)] = None


class LinuxContainerUser(Part):
    uid: Annotated[Int64, At(1)] = field(default_factory=int)
    gid: Annotated[Int64, At(2)] = field(default_factory=int)
    supplemental_groups: Annotated[tuple[Int64, ...], atomic(3)] = ()


class ContainerUser(Part):
    linux: Annotated[LinuxContainerUser | None, At(1)] = None


class ImageVolumeStatus(Part):
    image_ref: Annotated[str, At(1, required=True)] = ""


class VolumeStatus(Part):
    image: Annotated[ImageVolumeStatus | None, At(1)] = None


class VolumeMountStatus(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    mount_path: Annotated[str, At(2)] = field(default_factory=str)
    read_only: Annotated[bool, At(3)] = False
    recursive_read_only: Annotated[str | None, At(4)] = None
    volume_status: Annotated[VolumeStatus | None, At(5)] = None


class ContainerStatus(Part):
    """How one container fares."""

    name: Annotated[str, At(1)] = field(default_factory=str)
    state: Annotated[ContainerState, At(2)] = field(default_factory=ContainerState)
    last_state: Annotated[ContainerState, At(3)] = field(default_factory=ContainerState)
    ready: Annotated[bool, At(4)] = field(default_factory=bool)
    restart_count: Annotated[Int32, At(5)] = field(default_factory=int)
    image: Annotated[str, At(6)] = field(default_factory=str)
    image_id: Annotated[str, At(7)] = field(default_factory=str, name="imageID")
    container_id: Annotated[str, At(8)] = field(default="", name="containerID")
    started: Annotated[bool | None, At(9)] = None
    allocated_resources: Annotated[dict[str, Quantity], At(10)] = field(default_factory=dict)
    resources: Annotated[ResourceRequirements | None, At(11)] = None
    volume_mounts: Annotated[tuple[VolumeMountStatus, ...], keyed(12, "mountPath")] = ()
    user: Annotated[ContainerUser | None, At(13)] = None
    allocated_resources_status: Annotated[tuple[ResourceStatus, ...], keyed(14, "name")] = ()
    stop_signal: Annotated[str | None, At(15)] = None


class PodCondition(Part):
    """One observation about a pod, such as Ready or PodScheduled."""

    type: Annotated[str, At(1)] = field(default_factory=str)
    observed_generation: Annotated[Int64, At(7)] = 0
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_probe_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = ""
    message: Annotated[str, At(6)] = ""


class ContainerExtendedResourceRequest(Part):
    container_name: Annotated[str, At(1)] = field(default_factory=str)
    resource_name: Annotated[str, At(2)] = field(default_factory=str)
    request_name: Annotated[str, At(3)] = field(default_factory=str)


class PodExtendedResourceClaimStatus(Part):
    request_mappings: Annotated[tuple[ContainerExtendedResourceRequest, ...], atomic(1)] = field(default_factory=empty)
    resource_claim_name: Annotated[str, At(2)] = field(default_factory=str)


class HostIP(Part):
    ip: Annotated[str, At(1)] = field(default_factory=str)


class NodeAllocatableMappedResources(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    quantity: Annotated[Quantity | None, At(2, required=True)] = field(default_factory=null)


class NodeAllocatableOverheadResources(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    per_pod: Annotated[Quantity | None, At(2)] = None
    per_container: Annotated[Quantity | None, At(3)] = None


class NodeAllocatableResourceClaimStatus(Part):
    resource_claim_name: Annotated[str, At(1)] = field(default_factory=str)
    containers: Annotated[tuple[str, ...], unique(2)] = ()
    mapping: Annotated[tuple[NodeAllocatableMappedResources, ...], keyed(4, "name")] = ()
    overhead: Annotated[tuple[NodeAllocatableOverheadResources, ...], keyed(5, "name")] = ()


class PodIP(Part):
    ip: Annotated[str, At(1)] = field(default_factory=str)


class PodResourceClaimStatus(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    resource_claim_name: Annotated[str | None, At(2)] = None


class PodVolumeHealth(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    health_conditions: Annotated[tuple[VolumeHealthCondition, ...], keyed(2, "status", "reason")] = ()
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)


class PodStatus(Part):
    """What the node has seen of a pod."""

    observed_generation: Annotated[Int64, At(17)] = 0
    phase: Annotated[str, At(1)] = ""
    conditions: Annotated[tuple[PodCondition, ...], keyed(2, "type")] = ()
    message: Annotated[str, At(3)] = ""
    reason: Annotated[str, At(4)] = ""
    nominated_node_name: Annotated[str, At(11)] = ""
    host_ip: Annotated[str, At(5)] = field(default="", name="hostIP")
    host_ips: Annotated[tuple[HostIP, ...], atomic(16, merge="ip")] = field(default=(), name="hostIPs")
    pod_ip: Annotated[str, At(6)] = field(default="", name="podIP")
    pod_ips: Annotated[tuple[PodIP, ...], keyed(12, "ip")] = field(default=(), name="podIPs")
    start_time: Annotated[Time | None, At(7)] = None
    init_container_statuses: Annotated[tuple[ContainerStatus, ...], atomic(10)] = ()
    container_statuses: Annotated[tuple[ContainerStatus, ...], atomic(8)] = ()
    qos_class: Annotated[str, At(9)] = ""
    ephemeral_container_statuses: Annotated[tuple[ContainerStatus, ...], atomic(13)] = ()
    resize: Annotated[str, At(14)] = ""
    resource_claim_statuses: Annotated[
        tuple[PodResourceClaimStatus, ...], keyed(15, "name", patch="merge,retainKeys")
    ] = ()
    extended_resource_claim_status: Annotated[PodExtendedResourceClaimStatus | None, At(18)] = None
    allocated_resources: Annotated[dict[str, Quantity], At(19)] = field(default_factory=dict)
    resources: Annotated[ResourceRequirements | None, At(20)] = None
    node_allocatable_resource_claim_statuses: Annotated[
        tuple[NodeAllocatableResourceClaimStatus, ...], keyed(21, "resourceClaimName")
    ] = ()
    volume_health: Annotated[tuple[PodVolumeHealth, ...], keyed(22, "name", patch="")] = ()


class Pod(Object):
    """Containers that share a network address, run together on one node, and end together."""

    spec: Annotated[PodSpec, At(2)] = field(default_factory=PodSpec)
    status: Annotated[PodStatus, At(3)] = field(default_factory=PodStatus)


class PodTemplateSpec(Part):
    """The pods that a workload makes."""

    metadata: Annotated[ObjectMeta, At(1)] = field(default_factory=ObjectMeta)
    spec: Annotated[PodSpec, At(2)] = field(default_factory=PodSpec)


class PodTemplate(Object):
    """A stored template for pods."""

    template: Annotated[PodTemplateSpec, At(2)] = field(default_factory=PodTemplateSpec)


class Binding(Object):
    """The decision that a pod runs on a node."""

    target: Annotated[ObjectReference, At(2, required=True)] = field(default_factory=ObjectReference)


# --- Replication


class ReplicationControllerSpec(Part):
    replicas: Annotated[Int32 | None, At(1, default=1)] = None
    min_ready_seconds: Annotated[Int32, At(4)] = 0
    selector: Annotated[dict[str, str], At(2, map_type="atomic")] = field(default_factory=dict)
    template: Annotated[PodTemplateSpec | None, At(3)] = None


class ReplicationControllerCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class ReplicationControllerStatus(Part):
    replicas: Annotated[Int32, At(1)] = field(default_factory=int)
    fully_labeled_replicas: Annotated[Int32, At(2)] = 0
    ready_replicas: Annotated[Int32, At(4)] = 0
    available_replicas: Annotated[Int32, At(5)] = 0
    observed_generation: Annotated[Int64, At(3)] = 0
    conditions: Annotated[tuple[ReplicationControllerCondition, ...], keyed(6, "type")] = ()


class ReplicationController(Object):
    """The forerunner of ReplicaSet: keeps a number of pods alive."""

    spec: Annotated[ReplicationControllerSpec, At(2)] = field(default_factory=ReplicationControllerSpec)
    status: Annotated[ReplicationControllerStatus, At(3)] = field(default_factory=ReplicationControllerStatus)


# --- Settings and identities


class ConfigMap(Object):
    """Settings as text or bytes."""

    immutable: Annotated[bool | None, At(4)] = None
    data: Annotated[dict[str, str], At(2)] = field(default_factory=dict)
    binary_data: Annotated[dict[str, bytes], At(3)] = field(default_factory=dict)


class Secret(Object):
    """Settings that are not for everybody's eyes."""

    immutable: Annotated[bool | None, At(5)] = None
    data: Annotated[dict[str, bytes], At(2)] = field(default_factory=dict)
    string_data: Annotated[dict[str, str], At(4)] = field(default_factory=dict)
    type: Annotated[str, At(3)] = ""


class ServiceAccount(Object):
    """An identity for the programs in pods."""

    secrets: Annotated[tuple[ObjectReference, ...], keyed(2, "name")] = ()
    image_pull_secrets: Annotated[tuple[LocalObjectReference, ...], atomic(3)] = ()
    automount_service_account_token: Annotated[bool | None, At(4)] = None


# --- Namespaces and their limits


class NamespaceSpec(Part):
    finalizers: Annotated[tuple[str, ...], atomic(1)] = ()


class NamespaceCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = ""
    message: Annotated[str, At(6)] = ""


class NamespaceStatus(Part):
    phase: Annotated[str, At(1)] = ""
    conditions: Annotated[tuple[NamespaceCondition, ...], keyed(2, "type")] = ()


class Namespace(Object):
    """A room for names; deleting it deletes everything inside."""

    spec: Annotated[NamespaceSpec, At(2)] = field(default_factory=NamespaceSpec)
    status: Annotated[NamespaceStatus, At(3)] = field(default_factory=NamespaceStatus)


class ScopedResourceSelectorRequirement(Part):
    scope_name: Annotated[str, At(1)] = field(default_factory=str)
    operator: Annotated[str, At(2)] = field(default_factory=str)
    values: Annotated[tuple[str, ...], atomic(3)] = ()


@whole
class ScopeSelector(Part):
    match_expressions: Annotated[tuple[ScopedResourceSelectorRequirement, ...], atomic(1)] = ()


class ResourceQuotaSpec(Part):
    hard: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    scopes: Annotated[tuple[str, ...], atomic(2)] = ()
    scope_selector: Annotated[ScopeSelector | None, At(3)] = None


class ResourceQuotaStatus(Part):
    hard: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    used: Annotated[dict[str, Quantity], At(2)] = field(default_factory=dict)


class ResourceQuota(Object):
    """How much a namespace may use in all."""

    spec: Annotated[ResourceQuotaSpec, At(2)] = field(default_factory=ResourceQuotaSpec)
    status: Annotated[ResourceQuotaStatus, At(3)] = field(default_factory=ResourceQuotaStatus)


class LimitRangeItem(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    max: Annotated[dict[str, Quantity], At(2)] = field(default_factory=dict)
    min: Annotated[dict[str, Quantity], At(3)] = field(default_factory=dict)
    default: Annotated[dict[str, Quantity], At(4)] = field(default_factory=dict)
    default_request: Annotated[dict[str, Quantity], At(5)] = field(default_factory=dict)
    max_limit_request_ratio: Annotated[dict[str, Quantity], At(6)] = field(default_factory=dict)


class LimitRangeSpec(Part):
    limits: Annotated[Some[LimitRangeItem] | None, atomic(1)] = field(default_factory=null)


class LimitRange(Object):
    """Bounds and defaults for single pods, containers and claims of a namespace."""

    spec: Annotated[LimitRangeSpec, At(2)] = field(default_factory=LimitRangeSpec)


# --- Nodes


class ConfigMapNodeConfigSource(Part):
    namespace: Annotated[str, At(1)] = field(default_factory=str)
    name: Annotated[str, At(2)] = field(default_factory=str)
    uid: Annotated[str, At(3)] = ""
    resource_version: Annotated[str, At(4)] = ""
    kubelet_config_key: Annotated[str, At(5)] = field(default_factory=str)


class NodeConfigSource(Part):
    config_map: Annotated[ConfigMapNodeConfigSource | None, At(2)] = None


class NodePodPreemptionPolicy(Part):
    disable_resize_preemption: Annotated[tuple[str, ...], unique(1)] = ()


class NodeSpec(Part):
    """What the cluster wants of a node."""

    pod_cidr: Annotated[str, At(1)] = field(default="", name="podCIDR")
    pod_cidrs: Annotated[tuple[str, ...], unique(7, patch="merge")] = field(default=(), name="podCIDRs")
    provider_id: Annotated[str, At(3)] = field(default="", name="providerID")
    unschedulable: Annotated[bool, At(4)] = False
    taints: Annotated[tuple[Taint, ...], atomic(5)] = ()
    config_source: Annotated[NodeConfigSource | None, At(6)] = None
    external_id: Annotated[str, At(2)] = field(default="", name="externalID")
    pod_preemption_policy: Annotated[NodePodPreemptionPolicy | None, At(8)] = None


class NodeAddress(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    address: Annotated[str, At(2)] = field(default_factory=str)


class NodeCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_heartbeat_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    last_transition_time: Annotated[Time | None, At(4)] = field(default_factory=null)
    reason: Annotated[str, At(5)] = ""
    message: Annotated[str, At(6)] = ""


class NodeConfigStatus(Part):
    assigned: Annotated[NodeConfigSource | None, At(1)] = None
    active: Annotated[NodeConfigSource | None, At(2)] = None
    last_known_good: Annotated[NodeConfigSource | None, At(3)] = None
    error: Annotated[str, At(4)] = ""


class DaemonEndpoint(Part):
    port: Annotated[Int32, At(1)] = field(default_factory=int, name="Port")


class NodeDaemonEndpoints(Part):
    kubelet_endpoint: Annotated[DaemonEndpoint, At(1)] = field(default_factory=DaemonEndpoint)


class NodeFeatures(Part):
    supplemental_groups_policy: Annotated[bool | None, At(1)] = None


class ContainerImage(Part):
    names: Annotated[Some[str] | None, atomic(1, required=False)] = field(default_factory=null)
    size_bytes: Annotated[Int64, At(2)] = 0


class NodeSwapStatus(Part):
    capacity: Annotated[Int64 | None, At(1)] = None


class NodeSystemInfo(Part):
    """Versions and identities of the machine and its software."""

    machine_id: Annotated[str, At(1)] = field(default_factory=str, name="machineID")
    system_uuid: Annotated[str, At(2)] = field(default_factory=str, name="systemUUID")
    boot_id: Annotated[str, At(3)] = field(default_factory=str, name="bootID")
    kernel_version: Annotated[str, At(4)] = field(default_factory=str)
    os_image: Annotated[str, At(5)] = field(default_factory=str)
    container_runtime_version: Annotated[str, At(6)] = field(default_factory=str)
    kubelet_version: Annotated[str, At(7)] = field(default_factory=str)
    kube_proxy_version: Annotated[str, At(8)] = field(default_factory=str)
    operating_system: Annotated[str, At(9)] = field(default_factory=str)
    architecture: Annotated[str, At(10)] = field(default_factory=str)
    swap: Annotated[NodeSwapStatus | None, At(11)] = None
    running_in_user_namespace: Annotated[bool, At(12)] = False


class NodeRuntimeHandlerFeatures(Part):
    recursive_read_only_mounts: Annotated[bool | None, At(1)] = None
    user_namespaces: Annotated[bool | None, At(2)] = None


class NodeRuntimeHandler(Part):
    name: Annotated[str, At(1, required=False)] = field(default_factory=str)
    features: Annotated[NodeRuntimeHandlerFeatures | None, At(2)] = None


class AttachedVolume(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    device_path: Annotated[str, At(2)] = field(default_factory=str)


class NodeStatus(Part):
    """What the agent reports of its node: capacity, conditions, addresses, images."""

    capacity: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)
    allocatable: Annotated[dict[str, Quantity], At(2)] = field(default_factory=dict)
    phase: Annotated[str, At(3)] = ""
    conditions: Annotated[tuple[NodeCondition, ...], keyed(4, "type")] = ()
    addresses: Annotated[tuple[NodeAddress, ...], keyed(5, "type")] = ()
    daemon_endpoints: Annotated[NodeDaemonEndpoints, At(6)] = field(default_factory=NodeDaemonEndpoints)
    node_info: Annotated[NodeSystemInfo, At(7)] = field(default_factory=NodeSystemInfo)
    images: Annotated[tuple[ContainerImage, ...], atomic(8)] = ()
    volumes_in_use: Annotated[tuple[str, ...], atomic(9)] = ()
    volumes_attached: Annotated[tuple[AttachedVolume, ...], atomic(10)] = ()
    config: Annotated[NodeConfigStatus | None, At(11)] = None
    runtime_handlers: Annotated[tuple[NodeRuntimeHandler, ...], atomic(12)] = ()
    features: Annotated[NodeFeatures | None, At(13)] = None
    declared_features: Annotated[tuple[str, ...], atomic(14)] = ()


class Node(Object):
    """A machine that runs pods."""

    spec: Annotated[NodeSpec, At(2)] = field(default_factory=NodeSpec)
    status: Annotated[NodeStatus, At(3)] = field(default_factory=NodeStatus)


# --- Services


class ServicePort(Part):
    """One port of a service."""

    name: Annotated[str, At(1)] = ""
    protocol: Annotated[str, At(2, default="TCP")] = ""
    app_protocol: Annotated[str | None, At(6)] = None
    port: Annotated[Int32, At(3)] = field(default_factory=int)
    target_port: Annotated[IntOrString, At(4, required=False)] = field(default_factory=int)
    node_port: Annotated[Int32, At(5)] = 0


class ClientIPConfig(Part):
    timeout_seconds: Annotated[Int32 | None, At(1)] = None


class SessionAffinityConfig(Part):
    client_ip: Annotated[ClientIPConfig | None, At(1)] = field(default=None, name="clientIP")


class ServiceSpec(Part):
    """Which pods a service leads to, and on which addresses and ports it answers."""

    ports: Annotated[tuple[ServicePort, ...], keyed(1, "port", "protocol")] = ()
    selector: Annotated[dict[str, str], At(2, map_type="atomic")] = field(default_factory=dict)
    cluster_ip: Annotated[str, At(3)] = field(default="", name="clusterIP")
    cluster_ips: Annotated[tuple[str, ...], atomic(18)] = field(default=(), name="clusterIPs")
    type: Annotated[str, At(4)] = ""
    external_ips: Annotated[tuple[str, ...], atomic(5)] = field(default=(), name="externalIPs")
    session_affinity: Annotated[str, At(7)] = ""
    load_balancer_ip: Annotated[str, At(8)] = field(default="", name="loadBalancerIP")
    load_balancer_source_ranges: Annotated[tuple[str, ...], atomic(9)] = ()
    external_name: Annotated[str, At(10)] = ""
    external_traffic_policy: Annotated[str, At(11)] = ""
    health_check_node_port: Annotated[Int32, At(12)] = 0
    publish_not_ready_addresses: Annotated[bool, At(13)] = False
    session_affinity_config: Annotated[SessionAffinityConfig | None, At(14)] = None
    ip_families: Annotated[tuple[str, ...], atomic(19)] = ()
    ip_family_policy: Annotated[str | None, At(17)] = None
    allocate_load_balancer_node_ports: Annotated[bool | None, At(20)] = None
    load_balancer_class: Annotated[str | None, At(21)] = None
    internal_traffic_policy: Annotated[str | None, At(22)] = None
    traffic_distribution: Annotated[str | None, At(23)] = None


class PortStatus(Part):
    port: Annotated[Int32, At(1)] = field(default_factory=int)
    protocol: Annotated[str, At(2)] = field(default_factory=str)
    error: Annotated[str | None, At(3)] = None


class LoadBalancerIngress(Part):
    ip: Annotated[str, At(1)] = ""
    hostname: Annotated[str, At(2)] = ""
    ip_mode: Annotated[str | None, At(3)] = None
    ports: Annotated[tuple[PortStatus, ...], atomic(4)] = ()


class LoadBalancerStatus(Part):
    ingress: Annotated[tuple[LoadBalancerIngress, ...], atomic(1)] = ()


class ServiceStatus(Part):
    load_balancer: Annotated[LoadBalancerStatus, At(1)] = field(default_factory=LoadBalancerStatus)
    conditions: Annotated[tuple[Condition, ...], keyed(2, "type")] = ()


class Service(Object):
    """A stable address for a changing set of pods."""

    spec: Annotated[ServiceSpec, At(2)] = field(default_factory=ServiceSpec)
    status: Annotated[ServiceStatus, At(3)] = field(default_factory=ServiceStatus)


@whole
class EndpointAddress(Part):
    ip: Annotated[str, At(1)] = field(default_factory=str)
    hostname: Annotated[str, At(3)] = ""
    node_name: Annotated[str | None, At(4)] = None
    target_ref: Annotated[ObjectReference | None, At(2)] = None


@whole
class EndpointPort(Part):
    name: Annotated[str, At(1)] = ""
    port: Annotated[Int32, At(2)] = field(default_factory=int)
    protocol: Annotated[str, At(3)] = ""
    app_protocol: Annotated[str | None, At(4)] = None


class EndpointSubset(Part):
    """Addresses that share ports."""

    addresses: Annotated[tuple[EndpointAddress, ...], atomic(1)] = ()
    not_ready_addresses: Annotated[tuple[EndpointAddress, ...], atomic(2)] = ()
    ports: Annotated[tuple[EndpointPort, ...], atomic(3)] = ()


class Endpoints(Object):
    """The addresses behind a service, all in one object; EndpointSlice is its successor."""

    subsets: Annotated[tuple[EndpointSubset, ...], atomic(2)] = ()


# --- Events


class EventSeries(Part):
    count: Annotated[Int32, At(1)] = 0
    last_observed_time: Annotated[MicroTime | None, At(2)] = field(default_factory=null)


class EventSource(Part):
    component: Annotated[str, At(1)] = ""
    host: Annotated[str, At(2)] = ""


class Event(Object):
    """Something that happened to an object, for people to read."""

    involved_object: Annotated[ObjectReference, At(2, required=True)] = field(default_factory=ObjectReference)
    reason: Annotated[str, At(3)] = ""
    message: Annotated[str, At(4)] = ""
    source: Annotated[EventSource, At(5)] = field(default_factory=EventSource)
    first_timestamp: Annotated[Time | None, At(6)] = field(default_factory=null)
    last_timestamp: Annotated[Time | None, At(7)] = field(default_factory=null)
    count: Annotated[Int32, At(8)] = 0
    type: Annotated[str, At(9)] = ""
    event_time: Annotated[MicroTime | None, At(10)] = field(default_factory=null)
    series: Annotated[EventSeries | None, At(11)] = None
    action: Annotated[str, At(12)] = ""
    related: Annotated[ObjectReference | None, At(13)] = None
    reporting_component: Annotated[str, At(14, required=False)] = field(default_factory=str)
    reporting_instance: Annotated[str, At(15, required=False)] = field(default_factory=str)


# --- Health


class ComponentCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    message: Annotated[str, At(3)] = ""
    error: Annotated[str, At(4)] = ""


class ComponentStatus(Object):
    """Whether a part of the control plane is well; kept for old clients."""

    conditions: Annotated[tuple[ComponentCondition, ...], keyed(2, "type")] = ()
