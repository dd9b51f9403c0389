"""Storage that is in use is not torn away: a finalizer on every new volume, claim and class of attributes, taken off
when nobody uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.meta import Object
from steersman.api.storage import VolumeAttributesClass

PROTECTION: Mapping[type[Object], str] = {
    PersistentVolume: "kubernetes.io/pv-protection",
    PersistentVolumeClaim: "kubernetes.io/pvc-protection",
    VolumeAttributesClass: "kubernetes.io/vac-protection",
}

Storage = TypeVar("Storage", bound=Object)


def admit(new: Storage) -> Storage:
    finalizer, metadata = PROTECTION[type(new)], new.metadata
    if finalizer in metadata.finalizers:
        return new
    return replace(new, metadata=replace(metadata, finalizers=(*metadata.finalizers, finalizer)))
