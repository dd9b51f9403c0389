"""The networking group, v1: ingress, network policies, service addresses."""

from typing import Annotated

from msgspec import field

from steersman.api.core import TypedLocalObjectReference
from steersman.api.meta import Condition, LabelSelector, Object
from steersman.api.part import At, Int32, IntOrString, Part, atomic, empty, keyed, null, whole

# --- Ingress


@whole
class ServiceBackendPort(Part):
    name: Annotated[str, At(1)] = ""
    number: Annotated[Int32, At(2)] = 0


class IngressServiceBackend(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)
    port: Annotated[ServiceBackendPort, At(2)] = field(default_factory=ServiceBackendPort)


class IngressBackend(Part):
    service: Annotated[IngressServiceBackend | None, At(4)] = None
    resource: Annotated[TypedLocalObjectReference | None, At(3)] = None


class HTTPIngressPath(Part):
    path: Annotated[str, At(1)] = ""
    path_type: Annotated[str | None, At(3, required=True)] = field(default_factory=null)
    backend: Annotated[IngressBackend, At(2, required=True)] = field(default_factory=IngressBackend)


class HTTPIngressRuleValue(Part):
    paths: Annotated[tuple[HTTPIngressPath, ...], atomic(1)] = field(default_factory=empty)


class IngressRule(Part):
    host: Annotated[str, At(1)] = ""
    http: Annotated[HTTPIngressRuleValue | None, At((2, 1))] = None


class IngressTLS(Part):
    hosts: Annotated[tuple[str, ...], atomic(1)] = ()
    secret_name: Annotated[str, At(2)] = ""


class IngressSpec(Part):
    ingress_class_name: Annotated[str | None, At(4)] = None
    default_backend: Annotated[IngressBackend | None, At(1)] = None
    tls: Annotated[tuple[IngressTLS, ...], atomic(2)] = ()
    rules: Annotated[tuple[IngressRule, ...], atomic(3)] = ()


class IngressPortStatus(Part):
    port: Annotated[Int32, At(1)] = field(default_factory=int)
    protocol: Annotated[str, At(2)] = field(default_factory=str)
    error: Annotated[str | None, At(3)] = None


class IngressLoadBalancerIngress(Part):
    ip: Annotated[str, At(1)] = ""
    hostname: Annotated[str, At(2)] = ""
    ports: Annotated[tuple[IngressPortStatus, ...], atomic(4)] = ()


class IngressLoadBalancerStatus(Part):
    ingress: Annotated[tuple[IngressLoadBalancerIngress, ...], atomic(1)] = ()


class IngressStatus(Part):
    load_balancer: Annotated[IngressLoadBalancerStatus, At(1)] = field(default_factory=IngressLoadBalancerStatus)


class Ingress(Object):
    """HTTP routes from outside to services."""

    spec: Annotated[IngressSpec, At(2)] = field(default_factory=IngressSpec)
    status: Annotated[IngressStatus, At(3)] = field(default_factory=IngressStatus)


class IngressClassParametersReference(Part):
    api_group: Annotated[str | None, At(1)] = None
    kind: Annotated[str, At(2)] = field(default_factory=str)
    name: Annotated[str, At(3)] = field(default_factory=str)
    scope: Annotated[str | None, At(4)] = field(default_factory=null)
    namespace: Annotated[str | None, At(5)] = None


class IngressClassSpec(Part):
    controller: Annotated[str, At(1)] = ""
    parameters: Annotated[IngressClassParametersReference | None, At(2)] = None


class IngressClass(Object):
    """Which controller serves an ingress."""

    spec: Annotated[IngressClassSpec, At(2)] = field(default_factory=IngressClassSpec)


# --- Policies


class NetworkPolicyPort(Part):
    protocol: Annotated[str | None, At(1)] = None
    port: Annotated[IntOrString | None, At(2)] = None
    end_port: Annotated[Int32 | None, At(3)] = None


class IPBlock(Part):
    cidr: Annotated[str, At(1)] = field(default_factory=str)
    except_: Annotated[tuple[str, ...], atomic(2)] = ()


class NetworkPolicyPeer(Part):
    pod_selector: Annotated[LabelSelector | None, At(1)] = None
    namespace_selector: Annotated[LabelSelector | None, At(2)] = None
    ip_block: Annotated[IPBlock | None, At(3)] = None


class NetworkPolicyEgressRule(Part):
    ports: Annotated[tuple[NetworkPolicyPort, ...], atomic(1)] = ()
    to: Annotated[tuple[NetworkPolicyPeer, ...], atomic(2)] = ()


class NetworkPolicyIngressRule(Part):
    ports: Annotated[tuple[NetworkPolicyPort, ...], atomic(1)] = ()
    from_: Annotated[tuple[NetworkPolicyPeer, ...], atomic(2)] = ()


class NetworkPolicySpec(Part):
    pod_selector: Annotated[LabelSelector, At(1)] = field(default_factory=LabelSelector)
    ingress: Annotated[tuple[NetworkPolicyIngressRule, ...], atomic(2)] = ()
    egress: Annotated[tuple[NetworkPolicyEgressRule, ...], atomic(3)] = ()
    policy_types: Annotated[tuple[str, ...], atomic(4)] = ()


class NetworkPolicy(Object):
    """Which traffic selected pods may receive and send."""

    spec: Annotated[NetworkPolicySpec, At(2)] = field(default_factory=NetworkPolicySpec)


# --- Addresses


class ParentReference(Part):
    group: Annotated[str, At(1)] = ""
    resource: Annotated[str, At(2, required=True)] = ""
    namespace: Annotated[str, At(3)] = ""
    name: Annotated[str, At(4, required=True)] = ""


class IPAddressSpec(Part):
    parent_ref: Annotated[ParentReference | None, At(1, required=True)] = None


class IPAddress(Object):
    """An address taken by an object."""

    spec: Annotated[IPAddressSpec, At(2, required=True)] = field(default_factory=IPAddressSpec)


class ServiceCIDRSpec(Part):
    cidrs: Annotated[tuple[str, ...], atomic(1)] = ()


class ServiceCIDRStatus(Part):
    conditions: Annotated[tuple[Condition, ...], keyed(1, "type")] = ()


class ServiceCIDR(Object):
    """A range that service addresses come from."""

    spec: Annotated[ServiceCIDRSpec, At(2)] = field(default_factory=ServiceCIDRSpec)
    status: Annotated[ServiceCIDRStatus, At(3)] = field(default_factory=ServiceCIDRStatus)
