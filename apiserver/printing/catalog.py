"""How every kind is shown, on one screen.

What is not here (roles, definitions, limits) is shown by its name and date, as in Kubernetes.
"""

from __future__ import annotations

from collections.abc import Mapping

from apiserver.printing import (
    admission,
    autoscalers,
    cluster,
    columns,
    events,
    jobs,
    nodes,
    pods,
    rights,
    services,
    volumes,
    workloads,
)
from apiserver.printing.columns import Printer
from steersman.api import (
    admissionregistration,
    apiregistration,
    apps,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    flowcontrol,
    networking,
    node,
    policy,
    rbac,
    scheduling,
    storage,
)
from steersman.api.kinds import Kind
from steersman.api.meta import Object

PRINTERS: Mapping[type[Object], Printer] = {
    core.ComponentStatus: cluster.COMPONENT_STATUS,
    core.ConfigMap: cluster.CONFIG_MAP,
    core.Endpoints: services.ENDPOINTS,
    core.Event: events.EVENT,
    core.Namespace: cluster.NAMESPACE,
    core.Node: nodes.NODE,
    core.PersistentVolume: volumes.PERSISTENT_VOLUME,
    core.PersistentVolumeClaim: volumes.PERSISTENT_VOLUME_CLAIM,
    core.Pod: pods.POD,
    core.PodTemplate: pods.POD_TEMPLATE,
    core.ReplicationController: workloads.REPLICATION_CONTROLLER,
    core.ResourceQuota: cluster.RESOURCE_QUOTA,
    core.Secret: cluster.SECRET,
    core.Service: services.SERVICE,
    core.ServiceAccount: cluster.SERVICE_ACCOUNT,
    apps.ControllerRevision: workloads.CONTROLLER_REVISION,
    apps.DaemonSet: workloads.DAEMON_SET,
    apps.Deployment: workloads.DEPLOYMENT,
    apps.ReplicaSet: workloads.REPLICA_SET,
    apps.StatefulSet: workloads.STATEFUL_SET,
    autoscaling.HorizontalPodAutoscaler: autoscalers.HORIZONTAL_POD_AUTOSCALER,
    autoscaling.Scale: workloads.SCALE,
    batch.CronJob: jobs.CRON_JOB,
    batch.Job: jobs.JOB,
    policy.PodDisruptionBudget: cluster.DISRUPTION_BUDGET,
    coordination.Lease: cluster.LEASE,
    discovery.EndpointSlice: services.ENDPOINT_SLICE,
    certificates.CertificateSigningRequest: rights.SIGNING_REQUEST,
    flowcontrol.FlowSchema: cluster.FLOW_SCHEMA,
    flowcontrol.PriorityLevelConfiguration: cluster.PRIORITY_LEVEL,
    node.RuntimeClass: cluster.RUNTIME_CLASS,
    scheduling.PriorityClass: cluster.PRIORITY_CLASS,
    networking.Ingress: services.INGRESS,
    networking.IngressClass: services.INGRESS_CLASS,
    networking.IPAddress: services.IP_ADDRESS,
    networking.NetworkPolicy: services.NETWORK_POLICY,
    networking.ServiceCIDR: services.SERVICE_CIDR,
    storage.CSIDriver: volumes.CSI_DRIVER,
    storage.CSINode: volumes.CSI_NODE,
    storage.StorageClass: volumes.STORAGE_CLASS,
    storage.VolumeAttachment: volumes.VOLUME_ATTACHMENT,
    storage.VolumeAttributesClass: volumes.VOLUME_ATTRIBUTES_CLASS,
    rbac.ClusterRoleBinding: rights.BINDING,
    rbac.RoleBinding: rights.BINDING,
    admissionregistration.MutatingAdmissionPolicy: admission.MUTATING_POLICY,
    admissionregistration.MutatingAdmissionPolicyBinding: admission.POLICY_BINDING,
    admissionregistration.MutatingWebhookConfiguration: admission.WEBHOOKS,
    admissionregistration.ValidatingAdmissionPolicy: admission.VALIDATING_POLICY,
    admissionregistration.ValidatingAdmissionPolicyBinding: admission.POLICY_BINDING,
    admissionregistration.ValidatingWebhookConfiguration: admission.WEBHOOKS,
    apiregistration.APIService: cluster.API_SERVICE,
}


def printer_of(kind: Kind) -> Printer:
    """However a kind was asked for, its stored form is what is shown."""
    return PRINTERS.get(kind.storage.struct, columns.DEFAULT)
