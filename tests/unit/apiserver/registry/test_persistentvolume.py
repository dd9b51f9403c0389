"""PersistentVolumes: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from apiserver.registry.persistentvolume import PERSISTENT_VOLUME
from steersman.api.core import PersistentVolume
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Patch, Row, Step, Subject, ids, row, step

SUBJECT = Subject(
    PersistentVolume,
    PERSISTENT_VOLUME,
    {
        "metadata": {"name": "disk", "creationTimestamp": "2026-11-18T07:00:00Z"},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}},
    },
)
MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
OPTIONS = "volume.beta.kubernetes.io/mount-options"
SECRET = {"name": "s", "namespace": "n"}


def spec(**fields: Any) -> Patch:
    return {"spec": fields}


def source(**fields: Any) -> Patch:
    return {"spec": {"hostPath": None, **fields}}


def nodes(*keys: str) -> Patch:
    terms = [{"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}]
    return spec(nodeAffinity={"required": {"nodeSelectorTerms": terms}})


DEFAULTS: list[tuple[str, Patch, Patch]] = [
    ("policy and mode", {}, {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}),
    ("amounts", spec(capacity={"storage": "1500u"}), {"capacity": {"storage": "2m"}}),
    ("a path", {}, {"hostPath": {"path": "/data", "type": ""}}),
    (
        "iscsi",
        source(iscsi={"targetPortal": "t", "iqn": "q", "lun": 1}),
        {"iscsi": {"targetPortal": "t", "iqn": "q", "lun": 1, "iscsiInterface": "default"}},
    ),
    (
        "rbd",
        source(rbd={"monitors": ["m"], "image": "i", "user": "u"}),
        {"rbd": {"monitors": ["m"], "image": "i", "user": "u", "pool": "rbd", "keyring": "/etc/ceph/keyring"}},
    ),
    (
        "azure",
        source(azureDisk={"diskName": "d", "diskURI": "u"}),
        {
            "azureDisk": {
                "diskName": "d",
                "diskURI": "u",
                "cachingMode": "ReadWrite",
                "fsType": "ext4",
                "readOnly": False,
                "kind": "Shared",
            }
        },
    ),
]


@pytest.mark.parametrize(("patch", "wanted"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS])
def test_defaults(patch: Patch, wanted: Patch) -> None:
    made = SUBJECT.defaulted(patch)["spec"]
    assert {name: made[name] for name in wanted} == wanted


def test_a_newborn_is_pending_since_its_creation() -> None:
    assert SUBJECT.defaulted()["status"] == {"phase": "Pending", "lastPhaseTransitionTime": "2026-11-18T07:00:00Z"}
    assert SUBJECT.defaulted({"status": {"phase": "Bound"}})["status"] == {"phase": "Bound"}


def test_the_same_phase_has_lasted_since_the_same_time() -> None:
    old = SUBJECT.make()
    now = datetime(2026, 11, 18, 8, tzinfo=UTC)
    again = PERSISTENT_VOLUME.stamp(SUBJECT.make({"status": {"phase": "Pending", "message": "m"}}), old, now)
    assert again.status.last_phase_transition_time == "2026-11-18T07:00:00Z"
    bound = PERSISTENT_VOLUME.stamp(SUBJECT.make({"status": {"phase": "Bound"}}), old, now)
    assert bound.status.last_phase_transition_time == "2026-11-18T08:00:00Z"


ROWS = [
    row("plain", {}),
    row("no modes", spec(accessModes=[]), "spec.accessModes: Required value"),
    row("a strange mode", spec(accessModes=["Odd"]), f'spec.accessModes: Unsupported value: "Odd": {MODES}'),
    row(
        "one pod and others",
        spec(accessModes=["ReadWriteOnce", "ReadWriteOncePod"]),
        "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ),
    row(
        "no capacity",
        spec(capacity=None),
        "spec.capacity: Required value",
        'spec.capacity: Unsupported value: null: supported values: "storage"',
    ),
    row(
        "capacity of something else",
        spec(capacity={"cpu": "1"}),
        'spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"',
    ),
    row(
        "no storage",
        spec(capacity={"storage": "0"}),
        'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
    ),
    row(
        "less than no storage",
        spec(capacity={"storage": "-1"}),
        "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ),
    row(
        "a strange policy",
        spec(persistentVolumeReclaimPolicy="Burn"),
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": '
        'supported values: "Delete", "Recycle", "Retain"',
    ),
    row(
        "no nodes are named",
        spec(nodeAffinity={}),
        "spec.nodeAffinity.required: Required value: must specify required node constraints",
    ),
    row(
        "nodes without terms",
        spec(nodeAffinity={"required": {"nodeSelectorTerms": []}}),
        "spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term",
    ),
    row("no source", source(), "spec: Required value: must specify a volume type"),
    row(
        "two sources",
        spec(nfs={"server": "s", "path": "/"}, cephfs={"monitors": ["m"]}),
        "spec.nfs: Forbidden: may not specify more than 1 volume type",
        "spec.cephFS: Forbidden: may not specify more than 1 volume type",
    ),
    row("no path", spec(hostPath={"path": None}), "spec.hostPath.path: Required value"),
    row(
        "a path with steps back",
        spec(hostPath={"path": "/a/../b"}),
        "spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
    ),
    row(
        "a strange path",
        spec(hostPath={"type": "Odd"}),
        'spec.hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", '
        '"DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ),
    row(
        "a partition out of range",
        source(gcePersistentDisk={"pdName": "p", "partition": 256}),
        "spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
    ),
    row("no volume", source(awsElasticBlockStore={}), "spec.awsElasticBlockStore.volumeID: Required value"),
    row(
        "no gluster",
        source(glusterfs={"endpointsNamespace": ""}),
        "spec.glusterfs.endpoints: Required value",
        "spec.glusterfs.path: Required value",
        'spec.glusterfs.endpointsNamespace: Invalid value: "": '
        "if the endpointnamespace is set, it must be a valid namespace name",
    ),
    row(
        "gluster elsewhere",
        source(glusterfs={"endpoints": "e", "path": "p", "endpointsNamespace": "A"}),
        f'spec.glusterfs.endpointsNamespace: Invalid value: "A": {DNS_LABEL}',
    ),
    row("no nfs", source(nfs={"path": "/"}), "spec.nfs.server: Required value"),
    row("no rbd", source(rbd={}), "spec.rbd.monitors: Required value", "spec.rbd.image: Required value"),
    row("no ceph", source(cephfs={}), "spec.cephfs.monitors: Required value"),
    row(
        "no iscsi",
        source(iscsi={"lun": 256, "chapAuthSession": True}),
        "spec.iscsi.targetPortal: Required value",
        "spec.iscsi.iqn: Required value",
        "spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
        "spec.iscsi.secretRef: Required value",
    ),
    row(
        "bad iscsi",
        source(iscsi={"targetPortal": "t", "iqn": "x", "secretRef": {}, "initiatorName": "y"}),
        'spec.iscsi.iqn: Invalid value: "x": must be valid format',
        'spec.iscsi.initiatorname: Invalid value: "y": must be valid format',
        "spec.iscsi.secretRef.name: Required value",
    ),
    row(
        "a long iscsi portal",
        source(
            iscsi={
                "targetPortal": "t" * 61,
                "iqn": "iqn.2001-04.com.example:a",
                "initiatorName": "iqn.2001-04.com.example:b",
            }
        ),
        f'spec.iscsi.targetportal: Invalid value: "{"t" * 61}": '
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
        "if iscsi.initiatorName is specified.",
    ),
    row(
        "no cinder",
        source(cinder={"secretRef": {}}),
        "spec.cinder.volumeID: Required value",
        "spec.cinder.secretRef.name: Required value",
        "spec.cinder.secretRef.namespace: Required value",
    ),
    row("no flex", source(flexVolume={}), "spec.flexVolume.driver: Required value"),
    row("flex beside another", spec(flexVolume={"driver": "d"})),
    row(
        "no azure file",
        source(azureFile={"secretNamespace": ""}),
        "spec.azureFile.secretName: Required value",
        "spec.azureFile.shareName: Required value",
        "spec.azureFile.secretNamespace: Required value",
    ),
    row("no photon", source(photonPersistentDisk={}), "spec.photonPersistentDisk.pdID: Required value"),
    row(
        "no scale io",
        source(scaleIO={}),
        "spec.scaleIO.gateway: Required value",
        "spec.scaleIO.system: Required value",
        "spec.scaleIO.volumeName: Required value",
    ),
    row(
        "local without nodes",
        source(local={}),
        "spec.local.path: Required value",
        "spec.nodeAffinity: Required value: Local volume requires node affinity",
    ),
    row("local", {"spec": {**nodes("a")["spec"], "hostPath": None, "local": {"path": "/mnt"}}}),
    row(
        "no storage os",
        source(storageos={"volumeNamespace": "A", "secretRef": {}}),
        "spec.storageos.volumeName: Required value",
        f'spec.storageos.volumeNamespace: Invalid value: "A": {DNS_LABEL}',
        "spec.storageos.secretRef.name: Required value",
        "spec.storageos.secretRef.namespace: Required value",
    ),
    row(
        "no csi",
        source(csi={"nodePublishSecretRef": {}, "controllerExpandSecretRef": {"name": "A", "namespace": "A"}}),
        "spec.csi.driver: Required value",
        "spec.csi.volumeHandle: Required value",
        f'spec.csi.controllerExpandSecretRef.name: Invalid value: "A": {DNS_SUBDOMAIN}',
        f'spec.csi.controllerExpandSecretRef.namespace: Invalid value: "A": {DNS_LABEL}',
        "spec.csi.nodePublishSecretRef.name: Required value",
        "spec.csi.nodePublishSecretRef.namespace: Required value",
    ),
    row(
        "recycling everything",
        spec(hostPath={"path": "/"}, persistentVolumeReclaimPolicy="Recycle"),
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ),
    row("a bad class", spec(storageClassName="A"), f'spec.storageClassName: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row(
        "a strange volume mode",
        spec(volumeMode="Odd"),
        'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"',
    ),
    row(
        "no attributes",
        spec(volumeAttributesClassName=""),
        "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
        "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
    ),
    row(
        "bad attributes",
        source(volumeAttributesClassName="A", csi={"driver": "d", "volumeHandle": "h"}),
        f'spec.volumeAttributesClassName: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
    row(
        "mount options for a path",
        {"metadata": {"annotations": {OPTIONS: "ro"}}},
        f"metadata.annotations.{OPTIONS}: Forbidden: may not specify mount options for this volume type",
    ),
    row(
        "mount options for nfs",
        {"metadata": {"annotations": {OPTIONS: "ro"}}, **source(nfs={"server": "s", "path": "/"})},
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


CSI = source(csi={"driver": "d", "volumeHandle": "h"})
STEPS = [
    step("a claim", spec(claimRef={"name": "c", "namespace": "n"})),
    step("more storage", spec(capacity={"storage": "2Gi"})),
    step("a first secret to expand with", spec(csi={"controllerExpandSecretRef": SECRET}), before=CSI),
    step("another mode", spec(volumeMode="Block"), 'volumeMode: Invalid value: "Block": field is immutable'),
    step("first nodes", nodes("a")),
    step(
        "other nodes",
        nodes("b"),
        'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":'
        '[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]}}: '
        "field is immutable, except for updating from beta label to GA",
        before=nodes("a"),
    ),
    step(
        "nodes in a newer spelling",
        nodes("topology.kubernetes.io/zone", "a"),
        before=nodes("failure-domain.beta.kubernetes.io/zone", "a"),
    ),
    step(
        "no nodes",
        spec(nodeAffinity=None),
        "nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA",
        before=nodes("a"),
    ),
    step("other attributes", spec(volumeAttributesClassName="b"), before=spec(volumeAttributesClassName="a")),
    step(
        "no attributes",
        spec(volumeAttributesClassName=None),
        "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden",
        before=spec(volumeAttributesClassName="a"),
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


def test_another_source_is_refused_with_the_difference() -> None:
    (complaint,) = SUBJECT.complaints_about_step(step("", spec(hostPath={"path": "/other"})))
    rule = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n"
    assert complaint.startswith(rule)
    changed = [line for line in complaint.removeprefix(rule).split("\n") if line[:1] in "+-" and line.strip()]
    assert [line.replace(" ", "") for line in changed] == ['-"Path":"/data",', '+"Path":"/other",']
