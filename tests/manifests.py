"""One small valid manifest per kind, and a status where the kind has one: for tests that go across all kinds.

By qualified resource and version. Every manifest has a label, so that a test may patch another beside it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509.oid import NameOID

from steersman.api.kinds import Kind

Fields = dict[str, Any]

LABEL = "made-by"
TESTS = "tests"
_NAMESPACE = "default"
_NOON = "2030-01-01T12:00:00Z"

_CONTAINER: Fields = {"name": "main", "image": "nginx:1.27"}
_TEMPLATE: Fields = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [_CONTAINER]}}
_JOB_TEMPLATE: Fields = {"spec": {"containers": [_CONTAINER], "restartPolicy": "Never"}}
_SELECTOR: Fields = {"matchLabels": {"app": "web"}}
_SCALE_TARGET: Fields = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
_RULES: list[Fields] = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
_SUBJECTS: list[Fields] = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}]
_EVERY_POD: Fields = {
    "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
}
_WEBHOOK: Fields = {
    "name": "pods.example.com",
    "clientConfig": {"url": "https://hooks.example.com/pods"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}


def _condition(type: str, **more: str) -> Fields:
    return {"type": type, "status": "True", "lastTransitionTime": _NOON, **more}


_WORDY: Fields = {"reason": "Tested", "message": "by a test"}

_CORE: Mapping[str, Fields] = {
    "configmaps/v1": {"data": {"key": "value"}},
    "endpoints/v1": {"subsets": [{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}]},
    "events/v1": {
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": "web", "namespace": _NAMESPACE},
        "reason": "Started",
        "message": "started a container",
        "type": "Normal",
        "count": 1,
    },
    "limitranges/v1": {"spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}},
    "namespaces/v1": {},
    "nodes/v1": {"spec": {"podCIDR": "10.200.0.0/24", "podCIDRs": ["10.200.0.0/24"]}},
    "persistentvolumeclaims/v1": {
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "slow",
        }
    },
    "persistentvolumes/v1": {
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/srv/data"}}
    },
    "pods/v1": {"spec": {"containers": [_CONTAINER]}},
    "podtemplates/v1": {"template": _TEMPLATE},
    "replicationcontrollers/v1": {"spec": {"replicas": 1, "selector": {"app": "web"}, "template": _TEMPLATE}},
    "resourcequotas/v1": {"spec": {"hard": {"pods": "10"}}},
    "secrets/v1": {"type": "Opaque", "data": {"password": "aHVudGVyMg=="}},
    "serviceaccounts/v1": {"automountServiceAccountToken": False},
    "services/v1": {"spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80}]}},
}

_WORKLOADS: Mapping[str, Fields] = {
    "controllerrevisions.apps/v1": {"revision": 1, "data": {"spec": {"replicas": 1}}},
    "daemonsets.apps/v1": {"spec": {"selector": _SELECTOR, "template": _TEMPLATE}},
    "deployments.apps/v1": {"spec": {"replicas": 2, "selector": _SELECTOR, "template": _TEMPLATE}},
    "replicasets.apps/v1": {"spec": {"replicas": 2, "selector": _SELECTOR, "template": _TEMPLATE}},
    "statefulsets.apps/v1": {"spec": {"serviceName": "web", "selector": _SELECTOR, "template": _TEMPLATE}},
    "horizontalpodautoscalers.autoscaling/v1": {
        "spec": {"scaleTargetRef": _SCALE_TARGET, "maxReplicas": 5, "targetCPUUtilizationPercentage": 60}
    },
    "horizontalpodautoscalers.autoscaling/v2": {
        "spec": {
            "scaleTargetRef": _SCALE_TARGET,
            "maxReplicas": 5,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "500Mi"}},
                }
            ],
        }
    },
    "cronjobs.batch/v1": {"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": _JOB_TEMPLATE}}}},
    "jobs.batch/v1": {"spec": {"completions": 2, "template": _JOB_TEMPLATE}},
    "poddisruptionbudgets.policy/v1": {"spec": {"minAvailable": 1, "selector": _SELECTOR}},
    "priorityclasses.scheduling.k8s.io/v1": {"value": 1000},
    "runtimeclasses.node.k8s.io/v1": {"handler": "gvisor"},
}


@cache
def _certificate_request() -> str:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "jane")])
    key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32))  # the same in every run
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, None)
    return base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()


_CLUSTER: Mapping[str, Fields] = {
    "certificatesigningrequests.certificates.k8s.io/v1": {
        "spec": {
            "request": _certificate_request(),
            "signerName": "kubernetes.io/kube-apiserver-client",
            "usages": ["client auth"],
        }
    },
    "leases.coordination.k8s.io/v1": {"spec": {"holderIdentity": "jane", "leaseDurationSeconds": 15}},
    "endpointslices.discovery.k8s.io/v1": {
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.1.2.3"]}],
        "ports": [{"name": "http", "port": 80}],
    },
    "events.events.k8s.io/v1": {
        "eventTime": "2030-01-01T12:00:00.000000Z",
        "action": "Binding",
        "reason": "Scheduled",
        "type": "Normal",
        "note": "found a node",
        "reportingController": "example.com/scheduler",
        "reportingInstance": "scheduler-0",
        "regarding": {"apiVersion": "v1", "kind": "Pod", "name": "web", "namespace": _NAMESPACE},
    },
    "flowschemas.flowcontrol.apiserver.k8s.io/v1": {
        "spec": {
            "priorityLevelConfiguration": {"name": "calm"},
            "matchingPrecedence": 1000,
            "rules": [
                {
                    "subjects": [{"kind": "User", "user": {"name": "jane"}}],
                    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}],
                }
            ],
        }
    },
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1": {
        "spec": {
            "type": "Limited",
            "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}},
        }
    },
    "ingressclasses.networking.k8s.io/v1": {"spec": {"controller": "example.com/ingress"}},
    "ingresses.networking.k8s.io/v1": {
        "spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
    },
    "ipaddresses.networking.k8s.io/v1": {
        "spec": {"parentRef": {"resource": "services", "namespace": _NAMESPACE, "name": "web"}}
    },
    "networkpolicies.networking.k8s.io/v1": {"spec": {"podSelector": {}, "policyTypes": ["Ingress"]}},
    "servicecidrs.networking.k8s.io/v1": {"spec": {"cidrs": ["10.55.0.0/24"]}},
}

_STORAGE: Mapping[str, Fields] = {
    "csidrivers.storage.k8s.io/v1": {"spec": {"attachRequired": False}},
    "csinodes.storage.k8s.io/v1": {"spec": {"drivers": [{"name": "csi.example.com", "nodeID": "node-1"}]}},
    "csistoragecapacities.storage.k8s.io/v1": {"storageClassName": "slow", "capacity": "10Gi"},
    "storageclasses.storage.k8s.io/v1": {"provisioner": "csi.example.com"},
    "volumeattachments.storage.k8s.io/v1": {
        "spec": {
            "attacher": "csi.example.com",
            "nodeName": "node-1",
            "source": {"persistentVolumeName": "data"},
        }
    },
    "volumeattributesclasses.storage.k8s.io/v1": {"driverName": "csi.example.com", "parameters": {"iops": "100"}},
}

_RIGHTS: Mapping[str, Fields] = {
    "clusterrolebindings.rbac.authorization.k8s.io/v1": {
        "subjects": _SUBJECTS,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
    },
    "clusterroles.rbac.authorization.k8s.io/v1": {"rules": _RULES},
    "rolebindings.rbac.authorization.k8s.io/v1": {
        "subjects": _SUBJECTS,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
    },
    "roles.rbac.authorization.k8s.io/v1": {"rules": _RULES},
}

_EXTENSIONS: Mapping[str, Fields] = {
    "mutatingadmissionpolicies.admissionregistration.k8s.io/v1": {
        "spec": {
            "matchConstraints": _EVERY_POD,
            "reinvocationPolicy": "Never",
            "mutations": [
                {
                    "patchType": "ApplyConfiguration",
                    "applyConfiguration": {"expression": 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}'},
                }
            ],
        }
    },
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io/v1": {"spec": {"policyName": "label-pods"}},
    "mutatingwebhookconfigurations.admissionregistration.k8s.io/v1": {"webhooks": [_WEBHOOK]},
    "validatingadmissionpolicies.admissionregistration.k8s.io/v1": {
        "spec": {
            "matchConstraints": _EVERY_POD,
            "validations": [{"expression": 'object.metadata.name != "forbidden"'}],
        }
    },
    "validatingadmissionpolicybindings.admissionregistration.k8s.io/v1": {
        "spec": {"policyName": "named-well", "validationActions": ["Deny"]}
    },
    "validatingwebhookconfigurations.admissionregistration.k8s.io/v1": {"webhooks": [_WEBHOOK]},
    "customresourcedefinitions.apiextensions.k8s.io/v1": {
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "kettles", "singular": "kettle", "kind": "Kettle", "listKind": "KettleList"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"litres": {"type": "integer"}}}},
                }
            ],
        }
    },
    "apiservices.apiregistration.k8s.io/v1": {
        "spec": {
            "group": "tea.example.com",
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 10,
            "insecureSkipTLSVerify": True,
            "service": {"namespace": _NAMESPACE, "name": "teapot"},
        }
    },
}

_NAMES: Mapping[str, str] = {
    "apiservices.apiregistration.k8s.io/v1": "v1.tea.example.com",
    "customresourcedefinitions.apiextensions.k8s.io/v1": "kettles.example.com",
    "ipaddresses.networking.k8s.io/v1": "10.55.0.7",
}
"""Of the kinds whose names mean something; all others are called "specimen"."""

_FIELDS: Mapping[str, Fields] = {**_CORE, **_WORKLOADS, **_CLUSTER, **_STORAGE, **_RIGHTS, **_EXTENSIONS}

STATUSES: Mapping[str, Fields] = {
    "apiservices.apiregistration.k8s.io/v1": {"conditions": [_condition("Available", **_WORDY)]},
    "certificatesigningrequests.certificates.k8s.io/v1": {
        "conditions": [_condition("Failed", lastUpdateTime=_NOON, **_WORDY)]
    },
    "cronjobs.batch/v1": {"lastScheduleTime": _NOON},
    "customresourcedefinitions.apiextensions.k8s.io/v1": {
        "acceptedNames": {"plural": "kettles", "kind": "Kettle"},
        "conditions": [_condition("Established", **_WORDY)],
        "storedVersions": ["v1"],
    },
    "daemonsets.apps/v1": {
        "currentNumberScheduled": 1,
        "desiredNumberScheduled": 3,
        "numberMisscheduled": 0,
        "numberReady": 1,
    },
    "deployments.apps/v1": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 1},
    "flowschemas.flowcontrol.apiserver.k8s.io/v1": {"conditions": [_condition("Dangling", **_WORDY)]},
    "horizontalpodautoscalers.autoscaling/v1": {"currentReplicas": 2, "desiredReplicas": 3},
    "horizontalpodautoscalers.autoscaling/v2": {"currentReplicas": 2, "desiredReplicas": 3},
    "ingresses.networking.k8s.io/v1": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}},
    "jobs.batch/v1": {"active": 1, "startTime": _NOON, "ready": 0, "terminating": 0, "uncountedTerminatedPods": {}},
    "namespaces/v1": {"phase": "Active", "conditions": [_condition("NamespaceContentRemaining", **_WORDY)]},
    "nodes/v1": {"capacity": {"cpu": "4", "pods": "110"}, "addresses": [{"type": "Hostname", "address": "specimen"}]},
    "persistentvolumeclaims/v1": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}},
    "persistentvolumes/v1": {"phase": "Released"},
    "poddisruptionbudgets.policy/v1": {
        "currentHealthy": 2,
        "desiredHealthy": 1,
        "disruptionsAllowed": 1,
        "expectedPods": 2,
    },
    "pods/v1": {"phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}]},
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/v1": {"conditions": [_condition("Known", **_WORDY)]},
    "replicasets.apps/v1": {"replicas": 2, "readyReplicas": 1},
    "replicationcontrollers/v1": {"replicas": 1, "readyReplicas": 1},
    "resourcequotas/v1": {"hard": {"pods": "10"}, "used": {"pods": "3"}},
    "servicecidrs.networking.k8s.io/v1": {"conditions": [_condition("Ready", **_WORDY)]},
    "services/v1": {"loadBalancer": {"ingress": [{"ip": "192.0.2.8"}]}},
    "statefulsets.apps/v1": {"replicas": 1, "collisionCount": 0},
    "validatingadmissionpolicies.admissionregistration.k8s.io/v1": {"observedGeneration": 1, "typeChecking": {}},
    "volumeattachments.storage.k8s.io/v1": {"attached": True},
}


def key_of(kind: Kind) -> str:
    """What a kind is called in these tables."""
    return f"{kind.qualified_resource}/{kind.version}"


def manifest_of(kind: Kind) -> Fields:
    """The manifest of a kind, to be changed at will. KeyError if nobody has written one."""
    fields = deepcopy(_FIELDS[key_of(kind)])
    metadata: Fields = {"name": _NAMES.get(key_of(kind), "specimen"), "labels": {LABEL: TESTS}}
    if kind.namespaced:
        metadata["namespace"] = _NAMESPACE
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **fields}


def json_of(fields: Fields) -> bytes:
    return json.dumps(fields).encode()
