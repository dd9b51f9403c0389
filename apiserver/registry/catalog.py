"""Every kind that is served, with its strategy: on one screen."""

from __future__ import annotations

from collections.abc import Mapping

from apiserver.registry.configmap import CONFIGMAP
from apiserver.registry.lease import LEASE
from apiserver.registry.namespace import NAMESPACE
from apiserver.registry.pod import POD
from apiserver.registry.strategy import Strategy

STRATEGIES: Mapping[str, Strategy] = {
    "configmaps": CONFIGMAP,
    "leases.coordination.k8s.io": LEASE,
    "namespaces": NAMESPACE,
    "pods": POD,
}
