"""When a candidate may take a Lease, and what taking, keeping and giving it back mean. Pure.

Time is counted as durations on the candidate's own clock, never compared with what another machine wrote; and only
time counts during which the candidate could see the Lease: while nobody reaches the API server, no leader could renew.
That a leader is replaced too early is a nuisance and no danger: the fence keeps the old one's writes out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import msgspec
from msgspec import structs

from steersman.api import times
from steersman.api.coordination import Lease
from steersman.api.names import Revision

LONGEST_GAP_SECONDS = 2.0
"""Two sights further apart than this prove nothing about the time between: perhaps all of us were asleep."""

NOT_SEEN = Revision(0)

RELEASE = msgspec.json.encode({"spec": {"holderIdentity": None}})
"""A merge patch: nobody holds the Lease from now on."""


@dataclass(frozen=True, slots=True)
class Vigil:
    """How long a Lease has been seen to stand unchanged at `revision`."""

    revision: Revision = NOT_SEEN
    seconds: float = 0.0
    last_seen: float | None = None

    def seen(self, revision: Revision, *, asked: float, answered: float) -> Vigil:
        """After a consistent read. From the last answer to this question the Lease was what it is now."""
        if revision != self.revision:
            return Vigil(revision, last_seen=answered)
        gap = 0.0 if self.last_seen is None else asked - self.last_seen
        counted = gap if gap <= LONGEST_GAP_SECONDS else 0.0
        return Vigil(revision, self.seconds + counted, answered)

    def interrupted(self) -> Vigil:
        """After a read that failed: what follows is not joined to what came before."""
        return replace(self, last_seen=None)


def may_stand(lease: Lease | None, holder: str, watched_seconds: float, patience_seconds: float) -> bool:
    """Whether the Lease is there to be taken: nobody's, left from a former term of our own, or run out."""
    if lease is None or not lease.spec.holder_identity or lease.spec.holder_identity == holder:
        return True
    return watched_seconds >= patience_seconds


def taken(lease: Lease, holder: str, lease_seconds: int, now: datetime) -> Lease:
    """The Lease at the beginning of a term. The count tells two terms apart even if they begin in one instant."""
    instant = times.micro_from_datetime(now)
    spec = structs.replace(
        lease.spec,
        holder_identity=holder,
        lease_duration_seconds=lease_seconds,
        acquire_time=instant,
        renew_time=instant,
        lease_transitions=(lease.spec.lease_transitions or 0) + 1,
    )
    return structs.replace(lease, spec=spec)


def renewal(now: datetime) -> bytes:
    """A merge patch: whatever else somebody has written into the Lease stays."""
    return msgspec.json.encode({"spec": {"renewTime": str(times.micro_from_datetime(now))}})
