"""Rules for volumes that network file systems and cloud disks provide: one function per source, all in one table."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.core import (
    AWSElasticBlockStoreVolumeSource,
    AzureDiskVolumeSource,
    AzureFileVolumeSource,
    CinderVolumeSource,
    CSIVolumeSource,
    FCVolumeSource,
    FlexVolumeSource,
    FlockerVolumeSource,
    GCEPersistentDiskVolumeSource,
    ISCSIVolumeSource,
    NFSVolumeSource,
    QuobyteVolumeSource,
    StorageOSVolumeSource,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

Rule = Callable[[Any, Path], list[Cause]]

MAX_DRIVER_LENGTH = 63

_IQN = re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+\Z")
_EUI = re.compile(r"eui.[A-Za-z0-9]{16}\Z")
_NAA = re.compile(r"naa.[A-Za-z0-9]{32}\Z")
_ISCSI_NAMES = {"iqn": _IQN, "eui": _EUI, "naa": _NAA}
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*")
_CACHING_MODES = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_URI = ("/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",)
_BLOB_URI = ("https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",)
_RESERVED_DOMAINS = (".kubernetes.io", ".k8s.io")


def requires(**shown: str) -> Rule:
    """The rule that fields are not empty: `attribute="nameInComplaints"`, in order."""

    def validate(source: Any, path: Path) -> list[Cause]:
        return [
            fields.required(path.child(name)) for attribute, name in shown.items() if not getattr(source, attribute)
        ]

    return validate


def validate_driver_name(driver: str, path: Path) -> list[Cause]:
    """The name of a CSI driver, in whatever case."""
    if not driver:
        return [fields.required(path)]
    causes = [fields.too_long(path, MAX_DRIVER_LENGTH)] if len(driver) > MAX_DRIVER_LENGTH else []
    return causes + [fields.invalid(path, driver, complaint) for complaint in names.dns_subdomain(driver.lower())]


def _partition(source: GCEPersistentDiskVolumeSource | AWSElasticBlockStoreVolumeSource, path: Path) -> list[Cause]:
    # Zero means the whole disk, whatever the words say.
    if 0 <= source.partition <= 255:
        return []
    return [fields.invalid(path.child("partition"), source.partition, "must be between 1 and 255, inclusive")]


def _gce_disk(source: GCEPersistentDiskVolumeSource, path: Path) -> list[Cause]:
    return requires(pd_name="pdName")(source, path) + _partition(source, path)


def _aws_disk(source: AWSElasticBlockStoreVolumeSource, path: Path) -> list[Cause]:
    return requires(volume_id="volumeID")(source, path) + _partition(source, path)


def _nfs(source: NFSVolumeSource, path: Path) -> list[Cause]:
    causes = requires(server="server", path="path")(source, path)
    if not source.path.startswith("/"):
        causes.append(fields.invalid(path.child("path"), source.path, "must be an absolute path"))
    return causes


def _iscsi(source: ISCSIVolumeSource, path: Path) -> list[Cause]:
    causes = requires(target_portal="targetPortal", iqn="iqn")(source, path)
    if source.iqn:
        causes += _iscsi_name(source.iqn, path.child("iqn"))
    causes += checks.in_range(source.lun, path.child("lun"), 0, 255)
    if (source.chap_auth_discovery or source.chap_auth_session) and source.secret_ref is None:
        causes.append(fields.required(path.child("secretRef")))
    if source.initiator_name is not None:
        causes += _iscsi_name(source.initiator_name, path.child("initiatorname"))
    return causes


def _iscsi_name(name: str, path: Path) -> list[Cause]:
    pattern = _ISCSI_NAMES.get(name[:3])
    if pattern is None:
        return [fields.invalid(path, name, "must be valid format starting with iqn, eui, or naa")]
    return [] if pattern.search(name) else [fields.invalid(path, name, "must be valid format")]


def _flocker(source: FlockerVolumeSource, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not source.dataset_name and not source.dataset_uuid:
        causes.append(fields.required(path, "one of datasetName and datasetUUID is required"))
    if source.dataset_name and source.dataset_uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        causes.append(fields.invalid(path, "resource", detail))
    if "/" in source.dataset_name:
        causes.append(fields.invalid(path.child("datasetName"), source.dataset_name, "must not contain '/'"))
    return causes


def _cinder(source: CinderVolumeSource, path: Path) -> list[Cause]:
    causes = requires(volume_id="volumeID")(source, path)
    if source.secret_ref is not None:
        causes += requires(name="name")(source.secret_ref, path.child("secretRef"))
    return causes


def _quobyte(source: QuobyteVolumeSource, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    pairs = "must be a host:port pair or multiple pairs separated by commas"
    if not source.registry:
        causes.append(fields.required(path.child("registry"), pairs))
    elif len(source.tenant) >= 65:
        detail = "must be a UUID and may not exceed a length of 64 characters"
        causes.append(fields.required(path.child("tenant"), detail))
    else:
        wrong = [pair for pair in source.registry.split(",") if not _HOST_AND_PORT.fullmatch(pair)]
        causes += [fields.invalid(path.child("registry"), source.registry, pairs) for _ in wrong]
    return causes + requires(volume="volume")(source, path)


def _fibre_channel(source: FCVolumeSource, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    names_path = path.child("targetWWNs")
    if not source.target_wwns and not source.wwids:
        causes.append(fields.required(names_path, "must specify either targetWWNs or wwids, but not both"))
    if source.target_wwns and source.wwids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        causes.append(fields.invalid(names_path, list(source.target_wwns), detail))
    if source.target_wwns:
        if source.lun is None:
            causes.append(fields.required(path.child("lun"), "lun is required if targetWWNs is specified"))
        else:
            causes += checks.in_range(source.lun, path.child("lun"), 0, 255)
    return causes


def _flex(source: FlexVolumeSource, path: Path) -> list[Cause]:
    causes = requires(driver="driver")(source, path)
    for option in source.options:
        domain = option.partition("/")[0]
        if f".{domain.lower()}".endswith(_RESERVED_DOMAINS):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            causes.append(fields.invalid(path.child("options").key(option), option, detail))
    return causes


def _azure_disk(source: AzureDiskVolumeSource, path: Path) -> list[Cause]:
    causes = requires(disk_name="diskName", disk_uri="diskURI")(source, path)
    if source.caching_mode is not None:
        causes += checks.choice(source.caching_mode, path.child("cachingMode"), _CACHING_MODES)
    if source.kind is None:
        return causes
    causes += checks.choice(source.kind, path.child("kind"), _DISK_KINDS)
    uri = path.child("diskURI")
    if source.kind == "Managed":
        if not source.disk_uri.startswith("/subscriptions/"):
            causes.append(fields.not_supported(uri, source.disk_uri, _MANAGED_URI))
    elif not source.disk_uri.startswith("https://"):
        causes.append(fields.not_supported(uri, source.disk_uri, _BLOB_URI))
    return causes


def _storage_os(source: StorageOSVolumeSource, path: Path) -> list[Cause]:
    causes = checks.required_name(source.volume_name, path.child("volumeName"), names.dns_label)
    if source.volume_namespace:
        causes += checks.name(source.volume_namespace, path.child("volumeNamespace"), names.dns_label)
    if source.secret_ref is not None:
        causes += requires(name="name")(source.secret_ref, path.child("secretRef"))
    return causes


def _csi(source: CSIVolumeSource, path: Path) -> list[Cause]:
    causes = validate_driver_name(source.driver, path.child("driver"))
    secret = source.node_publish_secret_ref
    if secret is None:
        return causes
    if not secret.name:
        return [*causes, fields.required(path.child("nodePublishSecretRef").child("name"))]
    return causes + checks.name(secret.name, path.child("name"), names.dns_subdomain)


def _azure_file(source: AzureFileVolumeSource, path: Path) -> list[Cause]:
    return requires(secret_name="secretName", share_name="shareName")(source, path)


RULES: dict[str, Rule] = {
    "gce_persistent_disk": _gce_disk,
    "aws_elastic_block_store": _aws_disk,
    "nfs": _nfs,
    "iscsi": _iscsi,
    "glusterfs": requires(endpoints="endpoints", path="path"),
    "flocker": _flocker,
    "rbd": requires(monitors="monitors", image="image"),
    "cinder": _cinder,
    "cephfs": requires(monitors="monitors"),
    "quobyte": _quobyte,
    "fc": _fibre_channel,
    "flex_volume": _flex,
    "azure_file": _azure_file,
    "vsphere_volume": requires(volume_path="volumePath"),
    "photon_persistent_disk": requires(pd_id="pdID"),
    "portworx_volume": requires(volume_id="volumeID"),
    "azure_disk": _azure_disk,
    "storageos": _storage_os,
    "scale_io": requires(gateway="gateway", system="system", volume_name="volumeName"),
    "csi": _csi,
}
