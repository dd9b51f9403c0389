"""Every kind that is served, with its strategy: on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network

from apiserver.registry.apiservice import API_SERVICE
from apiserver.registry.certificatesigningrequest import CERTIFICATE_SIGNING_REQUEST
from apiserver.registry.clusterrole import CLUSTER_ROLE
from apiserver.registry.clusterrolebinding import CLUSTER_ROLE_BINDING
from apiserver.registry.configmap import CONFIGMAP
from apiserver.registry.controllerrevision import CONTROLLERREVISION
from apiserver.registry.cronjob import CRONJOB
from apiserver.registry.csidriver import CSI_DRIVER
from apiserver.registry.csinode import CSI_NODE
from apiserver.registry.csistoragecapacity import CSI_STORAGE_CAPACITY
from apiserver.registry.customresourcedefinition import CUSTOM_RESOURCE_DEFINITION
from apiserver.registry.daemonset import DAEMONSET
from apiserver.registry.deployment import DEPLOYMENT
from apiserver.registry.endpoints import ENDPOINTS
from apiserver.registry.endpointslice import ENDPOINT_SLICE
from apiserver.registry.event import EVENT, NEWER_EVENT
from apiserver.registry.flowschema import FLOW_SCHEMA
from apiserver.registry.horizontalpodautoscaler import HORIZONTALPODAUTOSCALER
from apiserver.registry.ingress import INGRESS
from apiserver.registry.ingressclass import INGRESS_CLASS
from apiserver.registry.ipaddress import IP_ADDRESS
from apiserver.registry.job import JOB
from apiserver.registry.lease import LEASE
from apiserver.registry.limitrange import LIMIT_RANGE
from apiserver.registry.mutatingadmissionpolicy import MUTATING_ADMISSION_POLICY
from apiserver.registry.mutatingadmissionpolicybinding import MUTATING_ADMISSION_POLICY_BINDING
from apiserver.registry.mutatingwebhookconfiguration import MUTATING_WEBHOOK_CONFIGURATION
from apiserver.registry.namespace import NAMESPACE
from apiserver.registry.networkpolicy import NETWORK_POLICY
from apiserver.registry.node import NODE
from apiserver.registry.persistentvolume import PERSISTENT_VOLUME
from apiserver.registry.persistentvolumeclaim import PERSISTENT_VOLUME_CLAIM
from apiserver.registry.pod import POD
from apiserver.registry.poddisruptionbudget import PODDISRUPTIONBUDGET
from apiserver.registry.podtemplate import PODTEMPLATE
from apiserver.registry.priorityclass import PRIORITYCLASS
from apiserver.registry.prioritylevelconfiguration import PRIORITY_LEVEL_CONFIGURATION
from apiserver.registry.replicaset import REPLICASET
from apiserver.registry.replicationcontroller import REPLICATIONCONTROLLER
from apiserver.registry.resourcequota import RESOURCE_QUOTA
from apiserver.registry.role import ROLE
from apiserver.registry.rolebinding import ROLE_BINDING
from apiserver.registry.runtimeclass import RUNTIMECLASS
from apiserver.registry.secret import SECRET
from apiserver.registry.service import CLUSTER_IPS, NODE_PORTS, service_strategy
from apiserver.registry.serviceaccount import SERVICE_ACCOUNT
from apiserver.registry.servicecidr import SERVICE_CIDR
from apiserver.registry.statefulset import STATEFULSET
from apiserver.registry.storageclass import STORAGE_CLASS
from apiserver.registry.strategy import Strategy
from apiserver.registry.validatingadmissionpolicy import VALIDATING_ADMISSION_POLICY
from apiserver.registry.validatingadmissionpolicybinding import VALIDATING_ADMISSION_POLICY_BINDING
from apiserver.registry.validatingwebhookconfiguration import VALIDATING_WEBHOOK_CONFIGURATION
from apiserver.registry.volumeattachment import VOLUME_ATTACHMENT
from apiserver.registry.volumeattributesclass import VOLUME_ATTRIBUTES_CLASS

_FIXED: Mapping[str, Strategy] = {
    # Core
    "configmaps": CONFIGMAP,
    "endpoints": ENDPOINTS,
    "events": EVENT,
    "limitranges": LIMIT_RANGE,
    "namespaces": NAMESPACE,
    "nodes": NODE,
    "persistentvolumeclaims": PERSISTENT_VOLUME_CLAIM,
    "persistentvolumes": PERSISTENT_VOLUME,
    "pods": POD,
    "podtemplates": PODTEMPLATE,
    "replicationcontrollers": REPLICATIONCONTROLLER,
    "resourcequotas": RESOURCE_QUOTA,
    "secrets": SECRET,
    "serviceaccounts": SERVICE_ACCOUNT,
    # Workloads
    "controllerrevisions.apps": CONTROLLERREVISION,
    "daemonsets.apps": DAEMONSET,
    "deployments.apps": DEPLOYMENT,
    "replicasets.apps": REPLICASET,
    "statefulsets.apps": STATEFULSET,
    "cronjobs.batch": CRONJOB,
    "jobs.batch": JOB,
    "horizontalpodautoscalers.autoscaling": HORIZONTALPODAUTOSCALER,
    "poddisruptionbudgets.policy": PODDISRUPTIONBUDGET,
    "priorityclasses.scheduling.k8s.io": PRIORITYCLASS,
    "runtimeclasses.node.k8s.io": RUNTIMECLASS,
    # Cluster
    "leases.coordination.k8s.io": LEASE,
    "endpointslices.discovery.k8s.io": ENDPOINT_SLICE,
    "events.events.k8s.io": NEWER_EVENT,
    "certificatesigningrequests.certificates.k8s.io": CERTIFICATE_SIGNING_REQUEST,
    "flowschemas.flowcontrol.apiserver.k8s.io": FLOW_SCHEMA,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": PRIORITY_LEVEL_CONFIGURATION,
    "apiservices.apiregistration.k8s.io": API_SERVICE,
    "customresourcedefinitions.apiextensions.k8s.io": CUSTOM_RESOURCE_DEFINITION,
    # Networking
    "ingressclasses.networking.k8s.io": INGRESS_CLASS,
    "ingresses.networking.k8s.io": INGRESS,
    "ipaddresses.networking.k8s.io": IP_ADDRESS,
    "networkpolicies.networking.k8s.io": NETWORK_POLICY,
    "servicecidrs.networking.k8s.io": SERVICE_CIDR,
    # Storage
    "csidrivers.storage.k8s.io": CSI_DRIVER,
    "csinodes.storage.k8s.io": CSI_NODE,
    "csistoragecapacities.storage.k8s.io": CSI_STORAGE_CAPACITY,
    "storageclasses.storage.k8s.io": STORAGE_CLASS,
    "volumeattachments.storage.k8s.io": VOLUME_ATTACHMENT,
    "volumeattributesclasses.storage.k8s.io": VOLUME_ATTRIBUTES_CLASS,
    # Rights
    "clusterrolebindings.rbac.authorization.k8s.io": CLUSTER_ROLE_BINDING,
    "clusterroles.rbac.authorization.k8s.io": CLUSTER_ROLE,
    "rolebindings.rbac.authorization.k8s.io": ROLE_BINDING,
    "roles.rbac.authorization.k8s.io": ROLE,
    # Admission
    "mutatingadmissionpolicies.admissionregistration.k8s.io": MUTATING_ADMISSION_POLICY,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": MUTATING_ADMISSION_POLICY_BINDING,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": MUTATING_WEBHOOK_CONFIGURATION,
    "validatingadmissionpolicies.admissionregistration.k8s.io": VALIDATING_ADMISSION_POLICY,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": VALIDATING_ADMISSION_POLICY_BINDING,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": VALIDATING_WEBHOOK_CONFIGURATION,
}


def strategies(cluster_ips: IPv4Network = CLUSTER_IPS, node_ports: range = NODE_PORTS) -> Mapping[str, Strategy]:
    """By qualified resource. Services take their addresses and ports from these ranges."""
    return {**_FIXED, "services": service_strategy(cluster_ips, node_ports)}


STRATEGIES = strategies()
