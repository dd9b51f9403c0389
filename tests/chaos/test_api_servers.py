"""API server processes that are killed and stopped under load: what clients were told holds, and watchers miss nothing.

STEERSMAN_CHAOS_SEED chooses other moments and calls than those of every day; STEERSMAN_CHAOS_DOWNS more of them.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from steersman.api.names import Revision
from steersman.pb import resources_pb2
from tests import barewire, histories, watchlogs
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.barewire import BareWire
from tests.chaos import proxies, storm
from tests.chaos.proxies import Flow
from tests.chaos.storm import StormClient, StormWatcher
from tests.etcdserver import EtcdMember, etcd_server
from tests.eventually import eventually
from tests.histories import Done, Entry, Operation, Unknown

SEED = int(os.environ.get("STEERSMAN_CHAOS_SEED", "20261118"))
DOWNS = int(os.environ.get("STEERSMAN_CHAOS_DOWNS", "6"))
CLIENTS = 16
ENOUGH = CLIENTS * 20
"""Calls that a history must have to say anything."""
WITHIN = 90.0

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def random() -> Random:
    return Random(SEED)


@pytest.fixture
async def etcd() -> AsyncIterator[EtcdMember]:
    async with etcd_server() as member:
        yield member


@asynccontextmanager
async def api_servers(count: int, folder: Path, etcd_endpoints: Sequence[str]) -> AsyncIterator[list[ApiServerProcess]]:
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                api_server_process(data_dir=folder / f"server-{number}", etcd_endpoints=etcd_endpoints)
            )
            for number in range(count)
        ]


@pytest.mark.etcd
async def test_a_write_through_one_server_is_seen_by_a_watch_on_the_other(etcd: EtcdMember, tmp_path: Path) -> None:
    async with api_servers(2, tmp_path, [etcd.endpoint]) as (one, other):
        begin = await storm.make_namespace(one.grpc)
        watcher = StormWatcher([other.grpc], begin)
        async with storm.watching([watcher]), barewire.connected(one.grpc) as wire:
            made = await storm.perform(wire, "k0", histories.Create("a"))
            assert isinstance(made, Done)
            await eventually(lambda: watcher.seen, within=WITHIN)
        assert watcher.seen == [histories.Event(histories.Seen.ADDED, made.revision, "k0", "a")]


async def kill_at_random(servers: Sequence[ApiServerProcess], clients: Sequence[StormClient], random: Random) -> None:
    """One server at a time goes down (mostly by kill -9) and comes back, until one was hit in the midst of a write."""
    for downs in itertools.count():
        if downs >= DOWNS and any(map(is_unknown_write, history_of(clients))):
            return
        await asyncio.sleep(0.3 + random.random() * 1.5)
        server = random.choice(servers)
        await (server.terminate() if random.random() < 0.25 else server.kill())
        await asyncio.sleep(random.random() * 0.5)
        await server.start()


def history_of(clients: Sequence[StormClient]) -> list[Operation]:
    return [operation for client in clients for operation in client.history]


def is_unknown_write(operation: Operation) -> bool:
    return operation.writes and isinstance(operation.outcome, Unknown)


async def run_storm(
    servers: Sequence[ApiServerProcess], watchers: Sequence[StormWatcher], random: Random
) -> tuple[list[Operation], int]:
    """The history of all clients, and the revision at which every watcher stands when all is quiet again."""
    addresses, stop = [server.grpc for server in servers], asyncio.Event()
    async with storm.watching(watchers), storm.storm_clients(addresses, CLIENTS, random) as clients:
        async with asyncio.TaskGroup() as tasks:
            for client in clients:
                tasks.create_task(client.run(stop))
            await kill_at_random(servers, clients, random)
            await eventually(lambda: len(history_of(clients)) >= ENOUGH, within=WITHIN)
            stop.set()
        async with barewire.connected(servers[0].grpc) as wire:
            newest = (await storm.listed(wire)).revision
        for watcher in watchers:
            await watcher.catch_up(newest)
    return history_of(clients), newest


def check(history: Sequence[Operation], entries: Sequence[Entry], watchers: Sequence[StormWatcher]) -> None:
    outcomes = [type(operation.outcome).__name__ for operation in history]
    print({name: outcomes.count(name) for name in sorted(set(outcomes))}, f"{len(entries)} changes")
    found = histories.violations(history, entries)
    for watcher in watchers:
        found += watchlogs.violations(watcher.seen, entries, watcher.scope)
    assert not found, "\n".join(map(str, found[:20]))


@pytest.mark.etcd
async def test_two_servers_on_one_etcd_keep_their_promises_while_either_is_killed(
    etcd: EtcdMember, tmp_path: Path, random: Random
) -> None:
    async with api_servers(2, tmp_path, [etcd.endpoint]) as servers:
        begin = await storm.make_namespace(servers[0].grpc)
        one, other = (server.grpc for server in servers)
        watchers = [
            StormWatcher([one, other], begin),
            StormWatcher([other, one], begin),
            StormWatcher([one, other], begin, name="k3"),
            StormWatcher([one], begin),
        ]
        history, newest = await run_storm(servers, watchers, random)
        entries = await storm.etcd_log(etcd.endpoint, begin, newest)
        check(history, entries, watchers)
        assert await storm.api_log(other, begin, newest) == entries


async def test_one_server_on_the_embedded_store_keeps_its_promises_while_it_is_killed(
    tmp_path: Path, random: Random
) -> None:
    async with api_server_process(data_dir=tmp_path) as server:
        begin = await storm.make_namespace(server.grpc)
        watchers = [StormWatcher([server.grpc], begin), StormWatcher([server.grpc], begin, name="k3")]
        history, newest = await run_storm([server], watchers, random)
        check(history, await storm.api_log(server.grpc, begin, newest), watchers)


@pytest.mark.etcd
async def test_a_server_that_stops_tells_its_watchers_and_they_go_on_elsewhere(
    etcd: EtcdMember, tmp_path: Path, random: Random
) -> None:
    async with api_servers(2, tmp_path, [etcd.endpoint]) as (leaving, staying):
        begin = await storm.make_namespace(leaving.grpc)
        watchers = [StormWatcher([leaving.grpc, staying.grpc], begin, name) for name in ("", "k1", *[""] * 18)]
        stop = asyncio.Event()
        async with (
            storm.watching(watchers),
            barewire.connected(leaving.grpc) as wire,
            storm.storm_clients([staying.grpc], 4, random) as clients,
        ):
            told = wire.stream("Watch", seconds=WITHIN)
            await open_watch(told, 7, begin)
            async with asyncio.TaskGroup() as tasks:
                for client in clients:
                    tasks.create_task(client.run(stop))
                await have_seen_more(watchers)
                code = await leaving.terminate()
                await have_seen_more(watchers)
                stop.set()
            async with barewire.connected(staying.grpc) as other:
                newest = (await storm.listed(other)).revision
            for watcher in watchers:
                await watcher.catch_up(newest)
            last = resources_pb2.WatchReply.FromString(await told.read())
        assert code == 0
        assert [(last.id, event.type) for event in last.events] == [(7, resources_pb2.WatchEvent.CLOSED)]
        entries = await storm.etcd_log(etcd.endpoint, begin, newest)
        found = histories.violations(history_of(clients), entries)
        for watcher in watchers:
            found += watchlogs.violations(watcher.seen, entries, watcher.scope)
        assert not found, "\n".join(map(str, found[:20]))


async def open_watch(stream: Any, watch_id: int, after: Revision) -> None:
    """Until the server has answered a question about it: before that it may not know of the watch."""
    pb = resources_pb2
    start = pb.WatchStart(id=watch_id, target=barewire.target("configmaps"), resource_version=str(after))
    question = pb.WatchProgress(id=watch_id, revision=after)
    for request in (pb.WatchRequest(start=start), pb.WatchRequest(progress=question)):
        await stream.write(request.SerializeToString())
    answer = pb.WatchReply.FromString(await stream.read())
    assert [(answer.id, event.type) for event in answer.events] == [(watch_id, pb.WatchEvent.BOOKMARK)]


async def have_seen_more(watchers: Sequence[StormWatcher]) -> None:
    """All who watch everything."""
    before = {watcher: len(watcher.seen) for watcher in watchers if not watcher.name}
    await eventually(lambda: all(len(watcher.seen) > seen for watcher, seen in before.items()), within=WITHIN)


@pytest.mark.etcd
async def test_a_write_under_way_when_its_server_stops_is_not_called_undone(etcd: EtcdMember, tmp_path: Path) -> None:
    """etcd has carried it out, and its answer is lost: whatever the server says of it must not be a refusal."""
    async with (
        proxies.proxied(etcd) as proxy,
        api_server_process(data_dir=tmp_path / "leaving", etcd_endpoints=[proxy.endpoint]) as leaving,
        api_server_process(data_dir=tmp_path / "staying", etcd_endpoints=[etcd.endpoint]) as staying,
        barewire.connected(leaving.grpc) as wire,
        barewire.connected(staying.grpc) as other,
        asyncio.TaskGroup() as tasks,
    ):
        await storm.make_namespace(leaving.grpc)
        assert isinstance(await storm.perform(wire, "warm", histories.Create("a")), Done)
        proxy.flow = Flow.NO_ANSWERS
        write = tasks.create_task(storm.perform(wire, "k0", histories.Create("b")))
        await eventually(lambda: _is_there(other, "k0"), within=WITHIN)
        assert await leaving.terminate() == 0
        assert await write == Unknown()
        assert await _is_there(other, "k0")


async def _is_there(wire: BareWire, key: str) -> bool:
    return isinstance(await storm.perform(wire, key, histories.Get()), Done)
