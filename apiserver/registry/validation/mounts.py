"""Rules for what a container sees of the pod's volumes, as directories (mounts) or as block devices."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from apiserver.registry.validation import checks, filepaths
from steersman.api import fields
from steersman.api.core import Container, EphemeralContainer, Volume, VolumeDevice, VolumeMount
from steersman.api.errors import Cause
from steersman.api.fields import Path

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE = ("Disabled", "Enabled", "IfPossible")


@dataclass(frozen=True, slots=True)
class _Places:
    """Names and paths that are taken by the other way of seeing volumes."""

    names: Set[str]
    paths: Set[str]

    @classmethod
    def of_devices(cls, devices: tuple[VolumeDevice, ...]) -> _Places:
        # The last device of a name counts, as in Kubernetes; that names are unique is another rule.
        by_name = {device.name: device.device_path for device in devices}
        return cls(by_name.keys(), frozenset(by_name.values()))

    @classmethod
    def of_mounts(cls, mounts: tuple[VolumeMount, ...]) -> _Places:
        by_name = {mount.name: mount.mount_path for mount in mounts}
        return cls(by_name.keys(), frozenset(by_name.values()))


_NO_DEVICES = _Places(frozenset(), frozenset())


def validate_mounts(
    container: Container | EphemeralContainer, volumes: Mapping[str, Volume], path: Path
) -> list[Cause]:
    causes: list[Cause] = []
    devices = _Places.of_devices(container.volume_devices) if container.volume_devices else _NO_DEVICES
    taken: set[str] = set()
    for index, mount in enumerate(container.volume_mounts):
        if (
            mount.name not in volumes
            or not mount.name
            or not mount.mount_path
            or mount.mount_path in taken
            or devices.names
        ):
            causes += _validate_place(mount, path.index(index), volumes, taken, devices)
        taken.add(mount.mount_path)
        if mount.sub_path or mount.sub_path_expr:
            causes += _validate_sub_path(mount, path, path.index(index))
        if mount.mount_propagation is not None:
            causes += _validate_propagation(mount.mount_propagation, container, path.child("mountPropagation"))
        if mount.recursive_read_only is not None:
            causes += _validate_recursive(mount, mount.recursive_read_only, path.child("recursiveReadOnly"))
    return causes


def _validate_place(
    mount: VolumeMount, path: Path, volumes: Mapping[str, Volume], taken: set[str], devices: _Places
) -> list[Cause]:
    causes: list[Cause] = []
    if not mount.name:
        causes.append(fields.required(path.child("name")))
    if mount.name not in volumes:
        causes.append(fields.not_found(path.child("name"), mount.name))
    if not mount.mount_path:
        causes.append(fields.required(path.child("mountPath")))
    if mount.mount_path in taken:
        causes.append(fields.invalid(path.child("mountPath"), mount.mount_path, "must be unique"))
    if mount.name in devices.names:
        causes.append(fields.invalid(path.child("name"), mount.name, "must not already exist in volumeDevices"))
    if mount.mount_path in devices.paths:
        detail = "must not already exist as a path in volumeDevices"
        causes.append(fields.invalid(path.child("mountPath"), mount.mount_path, detail))
    return causes


def _validate_sub_path(mount: VolumeMount, mounts: Path, path: Path) -> list[Cause]:
    # Kubernetes names the list, not the item, for what is wrong inside a sub path.
    causes = filepaths.descending(mount.sub_path, mounts.child("subPath")) if mount.sub_path else []
    if mount.sub_path_expr:
        if mount.sub_path:
            detail = "subPathExpr and subPath are mutually exclusive"
            causes.append(fields.invalid(path.child("subPathExpr"), mount.sub_path_expr, detail))
        causes += filepaths.descending(mount.sub_path_expr, mounts.child("subPathExpr"))
    return causes


def _validate_propagation(mode: str, container: Container | EphemeralContainer, path: Path) -> list[Cause]:
    causes = checks.choice(mode, path, _PROPAGATIONS)
    context = container.security_context
    if mode == "Bidirectional" and (context is None or not context.privileged):
        detail = "Bidirectional mount propagation is available only to privileged containers"
        causes.append(fields.forbidden(path, detail))
    return causes


def _validate_recursive(mount: VolumeMount, mode: str, path: Path) -> list[Cause]:
    if mode == "Disabled":
        return []
    if mode not in _RECURSIVE:
        return [fields.not_supported(path, mode, _RECURSIVE)]
    causes: list[Cause] = []
    if not mount.read_only:
        causes.append(fields.forbidden(path, "may only be specified when readOnly is true"))
    if mount.mount_propagation not in (None, "None"):
        detail = "may only be specified when mountPropagation is None or not specified"
        causes.append(fields.forbidden(path, detail))
    return causes


def validate_devices(
    container: Container | EphemeralContainer, volumes: Mapping[str, Volume], path: Path
) -> list[Cause]:
    causes: list[Cause] = []
    mounts = _Places.of_mounts(container.volume_mounts)
    seen_names: set[str] = set()
    seen_paths: set[str] = set()
    for index, device in enumerate(container.volume_devices):
        where = path.index(index)
        causes += _validate_device_name(device, where.child("name"), volumes, seen_names)
        causes += _validate_device_path(device.device_path, where.child("devicePath"), seen_paths)
        if device.name in mounts.names:
            detail = "must not already exist in volumeMounts"
            causes.append(fields.invalid(where.child("name"), device.name, detail))
        if device.device_path in mounts.paths:
            detail = "must not already exist as a path in volumeMounts"
            causes.append(fields.invalid(where.child("devicePath"), device.device_path, detail))
        if device.name:
            seen_names.add(device.name)
    return causes


def _validate_device_name(
    device: VolumeDevice, path: Path, volumes: Mapping[str, Volume], seen: set[str]
) -> list[Cause]:
    causes: list[Cause] = []
    volume = volumes.get(device.name)
    if not device.name:
        causes.append(fields.required(path))
    if device.name in seen:
        causes.append(fields.invalid(path, device.name, "must be unique"))
    if volume is None:
        causes.append(fields.not_found(path, device.name))
    elif volume.persistent_volume_claim is None and volume.ephemeral is None:
        detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        causes.append(fields.invalid(path, device.name, detail))
    return causes


def _validate_device_path(device_path: str, path: Path, seen: set[str]) -> list[Cause]:
    causes: list[Cause] = []
    if not device_path:
        causes.append(fields.required(path))
    if device_path in seen:
        causes.append(fields.invalid(path, device_path, "must be unique"))
    if filepaths.has_backsteps(device_path):
        causes.append(fields.invalid(path, device_path, "can not contain backsteps ('..')"))
    else:
        seen.add(device_path)
    return causes
