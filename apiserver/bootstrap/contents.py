"""An empty cluster filled at every start, idempotently, by however many API servers start at once.

What is there already is left as it is: a user may have changed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from ipaddress import IPv4Network

import tenacity

from apiserver.bootstrap.priorities import PRIORITY_CLASSES
from apiserver.bootstrap.roles import ROLES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from steersman.api import codec, kinds
from steersman.api.core import Namespace, Service, ServiceAccount, ServicePort, ServiceSpec
from steersman.api.errors import AlreadyExists, NotFound, Timeout, TooManyRequests, Unavailable
from steersman.api.kinds import Kind
from steersman.api.meta import Object, ObjectMeta

SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
KUBERNETES = "kubernetes"
PATIENCE_SECONDS = 30.0
"""How long a store that is away for a moment is waited for."""

_KINDS: dict[type[Object], Kind] = {kind.struct: kind for kind in kinds.ALL if not kind.stored_as}


async def fill(registry: Registry, cluster_ips: IPv4Network, rest_port: int) -> None:
    for name in SYSTEM_NAMESPACES:
        await _ensure(registry, Namespace(metadata=ObjectMeta(name=name)))
    async with asyncio.TaskGroup() as tasks:  # side by side: the store commits them together
        for wanted in _beside_namespaces(cluster_ips, rest_port):
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
            await registry.create(Target(kind, meta.namespace), codec.encode(wanted))
        except AlreadyExists:
            return


def _beside_namespaces(cluster_ips: IPv4Network, rest_port: int) -> Iterator[Object]:
    for name in SYSTEM_NAMESPACES:
        # Elsewhere the controller manager makes it; here pods may be wanted before there is one.
        yield ServiceAccount(metadata=ObjectMeta(name="default", namespace=name))
    yield from PRIORITY_CLASSES
    yield from ROLES
    yield _kubernetes_service(cluster_ips, rest_port)


def _kubernetes_service(cluster_ips: IPv4Network, rest_port: int) -> Service:
    """The API server as pods see it, at the first address of the range."""
    labels = {"component": "apiserver", "provider": "kubernetes"}
    address = str(cluster_ips[1])
    port = ServicePort(name="https", port=443, protocol="TCP", target_port=rest_port)
    return Service(
        metadata=ObjectMeta(name=KUBERNETES, namespace="default", labels=labels),
        spec=ServiceSpec(type="ClusterIP", cluster_ip=address, cluster_ips=(address,), ports=(port,)),
    )
