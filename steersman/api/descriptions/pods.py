"""Pods: their parts, where they may run, and how they are doing."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part

_AFFINITY = {
    "requiredDuringSchedulingIgnoredDuringExecution": "What must hold when the pod is placed.",
    "preferredDuringSchedulingIgnoredDuringExecution": "What is preferred when the pod is placed, with weights.",
}

_SPECS: Mapping[type[Part], Mapping[str, str]] = {
    core.PodSpec: {
        "volumes": "Storage that the containers can mount.",
        "initContainers": "Containers that run one after the other before the others start.",
        "containers": "The containers of the pod. There is at least one, and none can be added later.",
        "ephemeralContainers": "Containers added to a running pod to look into it.",
        "restartPolicy": "Whether containers that ended are started again.",
        "terminationGracePeriodSeconds": "How long the containers may take to end before they are killed.",
        "activeDeadlineSeconds": "How long the pod may run before it is made to fail.",
        "dnsPolicy": "Where names are looked up: the cluster's DNS, the node's, or only as dnsConfig says.",
        "nodeSelector": "Labels that a node must have for the pod to run on it.",
        "serviceAccountName": "The ServiceAccount in whose name the pod speaks to the API.",
        "serviceAccount": "The older name of serviceAccountName.",
        "automountServiceAccountToken": "Whether a token of the ServiceAccount is mounted.",
        "nodeName": "The node that runs the pod; mostly set by the scheduler.",
        "hostNetwork": "Whether the pod uses the node's network.",
        "hostPID": "Whether the pod sees the node's processes.",
        "hostIPC": "Whether the pod shares the node's IPC namespace.",
        "shareProcessNamespace": "Whether the containers see each other's processes.",
        "securityContext": "What the pod may do, for all its containers.",
        "imagePullSecrets": "Secrets with credentials for registries.",
        "hostname": "The pod's host name, if another than its own name.",
        "subdomain": "With it the pod's full name is hostname.subdomain.namespace.svc and the cluster's domain.",
        "affinity": "Which nodes and which neighbours the pod wants or avoids.",
        "schedulerName": "The scheduler that places the pod.",
        "tolerations": "Taints of nodes that the pod puts up with.",
        "hostAliases": "Further lines for /etc/hosts.",
        "priorityClassName": "The PriorityClass by which the pod may make others go.",
        "priority": "The priority, filled in from the class; higher is more important.",
        "dnsConfig": "Settings of DNS on top of the policy.",
        "readinessGates": "Conditions that must be true as well for the pod to be ready.",
        "runtimeClassName": "The RuntimeClass that runs the pod.",
        "enableServiceLinks": "Whether the containers get variables for each service of the namespace.",
        "preemptionPolicy": "Whether the pod may make less important ones go.",
        "overhead": "What running the pod costs beside its containers; filled in from the RuntimeClass.",
        "topologySpreadConstraints": "How pods of a group spread over zones, nodes and the like.",
        "setHostnameAsFQDN": "Whether the host name inside is the full one.",
        "os": "The operating system of the containers.",
        "hostUsers": "Whether the containers' users are those of the node.",
        "schedulingGates": "While there are any, the pod is not placed.",
        "resourceClaims": "Claims for devices that the containers can use.",
        "resources": "Requests and limits of the pod as a whole.",
        "hostnameOverride": "The host name exactly as it is to be.",
        "schedulingGroup": "The group with which the pod is placed.",
        "evictionResponders": "Who is to be asked before the pod is evicted.",
    },
    core.PodTemplateSpec: {
        "metadata": "Labels and annotations of the pods.",
        "spec": "What the pods are made of.",
    },
    core.PodTemplate: {"template": "What pods made from it look like."},
    core.PodSecurityContext: {
        "seLinuxOptions": "The SELinux label of all containers.",
        "windowsOptions": "Settings for Windows containers.",
        "runAsUser": "The user id to run as.",
        "runAsGroup": "The group id to run as.",
        "runAsNonRoot": "Refuse to start containers as root.",
        "supplementalGroups": "Further groups of the first process of each container.",
        "supplementalGroupsPolicy": "Whether groups that the image gives the user count too.",
        "fsGroup": "A group to which volumes are made to belong.",
        "sysctls": "Kernel parameters of the pod.",
        "fsGroupChangePolicy": "Whether volumes are always changed to fsGroup, or only when their root differs.",
        "seccompProfile": "Which system calls are allowed.",
        "appArmorProfile": "Which AppArmor profile applies.",
        "seLinuxChangePolicy": "How volumes get the SELinux label: MountOption or Recursive.",
    },
    core.Sysctl: {"name": "The parameter.", "value": "Its value."},
    core.PodDNSConfig: {
        "nameservers": "Further DNS servers.",
        "searches": "Further domains to search.",
        "options": "Options of the resolver.",
    },
    core.PodDNSConfigOption: {"name": "The option.", "value": "Its value, if it has one."},
    core.HostAlias: {"ip": "The address.", "hostnames": "The names for it."},
    core.PodOS: {"name": "linux or windows."},
    core.PodReadinessGate: {"conditionType": "The type of the condition."},
    core.PodSchedulingGate: {"name": "The name of the gate; who put it there takes it away."},
    core.PodSchedulingGroup: {"podGroupName": "The name of the group."},
    core.PodResourceClaim: {
        "name": "The name by which containers refer to it.",
        "resourceClaimName": "An existing claim.",
        "resourceClaimTemplateName": "A template from which a claim is made for this pod.",
    },
    core.EvictionResponder: {"name": "Who is asked.", "priority": "In which order."},
}

_PLACES: Mapping[type[Part], Mapping[str, str]] = {
    core.Affinity: {
        "nodeAffinity": "About nodes.",
        "podAffinity": "About pods to be near.",
        "podAntiAffinity": "About pods to be away from.",
    },
    core.NodeAffinity: _AFFINITY,
    core.PodAffinity: _AFFINITY,
    core.PodAntiAffinity: _AFFINITY,
    core.PreferredSchedulingTerm: {
        "weight": "How much it counts, from 1 to 100.",
        "preference": "Which nodes are preferred.",
    },
    core.WeightedPodAffinityTerm: {
        "weight": "How much it counts, from 1 to 100.",
        "podAffinityTerm": "Which pods, and what being near means.",
    },
    core.PodAffinityTerm: {
        "labelSelector": "The pods that are meant.",
        "namespaces": "The namespaces that they are in; the pod's own if nothing is said.",
        "topologyKey": "The label of nodes whose equal values mean near.",
        "namespaceSelector": "Further namespaces, by their labels.",
        "matchLabelKeys": "Labels in which they must equal the pod itself.",
        "mismatchLabelKeys": "Labels in which they must differ from the pod itself.",
    },
    core.NodeSelector: {"nodeSelectorTerms": "Alternatives; one of them must fit."},
    core.NodeSelectorTerm: {
        "matchExpressions": "Demands on labels of the node.",
        "matchFields": "Demands on fields of the node.",
    },
    core.NodeSelectorRequirement: {
        "key": "The label or field.",
        "operator": "How it relates to the values.",
        "values": "The values; one number for Gt and Lt, none for Exists and DoesNotExist.",
    },
    core.Toleration: {
        "key": "The taint's key; empty with operator Exists means every taint.",
        "operator": "Equal compares the value, Exists takes any, Lt and Gt compare numbers.",
        "value": "The taint's value.",
        "effect": "The taint's effect; empty means any.",
        "tolerationSeconds": "How long a NoExecute taint is put up with; forever if nothing is said.",
    },
    core.Taint: {
        "key": "The taint's key.",
        "value": "The taint's value.",
        "effect": "What it does to pods that do not put up with it.",
        "timeAdded": "When it was added.",
    },
    core.TopologySpreadConstraint: {
        "maxSkew": "By how many pods places may differ.",
        "topologyKey": "The label of nodes whose values are the places.",
        "whenUnsatisfiable": "Whether a pod that cannot keep to it waits, or is placed all the same.",
        "labelSelector": "The pods that are counted.",
        "minDomains": "How many places there should be at least.",
        "nodeAffinityPolicy": "Whether nodes that the pod cannot use by affinity count.",
        "nodeTaintsPolicy": "Whether nodes whose taints the pod cannot bear count.",
        "matchLabelKeys": "Labels in which counted pods must equal the pod itself.",
    },
    core.Binding: {"target": "The node to run on."},
}

_STATUSES: Mapping[type[Part], Mapping[str, str]] = {
    core.PodStatus: {
        "observedGeneration": "The generation of the pod that the node has seen.",
        "phase": "Where the pod stands in its life.",
        "conditions": "Whether it is scheduled, initialized, ready and the like.",
        "message": "Why the pod is as it is, in a sentence.",
        "reason": "Why the pod is as it is, in one word.",
        "nominatedNodeName": "The node on which room is being made for it.",
        "hostIP": "The address of its node.",
        "hostIPs": "The addresses of its node, one for each family.",
        "podIP": "Its address.",
        "podIPs": "Its addresses, one for each family.",
        "startTime": "When the node took it over.",
        "initContainerStatuses": "How the init containers are doing.",
        "containerStatuses": "How the containers are doing.",
        "qosClass": "Its class by requests and limits; the lower ones are made to go first.",
        "ephemeralContainerStatuses": "How the ephemeral containers are doing.",
        "resize": "How far a change of resources is; conditions tell it nowadays.",
        "resourceClaimStatuses": "Which claims were made for it.",
        "extendedResourceClaimStatus": "The claim that backs its extended resources.",
        "allocatedResources": "What the node has set aside for the pod as a whole.",
        "resources": "The requests and limits of the pod as a whole that are in force.",
        "nodeAllocatableResourceClaimStatuses": "What its claims take of the node's own resources.",
        "volumeHealth": "The health of its volumes.",
    },
    core.PodCondition: CONDITION,
    core.PodIP: {"ip": "The address."},
    core.HostIP: {"ip": "The address."},
    core.PodResourceClaimStatus: {
        "name": "The name of the claim in the pod.",
        "resourceClaimName": "The claim that was made.",
    },
    core.PodExtendedResourceClaimStatus: {
        "requestMappings": "Which request of which container is which request of the claim.",
        "resourceClaimName": "The claim that was made.",
    },
    core.ContainerExtendedResourceRequest: {
        "containerName": "The container.",
        "resourceName": "The resource.",
        "requestName": "The request in the claim.",
    },
    core.NodeAllocatableResourceClaimStatus: {
        "resourceClaimName": "The claim.",
        "containers": "The containers that use it.",
        "mapping": "What it takes, by resource.",
        "overhead": "What it takes beside that.",
    },
    core.NodeAllocatableMappedResources: {"name": "The resource.", "quantity": "How much."},
    core.NodeAllocatableOverheadResources: {
        "name": "The resource.",
        "perPod": "How much for the pod.",
        "perContainer": "How much for each container.",
    },
    core.PodVolumeHealth: {
        "name": "The volume.",
        "healthConditions": "What is wrong with it.",
        "lastTransitionTime": "When that last changed.",
    },
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_SPECS, **_PLACES, **_STATUSES}
