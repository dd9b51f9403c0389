"""ComponentStatuses: never stored, never written; made up for each reader from what is known at that moment.

A component that leads by a Lease is well while the Lease is held and has not run out; the store is well when it
answers. Old clients (`kubectl get componentstatuses`) are the only ones who ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from steersman.api import times
from steersman.api.coordination import Lease
from steersman.api.core import ComponentCondition, ComponentStatus
from steersman.api.meta import ObjectMeta

LEASES: Mapping[str, str] = {"controller-manager": "kube-controller-manager", "scheduler": "kube-scheduler"}
"""The component's name, and the Lease in `kube-system` that its leader holds."""

STORE = "etcd-0"
"""What the store is called, whichever it is: scripts look for this name."""


def of_lease(name: str, lease: Lease | None, now: datetime) -> ComponentStatus:
    return _status(name, _why_not_led(lease, now))


def of_store(error: str = "") -> ComponentStatus:
    """`error`: what the store said when it was last asked, empty if it answered."""
    return _status(STORE, error)


def _why_not_led(lease: Lease | None, now: datetime) -> str:
    if lease is None or not lease.spec.holder_identity or lease.spec.renew_time is None:
        return "nobody leads"
    ends = times.to_datetime(lease.spec.renew_time) + timedelta(seconds=lease.spec.lease_duration_seconds or 0)
    return "" if now <= ends else f"{lease.spec.holder_identity} has not been heard of since {lease.spec.renew_time}"


def _status(name: str, error: str) -> ComponentStatus:
    healthy = ComponentCondition(
        type="Healthy", status="False" if error else "True", message="" if error else "ok", error=error
    )
    return ComponentStatus(
        metadata=ObjectMeta(name=name), api_version="v1", kind="ComponentStatus", conditions=(healthy,)
    )
