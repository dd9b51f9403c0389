"""The API server as a whole: store, cache, registry and fronts, put together and taken apart in order."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import platform
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache as cache_once

from prometheus_client import CollectorRegistry

from apiserver import bootstrap, claims_repair, event_expiry, observation, presence
from apiserver.admission.lookup import Lookup
from apiserver.auth import certificates, renewal
from apiserver.auth.certificates import Pki
from apiserver.auth.tls import Identity, ServerTls, of_pki
from apiserver.auth.tokens import Issuer, Key, Tokens
from apiserver.config import Settings, admission_of
from apiserver.grpcfront import server as grpcfront
from apiserver.limits import Limits
from apiserver.nodes import Nodes
from apiserver.presence import Server
from apiserver.registry import catalog
from apiserver.registry.registry import Registry
from apiserver.registry.strategy import Strategy
from apiserver.restfront import openid
from apiserver.restfront import server as restfront
from apiserver.restfront.authentication import Authentication
from apiserver.restfront.front import Front
from apiserver.restfront.pages import About
from apiserver.restfront.streams import doors as streams
from apiserver.restfront.streams import targets
from apiserver.storage import compaction, embedded
from apiserver.storage.interface import Store
from apiserver.watchcache.cache import WatchCache
from steersman import version
from steersman.api import selectors
from steersman.api.errors import Unavailable
from steersman.base import log, memory, metrics
from steersman.base.clock import Clock, SystemClock
from steersman.base.health import Health, Unhealthy
from steersman.base.values import Address
from steersman.client.transport import Credentials

STORE_FILES = "store"
GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
VERSION = {
    "major": version.KUBERNETES.split(".")[0],
    "minor": version.KUBERNETES.split(".")[1],
    "emulationMajor": version.KUBERNETES.split(".")[0],
    "emulationMinor": version.KUBERNETES.split(".")[1],
    "minCompatibilityMajor": version.KUBERNETES.split(".")[0],
    "minCompatibilityMinor": str(int(version.KUBERNETES.split(".")[1]) - 1),
    "gitVersion": f"v{version.KUBERNETES}.0+steersman-{version.VERSION}",
    "gitCommit": "",
    "gitTreeState": "",
    "buildDate": "1970-01-01T00:00:00Z",  # what Kubernetes says too when nobody has noted it
    "goVersion": f"python{platform.python_version()}",
    "compiler": "cpython",
    "platform": f"{sys.platform}/{GO_NAMES.get(platform.machine(), platform.machine())}",
}
"""Clients in several languages insist on every one of these."""

_log = log.get("apiserver")


@dataclass(frozen=True, slots=True)
class Serving:
    grpc: Address
    rest: Address


@asynccontextmanager
async def serving(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Serving]:
    """An API server that is ready for clients, for as long as the block is open."""
    clock = clock or SystemClock()
    registry = metrics.new_registry()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    tls, pki = _prepare_tls(settings, clock)
    async with (
        _open_store(settings) as bare_store,
        asyncio.TaskGroup() as tasks,
    ):
        store = observation.ObservedStore(bare_store, registry)
        cache = WatchCache(store, clock, selectors.SELECTABLE_FIELDS)
        background = [
            tasks.create_task(cache.run()),
            tasks.create_task(metrics.watch_loop_lag(metrics.loop_lag(registry), clock)),
            tasks.create_task(memory.give_back(clock)),
        ]
        if pki is not None and tls is not None:
            background.append(tasks.create_task(_renew(settings, clock, pki, tls)))
        if settings.etcd_endpoints:
            background.append(tasks.create_task(compaction.compact_periodically(store)))
        try:
            with metrics.watch_gc_pauses(registry):
                async with _fronts(settings, store, cache, registry, clock, tls) as serving_:
                    yield serving_
        finally:
            for task in background:
                task.cancel()


@asynccontextmanager
async def _fronts(
    settings: Settings,
    store: Store,
    cache: WatchCache,
    metrics_registry: CollectorRegistry,
    clock: Clock,
    tls: ServerTls | None,
) -> AsyncIterator[Serving]:
    served = catalog.strategies(settings.cluster_ips, settings.node_ports)
    issuer = Issuer(cache_once(lambda: _signing_key(settings)))
    registry = Registry(store, cache, served, clock, admission=admission_of(settings), issuer=issuer)
    tokens = Tokens(issuer, Lookup(cache), clock)
    limits = Limits(
        reads=settings.max_requests_inflight,
        writes=settings.max_mutating_requests_inflight,
        watches=settings.max_watches,
    )
    observation.expose(metrics_registry, cache, limits)
    authentication = Authentication(tokens.caller_of, secure=tls is not None)
    nodes = Nodes(lambda name: targets.node_of(registry, name), _node_credentials(settings, tls))
    front = Front(registry, limits, metrics_registry, authentication, doors_=streams.doors(registry, nodes))
    filled = asyncio.Event()
    about = About(
        live=_liveness(store), ready=_readiness(store, cache, filled), metrics=metrics_registry, version=VERSION
    )
    async with (
        restfront.serving(front, about, settings.rest_address, tls, further=openid.of_issuer(issuer)) as rest,
        grpcfront.serving(registry, limits, metrics_registry, settings.grpc_address, tls) as grpc,
    ):
        await cache.ready()
        client_ca = tls.identity.client_ca_file.read_bytes() if tls is not None else b""
        await bootstrap.fill(registry, settings.cluster_ips, rest.port, client_ca)
        here = _server_at(settings, rest)
        if here is not None:
            await presence.appear(registry, here, clock)
        filled.set()
        # What has been loaded stays: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        await grpc.serve()
        keepers = _keepers(settings, store, cache, registry, clock, here, served)
        _log.info("ready", grpc=str(grpc.address), rest=str(rest), store=_store_name(settings), revision=cache.revision)
        async with asyncio.TaskGroup() as tasks:
            keeping = [tasks.create_task(keeper) for keeper in keepers]
            yield Serving(grpc.address, rest)
            for task in keeping:
                task.cancel()
        _log.info("draining", watches=limits.watches.taken)


def _keepers(
    settings: Settings,
    store: Store,
    cache: WatchCache,
    registry: Registry,
    clock: Clock,
    here: Server | None,
    served: Mapping[str, Strategy],
) -> list[Coroutine[None, None, None]]:
    """What runs as long as the server serves: its own presence, the repair of claims, the end of Events."""
    keepers: list[Coroutine[None, None, None]] = [
        claims_repair.repair_periodically(store, served, clock),
        event_expiry.expire_periodically(registry, cache, clock, settings.event_ttl),
    ]
    if here is not None:
        keepers.append(presence.stay(registry, here, clock))
    return keepers


def _server_at(settings: Settings, rest: Address) -> Server | None:
    """This server as others know it; None when nobody else can reach it."""
    given = settings.advertise_address
    address = Address(given, rest.port) if given else presence.advertised(rest)
    if address is None:
        return None
    return Server(hashlib.sha256(f"{socket.gethostname()}:{rest.port}".encode()).hexdigest()[:26], address)


def _open_store(settings: Settings) -> AbstractAsyncContextManager[Store]:
    if not settings.etcd_endpoints:
        return embedded.open_store(settings.data_dir / STORE_FILES)
    from apiserver.storage import etcd  # its stubs take time to import, and most servers start without

    return etcd.open_store(
        settings.etcd_endpoints,
        ca_file=settings.etcd_ca_file,
        cert_file=settings.etcd_cert_file,
        key_file=settings.etcd_key_file,
        root=settings.etcd_root,
    )


def _store_name(settings: Settings) -> str:
    return ",".join(settings.etcd_endpoints) or "embedded"


def _prepare_tls(settings: Settings, clock: Clock) -> tuple[ServerTls | None, Pki | None]:
    """Nothing; the certificates that were given; or our own, made when missing."""
    if settings.insecure:
        return None, None
    if settings.tls_cert_file and settings.tls_private_key_file and settings.client_ca_file:
        given = Identity(settings.tls_cert_file, settings.tls_private_key_file, settings.client_ca_file)
        return ServerTls(given), None
    pki = _ensure_pki(settings, clock.now())
    return ServerTls(of_pki(pki)), pki


def _ensure_pki(settings: Settings, now: datetime) -> Pki:
    pki = certificates.ensure(
        settings.data_dir,
        server_url=f"https://{_local(settings.rest_address)}",
        now=now,
        extra_names=(*settings.advertise_names, settings.grpc_address.host, settings.rest_address.host),
    )
    for node in settings.node_certificates:
        certificates.ensure_node(pki, node, now=now)
    return pki


def _local(listening: Address) -> Address:
    """Where somebody on this machine connects: "every interface" is no address to call."""
    return Address("127.0.0.1", listening.port) if listening.host in ("0.0.0.0", "::") else listening


async def _renew(settings: Settings, clock: Clock, pki: Pki, tls: ServerTls) -> None:
    await renewal.keep_renewed(
        pki,
        clock,
        renew=lambda now: _ensure_pki(settings, now),
        take_into_use=lambda renewed: tls.take_into_use(of_pki(renewed)),
    )


def _node_credentials(settings: Settings, tls: ServerTls | None) -> Callable[[], Credentials] | None:
    """With what node agents are called; read anew for each call, as it may have been renewed."""
    if tls is None:
        return None
    pki = settings.data_dir / "pki"
    certificate, key = settings.node_client_certificate, settings.node_client_key
    if certificate is None or key is None:
        certificate, key = pki / "apiserver.crt", pki / "apiserver.key"

    def read() -> Credentials:
        try:
            return Credentials.from_files(tls.identity.client_ca_file, certificate, key)
        except OSError as error:
            raise Unavailable(
                "there is no certificate to call node agents with: see --node-client-certificate"
            ) from error

    return read


def _signing_key(settings: Settings) -> Key:
    from apiserver.auth import jwt, signing  # heavy, and a server without tokens does without

    return jwt.SigningKey(signing.load_key(certificates.ensure_signing_key(settings.data_dir)))


def _liveness(store: Store) -> Health:
    health = Health("livez")
    health.add("store", _reach(store))
    return health


def _readiness(store: Store, cache: WatchCache, filled: asyncio.Event) -> Health:
    async def caught_up() -> None:
        await cache.fresh()

    async def has_contents() -> None:
        if not filled.is_set():
            raise Unhealthy("what every cluster contains is still being written")

    health = Health("readyz")
    health.add("store", _reach(store))
    health.add("watch-cache", caught_up)
    health.add("bootstrap", has_contents)
    return health


def _reach(store: Store) -> Callable[[], Awaitable[None]]:
    async def reach() -> None:
        await store.revision()

    return reach
