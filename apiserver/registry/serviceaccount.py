"""ServiceAccounts: nothing to refuse beyond metadata; references to secrets are names in the same namespace."""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.warnings import small as warned
from steersman.api.core import ObjectReference, ServiceAccount


def default(new: ServiceAccount) -> ServiceAccount:
    secrets = tuple(ObjectReference(name=secret.name) for secret in new.secrets)
    return new if secrets == new.secrets else replace(new, secrets=secrets)


SERVICE_ACCOUNT = Strategy(
    default=default,
    warn=warned.of_serviceaccount,
)
