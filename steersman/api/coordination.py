"""The coordination group, v1: leases."""

from typing import Annotated

from msgspec import field

from steersman.api.meta import Object
from steersman.api.part import At, Int32, MicroTime, Part


class LeaseSpec(Part):
    """Holder, duration and times of a lease."""

    holder_identity: Annotated[str | None, At(1)] = None
    lease_duration_seconds: Annotated[Int32 | None, At(2)] = None
    acquire_time: Annotated[MicroTime | None, At(3)] = None
    renew_time: Annotated[MicroTime | None, At(4)] = None
    lease_transitions: Annotated[Int32 | None, At(5)] = None
    strategy: Annotated[str | None, At(6)] = None
    preferred_holder: Annotated[str | None, At(7)] = None


class Lease(Object):
    """Who holds something, and until when: leadership and heartbeats."""

    spec: Annotated[LeaseSpec, At(2)] = field(default_factory=LeaseSpec)
