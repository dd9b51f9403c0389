"""Rules for the sources of PersistentVolumes: like those of a pod's volumes, but secrets may be in other namespaces."""

from __future__ import annotations

from apiserver.registry.validation import checks, disks, filepaths
from apiserver.registry.validation.volumes import HOST_PATH_TYPES
from steersman.api import fields, names
from steersman.api.core import (
    AzureFilePersistentVolumeSource,
    CinderPersistentVolumeSource,
    CSIPersistentVolumeSource,
    GlusterfsPersistentVolumeSource,
    HostPathVolumeSource,
    ISCSIPersistentVolumeSource,
    LocalVolumeSource,
    PersistentVolumeSpec,
    SecretReference,
    StorageOSPersistentVolumeSource,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

SEVERAL_SOURCES = "may not specify more than 1 volume type"
LONGEST_PORTAL = 64

_ISCSI_KINDS = ("iqn", "eui", "naa")


def validate_sources(spec: PersistentVolumeSpec, name: str, path: Path) -> list[Cause]:
    """Exactly one source, valid. `name` is the volume's."""
    causes: list[Cause] = []
    found = 0
    for attribute, shown, where in _SOURCES:
        source = getattr(spec, attribute)
        if source is None:
            continue
        # Kubernetes forgot to refuse a flexVolume beside another source.
        if found and attribute != "flex_volume":
            causes.append(fields.forbidden(path.child(shown), SEVERAL_SOURCES))
            continue
        found += 1
        causes += _RULES[attribute](source, path.child(where))
        if attribute == "iscsi":
            causes += _validate_portal(source, name, path.child(where))
        if attribute == "local" and spec.node_affinity is None:
            causes.append(fields.required(path.child("nodeAffinity"), "Local volume requires node affinity"))
    if not found:
        causes.append(fields.required(path, "must specify a volume type"))
    return causes


def _host_path(source: HostPathVolumeSource, path: Path) -> list[Cause]:
    if not source.path:
        return [fields.required(path.child("path"))]
    causes = filepaths.no_backsteps(source.path, path.child("path"))
    return causes if source.type is None else causes + checks.choice(source.type, path.child("type"), HOST_PATH_TYPES)


def _glusterfs(source: GlusterfsPersistentVolumeSource, path: Path) -> list[Cause]:
    causes = disks.requires(endpoints="endpoints", path="path")(source, path)
    namespace, where = source.endpoints_namespace, path.child("endpointsNamespace")
    if namespace is None:
        return causes
    if not namespace:
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        return [*causes, fields.invalid(where, namespace, detail)]
    return causes + checks.name(namespace, where, names.dns_label)


def _iscsi(source: ISCSIPersistentVolumeSource, path: Path) -> list[Cause]:
    causes = disks.RULES["iscsi"](source, path)
    # For a PersistentVolume Kubernetes has fewer words than for a pod's volume.
    shorter = [Cause(cause.reason, cause.message.removesuffix(_WITH_KINDS), cause.field) for cause in causes]
    if source.secret_ref is not None and not source.secret_ref.name:
        shorter.append(fields.required(path.child("secretRef").child("name")))
    return shorter


_WITH_KINDS = f" starting with {_ISCSI_KINDS[0]}, {_ISCSI_KINDS[1]}, or {_ISCSI_KINDS[2]}"


def _validate_portal(source: ISCSIPersistentVolumeSource, name: str, path: Path) -> list[Cause]:
    if source.initiator_name is None or len(f"{name}:{source.target_portal}".encode()) <= LONGEST_PORTAL:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
        "if iscsi.initiatorName is specified."
    )
    return [fields.invalid(path.child("targetportal"), source.target_portal, detail)]


def _cinder(source: CinderPersistentVolumeSource, path: Path) -> list[Cause]:
    causes = disks.requires(volume_id="volumeID")(source, path)
    if source.secret_ref is not None:
        causes += disks.requires(name="name", namespace="namespace")(source.secret_ref, path.child("secretRef"))
    return causes


def _azure_file(source: AzureFilePersistentVolumeSource, path: Path) -> list[Cause]:
    causes = disks.requires(secret_name="secretName", share_name="shareName")(source, path)
    if source.secret_namespace == "":
        causes.append(fields.required(path.child("secretNamespace")))
    return causes


def _local(source: LocalVolumeSource, path: Path) -> list[Cause]:
    if not source.path:
        return [fields.required(path.child("path"))]
    return filepaths.no_backsteps(source.path, path.child("path"))


def _storage_os(source: StorageOSPersistentVolumeSource, path: Path) -> list[Cause]:
    causes = checks.required_name(source.volume_name, path.child("volumeName"), names.dns_label)
    if source.volume_namespace:
        causes += checks.name(source.volume_namespace, path.child("volumeNamespace"), names.dns_label)
    if source.secret_ref is not None:
        causes += disks.requires(name="name", namespace="namespace")(source.secret_ref, path.child("secretRef"))
    return causes


def _csi(source: CSIPersistentVolumeSource, path: Path) -> list[Cause]:
    causes = disks.validate_driver_name(source.driver, path.child("driver"))
    causes += disks.requires(volume_handle="volumeHandle")(source, path)
    secrets = (
        ("controllerPublishSecretRef", source.controller_publish_secret_ref),
        ("controllerExpandSecretRef", source.controller_expand_secret_ref),
        ("nodePublishSecretRef", source.node_publish_secret_ref),
        ("nodeExpandSecretRef", source.node_expand_secret_ref),
    )
    for shown, secret in secrets:
        if secret is not None:
            causes += _secret(secret, path.child(shown))
    return causes


def _secret(secret: SecretReference, path: Path) -> list[Cause]:
    causes = checks.required_name(secret.name, path.child("name"), names.dns_subdomain)
    return causes + checks.required_name(secret.namespace, path.child("namespace"), names.dns_label)


_RULES: dict[str, disks.Rule] = disks.RULES | {
    "host_path": _host_path,
    "glusterfs": _glusterfs,
    "iscsi": _iscsi,
    "cinder": _cinder,
    "azure_file": _azure_file,
    "local": _local,
    "storageos": _storage_os,
    "csi": _csi,
}

_SOURCES = (
    # attribute, its name where it is one too many, its name where it is wrong itself
    ("host_path", "hostPath", "hostPath"),
    ("gce_persistent_disk", "gcePersistentDisk", "persistentDisk"),
    ("aws_elastic_block_store", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("nfs", "nfs", "nfs"),
    ("rbd", "rbd", "rbd"),
    ("quobyte", "quobyte", "quobyte"),
    ("cephfs", "cephFS", "cephfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("cinder", "cinder", "cinder"),
    ("fc", "fc", "fc"),
    ("flex_volume", "flexVolume", "flexVolume"),
    ("azure_file", "azureFile", "azureFile"),
    ("vsphere_volume", "vsphereVolume", "vsphereVolume"),
    ("photon_persistent_disk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworx_volume", "portworxVolume", "portworxVolume"),
    ("azure_disk", "azureDisk", "azureDisk"),
    ("scale_io", "scaleIO", "scaleIO"),
    ("local", "local", "local"),
    ("storageos", "storageos", "storageos"),
    ("csi", "csi", "csi"),
)
