"""The discovery group, v1: endpoint slices."""

from typing import Annotated

from msgspec import field

from steersman.api.core import ObjectReference
from steersman.api.meta import Object
from steersman.api.part import At, Int32, Part, Some, atomic, empty, null, unique, whole


class EndpointConditions(Part):
    ready: Annotated[bool | None, At(1)] = None
    serving: Annotated[bool | None, At(2)] = None
    terminating: Annotated[bool | None, At(3)] = None


class ForNode(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class ForZone(Part):
    name: Annotated[str, At(1)] = field(default_factory=str)


class EndpointHints(Part):
    for_zones: Annotated[tuple[ForZone, ...], atomic(1)] = ()
    for_nodes: Annotated[tuple[ForNode, ...], atomic(2)] = ()


class Endpoint(Part):
    """One backend: its addresses and whether it takes traffic."""

    addresses: Annotated[tuple[str, ...], unique(1)] = field(default_factory=empty)
    conditions: Annotated[EndpointConditions, At(2)] = field(default_factory=EndpointConditions)
    hostname: Annotated[str | None, At(3)] = None
    target_ref: Annotated[ObjectReference | None, At(4)] = None
    deprecated_topology: Annotated[dict[str, str], At(5)] = field(default_factory=dict)
    node_name: Annotated[str | None, At(6)] = None
    zone: Annotated[str | None, At(7)] = None
    hints: Annotated[EndpointHints | None, At(8)] = None


@whole
class EndpointPort(Part):
    name: Annotated[str | None, At(1)] = None
    protocol: Annotated[str | None, At(2)] = None
    port: Annotated[Int32 | None, At(3)] = None
    app_protocol: Annotated[str | None, At(4)] = None


class EndpointSlice(Object):
    """Some of the addresses behind a service, of one address family."""

    address_type: Annotated[str, At(4)] = field(default_factory=str)
    endpoints: Annotated[Some[Endpoint] | None, atomic(2, required=False)] = field(default_factory=null)
    ports: Annotated[Some[EndpointPort] | None, atomic(3, required=False)] = field(default_factory=null)
