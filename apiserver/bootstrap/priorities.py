"""The priority classes that an empty cluster has: for pods that the cluster, or a node, cannot do without."""

from __future__ import annotations

from typing import Final

from steersman.api.meta import ObjectMeta
from steersman.api.scheduling import PriorityClass

SYSTEM_CRITICAL: Final = 2_000_000_000
"""Twice the highest priority that users may give."""


def _system_class(name: str, value: int, description: str) -> PriorityClass:
    return PriorityClass(
        api_version="scheduling.k8s.io/v1",
        kind="PriorityClass",
        metadata=ObjectMeta(name=name),
        value=value,
        description=description,
    )


PRIORITY_CLASSES: Final = (
    _system_class(
        "system-node-critical",
        SYSTEM_CRITICAL + 1000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    _system_class(
        "system-cluster-critical",
        SYSTEM_CRITICAL,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
)
