"""The repair of claims: what it finds, and that it harms nothing that changes meanwhile."""

from __future__ import annotations

import pytest

from apiserver import claims_repair
from apiserver.claims_repair import Contested, Findings, Missing, compare
from apiserver.registry import clusterips
from apiserver.registry.claiming import Occasion
from apiserver.registry.service import service_strategy
from apiserver.storage import keys
from apiserver.storage.interface import Stored
from steersman.api import codec
from steersman.api.core import Service, ServiceSpec
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.api.networking import IPAddress, ParentReference
from tests.fakes.clock import START, FakeClock
from tests.fakes.store import FakeStore

STRATEGIES = {"services": service_strategy()}
ADDRESSES = clusterips.PLACE


def stored(key: str, revision: int = 1) -> Stored:
    return Stored(key, b"", Revision(revision))


WEB, DB = stored("/registry/services/default/web"), stored("/registry/services/default/db")
CASES = [
    ("all is well", [stored("a")], [("a", WEB)], Findings()),
    ("nothing at all", [], [], Findings()),
    ("a leak", [stored("a"), stored("b")], [("a", WEB)], Findings(leaked=(stored("b"),))),
    ("a missing claim", [], [("a", WEB)], Findings(missing=(Missing("a", WEB),))),
    (
        "two on one claim",
        [stored("a")],
        [("a", WEB), ("a", DB)],
        Findings(contested=(Contested("a", (WEB.key, DB.key)),)),
    ),
    (
        "two on a missing claim",
        [],
        [("a", WEB), ("a", DB)],
        Findings(missing=(Missing("a", WEB),), contested=(Contested("a", (WEB.key, DB.key)),)),
    ),
]


@pytest.mark.parametrize(
    ("claims", "wanted", "findings"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_findings(claims: list[Stored], wanted: list[tuple[str, Stored]], findings: Findings) -> None:
    assert compare(claims, wanted) == findings


async def put_service(store: FakeStore, name: str, address: str) -> Stored:
    spec = ServiceSpec(type="ClusterIP", cluster_ip=address, cluster_ips=(address,))
    value = codec.encode(Service(metadata=ObjectMeta(name=name, namespace="default"), spec=spec))
    return await store.create(keys.key_of("services", "default", name), value)


def claim_of(service: str, address: str) -> bytes:
    """What keeps an address for a Service."""
    whose = Service(metadata=ObjectMeta(name=service, namespace="default"))
    return clusterips.record(address, "IPv4", whose)(Occasion.of(f"/registry/services/default/{service}", START))


async def claims(store: FakeStore) -> list[str]:
    return [claim.key.removeprefix(ADDRESSES) for claim in (await store.list(ADDRESSES)).items]


async def test_a_round_repairs_and_the_next_finds_nothing() -> None:
    store = FakeStore()
    await put_service(store, "web", "10.96.0.1")
    await store.create(f"{ADDRESSES}10.96.0.2", claim_of("gone", "10.96.0.2"))
    findings = await claims_repair.repair_once(store, STRATEGIES, START)
    assert (len(findings.leaked), len(findings.missing)) == (1, 1)
    assert await claims(store) == ["10.96.0.1"]
    put = codec.load(IPAddress, (await store.get(f"{ADDRESSES}10.96.0.1")).value)
    assert put.spec.parent_ref == ParentReference(resource="services", namespace="default", name="web")
    assert await claims_repair.repair_once(store, STRATEGIES, START) == Findings()


async def test_a_leaked_port_is_freed() -> None:
    store = FakeStore()
    await store.create(f"{keys.claims_of('nodeports')}30000", b"/registry/services/default/gone")
    findings = await claims_repair.repair_once(store, STRATEGIES, START)
    assert len(findings.leaked) == 1
    assert (await store.list(keys.CLAIMS)).items == ()


async def test_an_address_that_somebody_else_keeps_is_no_leak() -> None:
    store = FakeStore()
    own = IPAddress(metadata=ObjectMeta(name="10.96.0.2", labels={clusterips.MANAGED_BY: "me"}))
    await store.create(f"{ADDRESSES}10.96.0.2", codec.encode(own))
    assert await claims_repair.repair_once(store, STRATEGIES, START) == Findings()
    assert await claims(store) == ["10.96.0.2"]


async def test_what_is_contested_is_left_alone() -> None:
    store = FakeStore()
    await put_service(store, "web", "10.96.0.1")
    await put_service(store, "db", "10.96.0.1")
    first = await claims_repair.repair_once(store, STRATEGIES, START)
    again = await claims_repair.repair_once(store, STRATEGIES, START)
    assert first.contested == again.contested
    assert await claims(store) == ["10.96.0.1"]


async def test_a_claim_that_was_freed_and_taken_again_meanwhile_stays() -> None:
    store = FakeStore()
    old = await store.create(f"{ADDRESSES}10.96.0.1", b"old")
    await store.delete(old.key)
    await store.create(old.key, b"new")
    await claims_repair._free(store, old)
    assert (await store.get(old.key)).value == b"new"


async def test_a_service_that_has_changed_meanwhile_is_not_given_its_old_claim() -> None:
    store = FakeStore()
    before = await put_service(store, "web", "10.96.0.1")
    await store.delete(before.key)
    await claims_repair._put(store, Missing(f"{ADDRESSES}10.96.0.1", before), claim_of("web", "10.96.0.1"))
    assert await claims(store) == []


async def test_rounds_come_again_and_again() -> None:
    store, clock = FakeStore(), FakeClock()
    rounds = 0

    async def sleep(seconds: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            raise TimeoutError
        await clock.sleep(0)

    with pytest.raises(TimeoutError):
        await claims_repair.repair_periodically(store, STRATEGIES, clock, sleep=sleep)
    assert rounds == 3
