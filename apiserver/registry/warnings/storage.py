"""Warnings about volumes, claims, and the classes and drivers behind them."""

from __future__ import annotations

from typing import Final

from apiserver.registry.warnings import amounts, nodelabels
from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.fields import Path
from steersman.api.storage import CSIDriver, CSIStorageCapacity, StorageClass

STORAGE_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"

_ANNOTATIONS: Final = {
    STORAGE_CLASS: 'deprecated since v1.8; use "storageClassName" attribute instead',
    MOUNT_OPTIONS: 'deprecated since v1.31; use "mountOptions" attribute instead',
}
_RECYCLE = (
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach "
    "is to use dynamic provisioning."
)
_SOURCES: Final = (
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("photon_persistent_disk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("scale_io", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)
_TOKENS_IN_SECRETS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)
_NOTES: Final = Path("metadata.annotations")


def of_volume(new: PersistentVolume, _old: PersistentVolume | None) -> list[str]:
    spec = new.spec
    noted = new.metadata.annotations
    warnings = [f"{_NOTES.key(key)}: {message}" for key, message in _ANNOTATIONS.items() if key in noted]
    if spec.persistent_volume_reclaim_policy == "Recycle":
        warnings.append(_RECYCLE)
    if spec.node_affinity is not None and spec.node_affinity.required is not None:
        path = Path("spec.nodeAffinity.required.nodeSelectorTerms")
        for index, term in enumerate(spec.node_affinity.required.node_selector_terms):
            warnings += nodelabels.of_required(term, path.index(index))
    gone = [(field, message) for attribute, field, message in _SOURCES if getattr(spec, attribute) is not None]
    return warnings + [f"spec.{field}: {message}" for field, message in gone]


def of_claim(new: PersistentVolumeClaim, _old: PersistentVolumeClaim | None) -> list[str]:
    warnings: list[str] = []
    if STORAGE_CLASS in new.metadata.annotations:
        warnings.append(f"{_NOTES.key(STORAGE_CLASS)}: {_ANNOTATIONS[STORAGE_CLASS]}")
    return warnings + amounts.of_claim(new.spec, Path("spec"))


def of_class(new: StorageClass, _old: StorageClass | None) -> list[str]:
    return [
        f"allowedTopologies[{number}].matchLabelExpressions[{index}].key: {nodelabels.DEPRECATED[expression.key]}"
        for number, topology in enumerate(new.allowed_topologies)
        for index, expression in enumerate(topology.match_label_expressions)
        if expression.key in nodelabels.DEPRECATED
    ]


def of_capacity(new: CSIStorageCapacity, _old: CSIStorageCapacity | None) -> list[str]:
    return nodelabels.of_selector(new.node_topology, Path("nodeTopology"))


def of_driver(new: CSIDriver, old: CSIDriver | None) -> list[str]:
    asked = new.spec.token_requests
    if not asked or new.spec.service_account_token_in_secrets is not None:
        return []
    return [_TOKENS_IN_SECRETS] if old is None or old.spec.token_requests != asked else []
