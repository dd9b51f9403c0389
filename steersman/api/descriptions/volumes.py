"""Volumes of pods, PersistentVolumes and claims for them, and the classes of storage."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core, storage
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part

_OLD = "Served by a CSI driver nowadays."
_GONE = "No longer supported."
_FILES = {
    "items": "Which keys become which files; all of them if nothing is said.",
    "defaultMode": "The mode of files for which none is given.",
    "optional": "Whether it may be missing.",
    "defaultUser": "The user to whom files belong for which none is given.",
}
_FS_TYPE = "The file system, such as ext4."
_READ_ONLY = "Whether it can only be read."
_REQUESTS = {"limits": "The most storage.", "requests": "The least storage."}
_DISKS = {
    "gcePersistentDisk": _OLD,
    "awsElasticBlockStore": _OLD,
    "nfs": "A share of an NFS server.",
    "iscsi": "An iSCSI disk.",
    "glusterfs": _GONE,
    "rbd": _GONE,
    "flexVolume": "A volume by a program on the node; CSI is the newer way.",
    "cinder": _OLD,
    "cephfs": _GONE,
    "flocker": _GONE,
    "fc": "A disk by Fibre Channel.",
    "azureFile": _OLD,
    "vsphereVolume": _OLD,
    "quobyte": _GONE,
    "azureDisk": _OLD,
    "photonPersistentDisk": _GONE,
    "portworxVolume": _OLD,
    "scaleIO": _GONE,
    "storageos": _GONE,
    "hostPath": "A file or directory of the node.",
}

_OF_PODS: Mapping[type[Part], Mapping[str, str]] = {
    core.Volume: {
        **_DISKS,
        "name": "The name by which containers mount it.",
        "emptyDir": "A directory that begins empty and goes with the pod.",
        "gitRepo": "A clone of a repository; an init container is the better way.",
        "secret": "The keys of a Secret as files.",
        "persistentVolumeClaim": "The volume of a claim in the same namespace.",
        "downwardAPI": "Fields of the pod as files.",
        "configMap": "The keys of a ConfigMap as files.",
        "projected": "Several sources in one directory.",
        "csi": "A volume that a CSI driver makes for the pod.",
        "ephemeral": "A volume with a claim of its own that goes with the pod.",
        "image": "The content of an image.",
    },
    core.EmptyDirVolumeSource: {
        "medium": "Memory keeps it in memory; otherwise it is on the node's disk.",
        "sizeLimit": "The most it may hold.",
        "mode": "The mode of the directory.",
    },
    core.HostPathVolumeSource: {
        "path": "The path on the node.",
        "type": "What must be there, or is made.",
    },
    core.ConfigMapVolumeSource: {**_FILES, "name": "The name of the ConfigMap."},
    core.SecretVolumeSource: {**_FILES, "secretName": "The name of the Secret."},
    core.KeyToPath: {
        "key": "The key.",
        "path": "The file's path in the volume.",
        "mode": "The file's mode.",
        "user": "The user to whom the file belongs.",
    },
    core.PersistentVolumeClaimVolumeSource: {
        "claimName": "The name of the claim.",
        "readOnly": _READ_ONLY,
    },
    core.DownwardAPIVolumeSource: {
        "items": "The files.",
        "defaultMode": "The mode of files for which none is given.",
        "defaultUser": "The user to whom files belong for which none is given.",
    },
    core.DownwardAPIVolumeFile: {
        "path": "The file's path in the volume.",
        "fieldRef": "The field of the pod.",
        "resourceFieldRef": "The resource of a container.",
        "mode": "The file's mode.",
        "user": "The user to whom the file belongs.",
    },
    core.ProjectedVolumeSource: {
        "sources": "What is put together.",
        "defaultMode": "The mode of files for which none is given.",
        "defaultUser": "The user to whom files belong for which none is given.",
    },
    core.VolumeProjection: {
        "secret": "Keys of a Secret.",
        "downwardAPI": "Fields of the pod.",
        "configMap": "Keys of a ConfigMap.",
        "serviceAccountToken": "A token of the pod's ServiceAccount, kept fresh.",
        "clusterTrustBundle": "Certificates that the cluster trusts.",
        "podCertificate": "A key and a certificate of the pod's own.",
    },
    core.ConfigMapProjection: {
        "name": "The name of the ConfigMap.",
        "items": "Which keys become which files.",
        "optional": "Whether it may be missing.",
    },
    core.SecretProjection: {
        "name": "The name of the Secret.",
        "items": "Which keys become which files.",
        "optional": "Whether it may be missing.",
    },
    core.DownwardAPIProjection: {"items": "The files."},
    core.ServiceAccountTokenProjection: {
        "audience": "For whom the token is meant; the API server if nothing is said.",
        "expirationSeconds": "How long a token is good; a fresh one comes in time.",
        "path": "The file's path in the volume.",
        "user": "The user to whom the file belongs.",
    },
    core.ClusterTrustBundleProjection: {
        "name": "The bundle by its name.",
        "signerName": "The bundles of this signer.",
        "labelSelector": "The bundles of the signer, by their labels.",
        "optional": "Whether there may be none.",
        "path": "The file's path in the volume.",
        "user": "The user to whom the file belongs.",
    },
    core.PodCertificateProjection: {
        "signerName": "Who is to sign.",
        "keyType": "The type of the key, such as ECDSAP256.",
        "maxExpirationSeconds": "How long a certificate may be good.",
        "credentialBundlePath": "The path of a file with key and certificates.",
        "keyPath": "The path of a file with the key alone.",
        "certificateChainPath": "The path of a file with the certificates alone.",
        "userAnnotations": "Notes for the signer.",
        "user": "The user to whom the files belong.",
    },
    core.CSIVolumeSource: {
        "driver": "The driver.",
        "readOnly": _READ_ONLY,
        "fsType": _FS_TYPE,
        "volumeAttributes": "Settings for the driver.",
        "nodePublishSecretRef": "A Secret for the driver.",
    },
    core.EphemeralVolumeSource: {"volumeClaimTemplate": "What the claim looks like."},
    core.PersistentVolumeClaimTemplate: {
        "metadata": "Labels and annotations of the claim.",
        "spec": "What is claimed.",
    },
    core.ImageVolumeSource: {
        "reference": "The image.",
        "pullPolicy": "When to ask the registry for it.",
    },
    core.NFSVolumeSource: {
        "server": "The server.",
        "path": "The path on the server.",
        "readOnly": _READ_ONLY,
    },
}

_PERSISTENT: Mapping[type[Part], Mapping[str, str]] = {
    core.PersistentVolumeClaimSpec: {
        "accessModes": "From how many nodes the volume is to be used, and how.",
        "selector": "Labels of the volumes that will do.",
        "resources": "How much storage is wanted.",
        "volumeName": "The volume that was bound, or that is wanted.",
        "storageClassName": "The StorageClass; empty means none, nothing said means the default one.",
        "volumeMode": "Whether a file system or the bare device is wanted.",
        "dataSource": "A snapshot or a claim to begin with.",
        "dataSourceRef": "The same, for any kind of object.",
        "volumeAttributesClassName": "The class of attributes that the driver applies.",
    },
    core.PersistentVolumeClaimStatus: {
        "phase": "Whether a volume is bound.",
        "accessModes": "The access modes that the volume has.",
        "capacity": "How much storage the volume has.",
        "conditions": "What is going on, such as a resize.",
        "allocatedResources": "How much storage is being set aside while it grows.",
        "allocatedResourceStatuses": "How far growing is.",
        "currentVolumeAttributesClassName": "The class of attributes that is in force.",
        "modifyVolumeStatus": "How far a change of attributes is.",
        "healthStatus": "The health of the volume.",
    },
    core.PersistentVolumeClaimCondition: CONDITION,
    core.ModifyVolumeStatus: {
        "targetVolumeAttributesClassName": "The class that is being applied.",
        "status": "How far that is.",
    },
    core.VolumeResourceRequirements: _REQUESTS,
    core.PersistentVolumeSpec: {
        **_DISKS,
        "capacity": "How much it can hold.",
        "local": "A disk or directory of one node.",
        "csi": "A volume that a CSI driver serves.",
        "accessModes": "From how many nodes it can be used, and how.",
        "claimRef": "The claim that it is bound to.",
        "persistentVolumeReclaimPolicy": "What becomes of it when the claim has gone.",
        "storageClassName": "The StorageClass that it belongs to.",
        "mountOptions": "Options of the mount.",
        "volumeMode": "Whether it is a file system or a bare device.",
        "nodeAffinity": "The nodes from which it can be reached.",
        "volumeAttributesClassName": "The class of attributes that it has.",
    },
    core.PersistentVolumeStatus: {
        "phase": "Whether it is free, bound or released.",
        "message": "Why, in a sentence.",
        "reason": "Why, in one word.",
        "lastPhaseTransitionTime": "When the phase last changed.",
    },
    core.LocalVolumeSource: {"path": "The path on the node.", "fsType": _FS_TYPE},
    core.VolumeNodeAffinity: {"required": "What must hold of the node."},
    core.CSIPersistentVolumeSource: {
        "driver": "The driver.",
        "volumeHandle": "The name that the driver has for the volume.",
        "readOnly": _READ_ONLY,
        "fsType": _FS_TYPE,
        "volumeAttributes": "What the driver noted about it.",
        "controllerPublishSecretRef": "A Secret for attaching it.",
        "nodeStageSecretRef": "A Secret for preparing it on a node.",
        "nodePublishSecretRef": "A Secret for mounting it.",
        "controllerExpandSecretRef": "A Secret for making it larger.",
        "nodeExpandSecretRef": "A Secret for making it larger on a node.",
    },
}

_CLASSES: Mapping[type[Part], Mapping[str, str]] = {
    storage.StorageClass: {
        "provisioner": "Who makes the volumes.",
        "parameters": "Settings for the provisioner.",
        "reclaimPolicy": "What becomes of a volume when its claim has gone.",
        "mountOptions": "Options of the mounts.",
        "allowVolumeExpansion": "Whether volumes can be made larger.",
        "volumeBindingMode": "Whether a volume is made at once, or when a pod wants it.",
        "allowedTopologies": "Where volumes may be made.",
    },
    storage.VolumeAttributesClass: {
        "driverName": "The CSI driver.",
        "parameters": "The attributes.",
    },
    storage.VolumeAttachmentSpec: {
        "attacher": "The driver that attaches it.",
        "source": "The volume.",
        "nodeName": "The node.",
    },
    storage.VolumeAttachmentStatus: {
        "attached": "Whether it is attached.",
        "attachmentMetadata": "What the driver noted about it.",
        "attachError": "What went wrong last when attaching.",
        "detachError": "What went wrong last when detaching.",
    },
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_OF_PODS, **_PERSISTENT, **_CLASSES}
