"""Defaults of a pod's volumes. Each source has its own row; a volume without any source is an emptyDir."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import astuple, replace

from apiserver.registry.defaults import image, resources
from apiserver.registry.defaults.container import default_field_selector, each, note
from steersman.api.core import (
    AzureDiskVolumeSource,
    ConfigMapVolumeSource,
    DownwardAPIVolumeFile,
    DownwardAPIVolumeSource,
    EmptyDirVolumeSource,
    EphemeralVolumeSource,
    HostPathVolumeSource,
    ImageVolumeSource,
    ISCSIVolumeSource,
    PersistentVolumeClaimSpec,
    ProjectedVolumeSource,
    RBDVolumeSource,
    ScaleIOVolumeSource,
    SecretVolumeSource,
    Volume,
    VolumeProjection,
)

FILE_MODE = 0o644
TOKEN_SECONDS = 60 * 60

_FIELDS = Volume.__struct_fields__


def default_volume(volume: Volume) -> Volume:
    """The volume with the defaults of its source, or of its sources: that there is one too many is for the rules."""
    present = [
        (name, source)
        for name, source in zip(_FIELDS, astuple(volume), strict=True)
        if source is not None and name != "name"
    ]
    if not present:
        return replace(volume, empty_dir=EmptyDirVolumeSource())
    changes: dict[str, Any] = {}
    for name, source in present:
        default = _DEFAULTS.get(name)
        if default is not None:
            note(changes, name, source, default(source))
    return replace(volume, **changes) if changes else volume


def default_claim_spec(spec: PersistentVolumeClaimSpec) -> PersistentVolumeClaimSpec:
    """Defaults of a claim, whether it stands alone or is made from a template."""
    changes: dict[str, Any] = {}
    if spec.volume_mode is None:
        changes["volume_mode"] = "Filesystem"
    limits, requests = resources.rounded(spec.resources.limits), resources.rounded(spec.resources.requests)
    if limits is not spec.resources.limits or requests is not spec.resources.requests:
        changes["resources"] = replace(spec.resources, limits=limits, requests=requests)
    return replace(spec, **changes) if changes else spec


def _default_host_path(source: HostPathVolumeSource) -> HostPathVolumeSource:
    return replace(source, type="") if source.type is None else source


def _default_secret(source: SecretVolumeSource) -> SecretVolumeSource:
    return replace(source, default_mode=FILE_MODE) if source.default_mode is None else source


def _default_config_map(source: ConfigMapVolumeSource) -> ConfigMapVolumeSource:
    return replace(source, default_mode=FILE_MODE) if source.default_mode is None else source


def _default_downward_api(source: DownwardAPIVolumeSource) -> DownwardAPIVolumeSource:
    changes: dict[str, Any] = {}
    if source.default_mode is None:
        changes["default_mode"] = FILE_MODE
    note(changes, "items", source.items, each(source.items, _default_file))
    return replace(source, **changes) if changes else source


def _default_file(file: DownwardAPIVolumeFile) -> DownwardAPIVolumeFile:
    selector = file.field_ref
    if selector is None or selector.api_version:
        return file
    return replace(file, field_ref=default_field_selector(selector))


def _default_projected(source: ProjectedVolumeSource) -> ProjectedVolumeSource:
    changes: dict[str, Any] = {}
    if source.default_mode is None:
        changes["default_mode"] = FILE_MODE
    if source.sources is not None:
        note(changes, "sources", source.sources, each(source.sources, _default_projection))
    return replace(source, **changes) if changes else source


def _default_projection(projection: VolumeProjection) -> VolumeProjection:
    changes: dict[str, Any] = {}
    downward_api, token = projection.downward_api, projection.service_account_token
    if downward_api is not None:
        items = each(downward_api.items, _default_file)
        if items is not downward_api.items:
            changes["downward_api"] = replace(downward_api, items=items)
    if token is not None and token.expiration_seconds is None:
        changes["service_account_token"] = replace(token, expiration_seconds=TOKEN_SECONDS)
    return replace(projection, **changes) if changes else projection


def _default_ephemeral(source: EphemeralVolumeSource) -> EphemeralVolumeSource:
    template = source.volume_claim_template
    if template is None:
        return source
    spec = default_claim_spec(template.spec)
    return source if spec is template.spec else replace(source, volume_claim_template=replace(template, spec=spec))


def _default_image(source: ImageVolumeSource) -> ImageVolumeSource:
    return source if source.pull_policy else replace(source, pull_policy=image.pull_policy(source.reference))


def _default_iscsi(source: ISCSIVolumeSource) -> ISCSIVolumeSource:
    return source if source.iscsi_interface else replace(source, iscsi_interface="default")


def _default_rbd(source: RBDVolumeSource) -> RBDVolumeSource:
    pool, user, keyring = source.pool or "rbd", source.user or "admin", source.keyring or "/etc/ceph/keyring"
    if (pool, user, keyring) == (source.pool, source.user, source.keyring):
        return source
    return replace(source, pool=pool, user=user, keyring=keyring)


def _default_azure_disk(source: AzureDiskVolumeSource) -> AzureDiskVolumeSource:
    defaults = {"caching_mode": "ReadWrite", "fs_type": "ext4", "read_only": False, "kind": "Shared"}
    changes = {name: value for name, value in defaults.items() if getattr(source, name) is None}
    return replace(source, **changes) if changes else source


def _default_scale_io(source: ScaleIOVolumeSource) -> ScaleIOVolumeSource:
    if source.storage_mode and source.fs_type:
        return source
    return replace(source, storage_mode=source.storage_mode or "ThinProvisioned", fs_type=source.fs_type or "xfs")


_DEFAULTS: dict[str, Callable[[Any], Any]] = {
    "host_path": _default_host_path,
    "secret": _default_secret,
    "iscsi": _default_iscsi,
    "rbd": _default_rbd,
    "downward_api": _default_downward_api,
    "config_map": _default_config_map,
    "azure_disk": _default_azure_disk,
    "projected": _default_projected,
    "scale_io": _default_scale_io,
    "ephemeral": _default_ephemeral,
    "image": _default_image,
}
