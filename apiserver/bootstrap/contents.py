"""An empty cluster filled at every start, idempotently, by however many API servers start at once.

What is there already is left as it is: a user may have changed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from ipaddress import IPv4Network

import tenacity
from msgspec.structs import replace

from apiserver.bootstrap import flows
from apiserver.bootstrap.apiservices import API_SERVICES
from apiserver.bootstrap.priorities import PRIORITY_CLASSES
from apiserver.bootstrap.roles import ROLES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Subresource, Target
from steersman.api import codec, kinds
from steersman.api.core import ConfigMap, Namespace, Service, ServiceAccount, ServicePort, ServiceSpec
from steersman.api.errors import AlreadyExists, NotFound, Timeout, TooManyRequests, Unavailable
from steersman.api.flowcontrol import FlowSchema
from steersman.api.kinds import Kind
from steersman.api.meta import Condition, Object, ObjectMeta
from steersman.api.networking import ServiceCIDR, ServiceCIDRSpec, ServiceCIDRStatus

SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
KUBERNETES = "kubernetes"
AUTHENTICATION = "extension-apiserver-authentication"
"""Where servers behind this one learn whom to trust."""

PATIENCE_SECONDS = 30.0
"""How long a store that is away for a moment is waited for."""

_KINDS: dict[type[Object], Kind] = {kind.struct: kind for kind in kinds.ALL if not kind.stored_as}


async def fill(registry: Registry, cluster_ips: IPv4Network, rest_port: int, client_ca: bytes = b"") -> None:
    """`client_ca`: who signs the certificates of clients, for others who want to check them; empty: nobody does."""
    async with asyncio.TaskGroup() as tasks:  # side by side: the store commits them together
        for name in SYSTEM_NAMESPACES:
            tasks.create_task(_ensure(registry, Namespace(metadata=ObjectMeta(name=name))))
    async with asyncio.TaskGroup() as tasks:
        for wanted in _beside_namespaces(cluster_ips, rest_port, client_ca):
            tasks.create_task(_ensure(registry, wanted))


@tenacity.retry(
    retry=tenacity.retry_if_exception_type((Unavailable, Timeout, TooManyRequests)),
    wait=tenacity.wait_random_exponential(multiplier=0.1, max=2.0),
    stop=tenacity.stop_after_delay(PATIENCE_SECONDS),
    reraise=True,
)
async def _ensure(registry: Registry, wanted: Object) -> None:
    kind, meta = _KINDS[type(wanted)], wanted.metadata
    try:
        await registry.get(Target(kind, meta.namespace, meta.name), "0")
    except NotFound:
        try:
            made = await registry.create(Target(kind, meta.namespace), codec.encode(wanted))
        except AlreadyExists:
            return
        if isinstance(wanted, FlowSchema | ServiceCIDR):
            await _report(registry, wanted, codec.load(type(wanted), made.json))


async def _report(registry: Registry, wanted: FlowSchema | ServiceCIDR, made: FlowSchema | ServiceCIDR) -> None:
    """Say the status of an object that no controller speaks of: it is so since the object is there."""
    since = made.metadata.creation_timestamp
    conditions = tuple(replace(each, last_transition_time=since) for each in wanted.status.conditions)
    reported = replace(made, status=replace(made.status, conditions=conditions))
    target = Target(_KINDS[type(made)], "", made.metadata.name)
    await registry.update(target, codec.encode(reported), subresource=Subresource.STATUS)


def _beside_namespaces(cluster_ips: IPv4Network, rest_port: int, client_ca: bytes) -> Iterator[Object]:
    for name in SYSTEM_NAMESPACES:
        # Elsewhere the controller manager makes it; here pods may be wanted before there is one.
        yield ServiceAccount(metadata=ObjectMeta(name="default", namespace=name))
    yield from PRIORITY_CLASSES
    yield from ROLES
    yield from flows.LEVELS
    yield from flows.SCHEMAS
    yield from API_SERVICES
    yield _service_cidr(cluster_ips)
    yield _kubernetes_service(cluster_ips, rest_port)
    if client_ca:
        about = ObjectMeta(name=AUTHENTICATION, namespace="kube-system")
        yield ConfigMap(metadata=about, data={"client-ca-file": client_ca.decode()})


def _service_cidr(cluster_ips: IPv4Network) -> ServiceCIDR:
    """The range from the settings, which needs nobody to make it ready."""
    ready = Condition(type="Ready", status="True", message="Kubernetes default Service CIDR is ready")
    return ServiceCIDR(
        metadata=ObjectMeta(name=KUBERNETES, finalizers=("networking.k8s.io/service-cidr-protection",)),
        spec=ServiceCIDRSpec(cidrs=(str(cluster_ips),)),
        status=ServiceCIDRStatus(conditions=(ready,)),
    )


def _kubernetes_service(cluster_ips: IPv4Network, rest_port: int) -> Service:
    """The API server as pods see it, at the first address of the range."""
    labels = {"component": "apiserver", "provider": "kubernetes"}
    address = str(cluster_ips[1])
    port = ServicePort(name="https", port=443, protocol="TCP", target_port=rest_port)
    return Service(
        metadata=ObjectMeta(name=KUBERNETES, namespace="default", labels=labels),
        spec=ServiceSpec(type="ClusterIP", cluster_ip=address, cluster_ips=(address,), ports=(port,)),
    )
