"""Give every namespace what pods in it expect: the ServiceAccount `default`, and the CA by which they know the server.

Reads Namespaces, ServiceAccounts and ConfigMaps. Writes the ServiceAccount `default` and the ConfigMap
`kube-root-ca.crt` in each namespace that is not going: makes them when they are missing and puts the CA right when it
has changed. Without a CA (a server that speaks no TLS) there is nothing to publish, and the ConfigMap is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from steersman.api.core import ConfigMap, Namespace, ServiceAccount
from steersman.api.errors import AlreadyExists, ApiError, Forbidden, NotFound
from steersman.api.meta import ObjectMeta
from steersman.client.cache import Cache, ObjectKey
from steersman.control.loop import DONE, Outcome
from steersman.control.writes import Tracked

ACCOUNT = "default"
CA_MAP = "kube-root-ca.crt"
CA_ENTRY = "ca.crt"
DESCRIPTION = "kubernetes.io/description"
CA_DESCRIPTION = "The CA that signed the API server's certificate, for clients inside the cluster."
TERMINATING = "NamespaceTerminating"


@dataclass(frozen=True, slots=True)
class CreateAccount:
    namespace: str


@dataclass(frozen=True, slots=True)
class CreateCA:
    namespace: str


@dataclass(frozen=True, slots=True)
class CorrectCA:
    present: ConfigMap


Action = CreateAccount | CreateCA | CorrectCA


def plan(namespace: Namespace, account: ServiceAccount | None, published: ConfigMap | None, ca: str) -> list[Action]:
    """`ca`: in PEM; empty: there is none to publish."""
    if namespace.metadata.deletion_timestamp is not None:
        return []
    name = namespace.metadata.name
    actions: list[Action] = [] if account is not None else [CreateAccount(name)]
    if not ca:
        return actions
    if published is None:
        return [*actions, CreateCA(name)]
    described = bool(published.metadata.annotations.get(DESCRIPTION))
    return actions if described and published.data == {CA_ENTRY: ca} else [*actions, CorrectCA(published)]


def account_for(namespace: str) -> ServiceAccount:
    return ServiceAccount(metadata=ObjectMeta(name=ACCOUNT, namespace=namespace))


def ca_for(namespace: str, ca: str) -> ConfigMap:
    meta = ObjectMeta(name=CA_MAP, namespace=namespace, annotations={DESCRIPTION: CA_DESCRIPTION})
    return ConfigMap(metadata=meta, data={CA_ENTRY: ca})


def corrected(present: ConfigMap, ca: str) -> ConfigMap:
    annotations = {**present.metadata.annotations, DESCRIPTION: CA_DESCRIPTION}
    return replace(present, data={CA_ENTRY: ca}, metadata=replace(present.metadata, annotations=annotations))


class ServiceAccountController:
    """`ca`: the certificates, in PEM, by which clients know the API server."""

    name = "serviceaccount"

    def __init__(
        self,
        accounts: Tracked[ServiceAccount],
        configmaps: Tracked[ConfigMap],
        *,
        namespace_cache: Cache[Namespace],
        account_cache: Cache[ServiceAccount],
        configmap_cache: Cache[ConfigMap],
        ca: str,
    ) -> None:
        self._accounts = accounts
        self._configmaps = configmaps
        self._namespace_cache = namespace_cache
        self._account_cache = account_cache
        self._configmap_cache = configmap_cache
        self._ca = ca

    async def reconcile(self, key: ObjectKey) -> Outcome:
        namespace = self._namespace_cache.get(key)
        if namespace is None:
            return DONE
        name = namespace.metadata.name
        account = self._account_cache.get(ObjectKey(name, ACCOUNT))
        published = self._configmap_cache.get(ObjectKey(name, CA_MAP))
        for action in plan(namespace, account, published, self._ca):
            try:
                await self._act(action)
            except (AlreadyExists, NotFound):
                continue  # somebody was quicker, or it went with its namespace
            except Forbidden as error:
                if not _is_because_terminating(error):
                    raise
        return DONE

    async def _act(self, action: Action) -> None:
        match action:
            case CreateAccount(namespace):
                await self._accounts.create(account_for(namespace))
            case CreateCA(namespace):
                await self._configmaps.create(ca_for(namespace, self._ca))
            case CorrectCA(present):
                await self._configmaps.update(corrected(present, self._ca))

    @staticmethod
    def woken_by_account(account: ServiceAccount) -> Iterable[ObjectKey]:
        return (ObjectKey("", account.metadata.namespace),) if account.metadata.name == ACCOUNT else ()

    @staticmethod
    def woken_by_configmap(configmap: ConfigMap) -> Iterable[ObjectKey]:
        return (ObjectKey("", configmap.metadata.namespace),) if configmap.metadata.name == CA_MAP else ()


def _is_because_terminating(error: ApiError) -> bool:
    return error.details is not None and any(cause.reason == TERMINATING for cause in error.details.causes)
