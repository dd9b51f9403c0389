"""Cluster addresses in the open: the claim on one is an IPAddress object that names the Service. Pure.

An address is taken as long as the object of its name stands, whoever made it; so an IPAddress that somebody creates for
another purpose keeps Services away from it.
"""

from __future__ import annotations

from typing import Final

from apiserver.registry.claiming import Occasion, Record
from apiserver.storage import keys
from steersman.api import codec, kinds, times
from steersman.api.core import Service
from steersman.api.kinds import Kind
from steersman.api.meta import ObjectMeta
from steersman.api.networking import IPAddress, IPAddressSpec, ParentReference

FAMILY: Final = "ipaddress.kubernetes.io/ip-family"
MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
ALLOCATOR: Final = "ipallocator.k8s.io"


def _kind() -> Kind:
    found = kinds.of_struct(IPAddress)
    assert found is not None
    return found


KIND: Final = _kind()
PLACE: Final = keys.collection(KIND.qualified_resource)


def record(address: str, family: str, service: Service) -> Record:
    """What stands under the key of an address that the Service has."""
    whose = service.metadata

    def made(occasion: Occasion) -> bytes:
        metadata = ObjectMeta(
            name=address,
            uid=occasion.uid,
            generation=KIND.first_generation,
            creation_timestamp=times.from_datetime(occasion.now),
            labels={FAMILY: family, MANAGED_BY: ALLOCATOR},
        )
        parent = ParentReference(resource="services", namespace=whose.namespace, name=whose.name)
        spec = IPAddressSpec(parent_ref=parent)
        return codec.encode(IPAddress(metadata=metadata, api_version=KIND.api_version, kind=KIND.kind, spec=spec))

    return made


def is_claim(value: bytes) -> bool:
    """Whether an IPAddress was made here, and so goes with its Service."""
    return codec.load(IPAddress, value).metadata.labels.get(MANAGED_BY) == ALLOCATOR
