"""Rules for a pod's volumes: a unique name each, and exactly one source, whose own rules hold."""

from __future__ import annotations

from msgspec.structs import astuple

from apiserver.registry.validation import checks, claims, disks, filepaths, projected
from steersman.api import fields, names, quantity
from steersman.api.core import (
    ConfigMapVolumeSource,
    EmptyDirVolumeSource,
    EphemeralVolumeSource,
    GitRepoVolumeSource,
    HostPathVolumeSource,
    ImageVolumeSource,
    SecretVolumeSource,
    Volume,
)
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_SEVERAL_SOURCES = "may not specify more than 1 volume type"
_ISCSI_NAME_LENGTH = 64


def validate_volumes(
    volumes: tuple[Volume, ...], path: Path, *, pod_name: str, in_pod: bool
) -> tuple[dict[str, Volume], list[Cause]]:
    """The volumes that are all right, by name (containers may mount only those), and the complaints about the others.

    `pod_name`: empty for templates, whose pods have no names yet. `in_pod`: some sources may stay open in a template.
    """
    usable: dict[str, Volume] = {}
    causes: list[Cause] = []
    own_claims = {f"{pod_name}-{volume.name}" for volume in volumes if volume.ephemeral is not None}
    for index, volume in enumerate(volumes):
        where = path.index(index)
        wrong = _validate_source(volume, where, pod_name=pod_name, in_pod=in_pod)
        if not volume.name:
            wrong.append(fields.required(where.child("name")))
        elif complaints := checks.complaints(names.dns_label, volume.name):
            wrong += [fields.invalid(where.child("name"), volume.name, complaint) for complaint in complaints]
        if volume.name in usable:
            wrong.append(fields.duplicate(where.child("name"), volume.name))
        if not wrong:
            usable[volume.name] = volume
        causes += wrong
        claim = volume.persistent_volume_claim
        if pod_name and claim is not None and claim.claim_name in own_claims:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            path_of_name = where.child("persistentVolumeClaim").child("claimName")
            causes.append(fields.invalid(path_of_name, claim.claim_name, detail))
    return usable, causes


def _validate_source(volume: Volume, path: Path, *, pod_name: str, in_pod: bool) -> list[Cause]:
    causes: list[Cause] = []
    present = sorted(
        _SOURCES[field]
        for field, source in zip(_FIELDS, astuple(volume), strict=True)
        if source is not None and field != "name"
    )
    if not present:
        causes.append(fields.required(path, "must specify a volume type"))
    for count, (_, attribute, shown, several) in enumerate(present):
        source = getattr(volume, attribute)
        if count:
            causes.append(fields.forbidden(path.child(several), _SEVERAL_SOURCES))
        else:
            if attribute == "image" and in_pod and not source.reference:
                causes.append(fields.required(path.child(shown).child("reference")))
            causes += _RULES[attribute](source, path.child(shown))
            if attribute == "ephemeral":
                causes += _validate_claim_to_be(volume.name, pod_name, path)
        if attribute == "iscsi" and source.initiator_name is not None:
            causes += _validate_iscsi_length(volume, source.target_portal, path)
    return causes


def _validate_iscsi_length(volume: Volume, portal: str, path: Path) -> list[Cause]:
    if len(f"{volume.name}:{portal}") <= _ISCSI_NAME_LENGTH:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
        "if iscsi.initiatorName is specified."
    )
    return [fields.invalid(path.child("name"), volume.name, detail)]


def _validate_claim_to_be(name: str, pod_name: str, path: Path) -> list[Cause]:
    """The claim of an ephemeral volume is called after pod and volume; that must be a name, too."""
    if not pod_name or not name:
        return []
    claim = f"{pod_name}-{name}"
    return [
        fields.invalid(path.child("name"), name, f"PVC name {quoted(claim)}: {complaint}")
        for complaint in names.dns_subdomain(claim)
    ]


def _empty_dir(source: EmptyDirVolumeSource, path: Path) -> list[Cause]:
    if source.size_limit is None or quantity.value(source.size_limit) >= 0:
        return []
    return [fields.forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")]


def _host_path(source: HostPathVolumeSource, path: Path) -> list[Cause]:
    if not source.path:
        return [fields.required(path.child("path"))]
    causes = filepaths.no_backsteps(source.path, path.child("path"))
    if source.type is not None:
        causes += checks.choice(source.type, path.child("type"), HOST_PATH_TYPES)
    return causes


def _git_repo(source: GitRepoVolumeSource, path: Path) -> list[Cause]:
    causes = [] if source.repository else [fields.required(path.child("repository"))]
    return causes + filepaths.descending(source.directory, path.child("directory"))


def _secret(source: SecretVolumeSource, path: Path) -> list[Cause]:
    causes = [] if source.secret_name else [fields.required(path.child("secretName"))]
    causes += filepaths.file_mode(source.default_mode, path.child("defaultMode"))
    return causes + projected.validate_keys(source.items, path.child("items"))


def _config_map(source: ConfigMapVolumeSource, path: Path) -> list[Cause]:
    causes = [] if source.name else [fields.required(path.child("name"))]
    causes += filepaths.file_mode(source.default_mode, path.child("defaultMode"))
    return causes + projected.validate_keys(source.items, path.child("items"))


def _ephemeral(source: EphemeralVolumeSource, path: Path) -> list[Cause]:
    where = path.child("volumeClaimTemplate")
    if source.volume_claim_template is None:
        return [fields.required(where)]
    return claims.validate_claim_template(source.volume_claim_template, where)


def _image(source: ImageVolumeSource, path: Path) -> list[Cause]:
    return checks.required_choice(source.pull_policy, path.child("pullPolicy"), PULL_POLICIES)


_RULES: dict[str, disks.Rule] = disks.RULES | {
    "empty_dir": _empty_dir,
    "host_path": _host_path,
    "git_repo": _git_repo,
    "secret": _secret,
    "persistent_volume_claim": disks.requires(claim_name="claimName"),
    "downward_api": projected.validate_downward_api,
    "config_map": _config_map,
    "projected": projected.validate_projected,
    "ephemeral": _ephemeral,
    "image": _image,
}

_IN_ORDER: tuple[tuple[str, str, str], ...] = (
    # attribute, its name in complaints about it, its name in the complaint that there are several
    ("empty_dir", "emptyDir", "emptyDir"),
    ("host_path", "hostPath", "hostPath"),
    ("git_repo", "gitRepo", "gitRepo"),
    ("gce_persistent_disk", "persistentDisk", "gcePersistentDisk"),
    ("aws_elastic_block_store", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret", "secret"),
    ("nfs", "nfs", "nfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("persistent_volume_claim", "persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd", "rbd"),
    ("cinder", "cinder", "cinder"),
    ("cephfs", "cephfs", "cephFS"),
    ("quobyte", "quobyte", "quobyte"),
    ("downward_api", "downwardAPI", "downwarAPI"),
    ("fc", "fc", "fc"),
    ("flex_volume", "flexVolume", "flexVolume"),
    ("config_map", "configMap", "configMap"),
    ("azure_file", "azureFile", "azureFile"),
    ("vsphere_volume", "vsphereVolume", "vsphereVolume"),
    ("photon_persistent_disk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworx_volume", "portworxVolume", "portworxVolume"),
    ("azure_disk", "azureDisk", "azureDisk"),
    ("storageos", "storageos", "storageos"),
    ("projected", "projected", "projected"),
    ("scale_io", "scaleIO", "scaleIO"),
    ("csi", "csi", "csi"),
    ("ephemeral", "ephemeral", "ephemeral"),
    ("image", "image", "image"),
)
"""All sources in Kubernetes' order, with its misspellings: clients see these paths."""

_SOURCES = {attribute: (rank, attribute, shown, several) for rank, (attribute, shown, several) in enumerate(_IN_ORDER)}
_FIELDS = Volume.__struct_fields__
