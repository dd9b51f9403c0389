"""Services, endpoints, Ingresses and network policies."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core, discovery, networking
from steersman.api.descriptions.meta import CONDITION
from steersman.api.part import Part

_PORT = {
    "name": "The port's name.",
    "protocol": "UDP, TCP or SCTP.",
    "port": "The port's number.",
    "appProtocol": "What is spoken on it, such as http.",
}
_PORT_STATUS = {
    "port": "The port.",
    "protocol": "UDP, TCP or SCTP.",
    "error": "What is wrong with it.",
}

_SERVICES: Mapping[type[Part], Mapping[str, str]] = {
    core.ServiceSpec: {
        "ports": "The ports that the service has.",
        "selector": "Labels of the pods that get the traffic; without any, somebody else keeps the endpoints.",
        "clusterIP": "The address inside the cluster; None for a service without one.",
        "clusterIPs": "The addresses inside the cluster, one for each family.",
        "type": "How the service is reached: inside the cluster, on a port of every node, by a load balancer, by name.",
        "externalIPs": "Further addresses for which nodes take traffic.",
        "sessionAffinity": "ClientIP sends a client to the same pod again.",
        "loadBalancerIP": "The address wanted of the load balancer; few support it.",
        "loadBalancerSourceRanges": "From where the load balancer takes traffic.",
        "externalName": "The name that the service stands for, for type ExternalName.",
        "externalTrafficPolicy": "Whether traffic from outside may go to pods of other nodes.",
        "healthCheckNodePort": "The port where nodes tell load balancers whether they have pods of it.",
        "publishNotReadyAddresses": "Whether pods get traffic before they are ready.",
        "sessionAffinityConfig": "Settings of the session affinity.",
        "ipFamilies": "IPv4, IPv6, or both in order of preference.",
        "ipFamilyPolicy": "Whether one family or both are wanted or demanded.",
        "allocateLoadBalancerNodePorts": "Whether a load balancer needs ports on the nodes.",
        "loadBalancerClass": "Who is to provide the load balancer.",
        "internalTrafficPolicy": "Whether traffic from inside may go to pods of other nodes.",
        "trafficDistribution": "Which pods are preferred, such as those nearby.",
    },
    core.ServicePort: {
        **_PORT,
        "name": "The port's name; needed when there are several.",
        "port": "The port of the service.",
        "targetPort": "The port of the pods, by number or name; the same as port if nothing is said.",
        "nodePort": "The port on every node, for the types that have one; chosen by the server if nothing is said.",
    },
    core.SessionAffinityConfig: {"clientIP": "For affinity by client address."},
    core.ClientIPConfig: {"timeoutSeconds": "How long a client is remembered; 10800 if nothing is said."},
    core.ServiceStatus: {
        "loadBalancer": "Where the load balancer is reached.",
        "conditions": "What is observed about it.",
    },
    core.LoadBalancerStatus: {"ingress": "The points where it is reached."},
    core.LoadBalancerIngress: {
        "ip": "The address.",
        "hostname": "The name.",
        "ipMode": "Whether traffic arrives with the address of the balancer (VIP) or of the node (Proxy).",
        "ports": "The state of its ports.",
    },
    core.PortStatus: _PORT_STATUS,
    core.Endpoints: {"subsets": "Addresses with the same ports."},
    core.EndpointSubset: {
        "addresses": "Addresses that are ready.",
        "notReadyAddresses": "Addresses that are not ready.",
        "ports": "The ports of all of them.",
    },
    core.EndpointAddress: {
        "ip": "The address.",
        "hostname": "The host name.",
        "nodeName": "The node that it is on.",
        "targetRef": "The object behind it, mostly a pod.",
    },
    core.EndpointPort: _PORT,
    discovery.EndpointSlice: {
        "addressType": "What the addresses are.",
        "endpoints": "The endpoints; at most a thousand.",
        "ports": "The ports of all of them.",
    },
    discovery.Endpoint: {
        "addresses": "Its addresses; use the first.",
        "conditions": "Whether it can be used.",
        "hostname": "Its host name.",
        "targetRef": "The object behind it, mostly a pod.",
        "deprecatedTopology": "Where it is, as older versions told it.",
        "nodeName": "The node that it is on.",
        "zone": "The zone that it is in.",
        "hints": "Who should use it.",
    },
    discovery.EndpointConditions: {
        "ready": "Whether it should get traffic.",
        "serving": "Whether it could serve, also while it is about to end.",
        "terminating": "Whether it is about to end.",
    },
    discovery.EndpointHints: {"forZones": "Zones that should use it.", "forNodes": "Nodes that should use it."},
    discovery.ForZone: {"name": "The zone."},
    discovery.ForNode: {"name": "The node."},
    discovery.EndpointPort: _PORT,
}

_ROUTES: Mapping[type[Part], Mapping[str, str]] = {
    networking.IngressSpec: {
        "ingressClassName": "The IngressClass that serves it.",
        "defaultBackend": "Where requests go that fit no rule.",
        "tls": "Certificates for hosts.",
        "rules": "Which requests go where.",
    },
    networking.IngressRule: {
        "host": "The host asked for; *. in front stands for one more label. Any host if nothing is said.",
        "http": "The paths.",
    },
    networking.HTTPIngressRuleValue: {"paths": "The paths and where they lead."},
    networking.HTTPIngressPath: {
        "path": "The path, beginning with /.",
        "pathType": "Whether the path must be exactly that, or begin so.",
        "backend": "Where such requests go.",
    },
    networking.IngressBackend: {
        "service": "A service of the namespace.",
        "resource": "Some other object of the namespace.",
    },
    networking.IngressServiceBackend: {"name": "The service.", "port": "Its port."},
    networking.ServiceBackendPort: {"name": "The port by its name.", "number": "The port by its number."},
    networking.IngressTLS: {
        "hosts": "The hosts that the certificate is for.",
        "secretName": "The Secret with key and certificate.",
    },
    networking.IngressStatus: {"loadBalancer": "Where it is reached."},
    networking.IngressLoadBalancerStatus: {"ingress": "The points where it is reached."},
    networking.IngressLoadBalancerIngress: {
        "ip": "The address.",
        "hostname": "The name.",
        "ports": "The state of its ports.",
    },
    networking.IngressPortStatus: _PORT_STATUS,
    networking.IngressClassSpec: {
        "controller": "Who serves Ingresses of this class.",
        "parameters": "Settings for it.",
    },
    networking.IngressClassParametersReference: {
        "apiGroup": "The group of the object.",
        "kind": "The kind of the object.",
        "name": "The name of the object.",
        "scope": "Cluster or Namespace.",
        "namespace": "The namespace of the object.",
    },
    networking.NetworkPolicySpec: {
        "podSelector": "The pods that the policy is for; empty means all of the namespace.",
        "ingress": "Which traffic may come in.",
        "egress": "Which traffic may go out.",
        "policyTypes": "Whether it is about traffic coming in, going out, or both.",
    },
    networking.NetworkPolicyIngressRule: {
        "ports": "To which ports; any if nothing is said.",
        "from": "From whom; anybody if nothing is said.",
    },
    networking.NetworkPolicyEgressRule: {
        "ports": "To which ports; any if nothing is said.",
        "to": "To whom; anybody if nothing is said.",
    },
    networking.NetworkPolicyPeer: {
        "podSelector": "Pods by their labels.",
        "namespaceSelector": "Namespaces by their labels.",
        "ipBlock": "A range of addresses.",
    },
    networking.NetworkPolicyPort: {
        "protocol": "TCP, UDP or SCTP.",
        "port": "The port, by number or name.",
        "endPort": "The last port of a range.",
    },
    networking.IPBlock: {"cidr": "The range, such as 10.0.0.0/8.", "except": "Ranges in it that do not count."},
    networking.ParentReference: {
        "group": "The group of the object.",
        "resource": "The resource of the object.",
        "namespace": "The namespace of the object.",
        "name": "The name of the object.",
    },
    networking.IPAddressSpec: {"parentRef": "The object that has the address."},
    networking.ServiceCIDRSpec: {"cidrs": "The ranges from which services get their addresses."},
    networking.ServiceCIDRStatus: {"conditions": "What is observed about it."},
    core.NamespaceCondition: CONDITION,
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_SERVICES, **_ROUTES}
