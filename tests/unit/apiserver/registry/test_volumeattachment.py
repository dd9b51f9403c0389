"""VolumeAttachments: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.volumeattachment import VOLUME_ATTACHMENT
from steersman.api.storage import VolumeAttachment
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    VolumeAttachment,
    VOLUME_ATTACHMENT,
    {
        "metadata": {"name": "a"},
        "spec": {"attacher": "disk.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "v"}},
    },
)
SOURCE = "spec.source"
INLINE = "spec.source.inlineVolumeSpec"
EXACTLY_ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
CSI = {"driver": "disk.example.com", "volumeHandle": "h"}


def inline(**given: Any) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "csi": CSI, **given}
    return {"spec": {"source": {"persistentVolumeName": None, "inlineVolumeSpec": spec}}}


ROWS = [
    row("as it should be", {}),
    row("a volume of its own", inline()),
    row(
        "nothing said",
        {"spec": {"attacher": "", "nodeName": "", "source": {"persistentVolumeName": None}}},
        "spec.attacher: Required value",
        f"{SOURCE}: Required value: {EXACTLY_ONE}",
        f'spec.nodeName: Invalid value: "": {DNS_SUBDOMAIN}',
    ),
    row(
        "two volumes",
        {"spec": {"source": {"inlineVolumeSpec": {}}}},
        f"{SOURCE}: Forbidden: {EXACTLY_ONE}",
    ),
    row(
        "no volume",
        {"spec": {"source": {"persistentVolumeName": ""}}},
        f"{SOURCE}.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
        f'{SOURCE}.persistentVolumeName: Invalid value: "": {DNS_SUBDOMAIN}',
    ),
    row(
        "a volume of its own with everything else",
        inline(
            accessModes=[],
            claimRef={"name": "c"},
            capacity={"storage": "1Gi"},
            persistentVolumeReclaimPolicy="Delete",
            nodeAffinity={},
            storageClassName="fast",
            volumeMode="Block",
        ),
        f"{INLINE}.claimRef: Forbidden: may not be specified in the context of inline volumes",
        f"{INLINE}.capacity: Forbidden: may not be specified in the context of inline volumes",
        f"{INLINE}.accessModes: Required value",
        f"{INLINE}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes",
        f"{INLINE}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes",
        f"{INLINE}.storageClassName: Forbidden: may not be specified in the context of inline volumes",
        f"{INLINE}.volumeMode: Forbidden: "
        "may not specify volumeMode other than Filesystem in the context of inline volumes",
    ),
    row(
        "a volume of its own from nowhere",
        inline(csi=None),
        f"{INLINE}.csi: Required value: has to be specified in the context of inline volumes",
        f"{INLINE}: Required value: must specify a volume type",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("attached", {"status": {"attached": True, "attachmentMetadata": {"device": "/dev/a"}}}),
    step("failed", {"status": {"attachError": {"message": "no", "errorCode": 8}}}),
    step(
        "elsewhere",
        {"spec": {"nodeName": "n2"}},
        'spec: Invalid value: {"Attacher":"disk.example.com","Source":{"PersistentVolumeName":"v",'
        '"InlineVolumeSpec":null},"NodeName":"n2"}: field is immutable',
    ),
    step(
        "too much to say",
        {
            "status": {
                "attachmentMetadata": {"a": "x" * 256 * 1024},
                "attachError": {"message": "x" * 1025},
                "detachError": {"errorCode": -1},
            }
        },
        "status.attachmentMetadata: Too long: may not be more than 262144 bytes",
        "status.attachError.message: Too long: may not be more than 262144 bytes",
        "status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
