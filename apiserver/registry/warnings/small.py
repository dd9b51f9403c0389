"""Warnings about kinds that have one each."""

from __future__ import annotations

from typing import Final

from apiserver.registry.warnings import nodelabels
from steersman.api import quantity
from steersman.api.core import ResourceQuota, Secret, ServiceAccount
from steersman.api.meta import Object
from steersman.api.node import RuntimeClass

MOUNTABLE_SECRETS: Final = "kubernetes.io/enforce-mountable-secrets"
STATIC_SUFFIX: Final = ".static.k8s.io"


def of_quota(new: ResourceQuota, old: ResourceQuota | None) -> list[str]:
    """A limit below what may be requested makes the requests unusable."""
    if old is not None:
        return []
    warnings: list[str] = []
    hard = new.spec.hard
    for name in ("cpu", "memory", "storage", "ephemeral-storage"):
        asked, limit = f"requests.{name}", f"limits.{name}"
        if asked not in hard and name in ("cpu", "memory"):
            asked = name
        if asked in hard and limit in hard and quantity.compare(hard[asked], hard[limit]) > 0:
            warnings.append(f"ResourceQuota {asked} ({hard[asked]}) should be less than {limit} ({hard[limit]})")
    return warnings


def of_serviceaccount(new: ServiceAccount, old: ServiceAccount | None) -> list[str]:
    if MOUNTABLE_SECRETS not in new.metadata.annotations:
        return []
    if old is not None and MOUNTABLE_SECRETS in old.metadata.annotations:
        return []
    told = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{MOUNTABLE_SECRETS}]: {told}"]


def of_runtimeclass(new: RuntimeClass, old: RuntimeClass | None) -> list[str]:
    if new.scheduling is None:
        return []
    keys = [key for key in new.scheduling.node_selector if key in nodelabels.DEPRECATED]
    return [f"scheduling.nodeSelector: {nodelabels.DEPRECATED[key]}" for key in keys]


def of_admission(new: Object, _old: Object | None) -> list[str]:
    """Of webhooks and policies: names that belong to those which are read from files."""
    if not new.metadata.name.endswith(STATIC_SUFFIX):
        return []
    told = "are reserved for static manifest-based configurations and cannot be managed via the API"
    return [f'metadata.name: names ending with "{STATIC_SUFFIX}" {told}']


def of_secret(new: Secret, _old: Secret | None) -> list[str]:
    """Of a certificate and a key that do not belong together."""
    if new.type != "kubernetes.io/tls":
        return []
    from apiserver.registry.warnings import keypairs  # reading keys needs a heavy library, and few Secrets hold any

    complaint = keypairs.complain_of(new.data.get("tls.crt", b""), new.data.get("tls.key", b""))
    return [complaint] if complaint else []
