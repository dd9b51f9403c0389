"""Storage that is in use is not torn away: a finalizer on every new volume and claim, taken off when nobody uses it."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from steersman.api.core import PersistentVolume, PersistentVolumeClaim

PV_PROTECTION = "kubernetes.io/pv-protection"
PVC_PROTECTION = "kubernetes.io/pvc-protection"

Storage = TypeVar("Storage", PersistentVolume, PersistentVolumeClaim)


def admit(volume: Storage) -> Storage:
    finalizer = PV_PROTECTION if isinstance(volume, PersistentVolume) else PVC_PROTECTION
    metadata = volume.metadata
    if finalizer in metadata.finalizers:
        return volume
    return replace(volume, metadata=replace(metadata, finalizers=(*metadata.finalizers, finalizer)))
