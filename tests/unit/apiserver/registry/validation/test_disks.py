"""Every rule for network file systems and cloud disks is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN, Case, check, ids, in_spec, in_volume

ISCSI = {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:storage", "lun": 0}

DISKS = [
    in_volume(
        "gcePersistentDisk",
        {"gcePersistentDisk": {"pdName": "", "partition": 256}},
        ".persistentDisk.pdName: Required value",
        ".persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
    ),
    in_volume(
        "awsElasticBlockStore",
        {"awsElasticBlockStore": {"volumeID": "", "partition": -1}},
        ".awsElasticBlockStore.volumeID: Required value",
        ".awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive",
    ),
    in_volume(
        "nfs without anything",
        {"nfs": {"server": "", "path": ""}},
        ".nfs.server: Required value",
        ".nfs.path: Required value",
        '.nfs.path: Invalid value: "": must be an absolute path',
    ),
    in_volume(
        "nfs with a relative path",
        {"nfs": {"server": "s", "path": "a"}},
        '.nfs.path: Invalid value: "a": must be an absolute path',
    ),
    in_volume(
        "iscsi without anything",
        {"iscsi": {"targetPortal": "", "iqn": "", "lun": 256}},
        ".iscsi.targetPortal: Required value",
        ".iscsi.iqn: Required value",
        ".iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
    ),
    in_volume(
        "iscsi with a name of its own kind",
        {"iscsi": {**ISCSI, "iqn": "abc"}},
        '.iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
    ),
    in_volume(
        "iscsi with a bad iqn",
        {"iscsi": {**ISCSI, "iqn": "iqn.1:x"}},
        '.iscsi.iqn: Invalid value: "iqn.1:x": must be valid format',
    ),
    in_volume(
        "iscsi with a bad eui",
        {"iscsi": {**ISCSI, "iqn": "eui.12"}},
        '.iscsi.iqn: Invalid value: "eui.12": must be valid format',
    ),
    in_volume(
        "iscsi with a bad naa initiator, and no secret",
        {"iscsi": {**ISCSI, "chapAuthSession": True, "initiatorName": "naa.12"}},
        ".iscsi.secretRef: Required value",
        '.iscsi.initiatorname: Invalid value: "naa.12": must be valid format',
    ),
    in_spec(
        "iscsi with too long a name",
        {"volumes": [{"name": "v" * 60, "iscsi": {**ISCSI, "initiatorName": "iqn.2001-04.com.example:storage"}}]},
        f'.volumes[0].name: Invalid value: "{"v" * 60}": Total length of <volume name>:<iscsi.targetPortal> must be '
        "under 64 characters if iscsi.initiatorName is specified.",
    ),
    in_volume(
        "glusterfs",
        {"glusterfs": {"endpoints": "", "path": ""}},
        ".glusterfs.endpoints: Required value",
        ".glusterfs.path: Required value",
    ),
    in_volume(
        "flocker without a dataset",
        {"flocker": {}},
        ".flocker: Required value: one of datasetName and datasetUUID is required",
    ),
    in_volume(
        "flocker with both",
        {"flocker": {"datasetName": "a/b", "datasetUUID": "u"}},
        '.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        ".flocker.datasetName: Invalid value: \"a/b\": must not contain '/'",
    ),
    in_volume(
        "rbd",
        {"rbd": {"monitors": [], "image": ""}},
        ".rbd.monitors: Required value",
        ".rbd.image: Required value",
    ),
    in_volume(
        "cinder",
        {"cinder": {"volumeID": "", "secretRef": {}}},
        ".cinder.volumeID: Required value",
        ".cinder.secretRef.name: Required value",
    ),
    in_volume("cephfs", {"cephfs": {"monitors": []}}, ".cephfs.monitors: Required value"),
    in_volume(
        "quobyte without anything",
        {"quobyte": {"registry": "", "volume": ""}},
        ".quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas",
        ".quobyte.volume: Required value",
    ),
    in_volume(
        "quobyte with bad pairs",
        {"quobyte": {"registry": "a:1,b", "volume": "v"}},
        '.quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
    ),
    in_volume(
        "quobyte with a long tenant",
        {"quobyte": {"registry": "a:1", "volume": "v", "tenant": "t" * 65}},
        ".quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters",
    ),
    in_volume(
        "fc without names",
        {"fc": {}},
        ".fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both",
    ),
    in_volume(
        "fc with both",
        {"fc": {"targetWWNs": ["a", "b"], "wwids": ["c"]}},
        '.fc.targetWWNs: Invalid value: ["a","b"]: targetWWNs and wwids can not be specified simultaneously',
        ".fc.lun: Required value: lun is required if targetWWNs is specified",
    ),
    in_volume(
        "fc with a high lun",
        {"fc": {"targetWWNs": ["a"], "lun": 256}},
        ".fc.lun: Invalid value: 256: must be between 0 and 255, inclusive",
    ),
    in_volume(
        "flexVolume",
        {"flexVolume": {"driver": "", "options": {"kubernetes.io/x": "1", "a.K8S.io": "2", "fine.io/x": "3"}}},
        ".flexVolume.driver: Required value",
        '.flexVolume.options[kubernetes.io/x]: Invalid value: "kubernetes.io/x": '
        "kubernetes.io and k8s.io namespaces are reserved",
        '.flexVolume.options[a.K8S.io]: Invalid value: "a.K8S.io": kubernetes.io and k8s.io namespaces are reserved',
    ),
    in_volume(
        "azureFile",
        {"azureFile": {"secretName": "", "shareName": ""}},
        ".azureFile.secretName: Required value",
        ".azureFile.shareName: Required value",
    ),
    in_volume("vsphereVolume", {"vsphereVolume": {"volumePath": ""}}, ".vsphereVolume.volumePath: Required value"),
    in_volume(
        "photonPersistentDisk", {"photonPersistentDisk": {"pdID": ""}}, ".photonPersistentDisk.pdID: Required value"
    ),
    in_volume("portworxVolume", {"portworxVolume": {"volumeID": ""}}, ".portworxVolume.volumeID: Required value"),
    in_volume(
        "azureDisk without anything",
        {"azureDisk": {"diskName": "", "diskURI": "", "cachingMode": "Some", "kind": "Loud"}},
        ".azureDisk.diskName: Required value",
        ".azureDisk.diskURI: Required value",
        '.azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
        '.azureDisk.kind: Unsupported value: "Loud": supported values: "Dedicated", "Managed", "Shared"',
        '.azureDisk.diskURI: Unsupported value: "": supported values: '
        '"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ),
    in_volume(
        "azureDisk, managed, elsewhere",
        {"azureDisk": {"diskName": "d", "diskURI": "https://x", "kind": "Managed"}},
        '.azureDisk.diskURI: Unsupported value: "https://x": supported values: '
        '"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ),
    in_volume(
        "storageos without anything",
        {"storageos": {"secretRef": {}}},
        ".storageos.volumeName: Required value",
        ".storageos.secretRef.name: Required value",
    ),
    in_volume(
        "storageos with bad names",
        {"storageos": {"volumeName": "A", "volumeNamespace": "B"}},
        f'.storageos.volumeName: Invalid value: "A": {DNS_LABEL}',
        f'.storageos.volumeNamespace: Invalid value: "B": {DNS_LABEL}',
    ),
    in_volume(
        "scaleIO",
        {"scaleIO": {"gateway": "", "system": "", "secretRef": None}},
        ".scaleIO.gateway: Required value",
        ".scaleIO.system: Required value",
        ".scaleIO.volumeName: Required value",
    ),
    in_volume("csi without a driver", {"csi": {"driver": ""}}, ".csi.driver: Required value"),
    in_volume(
        "csi with a bad driver and no secret's name",
        {"csi": {"driver": "A_B", "nodePublishSecretRef": {}}},
        f'.csi.driver: Invalid value: "A_B": {DNS_SUBDOMAIN}',
        ".csi.nodePublishSecretRef.name: Required value",
    ),
    in_volume(
        "csi with a long driver and a bad secret",
        {"csi": {"driver": "d" * 64, "nodePublishSecretRef": {"name": "S"}}},
        ".csi.driver: Too long: may not be more than 63 bytes",
        f'.csi.name: Invalid value: "S": {DNS_SUBDOMAIN}',
    ),
]


@pytest.mark.parametrize("case", DISKS, ids=ids(DISKS))
def test_disks(case: Case) -> None:
    check(case)


VALID = [
    in_volume("iscsi by eui", {"iscsi": {**ISCSI, "iqn": "eui.0123456789abcdef"}}),
    in_volume("csi driver in capitals", {"csi": {"driver": "CSI.example.com"}}),
    in_volume("quobyte on IPv6", {"quobyte": {"registry": "[::1]:80,host:1", "volume": "v"}}),
    in_volume("whole disk", {"gcePersistentDisk": {"pdName": "d", "partition": 0}}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
