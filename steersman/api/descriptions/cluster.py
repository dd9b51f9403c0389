"""Nodes, namespaces, configuration, quotas, accounts and rights, leases, events and certificates."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import authentication, authorization, certificates, coordination, core, events, rbac
from steersman.api import node as runtimes
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part
from steersman.api.scheduling import PriorityClass

_NODES: Mapping[type[Part], Mapping[str, str]] = {
    core.NodeSpec: {
        "podCIDR": "The range from which its pods get addresses.",
        "podCIDRs": "The ranges from which its pods get addresses, one for each family.",
        "providerID": "What the cloud calls the node.",
        "unschedulable": "Whether new pods are kept off.",
        "taints": "Why pods should keep off it, or leave it.",
        "configSource": "No longer used.",
        "externalID": "No longer used.",
        "podPreemptionPolicy": "Whether pods may be made to go for others on this node.",
    },
    core.NodeStatus: {
        "capacity": "How much of everything it has.",
        "allocatable": "How much of that pods can use.",
        "phase": "No longer used.",
        "conditions": "Whether it is ready, short of memory, and the like.",
        "addresses": "How it is reached.",
        "daemonEndpoints": "The ports of its agent.",
        "nodeInfo": "What it is and what runs on it.",
        "images": "Images that it has.",
        "volumesInUse": "Volumes that its pods use.",
        "volumesAttached": "Volumes that are attached to it.",
        "config": "No longer used.",
        "runtimeHandlers": "What its container runtime can do.",
        "features": "What else it can do.",
        "declaredFeatures": "Features that pods may rely on.",
    },
    core.NodePodPreemptionPolicy: {"disableResizePreemption": "Whether pods are spared when others grow."},
    core.NodeConfigSource: {"configMap": "No longer used."},
    core.NodeConfigStatus: dict.fromkeys(("active", "assigned", "error", "lastKnownGood"), "No longer used."),
    core.ConfigMapNodeConfigSource: dict.fromkeys(
        ("namespace", "name", "uid", "resourceVersion", "kubeletConfigKey"), "No longer used."
    ),
    core.NodeCondition: {
        **CONDITION,
        "lastHeartbeatTime": "When the node last told so.",
    },
    core.NodeAddress: {
        "type": "What kind of an address it is: Hostname, InternalIP, ExternalIP and the like.",
        "address": "The address.",
    },
    core.NodeDaemonEndpoints: {"kubeletEndpoint": "The port of the agent."},
    core.DaemonEndpoint: {"Port": "The port."},
    core.NodeSystemInfo: {
        "machineID": "What the machine calls itself.",
        "systemUUID": "What the firmware calls the machine.",
        "bootID": "Changes with every boot.",
        "kernelVersion": "The version of the kernel.",
        "osImage": "The operating system, by name and version.",
        "containerRuntimeVersion": "The container runtime and its version.",
        "kubeletVersion": "The version of the agent.",
        "kubeProxyVersion": "No longer told.",
        "operatingSystem": "linux or windows.",
        "architecture": "The processor's architecture.",
        "swap": "About swap space.",
        "runningInUserNamespace": "Whether the agent runs without being root of the machine.",
    },
    core.NodeSwapStatus: {"capacity": "How much swap space there is, in bytes."},
    core.ContainerImage: {"names": "Its names.", "sizeBytes": "Its size."},
    core.AttachedVolume: {"name": "The volume.", "devicePath": "Where it is on the node."},
    core.NodeFeatures: {"supplementalGroupsPolicy": "Whether that policy of pods is understood."},
    core.NodeRuntimeHandler: {"name": "The handler; empty for the default.", "features": "What it can do."},
    core.NodeRuntimeHandlerFeatures: {
        "recursiveReadOnlyMounts": "Whether mounts can be read-only all the way down.",
        "userNamespaces": "Whether pods can have users of their own.",
    },
    runtimes.RuntimeClass: {
        "handler": "What the container runtime calls it.",
        "overhead": "What a pod costs beside its containers.",
        "scheduling": "The nodes that have it.",
    },
    runtimes.Overhead: {"podFixed": "The cost of each pod, by resource."},
    runtimes.Scheduling: {
        "nodeSelector": "Labels of the nodes.",
        "tolerations": "Taints of the nodes.",
    },
    PriorityClass: {
        "value": "The priority; higher is more important.",
        "globalDefault": "Whether pods that name no class get this one.",
        "description": "When it is meant to be used.",
        "preemptionPolicy": "Whether pods of this class may make less important ones go.",
    },
}

_SETTINGS: Mapping[type[Part], Mapping[str, str]] = {
    core.NamespaceSpec: {"finalizers": "Who still has something to clean up before the namespace may go."},
    core.NamespaceStatus: {
        "phase": "Whether it is in use or about to go.",
        "conditions": "What is left when it is about to go.",
    },
    core.ConfigMap: {
        "immutable": "Whether the data can no longer be changed.",
        "data": "Texts by key.",
        "binaryData": "Anything else by key, in base64.",
    },
    core.Secret: {
        "immutable": "Whether the data can no longer be changed.",
        "data": "Values by key, in base64.",
        "stringData": "Values by key as plain text; only for writing, they end up in data.",
        "type": "What it is for, such as Opaque or kubernetes.io/tls.",
    },
    core.ServiceAccount: {
        "secrets": "Secrets that its pods may use.",
        "imagePullSecrets": "Secrets with credentials for registries, for pods that name none.",
        "automountServiceAccountToken": "Whether its pods get a token mounted.",
    },
    core.ResourceQuotaSpec: {
        "hard": "The most of each resource that the namespace may use.",
        "scopes": "Which objects are counted.",
        "scopeSelector": "Which objects are counted, in more detail.",
    },
    core.ResourceQuotaStatus: {
        "hard": "The limits that are in force.",
        "used": "How much is used.",
    },
    core.ScopeSelector: {"matchExpressions": "Demands; all of them must hold."},
    core.ScopedResourceSelectorRequirement: {
        "scopeName": "The scope.",
        "operator": "How it relates to the values.",
        "values": "The values.",
    },
    core.LimitRangeSpec: {"limits": "The limits."},
    core.LimitRangeItem: {
        "type": "What it is for: Pod, Container or PersistentVolumeClaim.",
        "max": "The most, by resource.",
        "min": "The least, by resource.",
        "default": "The limit of those that set none.",
        "defaultRequest": "The request of those that make none.",
        "maxLimitRequestRatio": "How many times the request the limit may be.",
    },
    coordination.LeaseSpec: {
        "holderIdentity": "Who holds it.",
        "leaseDurationSeconds": "How long after the last renewal others have to wait.",
        "acquireTime": "When the holder got it.",
        "renewTime": "When the holder last renewed it.",
        "leaseTransitions": "How often it changed hands.",
        "strategy": "How the next holder is chosen.",
        "preferredHolder": "To whom the holder should give it.",
    },
}

_EVENT = {
    "series": "How often and until when it happened again.",
    "action": "What was done, or failed.",
    "reason": "What happened, in one word for programs.",
    "related": "Another object that plays a part.",
    "type": "Normal or Warning.",
    "eventTime": "When it happened first.",
    "reportingInstance": "The process that noticed it.",
}

_EVENTS: Mapping[type[Part], Mapping[str, str]] = {
    core.Event: {
        **_EVENT,
        "metadata": "Who the event itself is.",
        "involvedObject": "The object that it is about.",
        "message": "What happened, in a sentence for people.",
        "source": "Who noticed it.",
        "firstTimestamp": "When it was first seen.",
        "lastTimestamp": "When it was last seen.",
        "count": "How often it was seen.",
        "reportingComponent": "Who noticed it.",
    },
    core.EventSeries: {"count": "How often.", "lastObservedTime": "When last."},
    core.EventSource: {"component": "The program.", "host": "The node that it ran on."},
    events.Event: {
        **_EVENT,
        "reportingController": "Who noticed it.",
        "regarding": "The object that it is about.",
        "note": "What happened, in a sentence for people.",
        "deprecatedSource": "Who noticed it, in the older form.",
        "deprecatedFirstTimestamp": "When it was first seen.",
        "deprecatedLastTimestamp": "When it was last seen.",
        "deprecatedCount": "How often it was seen.",
    },
    events.EventSeries: {"count": "How often.", "lastObservedTime": "When last."},
    core.ComponentStatus: {"conditions": "Whether it is healthy."},
    core.ComponentCondition: {
        "type": "What is observed; there is only Healthy.",
        "status": "Whether it is so.",
        "message": "What it said.",
        "error": "What went wrong.",
    },
}

_SUBJECTS = "Who gets the rights."
_ROLE_REF = "The role that is given. It cannot be changed."
_ATTRIBUTES = {
    "resourceAttributes": "What is to be done with which resource.",
    "nonResourceAttributes": "What is to be done with which path.",
}

_SELECTOR = {
    "rawSelector": "The selector in one text.",
    "requirements": "The selector taken apart.",
}

_RIGHTS: Mapping[type[Part], Mapping[str, str]] = {
    rbac.Role: {"rules": "What it allows."},
    rbac.ClusterRole: {
        "rules": "What it allows.",
        "aggregationRule": "Other ClusterRoles of which the rules are put together.",
    },
    rbac.AggregationRule: {"clusterRoleSelectors": "The ClusterRoles, by their labels."},
    rbac.PolicyRule: {
        "verbs": "What may be done; * is everything.",
        "apiGroups": "The groups of the resources; empty text for the core group, * for all.",
        "resources": "The resources; * is all of them.",
        "resourceNames": "Only objects with these names.",
        "nonResourceURLs": "Paths beside resources; only in ClusterRoles.",
    },
    rbac.RoleBinding: {"subjects": _SUBJECTS, "roleRef": _ROLE_REF},
    rbac.ClusterRoleBinding: {"subjects": _SUBJECTS, "roleRef": _ROLE_REF},
    rbac.RoleRef: {
        "apiGroup": "The group of the role.",
        "kind": "Role or ClusterRole.",
        "name": "The name of the role.",
    },
    rbac.Subject: {
        "kind": "User, Group or ServiceAccount.",
        "apiGroup": "The group of the kind.",
        "name": "Its name.",
        "namespace": "The namespace of a ServiceAccount.",
    },
    authentication.TokenReviewSpec: {
        "token": "The token.",
        "audiences": "For whom it should be meant.",
    },
    authentication.TokenReviewStatus: {
        "authenticated": "Whether the token is good.",
        "user": "Whose it is.",
        "audiences": "For which of those asked about it is meant.",
        "error": "Why it is not good.",
    },
    authentication.UserInfo: {
        "username": "The name.",
        "uid": "What tells namesakes apart.",
        "groups": "The groups.",
        "extra": "What else the credential says.",
    },
    authentication.SelfSubjectReviewStatus: {"userInfo": "Who you are."},
    authentication.TokenRequestSpec: {
        "audiences": "For whom the token is to be meant.",
        "expirationSeconds": "How long it is to be good.",
        "boundObjectRef": "The object with which it ends.",
        "attestations": "What else is to be attested.",
    },
    authentication.TokenRequestStatus: {
        "token": "The token.",
        "expirationTimestamp": "When it ends.",
    },
    authentication.BoundObjectReference: {
        "kind": "The kind: Pod, Secret or Node.",
        "apiVersion": "The group and version.",
        "name": "The name.",
        "uid": "The uid.",
    },
    authorization.SelfSubjectAccessReviewSpec: _ATTRIBUTES,
    authorization.SubjectAccessReviewSpec: {
        **_ATTRIBUTES,
        "user": "Whose rights are asked about.",
        "groups": "The groups that he is in.",
        "extra": "What else his credential says.",
        "uid": "His uid.",
    },
    authorization.SubjectAccessReviewStatus: {
        "allowed": "Whether it is allowed.",
        "denied": "Whether it is refused whatever others say.",
        "reason": "Why.",
        "evaluationError": "What went wrong while finding out.",
    },
    authorization.ResourceAttributes: {
        "namespace": "The namespace; empty means all, or none for what belongs to the cluster.",
        "verb": "What is to be done; * is everything.",
        "group": "The group; * is every one.",
        "version": "The version; * is every one.",
        "resource": "The resource; * is every one.",
        "subresource": "The subresource.",
        "name": "The name; empty means all.",
        "fieldSelector": "Only objects with such fields.",
        "labelSelector": "Only objects with such labels.",
    },
    authorization.FieldSelectorAttributes: _SELECTOR,
    authorization.LabelSelectorAttributes: _SELECTOR,
    authorization.NonResourceRule: {
        "verbs": "What may be done; * is everything.",
        "nonResourceURLs": "The paths; * is all of them.",
    },
    authorization.ResourceRule: {
        "verbs": "What may be done; * is everything.",
        "apiGroups": "The groups; * is all of them.",
        "resources": "The resources; * is all of them.",
        "resourceNames": "Only objects with these names.",
    },
    authorization.NonResourceAttributes: {"path": "The path.", "verb": "What is to be done."},
    authorization.SelfSubjectRulesReviewSpec: {"namespace": "The namespace that is asked about."},
    authorization.SubjectRulesReviewStatus: {
        "resourceRules": "What is allowed with resources.",
        "nonResourceRules": "What is allowed with paths.",
        "incomplete": "Whether there may be more.",
        "evaluationError": "What went wrong while finding out.",
    },
    certificates.CertificateSigningRequestSpec: {
        "request": "The request, as PEM in base64.",
        "signerName": "Who is to sign.",
        "expirationSeconds": "How long the certificate is wanted for.",
        "usages": "What it is to be used for.",
        "username": "Who asks; filled in by the server.",
        "uid": "His uid; filled in by the server.",
        "groups": "His groups; filled in by the server.",
        "extra": "What else his credential says; filled in by the server.",
    },
    certificates.CertificateSigningRequestStatus: {
        "conditions": "Whether it was approved, denied or failed.",
        "certificate": "The certificate, once it is signed.",
    },
    certificates.CertificateSigningRequestCondition: CONDITION,
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_NODES, **_SETTINGS, **_EVENTS, **_RIGHTS}
