"""The fence of a Lease: how a leader whose term has ended is kept from writing. Pure.

Beside each Lease that somebody can hold stands a fence, a key of its own. It is written in the same transaction as
every step of the Lease that begins a term (also one of the same holder), ends it or hands it to somebody else, whoever
takes the step and by whichever verb; with the Lease it goes. A renewal leaves it alone. So the fence's revision names
one term: it is the term's *token*, and equals the revision of the Lease as that step has left it. A leader's write is
guarded by its token, in its own transaction.

Heartbeats of nodes are Leases too, but nobody contends for them: they have no fence and pay nothing (ADR 0009).
"""

from __future__ import annotations

from collections.abc import Sequence

from apiserver.registry.requests import Target, WriteOptions
from apiserver.storage import keys
from apiserver.storage.interface import Put
from steersman.api import errors
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.errors import BadRequest

HEARTBEATS = "kube-node-lease"
"""The namespace of the nodes' Leases."""

LEADERS = frozenset({"system:kube-controller-manager", "system:kube-scheduler"})
"""Users of whom there may be several at once and only one may act: all that they write must name a term."""


def is_fenced(target: Target) -> bool:
    return target.kind.struct is Lease and target.namespace != HEARTBEATS


def puts(target: Target, new: Lease | None, old: Lease | None) -> Sequence[Put]:
    """What goes with the step of a fenced Lease from `old` to `new` (None: it is not there)."""
    if not turns(new, old):
        return ()
    holder = None if new is None else (new.spec.holder_identity or "").encode()
    # Without a Lease there is no term, and no token is 0: an absent fence lets nobody through.
    return (Put(keys.fence_of(target.namespace, target.name), holder),)


def turns(new: Lease | None, old: Lease | None) -> bool:
    """Whether this step begins or ends a term."""
    return new is None or old is None or _term_of(new.spec) != _term_of(old.spec)


def _term_of(spec: LeaseSpec) -> tuple[object, ...]:
    """What stays the same from one renewal to the next. Time alone would not do: two terms may begin in one instant."""
    return spec.holder_identity or "", spec.acquire_time, spec.lease_transitions


def check(target: Target, options: WriteOptions) -> None:
    """Refuse a write that could not be fenced although it must be."""
    if options.term is not None:
        if options.term.token <= 0:
            raise BadRequest("a term's token is a revision, and none is below 1")
    elif options.caller.user in LEADERS and target.kind.struct is not Lease:
        why = f"{options.caller.user} must name the term in which it writes"
        raise errors.forbidden(target.kind.subject, target.name, why)
