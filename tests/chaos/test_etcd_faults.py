"""etcd is killed, frozen and cut off while writers write and a watch follows.

Afterwards: every acknowledged write is there with its revision, the watch has given every revision once and in order,
and no writer was told Conflict or AlreadyExists about its own write.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

import pytest

from apiserver.storage import etcd
from apiserver.storage.interface import Expect, Put, Revised, Store, Stored, Watch
from steersman.api.errors import ApiError, Timeout, Unavailable
from steersman.api.names import Revision
from tests.etcdserver import EtcdMember, etcd_cluster, etcd_server
from tests.eventually import eventually

pytestmark = [pytest.mark.etcd, pytest.mark.slow]

WRITERS = 16
START = Revision(1)
LEFT_WITHIN_SECONDS = 20.0


@dataclass
class Storm:
    """Writers that create ever new keys, and a watch over them."""

    store: Store
    acknowledged: dict[str, Stored] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    given: list[Revised] = field(default_factory=list)
    longest_gap_seconds: float = 0.0
    _stopping: bool = False

    @asynccontextmanager
    async def raging(self) -> AsyncIterator[None]:
        watch = self.store.watch("/registry/", START)
        following = asyncio.create_task(self._follow(watch))
        writing = [asyncio.create_task(self._write(writer)) for writer in range(WRITERS)]
        try:
            yield
        finally:
            self._stopping = True
            await asyncio.gather(*writing)
            await eventually(lambda: self.given and self.given[-1].revision >= self.newest, within=10)
            await watch.aclose()
            await following

    @property
    def newest(self) -> Revision:
        return max((stored.revision for stored in self.acknowledged.values()), default=START)

    async def more_writes(self, count: int) -> None:
        wanted = len(self.acknowledged) + count
        await eventually(lambda: len(self.acknowledged) >= wanted, within=15)

    async def _write(self, writer: int) -> None:
        loop = asyncio.get_running_loop()
        number = 0
        while not self._stopping:
            number += 1
            key = f"/registry/{writer}/{number}"
            began = loop.time()
            try:
                self.acknowledged[key] = await self.store.create(key, key.encode())
            except Timeout:
                self.unknown.append(key)
            except Unavailable:
                await asyncio.sleep(0.01)
            self.longest_gap_seconds = max(self.longest_gap_seconds, loop.time() - began)

    async def _follow(self, watch: Watch) -> None:
        async for revised in watch:
            if revised.changes:
                self.given.append(revised)

    async def verify(self) -> None:
        present = {item.key: item for item in (await self.store.list("/registry/")).items}
        assert {key: present.get(key) for key in self.acknowledged} == self.acknowledged
        assert present.keys() <= self.acknowledged.keys() | set(self.unknown)
        # Each key is written once, so the watch must have given exactly what is there, in the order of revisions.
        in_order = sorted(present.values(), key=lambda item: item.revision)
        upto = self.given[-1].revision
        assert [(revised.revision, change.key) for revised in self.given for change in revised.changes] == [
            (item.revision, item.key) for item in in_order if item.revision <= upto
        ]


async def test_kill_9_of_the_only_member_in_a_write_storm() -> None:
    async with etcd_server() as server, etcd.open_store([server.endpoint]) as store:
        storm = Storm(store)
        async with storm.raging():
            for _ in range(3):
                await storm.more_writes(500)
                await server.restart()
            await storm.more_writes(500)
        await storm.verify()


async def test_kill_9_of_the_leader_of_three_in_a_write_storm() -> None:
    async with etcd_cluster(3) as cluster, etcd.open_store(cluster.endpoints) as store:
        storm = Storm(store)
        async with storm.raging():
            for _ in range(2):
                await storm.more_writes(300)
                leader = await cluster.leader()
                await leader.kill()
                await storm.more_writes(300)
                await leader.restart()
        await storm.verify()
        assert storm.longest_gap_seconds < LEFT_WITHIN_SECONDS


@pytest.mark.parametrize("role", ["leader", "follower"])
async def test_a_frozen_member_is_left_for_another(role: str) -> None:
    async with etcd_cluster(3) as cluster:
        leader = await cluster.leader()
        first = leader if role == "leader" else next(member for member in cluster.members if member is not leader)
        endpoints = sorted(cluster.endpoints, key=lambda endpoint: endpoint != first.endpoint)
        async with etcd.open_store(endpoints) as store:
            storm = Storm(store)
            async with storm.raging():
                await storm.more_writes(300)
                first.pause()
                await goes_on_within(storm, LEFT_WITHIN_SECONDS)
                first.resume()
                await storm.more_writes(300)
            await storm.verify()


async def test_a_member_behind_a_cut_is_left_for_another() -> None:
    async with etcd_cluster(3) as cluster, proxied(cluster.members[0]) as proxy:
        endpoints = [proxy.endpoint, *cluster.endpoints[1:]]
        async with etcd.open_store(endpoints) as store:
            storm = Storm(store)
            async with storm.raging():
                await storm.more_writes(300)
                proxy.flow = Flow.CUT
                await goes_on_within(storm, LEFT_WITHIN_SECONDS)
            await storm.verify()


async def test_without_a_majority_nothing_is_acknowledged_and_then_all_goes_on() -> None:
    async with etcd_cluster(3) as cluster, etcd.open_store(cluster.endpoints[:1]) as store:
        storm = Storm(store)
        async with storm.raging():
            await storm.more_writes(100)
            for member in cluster.members[1:]:
                member.pause()
            with pytest.raises((Timeout, Unavailable)):
                await store.create("/elsewhere", b"1")
            with pytest.raises((Timeout, Unavailable)):
                await store.get("/elsewhere")
            for member in cluster.members[1:]:
                member.resume()
            await storm.more_writes(100)
        await storm.verify()


async def test_a_quiet_watch_leaves_a_frozen_member() -> None:
    """Nobody writes, so only the heartbeat can tell. The write comes from a store that never knew the frozen member."""
    async with etcd_cluster(3) as cluster:
        leader = await cluster.leader()
        others = [member for member in cluster.members if member is not leader]
        async with (
            etcd.open_store([others[0].endpoint, others[1].endpoint]) as watching,
            etcd.open_store([leader.endpoint]) as writing,
        ):
            watch = watching.watch("/registry/", await watching.revision())
            first = await writing.create("/registry/before", b"1")
            assert (await anext_change(watch)).revision == first.revision
            others[0].pause()
            second = await writing.create("/registry/after", b"2")
            async with asyncio.timeout(LEFT_WITHIN_SECONDS):
                assert (await anext_change(watch)).revision == second.revision
            await watch.aclose()


async def goes_on_within(storm: Storm, seconds: float) -> None:
    """Both the writes and the watch."""
    wanted = max(storm.newest, storm.given[-1].revision) + 100
    await eventually(lambda: min(storm.newest, storm.given[-1].revision) >= wanted, within=seconds)


async def anext_change(watch: Watch) -> Revised:
    while True:
        revised = await anext(watch)
        if revised.changes:
            return revised


async def create(store: Store, old: Stored) -> Revision:
    return (await store.create("/registry/new", b"mine")).revision


async def update(store: Store, old: Stored) -> Revision:
    return (await store.update(old.key, lambda _: b"mine", hint=old)).revision


async def update_with_claim(store: Store, old: Stored) -> Revision:
    claim = Put("/steersman/claim", b"taken", absent=True)
    return (await store.update(old.key, lambda _: b"mine", hint=old, also=[claim])).revision


async def delete(store: Store, old: Stored) -> Revision:
    return await store.delete(old.key, Expect(old.revision))


async def delete_with_put(store: Store, old: Stored) -> Revision:
    return await store.delete(old.key, Expect(old.revision), also=[Put("/steersman/fence", b"moved")])


Write = Callable[[Store, Stored], Coroutine[Any, Any, Revision]]


@pytest.mark.parametrize(
    "write", [create, update, update_with_claim, delete_with_put], ids=lambda write: write.__name__
)
async def test_a_write_whose_answer_is_lost_is_recognised_as_our_own(write: Write) -> None:
    async with behind_proxy() as (proxy, store):
        old = await store.create("/registry/old", b"old")
        proxy.flow = Flow.NO_ANSWERS
        assert await write(store, old) == old.revision + 1
        assert await store.revision() == old.revision + 1


@pytest.mark.parametrize(
    "write", [create, update, update_with_claim, delete, delete_with_put], ids=lambda write: write.__name__
)
async def test_a_write_without_any_answer_is_timeout(write: Write) -> None:
    async with (
        etcd_server() as server,
        proxied(server) as proxy,
        etcd.open_store([proxy.endpoint]) as store,
        etcd.open_store([server.endpoint]) as direct,
    ):
        old = await store.create("/registry/old", b"old")
        proxy.flow = Flow.NO_ANSWERS
        with pytest.raises(Timeout):
            await write(store, old)
        assert await direct.revision() == old.revision + 1  # it did land, once


async def test_a_delete_whose_answer_is_lost_is_timeout_because_the_deletion_may_be_anybodys() -> None:
    async with behind_proxy() as (proxy, store):
        old = await store.create("/registry/old", b"old")
        proxy.flow = Flow.NO_ANSWERS
        with pytest.raises(Timeout):
            await delete(store, old)


@pytest.mark.parametrize("flow", ["NO_ANSWERS", "CUT"])
async def test_writers_are_never_told_conflict_about_themselves(flow: str) -> None:
    """One writer per key, each write expects its own last revision: a Conflict, AlreadyExists or NotFound is a lie."""
    async with behind_proxy() as (proxy, store):
        lies: list[ApiError] = []
        unknown: list[str] = []
        under_way = asyncio.Event()

        async def write(name: str) -> None:
            try:
                stored = await store.create(f"/registry/{name}", b"0")
                for number in range(1, 100):
                    stored = await store.update(stored.key, partial(written, b"%d" % number), Expect(stored.revision))
                    if number == 20:
                        under_way.set()
            except Timeout:
                unknown.append(name)
            except ApiError as lie:
                lies.append(lie)

        writing = [asyncio.create_task(write(f"{writer}")) for writer in range(WRITERS)]
        await under_way.wait()
        proxy.flow = Flow[flow]
        await asyncio.gather(*writing)
        assert proxy.swallowed_bytes > 0
        assert lies == []
        assert unknown == []  # with one writer per key every lost answer can be found out
        assert {item.value for item in (await store.list("/registry/")).items} == {b"99"}


def written(value: bytes, old: Stored) -> bytes:
    return value


async def test_nothing_reachable_is_unavailable() -> None:
    async with etcd_server() as server, etcd.open_store([server.endpoint]) as store:
        await store.create("/registry/a", b"1")
        await server.kill()
        with pytest.raises(Unavailable):
            await store.create("/registry/b", b"1")
        await server.restart()
        assert [item.key for item in (await store.list("/registry/")).items] == ["/registry/a"]


class Flow(StrEnum):
    BOTH_WAYS = "both ways"
    NO_ANSWERS = "no answers"
    CUT = "cut"


class Proxy:
    """TCP between a store and a member. What must not flow is swallowed; the connections stay open."""

    def __init__(self, member: EtcdMember) -> None:
        self._port = int(member.endpoint.rpartition(":")[2])
        self._pipes: list[asyncio.Task[None]] = []
        self.flow = Flow.BOTH_WAYS
        self.swallowed_bytes = 0
        self.endpoint = ""

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        member_reader, member_writer = await asyncio.open_connection("127.0.0.1", self._port)
        for source, sink, blocked_by in (
            (reader, member_writer, {Flow.CUT}),
            (member_reader, writer, {Flow.CUT, Flow.NO_ANSWERS}),
        ):
            self._pipes.append(asyncio.create_task(self._pipe(source, sink, blocked_by)))

    async def _pipe(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, blocked_by: set[Flow]) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await source.read(65536):
                if self.flow in blocked_by:
                    self.swallowed_bytes += len(data)
                    continue
                sink.write(data)
                await sink.drain()
        sink.close()
        with contextlib.suppress(OSError):
            await sink.wait_closed()

    async def close(self) -> None:
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes)


@asynccontextmanager
async def proxied(member: EtcdMember) -> AsyncIterator[Proxy]:
    proxy = Proxy(member)
    listener = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    proxy.endpoint = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        listener.close()
        await proxy.close()


@asynccontextmanager
async def behind_proxy() -> AsyncIterator[tuple[Proxy, Store]]:
    """A store that asks its only member through a proxy first, and directly when that fails."""
    async with (
        etcd_server() as server,
        proxied(server) as proxy,
        etcd.open_store([proxy.endpoint, server.endpoint]) as store,
    ):
        yield proxy, store
