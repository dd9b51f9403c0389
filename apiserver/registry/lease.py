"""Leases: durations that make sense, and a strategy only where candidates are coordinated.

What a Lease means for the leader who holds it is the matter of `fencing`.
"""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from steersman.api import fields, names
from steersman.api.coordination import Lease
from steersman.api.errors import Cause
from steersman.api.fields import Path

STRATEGIES = ("OldestEmulationVersion",)
_SPEC = Path("spec")


def validate(new: Lease) -> list[Cause]:
    spec = new.spec
    causes: list[Cause] = []
    if spec.lease_duration_seconds is not None and spec.lease_duration_seconds <= 0:
        path = _SPEC.child("leaseDurationSeconds")
        causes.append(fields.invalid(path, spec.lease_duration_seconds, "must be greater than 0"))
    if spec.lease_transitions is not None and spec.lease_transitions < 0:
        path = _SPEC.child("leaseTransitions")
        causes.append(fields.invalid(path, spec.lease_transitions, "must be greater than or equal to 0"))
    if spec.strategy is not None:
        causes += _complain_of_strategy(spec.strategy)
    if spec.preferred_holder and not spec.strategy:
        path = _SPEC.child("preferredHolder")
        causes.append(fields.forbidden(path, "may only be specified if `strategy` is defined"))
    return causes


def _complain_of_strategy(strategy: str) -> list[Cause]:
    # Kubernetes names the field twice; clients see its path, so ours is the same.
    path = _SPEC.child("strategy").child("strategy")
    if "/" in strategy:
        return [fields.invalid(path, strategy, complaint) for complaint in names.qualified_name(strategy)]
    return [] if strategy in STRATEGIES else [fields.not_supported(path, strategy, STRATEGIES)]


LEASE = Strategy(validate=validate)
