"""etcd is killed, frozen and cut off while writers write and a watch follows.

Afterwards: every acknowledged write is there with its revision, the watch has given every revision once and in order,
and no writer was told Conflict or AlreadyExists about its own write.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
import pytest_asyncio

from apiserver.storage import etcd
from apiserver.storage.etcd import store as etcd_store
from apiserver.storage.interface import NO_REVISION, Expect, Put, Revised, Store, Stored, Watch
from steersman.api.errors import AlreadyExists, ApiError, Timeout, Unavailable
from steersman.api.names import Revision
from tests.chaos import proxies
from tests.chaos.proxies import Flow, Proxy
from tests.etcdserver import NO_FSYNC, EtcdCluster, EtcdMember, etcd_cluster, etcd_server
from tests.eventually import eventually

pytestmark = [
    pytest.mark.etcd,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]

WRITERS = 16
WITHIN = 90.0
"""What does not go on by itself never does: the bound is for machines whose disks take a second to sync."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster() -> AsyncIterator[EtcdCluster]:
    """Three members, which all tests of this file share: each leaves them running."""
    async with etcd_cluster(3) as members:
        yield members


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def member() -> AsyncIterator[EtcdMember]:
    """One that is never killed."""
    async with etcd_server(*NO_FSYNC) as running:
        yield running


@pytest.fixture
def prefix() -> str:
    return f"/registry/{uuid.uuid4().hex}/"


@contextmanager
def frozen(*members: EtcdMember) -> Iterator[None]:
    for each in members:
        each.pause()
    try:
        yield
    finally:
        for each in members:
            each.resume()


@dataclass
class Storm:
    """Writers that create ever new keys, and a watch over them."""

    store: Store
    prefix: str
    acknowledged: dict[str, Stored] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    given: list[Revised] = field(default_factory=list)
    _stopping: bool = False

    @asynccontextmanager
    async def raging(self) -> AsyncIterator[None]:
        watch = self.store.watch(self.prefix, await self.store.revision())
        following = asyncio.create_task(self._follow(watch))
        writing = [asyncio.create_task(self._write(writer)) for writer in range(WRITERS)]
        try:
            yield
        finally:
            self._stopping = True
            await asyncio.gather(*writing)
            await eventually(lambda: self.reached >= self.newest, within=WITHIN)
            await watch.aclose()
            await following

    @property
    def newest(self) -> Revision:
        return max((stored.revision for stored in self.acknowledged.values()), default=NO_REVISION)

    @property
    def reached(self) -> Revision:
        return self.given[-1].revision if self.given else NO_REVISION

    async def more_writes(self, count: int) -> None:
        wanted = len(self.acknowledged) + count
        await eventually(lambda: len(self.acknowledged) >= wanted, within=WITHIN)

    async def _write(self, writer: int) -> None:
        number = 0
        while not self._stopping:
            number += 1
            key = f"{self.prefix}{writer}/{number}"
            try:
                self.acknowledged[key] = await self.store.create(key, key.encode())
            except Timeout:
                self.unknown.append(key)
            except Unavailable:
                await asyncio.sleep(0.01)

    async def _follow(self, watch: Watch) -> None:
        async for revised in watch:
            if revised.changes:
                self.given.append(revised)

    async def verify(self) -> None:
        present = {item.key: item for item in (await self.store.list(self.prefix)).items}
        assert {key: present.get(key) for key in self.acknowledged} == self.acknowledged
        assert present.keys() <= self.acknowledged.keys() | set(self.unknown)
        # Each key is written once, so the watch must have given exactly what is there, in the order of revisions.
        in_order = sorted(present.values(), key=lambda item: item.revision)
        assert [(revised.revision, change.key) for revised in self.given for change in revised.changes] == [
            (item.revision, item.key) for item in in_order if item.revision <= self.reached
        ]


async def test_kill_9_of_the_only_member_in_a_write_storm(prefix: str) -> None:
    async with etcd_server() as server, etcd.open_store([server.endpoint]) as store:
        storm = Storm(store, prefix)
        async with storm.raging():
            for _ in range(3):
                await storm.more_writes(500)
                await server.restart()
            await storm.more_writes(500)
        await storm.verify()


async def test_kill_9_of_the_leader_of_three_in_a_write_storm(cluster: EtcdCluster, prefix: str) -> None:
    async with etcd.open_store(cluster.endpoints) as store:
        storm = Storm(store, prefix)
        async with storm.raging():
            for _ in range(2):
                await storm.more_writes(300)
                leader = await cluster.leader()
                await leader.kill()
                await storm.more_writes(300)
                await leader.restart()
        await storm.verify()


@pytest.mark.parametrize("role", ["leader", "follower"])
async def test_a_frozen_member_is_left_for_another(cluster: EtcdCluster, prefix: str, role: str) -> None:
    leader = await cluster.leader()
    first = leader if role == "leader" else next(member for member in cluster.members if member is not leader)
    endpoints = sorted(cluster.endpoints, key=lambda endpoint: endpoint != first.endpoint)
    async with etcd.open_store(endpoints) as store:
        storm = Storm(store, prefix)
        async with storm.raging():
            await storm.more_writes(300)
            with frozen(first):
                await goes_on(storm)
            await storm.more_writes(300)
        await storm.verify()


async def test_a_member_behind_a_cut_is_left_for_another(cluster: EtcdCluster, prefix: str) -> None:
    async with proxies.proxied(cluster.members[0]) as proxy:
        endpoints = [proxy.endpoint, *cluster.endpoints[1:]]
        async with etcd.open_store(endpoints) as store:
            storm = Storm(store, prefix)
            async with storm.raging():
                await storm.more_writes(300)
                proxy.flow = Flow.CUT
                await goes_on(storm)
            await storm.verify()


async def test_without_a_majority_nothing_is_acknowledged_and_then_all_goes_on(
    cluster: EtcdCluster, prefix: str
) -> None:
    async with etcd.open_store(cluster.endpoints[:1]) as store:
        storm = Storm(store, prefix)
        async with storm.raging():
            await storm.more_writes(100)
            with frozen(*cluster.members[1:]):
                with pytest.raises((Timeout, Unavailable)):
                    await store.create("/elsewhere", b"1")
                with pytest.raises((Timeout, Unavailable)):
                    await store.get("/elsewhere")
            await storm.more_writes(100)
        await storm.verify()


async def test_a_quiet_watch_leaves_a_frozen_member(cluster: EtcdCluster, prefix: str) -> None:
    """Nobody writes, so only the heartbeat can tell. The write comes from a store that never knew the frozen member."""
    leader = await cluster.leader()
    left, other = [member for member in cluster.members if member is not leader]
    async with (
        etcd.open_store([left.endpoint, other.endpoint]) as watching,
        etcd.open_store([leader.endpoint, other.endpoint]) as writing,
    ):
        watch = watching.watch(prefix, await watching.revision())
        before = await landed(writing, f"{prefix}before")
        assert await next_change(watch) == before.revision
        with frozen(left):
            after = await landed(writing, f"{prefix}after")
            assert await next_change(watch) == after.revision
        await watch.aclose()


async def goes_on(storm: Storm) -> None:
    """Both the writes and the watch."""
    wanted = max(storm.newest, storm.reached) + 100
    await eventually(lambda: min(storm.newest, storm.reached) >= wanted, within=WITHIN)


async def next_change(watch: Watch) -> Revision:
    async with asyncio.timeout(WITHIN):
        while True:
            revised = await anext(watch)
            if revised.changes:
                return revised.revision


async def landed(store: Store, key: str) -> Stored:
    """Created, whatever an election in between makes of the first attempts."""

    async def created() -> Stored | None:
        try:
            return await store.create(key, b"1")
        except (Timeout, Unavailable):
            return None
        except AlreadyExists:
            return await store.get(key)

    found = await eventually(created, within=WITHIN)
    assert found is not None
    return found


async def create(store: Store, old: Stored) -> Revision:
    return (await store.create(f"{old.key}-new", b"mine")).revision


async def update(store: Store, old: Stored) -> Revision:
    return (await store.update(old.key, lambda _: b"mine", hint=old)).revision


async def update_with_claim(store: Store, old: Stored) -> Revision:
    claim = Put(f"{old.key}-claim", b"taken", absent=True)
    return (await store.update(old.key, lambda _: b"mine", hint=old, also=[claim])).revision


async def delete(store: Store, old: Stored) -> Revision:
    return await store.delete(old.key, Expect(old.revision))


async def delete_with_put(store: Store, old: Stored) -> Revision:
    return await store.delete(old.key, Expect(old.revision), also=[Put(f"{old.key}-fence", b"moved")])


Write = Callable[[Store, Stored], Coroutine[Any, Any, Revision]]


@asynccontextmanager
async def behind_proxy(member: EtcdMember) -> AsyncIterator[tuple[Proxy, Store]]:
    """A store that asks its only member through a proxy first, and directly when that fails."""
    async with (
        proxies.proxied(member) as proxy,
        etcd.open_store([proxy.endpoint, member.endpoint]) as store,
    ):
        yield proxy, store


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost answer is given up soon, and then found out, for as long as a busy machine may need."""
    monkeypatch.setattr(etcd_store, "TRY_SECONDS", 0.5)
    monkeypatch.setattr(etcd_store, "ANSWER_SECONDS", 60.0)


@pytest.mark.parametrize(
    "write", [create, update, update_with_claim, delete_with_put], ids=lambda write: write.__name__
)
@pytest.mark.usefixtures("patient")
async def test_a_write_whose_answer_is_lost_is_recognised_as_our_own(
    member: EtcdMember, prefix: str, write: Write
) -> None:
    async with behind_proxy(member) as (proxy, store):
        old = await store.create(f"{prefix}old", b"old")
        proxy.flow = Flow.NO_ANSWERS
        assert await write(store, old) == old.revision + 1
        assert await store.revision() == old.revision + 1


@pytest.mark.parametrize(
    "write", [create, update, update_with_claim, delete, delete_with_put], ids=lambda write: write.__name__
)
async def test_a_write_without_any_answer_is_timeout(
    member: EtcdMember, prefix: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        proxies.proxied(member) as proxy,
        etcd.open_store([proxy.endpoint]) as store,
        etcd.open_store([member.endpoint]) as direct,
    ):
        old = await store.create(f"{prefix}old", b"old")
        monkeypatch.setattr(etcd_store, "TRY_SECONDS", 1.0)
        monkeypatch.setattr(etcd_store, "ANSWER_SECONDS", 3.0)
        proxy.flow = Flow.NO_ANSWERS
        with pytest.raises(Timeout):
            await write(store, old)

        async def has_landed_once() -> bool:
            return await direct.revision() == old.revision + 1

        await eventually(has_landed_once)


@pytest.mark.usefixtures("patient")
async def test_a_delete_whose_answer_is_lost_is_timeout_because_the_deletion_may_be_anybodys(
    member: EtcdMember, prefix: str
) -> None:
    async with behind_proxy(member) as (proxy, store):
        old = await store.create(f"{prefix}old", b"old")
        proxy.flow = Flow.NO_ANSWERS
        with pytest.raises(Timeout):
            await delete(store, old)


@pytest.mark.parametrize("flow", [Flow.NO_ANSWERS, Flow.CUT])
@pytest.mark.usefixtures("patient")
async def test_writers_are_never_told_conflict_about_themselves(member: EtcdMember, prefix: str, flow: Flow) -> None:
    """One writer per key, each write expects its own last revision: a Conflict, AlreadyExists or NotFound is a lie."""
    async with behind_proxy(member) as (proxy, store):
        lies: list[ApiError] = []
        unknown: list[str] = []
        under_way = asyncio.Event()

        async def write(name: str) -> None:
            try:
                stored = await store.create(f"{prefix}{name}", b"0")
                for number in range(1, 100):
                    stored = await store.update(stored.key, partial(written, b"%d" % number), Expect(stored.revision))
                    if number == 20:
                        under_way.set()
            except Timeout:
                unknown.append(name)
            except ApiError as lie:
                lies.append(lie)

        async with asyncio.TaskGroup() as writing:
            for writer in range(WRITERS):
                writing.create_task(write(f"{writer}"))
            await under_way.wait()
            proxy.flow = flow
        assert proxy.swallowed_bytes > 0
        assert lies == []
        assert unknown == []  # with one writer per key every lost answer can be found out
        assert {item.value for item in (await store.list(prefix)).items} == {b"99"}


def written(value: bytes, old: Stored) -> bytes:
    return value


async def test_nothing_reachable_is_unavailable(prefix: str) -> None:
    async with etcd_server() as server, etcd.open_store([server.endpoint]) as store:
        await store.create(f"{prefix}a", b"1")
        await server.kill()
        with pytest.raises(Unavailable):
            await store.create(f"{prefix}b", b"1")
        await server.restart()
        assert [item.key for item in (await store.list(prefix)).items] == [f"{prefix}a"]
