"""What an empty cluster contains: made at every start, idempotently, by however many API servers start at once."""

from __future__ import annotations

from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from steersman.api import codec, kinds
from steersman.api.core import Namespace
from steersman.api.errors import AlreadyExists
from steersman.api.meta import ObjectMeta

SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


async def fill(registry: Registry) -> None:
    kind = kinds.by_resource("", "namespaces")
    assert kind is not None
    for name in SYSTEM_NAMESPACES:
        body = codec.encode(Namespace(metadata=ObjectMeta(name=name), api_version=kind.api_version, kind=kind.kind))
        try:
            await registry.create(Target(kind), body)
        except AlreadyExists:
            continue
