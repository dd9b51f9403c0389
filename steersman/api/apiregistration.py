"""The apiregistration group, v1: group-versions and who serves them. Stored, and shown to those who ask."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import At, Int32, Part, Time, atomic, keyed, null


class ServiceReference(Part):
    namespace: Annotated[str, At(1)] = ""
    name: Annotated[str, At(2)] = ""
    port: Annotated[Int32 | None, At(3)] = None


class APIServiceSpec(Part):
    service: Annotated[ServiceReference | None, At(1)] = None
    group: Annotated[str, At(2)] = ""
    version: Annotated[str, At(3)] = ""
    insecure_skip_tls_verify: Annotated[bool, At(4)] = field(default=False, name="insecureSkipTLSVerify")
    ca_bundle: Annotated[bytes, atomic(5)] = b""
    group_priority_minimum: Annotated[Int32, At(7)] = field(default_factory=int)
    version_priority: Annotated[Int32, At(8)] = field(default_factory=int)


class APIServiceCondition(Part):
    type: Annotated[str, At(1)] = field(default_factory=str)
    status: Annotated[str, At(2)] = field(default_factory=str)
    last_transition_time: Annotated[Time | None, At(3)] = field(default_factory=null)
    reason: Annotated[str, At(4)] = ""
    message: Annotated[str, At(5)] = ""


class APIServiceStatus(Part):
    conditions: Annotated[tuple[APIServiceCondition, ...], keyed(1, "type")] = ()


class APIService(Object):
    """A group-version served by another server."""

    spec: Annotated[APIServiceSpec, At(2)] = field(default_factory=APIServiceSpec)
    status: Annotated[APIServiceStatus, At(3)] = field(default_factory=APIServiceStatus)
