"""Disks and shares of particular makers, most of them served by CSI drivers nowadays; and what CSI itself needs."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core, storage
from steersman.api.part import Part

_FS_TYPE = "The file system, such as ext4."
_READ_ONLY = "Whether it can only be read."
_PARTITION = "The partition; 0 or nothing for the whole disk."
_SECRET = "A Secret with the credentials."
_AZURE_FILE = {
    "secretName": "A Secret with the account's name and key.",
    "shareName": "The share.",
    "readOnly": _READ_ONLY,
}
_CEPH_FS = {
    "monitors": "The monitors.",
    "path": "The path in the file system; / if nothing is said.",
    "user": "The user; admin if nothing is said.",
    "secretFile": "The file with the user's key.",
    "secretRef": _SECRET,
    "readOnly": _READ_ONLY,
}
_CINDER = {
    "volumeID": "What Cinder calls the volume.",
    "fsType": _FS_TYPE,
    "readOnly": _READ_ONLY,
    "secretRef": _SECRET,
}
_FLEX = {
    "driver": "The driver.",
    "fsType": _FS_TYPE,
    "secretRef": _SECRET,
    "readOnly": _READ_ONLY,
    "options": "Settings for the driver.",
}
_GLUSTER = {
    "endpoints": "The Endpoints of the servers.",
    "path": "The volume.",
    "readOnly": _READ_ONLY,
}
_ISCSI = {
    "targetPortal": "The address of the target.",
    "iqn": "The name of the target.",
    "lun": "The number of the unit.",
    "iscsiInterface": "The interface; default if nothing is said.",
    "fsType": _FS_TYPE,
    "readOnly": _READ_ONLY,
    "portals": "Further addresses of the target.",
    "chapAuthDiscovery": "Whether discovery needs a password.",
    "chapAuthSession": "Whether sessions need a password.",
    "secretRef": _SECRET,
    "initiatorName": "The name of the initiator.",
}
_RBD = {
    "monitors": "The monitors.",
    "image": "The image.",
    "fsType": _FS_TYPE,
    "pool": "The pool; rbd if nothing is said.",
    "user": "The user; admin if nothing is said.",
    "keyring": "The file with the user's key.",
    "secretRef": _SECRET,
    "readOnly": _READ_ONLY,
}
_SCALE_IO = {
    "gateway": "The address of the gateway.",
    "system": "The storage system.",
    "secretRef": _SECRET,
    "sslEnabled": "Whether the gateway is spoken to with TLS.",
    "protectionDomain": "The protection domain.",
    "storagePool": "The storage pool.",
    "storageMode": "ThickProvisioned or ThinProvisioned.",
    "volumeName": "The volume.",
    "fsType": _FS_TYPE,
    "readOnly": _READ_ONLY,
}
_STORAGE_OS = {
    "volumeName": "The volume.",
    "volumeNamespace": "The scope of the volume's name.",
    "fsType": _FS_TYPE,
    "readOnly": _READ_ONLY,
    "secretRef": _SECRET,
}

_DISKS: Mapping[type[Part], Mapping[str, str]] = {
    core.AWSElasticBlockStoreVolumeSource: {
        "volumeID": "What AWS calls the volume.",
        "fsType": _FS_TYPE,
        "partition": _PARTITION,
        "readOnly": _READ_ONLY,
    },
    core.AzureDiskVolumeSource: {
        "diskName": "The disk's name.",
        "diskURI": "The disk's address.",
        "cachingMode": "What the host keeps in its cache.",
        "fsType": _FS_TYPE,
        "readOnly": _READ_ONLY,
        "kind": "Whether the account has one disk, several, or the cloud looks after that.",
    },
    core.AzureFileVolumeSource: _AZURE_FILE,
    core.AzureFilePersistentVolumeSource: {**_AZURE_FILE, "secretNamespace": "The namespace of the Secret."},
    core.CephFSVolumeSource: _CEPH_FS,
    core.CephFSPersistentVolumeSource: _CEPH_FS,
    core.CinderVolumeSource: _CINDER,
    core.CinderPersistentVolumeSource: _CINDER,
    core.FCVolumeSource: {
        "targetWWNs": "The names of the targets.",
        "lun": "The number of the unit.",
        "fsType": _FS_TYPE,
        "readOnly": _READ_ONLY,
        "wwids": "The names of the volumes, instead of targets and unit.",
    },
    core.FlexVolumeSource: _FLEX,
    core.FlexPersistentVolumeSource: _FLEX,
    core.FlockerVolumeSource: {"datasetName": "The name of the dataset.", "datasetUUID": "The UUID of the dataset."},
    core.GCEPersistentDiskVolumeSource: {
        "pdName": "What Google calls the disk.",
        "fsType": _FS_TYPE,
        "partition": _PARTITION,
        "readOnly": _READ_ONLY,
    },
    core.GitRepoVolumeSource: {
        "repository": "The address of the repository.",
        "revision": "The commit.",
        "directory": "The directory to clone into.",
    },
    core.GlusterfsVolumeSource: _GLUSTER,
    core.GlusterfsPersistentVolumeSource: {**_GLUSTER, "endpointsNamespace": "The namespace of the Endpoints."},
    core.ISCSIVolumeSource: _ISCSI,
    core.ISCSIPersistentVolumeSource: _ISCSI,
    core.PhotonPersistentDiskVolumeSource: {"pdID": "What Photon calls the disk.", "fsType": _FS_TYPE},
    core.PortworxVolumeSource: {
        "volumeID": "What Portworx calls the volume.",
        "fsType": _FS_TYPE,
        "readOnly": _READ_ONLY,
    },
    core.QuobyteVolumeSource: {
        "registry": "The addresses of the registry.",
        "volume": "The volume.",
        "readOnly": _READ_ONLY,
        "user": "The user.",
        "group": "The group.",
        "tenant": "The tenant.",
    },
    core.RBDVolumeSource: _RBD,
    core.RBDPersistentVolumeSource: _RBD,
    core.ScaleIOVolumeSource: _SCALE_IO,
    core.ScaleIOPersistentVolumeSource: _SCALE_IO,
    core.StorageOSVolumeSource: _STORAGE_OS,
    core.StorageOSPersistentVolumeSource: _STORAGE_OS,
    core.VsphereVirtualDiskVolumeSource: {
        "volumePath": "The path of the disk.",
        "fsType": _FS_TYPE,
        "storagePolicyName": "The name of the storage policy.",
        "storagePolicyID": "The id of the storage policy.",
    },
}

_HEALTH = {
    "status": "What is wrong.",
    "reason": "Why, in one word for programs.",
    "message": "Why, in a sentence for people.",
}

_DRIVERS: Mapping[type[Part], Mapping[str, str]] = {
    core.VolumeHealthCondition: _HEALTH,
    core.VolumeHealthStatus: {
        "healthConditions": "What is wrong with the volume.",
        "lastTransitionTime": "When that last changed.",
    },
    core.TopologySelectorTerm: {"matchLabelExpressions": "Demands on labels; all of them must hold."},
    core.TopologySelectorLabelRequirement: {
        "key": "The label.",
        "values": "The values, one of which it must have.",
    },
    storage.CSIDriverSpec: {
        "attachRequired": "Whether volumes have to be attached before they are mounted.",
        "podInfoOnMount": "Whether the driver is told about the pod.",
        "volumeLifecycleModes": "Whether it serves Persistent volumes, Ephemeral ones, or both.",
        "storageCapacity": "Whether it tells how much room there is, and the scheduler looks.",
        "fsGroupPolicy": "Whether the group of files is changed to the pod's.",
        "tokenRequests": "Tokens of the pod's ServiceAccount that the driver gets.",
        "requiresRepublish": "Whether it wants to be called again and again.",
        "seLinuxMount": "Whether it can mount with an SELinux label.",
        "nodeAllocatableUpdatePeriodSeconds": "How often the number of volumes that fit is asked for.",
        "serviceAccountTokenInSecrets": "Whether the tokens come as secrets rather than as settings.",
        "preventPodSchedulingIfMissing": "Whether pods are kept off nodes that lack the driver.",
    },
    storage.TokenRequest: {
        "audience": "For whom the token is meant.",
        "expirationSeconds": "How long it is good.",
    },
    storage.CSINodeSpec: {"drivers": "The drivers on the node."},
    storage.CSINodeDriver: {
        "name": "The driver.",
        "nodeID": "What the driver calls the node.",
        "topologyKeys": "Labels of the node that tell the driver where it is.",
        "allocatable": "How much the driver can do on the node.",
    },
    storage.VolumeNodeResources: {"count": "How many volumes fit."},
    storage.CSINodeStatus: {"storageHealth": "The health of storage as seen from the node."},
    storage.StorageHealth: {"name": "The driver.", "healthConditions": "What is wrong."},
    storage.StorageHealthCondition: {
        **_HEALTH,
        "accessMode": "For which access mode.",
        "volumeMode": "For which volume mode.",
        "lastTransitionTime": "When that last changed.",
    },
    storage.CSIStorageCapacity: {
        "nodeTopology": "The nodes from which the storage is reached.",
        "storageClassName": "The StorageClass.",
        "capacity": "How much room there is.",
        "maximumVolumeSize": "The largest volume that fits.",
    },
    storage.VolumeAttachmentSource: {
        "persistentVolumeName": "The PersistentVolume.",
        "inlineVolumeSpec": "A volume that has no object of its own.",
    },
    storage.VolumeError: {
        "time": "When it happened.",
        "message": "What happened.",
        "errorCode": "The code that the driver gave.",
    },
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_DISKS, **_DRIVERS}
