"""Which texts a field may hold, where the API has settled that once and for all. For schemas; rules are the registry's.

Of a list or a map the texts are those of its items. Fields whose set may grow (conditions, reasons) are not here.
"""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import admissionregistration as admission
from steersman.api import apiextensions, apps, batch, certificates, core, discovery, networking, scheduling, storage
from steersman.api.part import Part
from steersman.api.policy import PodDisruptionBudgetSpec

Choices = tuple[str, ...]

# fmt: off
_PLAIN_SIGNALS = (
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT",
    "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGSEGV", "SIGSTKFLT",
    "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2",
    "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ", "SIGRTMIN", "SIGRTMAX",
)
_USAGES: Choices = (
    "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment",
    "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel",
    "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime",
    "server auth", "signing", "timestamping",
)
# fmt: on
_REAL_TIME_SIGNALS = (
    *(f"SIGRTMIN+{offset}" for offset in range(1, 16)),
    *(f"SIGRTMAX-{offset}" for offset in range(1, 15)),
)
SIGNALS: Choices = tuple(sorted(_PLAIN_SIGNALS + _REAL_TIME_SIGNALS))

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_CONFINEMENTS = ("Localhost", "RuntimeDefault", "Unconfined")
_EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")
_FAILURES = ("Fail", "Ignore")
_HONOR = ("Honor", "Ignore")
_MATCHES = ("Equivalent", "Exact")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_PREEMPTIONS = ("Never", "PreemptLowerPriority")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PULLS = ("Always", "IfNotPresent", "Never")
_RECLAIMS = ("Delete", "Recycle", "Retain")
_SCOPES = ("*", "Cluster", "Namespaced")
_SIDE_EFFECTS = ("None", "NoneOnDryRun", "Some", "Unknown")
_TRAFFIC = ("Cluster", "Local")
_VOLUME_MODES = ("Block", "Filesystem")
_CONTAINER = {
    "imagePullPolicy": _PULLS,
    "terminationMessagePolicy": ("FallbackToLogsOnError", "File"),
}
_QUOTA_SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)
_RESIZES = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)

_PODS: Mapping[type[Part], Mapping[str, Choices]] = {
    core.AppArmorProfile: {"type": _CONFINEMENTS},
    core.Container: _CONTAINER,
    core.ContainerPort: {"protocol": _PROTOCOLS},
    core.ContainerStatus: {"stopSignal": SIGNALS},
    core.EphemeralContainer: _CONTAINER,
    core.GRPCAction: {"mode": ("Plaintext", "TLS")},
    core.HTTPGetAction: {"scheme": ("HTTP", "HTTPS"), "protocol": ("HTTP1", "HTTP2")},
    core.Lifecycle: {"stopSignal": SIGNALS},
    core.NodeSelectorRequirement: {"operator": ("DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn")},
    core.PodSecurityContext: {
        "fsGroupChangePolicy": ("Always", "OnRootMismatch"),
        "supplementalGroupsPolicy": ("Merge", "Strict"),
    },
    core.PodSpec: {
        "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
        "preemptionPolicy": _PREEMPTIONS,
        "restartPolicy": ("Always", "Never", "OnFailure"),
    },
    core.PodStatus: {
        "phase": ("Failed", "Pending", "Running", "Succeeded", "Unknown"),
        "qosClass": ("BestEffort", "Burstable", "Guaranteed"),
    },
    core.SeccompProfile: {"type": _CONFINEMENTS},
    core.SecurityContext: {"procMount": ("Default", "Unmasked")},
    core.Toleration: {"effect": _EFFECTS, "operator": ("Equal", "Exists", "Gt", "Lt")},
    core.TopologySpreadConstraint: {
        "nodeAffinityPolicy": _HONOR,
        "nodeTaintsPolicy": _HONOR,
        "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    },
}

_VOLUMES: Mapping[type[Part], Mapping[str, Choices]] = {
    core.AzureDiskVolumeSource: {
        "cachingMode": ("None", "ReadOnly", "ReadWrite"),
        "kind": ("Dedicated", "Managed", "Shared"),
    },
    core.HostPathVolumeSource: {
        "type": ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
    },
    core.ImageVolumeSource: {"pullPolicy": _PULLS},
    core.ModifyVolumeStatus: {"status": ("InProgress", "Infeasible", "Pending")},
    core.PersistentVolumeClaimSpec: {"accessModes": _ACCESS_MODES, "volumeMode": _VOLUME_MODES},
    core.PersistentVolumeClaimStatus: {
        "accessModes": _ACCESS_MODES,
        "allocatedResourceStatuses": _RESIZES,
        "phase": ("Bound", "Lost", "Pending"),
    },
    core.PersistentVolumeSpec: {
        "accessModes": _ACCESS_MODES,
        "persistentVolumeReclaimPolicy": _RECLAIMS,
        "volumeMode": _VOLUME_MODES,
    },
    core.PersistentVolumeStatus: {"phase": ("Available", "Bound", "Failed", "Pending", "Released")},
    core.VolumeHealthCondition: {"status": ("DataLoss", "Degraded", "Inaccessible")},
    core.VolumeMount: {"mountPropagation": ("Bidirectional", "HostToContainer", "None")},
    storage.StorageClass: {
        "reclaimPolicy": _RECLAIMS,
        "volumeBindingMode": ("Immediate", "WaitForFirstConsumer"),
    },
    storage.StorageHealthCondition: {
        "accessMode": _ACCESS_MODES,
        "status": ("StorageDegraded", "StorageUnreachable"),
        "volumeMode": _VOLUME_MODES,
    },
}

_WORKLOADS: Mapping[type[Part], Mapping[str, Choices]] = {
    apps.DaemonSetUpdateStrategy: {"type": ("OnDelete", "RollingUpdate")},
    apps.DeploymentStrategy: {"type": ("Recreate", "RollingUpdate")},
    apps.StatefulSetSpec: {"podManagementPolicy": ("OrderedReady", "Parallel")},
    apps.StatefulSetUpdateStrategy: {"type": ("OnDelete", "RollingUpdate")},
    batch.CronJobSpec: {"concurrencyPolicy": ("Allow", "Forbid", "Replace")},
    batch.JobSpec: {
        "completionMode": ("Indexed", "NonIndexed"),
        "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    },
    batch.PodFailurePolicyOnExitCodesRequirement: {"operator": ("In", "NotIn")},
    batch.PodFailurePolicyRule: {"action": ("Count", "FailIndex", "FailJob", "Ignore")},
    PodDisruptionBudgetSpec: {"unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget")},
    scheduling.PriorityClass: {"preemptionPolicy": _PREEMPTIONS},
}

_CLUSTER: Mapping[type[Part], Mapping[str, Choices]] = {
    certificates.CertificateSigningRequestSpec: {"usages": _USAGES},
    core.NamespaceStatus: {"phase": ("Active", "Terminating")},
    core.NodeStatus: {"phase": ("Pending", "Running", "Terminated")},
    core.ResourceQuotaSpec: {"scopes": _QUOTA_SCOPES},
    core.ScopedResourceSelectorRequirement: {
        "operator": ("DoesNotExist", "Exists", "In", "NotIn"),
        "scopeName": _QUOTA_SCOPES,
    },
    core.Taint: {"effect": _EFFECTS},
}

_NETWORKS: Mapping[type[Part], Mapping[str, Choices]] = {
    core.EndpointPort: {"protocol": _PROTOCOLS},
    core.PortStatus: {"protocol": _PROTOCOLS},
    core.ServicePort: {"protocol": _PROTOCOLS},
    core.ServiceSpec: {
        "externalTrafficPolicy": _TRAFFIC,
        "internalTrafficPolicy": _TRAFFIC,
        "ipFamilies": ("", "IPv4", "IPv6"),
        "ipFamilyPolicy": ("PreferDualStack", "RequireDualStack", "SingleStack"),
        "sessionAffinity": ("ClientIP", "None"),
        "type": ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
    },
    discovery.EndpointPort: {"protocol": _PROTOCOLS},
    discovery.EndpointSlice: {"addressType": ("FQDN", "IPv4", "IPv6")},
    networking.HTTPIngressPath: {"pathType": ("Exact", "ImplementationSpecific", "Prefix")},
    networking.IngressPortStatus: {"protocol": _PROTOCOLS},
    networking.NetworkPolicyPort: {"protocol": _PROTOCOLS},
    networking.NetworkPolicySpec: {"policyTypes": ("Egress", "Ingress")},
}

_EXTENSIONS: Mapping[type[Part], Mapping[str, Choices]] = {
    admission.MatchResources: {"matchPolicy": _MATCHES},
    admission.MutatingAdmissionPolicySpec: {"failurePolicy": _FAILURES, "reinvocationPolicy": ("IfNeeded", "Never")},
    admission.MutatingWebhook: {
        "failurePolicy": _FAILURES,
        "matchPolicy": _MATCHES,
        "reinvocationPolicy": ("IfNeeded", "Never"),
        "sideEffects": _SIDE_EFFECTS,
    },
    admission.Mutation: {"patchType": ("ApplyConfiguration", "JSONPatch")},
    admission.NamedRuleWithOperations: {"operations": _OPERATIONS, "scope": _SCOPES},
    admission.RuleWithOperations: {"operations": _OPERATIONS, "scope": _SCOPES},
    admission.ValidatingAdmissionPolicyBindingSpec: {"validationActions": ("Audit", "Deny", "Warn")},
    admission.ValidatingAdmissionPolicySpec: {"failurePolicy": _FAILURES},
    admission.ValidatingWebhook: {
        "failurePolicy": _FAILURES,
        "matchPolicy": _MATCHES,
        "sideEffects": _SIDE_EFFECTS,
    },
    apiextensions.ValidationRule: {
        "reason": ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
    },
}

BY_STRUCT: Mapping[type[Part], Mapping[str, Choices]] = {
    **_PODS,
    **_VOLUMES,
    **_WORKLOADS,
    **_CLUSTER,
    **_NETWORKS,
    **_EXTENSIONS,
}
"""By Struct and JSON name."""


def of_field(struct: type[Part], name: str) -> Choices:
    """Empty: anything goes."""
    return BY_STRUCT.get(struct, {}).get(name, ())
