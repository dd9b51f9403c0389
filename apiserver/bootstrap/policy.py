"""What users, nodes and the parts of the control plane may do, and who they are: facts of Kubernetes v1.36.

Rules are in the notation of `rules`. The roles for users (`view`, `edit`, `admin`) are gathered from others
by label, so that custom kinds can join them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apiserver.bootstrap.rules import RECORD_EVENTS

GATHERED: Final = ("view", "edit", "admin")
"""Roles made of others: what has the label `…/aggregate-to-<name>`. Each of these is itself part of the next."""

CLUSTER_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "cluster-admin": (
        "* of * in *",
        "* at *",
    ),
    "system:aggregate-to-admin": (
        "create of localsubjectaccessreviews in authorization.k8s.io",
        "read write of rolebindings roles in rbac.authorization.k8s.io",
    ),
    "system:aggregate-to-edit": (
        "read of pods/attach+exec+portforward+proxy secrets services/proxy",
        "impersonate of serviceaccounts",
        "write of pods+attach+exec+portforward+proxy",
        "create of pods/eviction",
        (
            "write of configmaps persistentvolumeclaims replicationcontrollers+scale secrets serviceaccounts "
            "services+proxy"
        ),
        "create of serviceaccounts/token",
        "write of events in core events.k8s.io",
        "write of daemonsets deployments+rollback+scale replicasets+scale statefulsets+scale in apps",
        "write of horizontalpodautoscalers in autoscaling",
        "write of cronjobs jobs in batch",
        (
            "write of daemonsets deployments+rollback+scale ingresses networkpolicies replicasets+scale "
            "replicationcontrollers/scale in extensions"
        ),
        "write of poddisruptionbudgets in policy",
        "write of ingresses networkpolicies in networking.k8s.io",
        "read write of leases in coordination.k8s.io",
        "write of resourceclaims resourceclaimtemplates in resource.k8s.io",
    ),
    "system:aggregate-to-view": (
        (
            "read of configmaps endpoints persistentvolumeclaims+status pods replicationcontrollers+scale "
            "serviceaccounts services+status"
        ),
        (
            "read of bindings limitranges namespaces/status pods/log+status replicationcontrollers/status "
            "resourcequotas+status"
        ),
        "read of namespaces",
        "read of events in core events.k8s.io",
        "read of endpointslices in discovery.k8s.io",
        (
            "read of controllerrevisions daemonsets+status deployments+scale+status replicasets+scale+status "
            "statefulsets+scale+status in apps"
        ),
        "read of horizontalpodautoscalers+status in autoscaling",
        "read of cronjobs+status jobs+status in batch",
        (
            "read of daemonsets+status deployments+scale+status ingresses+status networkpolicies "
            "replicasets+scale+status replicationcontrollers/scale in extensions"
        ),
        "read of poddisruptionbudgets+status in policy",
        "read of ingresses+status networkpolicies in networking.k8s.io",
        "read of resourceclaims+status resourceclaimtemplates in resource.k8s.io",
    ),
    "system:auth-delegator": (
        "create of tokenreviews in authentication.k8s.io",
        "create of subjectaccessreviews in authorization.k8s.io",
    ),
    "system:basic-user": (
        "create of selfsubjectaccessreviews selfsubjectrulesreviews in authorization.k8s.io",
        "create of selfsubjectreviews in authentication.k8s.io",
    ),
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient": (
        "create of certificatesigningrequests/nodeclient in certificates.k8s.io",
    ),
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": (
        "create of certificatesigningrequests/selfnodeclient in certificates.k8s.io",
    ),
    "system:certificates.k8s.io:kube-apiserver-client-approver": (
        "approve of signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client",
    ),
    "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": (
        "approve of signers in certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet",
    ),
    "system:certificates.k8s.io:kubelet-serving-approver": (
        "approve of signers in certificates.k8s.io named kubernetes.io/kubelet-serving",
    ),
    "system:certificates.k8s.io:legacy-unknown-approver": (
        "approve of signers in certificates.k8s.io named kubernetes.io/legacy-unknown",
    ),
    "system:discovery": (
        "get at /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/",
    ),
    "system:heapster": (
        "read of events namespaces nodes pods",
        "read of deployments in extensions",
    ),
    "system:kube-aggregator": ("read of endpoints services",),
    "system:kube-controller-manager": (
        RECORD_EVENTS,
        "create of leases in coordination.k8s.io",
        "get update of leases in coordination.k8s.io named kube-controller-manager",
        "create of secrets serviceaccounts",
        "delete of secrets",
        "get of configmaps namespaces secrets serviceaccounts",
        "update of secrets serviceaccounts",
        "create of tokenreviews in authentication.k8s.io",
        "create of subjectaccessreviews in authorization.k8s.io",
        "list watch of * in *",
        "create of serviceaccounts/token",
    ),
    "system:kube-dns": ("list watch of endpoints services",),
    "system:kube-scheduler": (
        RECORD_EVENTS,
        "create of leases in coordination.k8s.io",
        "read update of leases in coordination.k8s.io named kube-scheduler",
        "read write of leasecandidates in coordination.k8s.io",
        "read of nodes",
        "read delete of pods",
        "create of bindings pods/binding",
        "patch update of pods/status",
        "read of replicationcontrollers services",
        "read of replicasets in apps extensions",
        "read of statefulsets in apps",
        "read of poddisruptionbudgets in policy",
        "read of persistentvolumeclaims persistentvolumes",
        "create of tokenreviews in authentication.k8s.io",
        "create of subjectaccessreviews in authorization.k8s.io",
        "read of csinodes in storage.k8s.io",
        "read of volumeattachments in storage.k8s.io",
        "read of namespaces",
        "read of csidrivers in storage.k8s.io",
        "read of csistoragecapacities in storage.k8s.io",
        "read of deviceclasses in resource.k8s.io",
        "read patch update of resourceclaims in resource.k8s.io",
        "read patch update of resourceclaims/status in resource.k8s.io",
        "update of pods/finalizers",
        "read of resourceslices in resource.k8s.io",
        "create delete of resourceclaims in resource.k8s.io",
        "patch update of resourceclaims/binding in resource.k8s.io",
    ),
    "system:kubelet-api-admin": (
        "read of nodes",
        "proxy of nodes",
        "* of nodes/log+metrics+proxy+stats",
        "* of nodes/configz+healthz+pods",
    ),
    "system:monitoring": (
        "get at /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz",
        "get of nodes/metrics",
    ),
    "system:node": (
        "create of tokenreviews in authentication.k8s.io",
        "create of localsubjectaccessreviews subjectaccessreviews in authorization.k8s.io",
        "read of services",
        "read create of nodes",
        "patch update of nodes/status",
        "patch update of nodes",
        RECORD_EVENTS,
        "read of pods",
        "create delete of pods",
        "patch update of pods/status",
        "create of pods/eviction",
        "read of configmaps secrets",
        "get of persistentvolumeclaims persistentvolumes",
        "get of endpoints",
        "read create of certificatesigningrequests in certificates.k8s.io",
        "create delete get patch update of leases in coordination.k8s.io",
        "get of volumeattachments in storage.k8s.io",
        "create of serviceaccounts/token",
        "get patch update of persistentvolumeclaims/status",
        "read of csidrivers in storage.k8s.io",
        "create delete get patch update of csinodes in storage.k8s.io",
        "read of runtimeclasses in node.k8s.io",
        "get of resourceclaims in resource.k8s.io",
        "deletecollection of resourceslices in resource.k8s.io",
        "get of serviceaccounts",
    ),
    "system:node-bootstrapper": ("read create of certificatesigningrequests in certificates.k8s.io",),
    "system:node-problem-detector": (
        "get of nodes",
        "patch of nodes/status",
        RECORD_EVENTS,
    ),
    "system:node-proxier": (
        "list watch of endpoints services",
        "read of nodes",
        RECORD_EVENTS,
        "list watch of servicecidrs in networking.k8s.io",
        "list watch of endpointslices in discovery.k8s.io",
    ),
    "system:persistent-volume-provisioner": (
        "read create delete of persistentvolumes",
        "read update of persistentvolumeclaims",
        "read of storageclasses in storage.k8s.io",
        "watch of events",
        RECORD_EVENTS,
    ),
    "system:public-info-viewer": ("get at /healthz /livez /readyz /version /version/",),
    "system:service-account-issuer-discovery": (
        (
            "get at /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks "
            "/openid/v1/jwks/"
        ),
    ),
    "system:volume-scheduler": (
        "read patch update of persistentvolumes",
        "read of storageclasses in storage.k8s.io",
        "read patch update of persistentvolumeclaims",
    ),
}

CLUSTER_BINDINGS: Final[Mapping[str, str]] = {
    "cluster-admin": "group system:masters",
    "system:basic-user": "group system:authenticated",
    "system:discovery": "group system:authenticated",
    "system:kube-controller-manager": "user system:kube-controller-manager",
    "system:kube-dns": "account kube-dns",
    "system:kube-scheduler": "user system:kube-scheduler",
    "system:monitoring": "group system:monitoring",
    # Nodes have rights by being nodes; the binding is there so that nobody else makes one of that name.
    "system:node": "",
    "system:node-proxier": "user system:kube-proxy",
    "system:public-info-viewer": "group system:authenticated, group system:unauthenticated",
    "system:service-account-issuer-discovery": "group system:serviceaccounts",
    "system:volume-scheduler": "user system:kube-scheduler",
}
"""Who has the role of the same name. Accounts are service accounts in `kube-system`."""

NAMESPACE_ROLES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("kube-public", "system:controller:bootstrap-signer"): (
        "read of configmaps",
        "update of configmaps named cluster-info",
        RECORD_EVENTS,
    ),
    ("kube-system", "extension-apiserver-authentication-reader"): (
        "read of configmaps named extension-apiserver-authentication",
    ),
    ("kube-system", "system::leader-locking-kube-controller-manager"): (
        "read create update of leases in coordination.k8s.io",
        "read create update of leasecandidates in coordination.k8s.io",
    ),
    ("kube-system", "system::leader-locking-kube-scheduler"): (
        "read create update of leases in coordination.k8s.io",
        "read create update of leasecandidates in coordination.k8s.io",
    ),
    ("kube-system", "system:controller:bootstrap-signer"): ("read of secrets",),
    ("kube-system", "system:controller:cloud-provider"): ("read create of configmaps",),
    ("kube-system", "system:controller:token-cleaner"): ("read delete of secrets", RECORD_EVENTS),
}

NAMESPACE_BINDINGS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("kube-public", "system:controller:bootstrap-signer", "", "account bootstrap-signer"),
    (
        "kube-system",
        "system::extension-apiserver-authentication-reader",
        "extension-apiserver-authentication-reader",
        "user system:kube-controller-manager, user system:kube-scheduler",
    ),
    (
        "kube-system",
        "system::leader-locking-kube-controller-manager",
        "",
        "user system:kube-controller-manager, account kube-controller-manager, account leader-election-controller",
    ),
    (
        "kube-system",
        "system::leader-locking-kube-scheduler",
        "",
        "user system:kube-scheduler, account kube-scheduler",
    ),
    ("kube-system", "system:controller:bootstrap-signer", "", "account bootstrap-signer"),
    ("kube-system", "system:controller:cloud-provider", "", "account cloud-provider"),
    ("kube-system", "system:controller:token-cleaner", "", "account token-cleaner"),
)
"""Namespace, name, the role if it is called otherwise, and who has it."""
