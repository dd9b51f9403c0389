"""Storage in a table."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.core import PersistentVolume, PersistentVolumeClaim
from steersman.api.meta import Object
from steersman.api.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    StorageClass,
    VolumeAttachment,
    VolumeAttributesClass,
)
from tests.unit.apiserver.printing.rows import CREATED, shown

GOING = {"deletionTimestamp": "2026-11-18T12:00:00Z"}
CLASS_ANNOTATION = {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}}
DEFAULT_ANNOTATION = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
OLD_DEFAULT_ANNOTATION = {"annotations": {"storageclass.beta.kubernetes.io/is-default-class": "true"}}


@pytest.mark.parametrize(
    ("struct", "metadata", "fields", "expected"),
    [
        pytest.param(
            PersistentVolume,
            {},
            {
                "spec": {
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Retain",
                    "claimRef": {"namespace": "n", "name": "c"},
                    "storageClassName": "fast",
                    "volumeMode": "Block",
                },
                "status": {"phase": "Bound"},
            },
            ["x", "1Gi", "RWO,RWX", "Retain", "Bound", "n/c", "fast", "<unset>", "", "5m", "Block"],
            id="bound volume",
        ),
        pytest.param(
            PersistentVolume,
            GOING | CLASS_ANNOTATION,
            {"status": {"phase": "Failed", "reason": "Why"}, "spec": {"volumeAttributesClassName": "v"}},
            ["x", "0", "", "", "Terminating", "", "old", "v", "Why", "5m", "<unset>"],
            id="bare volume",
        ),
        pytest.param(
            PersistentVolumeClaim,
            {},
            {
                "spec": {"volumeName": "v", "storageClassName": "fast", "volumeMode": "Filesystem"},
                "status": {
                    "phase": "Bound",
                    "capacity": {"storage": "2Gi"},
                    "accessModes": ["ReadOnlyMany", "ReadWriteOncePod"],
                },
            },
            ["x", "Bound", "v", "2Gi", "ROX,RWOP", "fast", "<unset>", "5m", "Filesystem"],
            id="bound claim",
        ),
        pytest.param(
            PersistentVolumeClaim,
            {},
            {"spec": {"resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}},
            ["x", "Pending", "", "", "", "", "<unset>", "5m", "<unset>"],
            id="waiting claim",
        ),
        pytest.param(
            PersistentVolumeClaim,
            GOING | CLASS_ANNOTATION,
            {"spec": {"volumeName": "v"}},
            ["x", "Terminating", "v", "0", "", "old", "<unset>", "5m", "<unset>"],
            id="claim on its way out",
        ),
        pytest.param(
            StorageClass, {}, {"provisioner": "p"}, ["x", "p", "Delete", "Immediate", False, "5m"], id="bare class"
        ),
        pytest.param(
            StorageClass,
            DEFAULT_ANNOTATION,
            {
                "provisioner": "p",
                "reclaimPolicy": "Retain",
                "volumeBindingMode": "WaitForFirstConsumer",
                "allowVolumeExpansion": True,
            },
            ["x (default)", "p", "Retain", "WaitForFirstConsumer", True, "5m"],
            id="default class",
        ),
        pytest.param(
            StorageClass,
            OLD_DEFAULT_ANNOTATION,
            {"provisioner": "p"},
            ["x (default)", "p", "Delete", "Immediate", False, "5m"],
            id="default class of old",
        ),
        pytest.param(VolumeAttributesClass, {}, {"driverName": "d"}, ["x", "d", "5m"], id="attributes class"),
        pytest.param(
            VolumeAttachment,
            {},
            {"spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}}},
            ["x", "a", "v", "n", False, "5m"],
            id="attachment",
        ),
        pytest.param(
            CSINode,
            {},
            {"spec": {"drivers": [{"name": "d", "nodeID": "n"}]}},
            ["x", 1, "5m"],
            id="drivers of a node",
        ),
        pytest.param(
            CSIDriver, {}, {"spec": {}}, ["x", True, False, False, "<unset>", False, "<none>", "5m"], id="bare driver"
        ),
        pytest.param(
            CSIDriver,
            {},
            {
                "spec": {
                    "attachRequired": False,
                    "podInfoOnMount": True,
                    "storageCapacity": True,
                    "tokenRequests": [{"audience": "a"}, {"audience": "b"}],
                    "requiresRepublish": True,
                    "volumeLifecycleModes": ["Persistent", "Ephemeral"],
                }
            },
            ["x", False, True, True, "a,b", True, "Persistent,Ephemeral", "5m"],
            id="driver",
        ),
        pytest.param(CSIStorageCapacity, {}, {"storageClassName": "c"}, ["x", CREATED], id="room: nothing particular"),
    ],
)
def test_storage(struct: type[Object], metadata: dict[str, Any], fields: dict[str, Any], expected: list[Any]) -> None:
    assert list(shown(struct, metadata=metadata, **fields).values()) == expected
