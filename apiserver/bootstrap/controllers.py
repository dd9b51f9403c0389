"""What each controller of an empty cluster may do: facts of Kubernetes v1.36, in the notation of `rules`.

The role of a controller is called `system:controller:<name>` and bound to the service account of that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apiserver.bootstrap.rules import RECORD_EVENTS

CONTROLLERS: Final[Mapping[str, tuple[str, ...]]] = {
    "attachdetach-controller": (
        "list watch of persistentvolumeclaims persistentvolumes",
        "read of nodes",
        "patch update of nodes/status",
        "list watch of pods",
        RECORD_EVENTS,
        "read create delete of volumeattachments in storage.k8s.io",
        "read of csidrivers in storage.k8s.io",
        "read of csinodes in storage.k8s.io",
    ),
    "certificate-controller": (
        "read delete of certificatesigningrequests in certificates.k8s.io",
        "update of certificatesigningrequests/approval+status in certificates.k8s.io",
        "approve of signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet",
        (
            "sign of signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client "
            "kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving "
            "kubernetes.io/legacy-unknown"
        ),
        "create of subjectaccessreviews in authorization.k8s.io",
        RECORD_EVENTS,
    ),
    "clusterrole-aggregation-controller": ("read escalate patch update of clusterroles in rbac.authorization.k8s.io",),
    "cronjob-controller": (
        "read update of cronjobs in batch",
        "read create delete patch update of jobs in batch",
        "update of cronjobs/status in batch",
        "update of cronjobs/finalizers in batch",
        "delete list watch of pods",
        RECORD_EVENTS,
    ),
    "daemon-set-controller": (
        "read of daemonsets in apps extensions",
        "update of daemonsets/status in apps extensions",
        "update of daemonsets/finalizers in apps extensions",
        "list watch of nodes",
        "create delete list patch watch of pods",
        "create of pods/binding",
        "read create delete patch update of controllerrevisions in apps",
        RECORD_EVENTS,
    ),
    "deployment-controller": (
        "read update of deployments in apps extensions",
        "update of deployments/status in apps extensions",
        "update of deployments/finalizers in apps extensions",
        "read create delete patch update of replicasets in apps extensions",
        "read update of pods",
        RECORD_EVENTS,
    ),
    "device-taint-eviction-controller": (
        "read delete of pods",
        "patch update of pods/status",
        "read of resourceclaims in resource.k8s.io",
        "read of resourceslices in resource.k8s.io",
        "read of deviceclasses in resource.k8s.io",
        RECORD_EVENTS,
    ),
    "disruption-controller": (
        "read of deployments in apps extensions",
        "read of replicasets in apps extensions",
        "read of replicationcontrollers",
        "read of poddisruptionbudgets in policy",
        "read of statefulsets in apps",
        "update of poddisruptionbudgets/status in policy",
        "patch update of pods/status",
        "get of */scale in *",
        RECORD_EVENTS,
    ),
    "endpoint-controller": (
        "read of pods services",
        "read create delete update of endpoints",
        "create of endpoints/restricted",
        RECORD_EVENTS,
    ),
    "endpointslice-controller": (
        "read of nodes pods services",
        "update of services/finalizers",
        "read create delete update of endpointslices in discovery.k8s.io",
        RECORD_EVENTS,
    ),
    "endpointslicemirroring-controller": (
        "read of endpoints services",
        "update of services/finalizers",
        "update of endpoints/finalizers",
        "read create delete update of endpointslices in discovery.k8s.io",
        RECORD_EVENTS,
    ),
    "ephemeral-volume-controller": (
        "read of pods",
        "update of pods/finalizers",
        "read create of persistentvolumeclaims",
        RECORD_EVENTS,
    ),
    "expand-controller": (
        "read patch update of persistentvolumes",
        "patch update of persistentvolumeclaims/status",
        "read of persistentvolumeclaims",
        RECORD_EVENTS,
    ),
    "generic-garbage-collector": (
        "read delete patch update of * in *",
        RECORD_EVENTS,
    ),
    "horizontal-pod-autoscaler": (
        "read of horizontalpodautoscalers in autoscaling",
        "update of horizontalpodautoscalers/status in autoscaling",
        "get update of */scale in *",
        "list watch of pods",
        "list watch of pods in metrics.k8s.io",
        "read of * in custom.metrics.k8s.io",
        "read of * in external.metrics.k8s.io",
        RECORD_EVENTS,
    ),
    "job-controller": (
        "read patch update of jobs in batch",
        "update of jobs/status in batch",
        "update of jobs/finalizers in batch",
        "create delete list patch watch of pods",
        RECORD_EVENTS,
    ),
    "legacy-service-account-token-cleaner": (
        "get of configmaps named kube-apiserver-legacy-service-account-token-tracking",
        "delete patch of secrets",
    ),
    "namespace-controller": (
        "read delete of namespaces",
        "update of namespaces/finalize+status",
        "read delete deletecollection of * in *",
    ),
    "node-controller": (
        "read delete patch update of nodes",
        "patch update of nodes/status",
        "patch update of pods/status",
        "read delete of pods",
        RECORD_EVENTS,
    ),
    "persistent-volume-binder": (
        "read create delete update of persistentvolumes",
        "update of persistentvolumes/status",
        "read update of persistentvolumeclaims",
        "update of persistentvolumeclaims/status",
        "read create delete of pods",
        "read of storageclasses in storage.k8s.io",
        "list watch of nodes",
        RECORD_EVENTS,
        "watch of events",
    ),
    "pod-garbage-collector": (
        "delete list watch of pods",
        "read of nodes",
        "patch of pods/status",
    ),
    "pv-protection-controller": (
        "read update of persistentvolumes",
        RECORD_EVENTS,
    ),
    "pvc-protection-controller": (
        "read update of persistentvolumeclaims",
        "update of persistentvolumeclaims/status",
        "read of pods",
        RECORD_EVENTS,
    ),
    "replicaset-controller": (
        "read update of replicasets in apps extensions",
        "update of replicasets/status in apps extensions",
        "update of replicasets/finalizers in apps extensions",
        "create delete list patch watch of pods",
        RECORD_EVENTS,
    ),
    "replication-controller": (
        "read update of replicationcontrollers",
        "update of replicationcontrollers/status",
        "update of replicationcontrollers/finalizers",
        "create delete list patch watch of pods",
        RECORD_EVENTS,
    ),
    "resource-claim-controller": (
        "read of pods",
        "update of pods/finalizers",
        "read create delete of resourceclaims in resource.k8s.io",
        "patch update of resourceclaims+status in resource.k8s.io",
        "patch update of pods/status",
        RECORD_EVENTS,
        "patch update of resourceclaims/binding in resource.k8s.io",
    ),
    "resourcequota-controller": (
        "list watch of * in *",
        "update of resourcequotas/status",
        RECORD_EVENTS,
    ),
    "root-ca-cert-publisher": (
        "create update of configmaps",
        RECORD_EVENTS,
    ),
    "route-controller": (
        "list watch of nodes",
        "patch of nodes/status",
        RECORD_EVENTS,
    ),
    "selinux-warning-controller": (
        RECORD_EVENTS,
        "read of persistentvolumes",
        "read of persistentvolumeclaims",
        "read of pods",
        "read of csidrivers in storage.k8s.io",
    ),
    "service-account-controller": (
        "create of serviceaccounts",
        RECORD_EVENTS,
    ),
    "service-cidrs-controller": (
        "read patch update of servicecidrs in networking.k8s.io",
        "patch update of servicecidrs/finalizers in networking.k8s.io",
        "patch update of servicecidrs/status in networking.k8s.io",
        "read of ipaddresses in networking.k8s.io",
        RECORD_EVENTS,
    ),
    "service-controller": (
        "read of services",
        "patch update of services/status",
        "list watch of nodes",
        RECORD_EVENTS,
    ),
    "statefulset-controller": (
        "list watch of pods",
        "read of statefulsets in apps",
        "update of statefulsets/status in apps",
        "update of statefulsets/finalizers in apps",
        "create delete get patch update of pods",
        "read create delete patch update of controllerrevisions in apps",
        "read create of persistentvolumeclaims",
        "delete update of persistentvolumeclaims",
        "update of pods/finalizers",
        RECORD_EVENTS,
    ),
    "ttl-after-finished-controller": (
        "read delete of jobs in batch",
        RECORD_EVENTS,
    ),
    "ttl-controller": (
        "list patch update watch of nodes",
        RECORD_EVENTS,
    ),
    "validatingadmissionpolicy-status-controller": (
        "read of validatingadmissionpolicies in admissionregistration.k8s.io",
        "get patch update of validatingadmissionpolicies/status in admissionregistration.k8s.io",
        RECORD_EVENTS,
    ),
    "volumeattributesclass-protection-controller": (
        "read of persistentvolumeclaims",
        "read of persistentvolumes",
        "read update of volumeattributesclasses in storage.k8s.io",
        RECORD_EVENTS,
    ),
}
