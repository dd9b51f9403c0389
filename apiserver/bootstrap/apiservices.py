"""The group-versions that this server serves itself, as aggregation shows them to users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steersman.api import kinds
from steersman.api.apiregistration import APIService, APIServiceSpec
from steersman.api.meta import ObjectMeta

OWN_GROUP: Final = "apiregistration.k8s.io"
"""The group of these very objects, which is registered nowhere."""

PRIORITIES: Final[Mapping[str, int]] = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "apiextensions.k8s.io": 16700,
    "admissionregistration.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
}
"""Groups with a higher number come first in discovery."""

USUAL_VERSION_PRIORITY: Final = 15
VERSION_PRIORITIES: Final[Mapping[tuple[str, str], int]] = {
    ("", "v1"): 1,
    ("autoscaling", "v2"): 30,
    ("flowcontrol.apiserver.k8s.io", "v1"): 21,
}

_AUTO_MANAGED: Final = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}


def _local(group: str, version: str) -> APIService:
    return APIService(
        metadata=ObjectMeta(name=f"{version}.{group}", labels=_AUTO_MANAGED),
        spec=APIServiceSpec(
            group=group,
            version=version,
            group_priority_minimum=PRIORITIES[group],
            version_priority=VERSION_PRIORITIES.get((group, version), USUAL_VERSION_PRIORITY),
        ),
    )


API_SERVICES: Final = tuple(
    _local(group, version)
    for group, version in dict.fromkeys((kind.group, kind.version) for kind in kinds.ALL)
    if group != OWN_GROUP
)
