"""API server processes that are killed and stopped under load: what clients were told holds, and watchers miss nothing.

The seed of a failing run is printed; STEERSMAN_CHAOS_SEED repeats it (the moments, not the machine's scheduling).
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from steersman.pb import resources_pb2
from tests import barewire, histories, scraping, watchlogs
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.chaos import storm
from tests.chaos.storm import StormWatcher
from tests.etcdserver import EtcdMember, etcd_server
from tests.eventually import eventually
from tests.histories import Entry, Operation, Unknown

DOWNS = 8
CLIENTS = 16
DRAIN_SECONDS = 6.0
"""The promise is two, on a machine that has nothing else to do."""


@pytest.fixture
def random() -> Random:
    seed = int(os.environ.get("STEERSMAN_CHAOS_SEED") or secrets.randbits(32))
    print(f"STEERSMAN_CHAOS_SEED={seed}")  # shown by pytest when the test fails
    return Random(seed)


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
            assert isinstance(made, histories.Done)
            await eventually(lambda: watcher.seen)
        assert watcher.seen == [histories.Event(histories.Seen.ADDED, made.revision, "k0", "a")]


async def kill_at_random(servers: Sequence[ApiServerProcess], random: Random) -> None:
    """One server at a time goes down (mostly by kill -9) and comes back."""
    for _ in range(DOWNS):
        await asyncio.sleep(0.3 + random.random() * 1.5)
        server = random.choice(servers)
        await (server.terminate() if random.random() < 0.25 else server.kill())
        await asyncio.sleep(random.random() * 0.5)
        await server.start()


async def run_storm(
    servers: Sequence[ApiServerProcess], watchers: Sequence[StormWatcher], random: Random
) -> tuple[list[Operation], int]:
    """The history of all clients, and the revision at which every watcher stands when all is quiet again."""
    addresses, stop = [server.grpc for server in servers], asyncio.Event()
    async with storm.watching(watchers), storm.storm_clients(addresses, CLIENTS, random) as clients:
        async with asyncio.TaskGroup() as tasks:
            for client in clients:
                tasks.create_task(client.run(stop))
            await kill_at_random(servers, random)
            stop.set()
        async with barewire.connected(servers[0].grpc) as wire:
            newest = (await storm.listed(wire)).revision
        for watcher in watchers:
            await watcher.catch_up(newest)
    history = [operation for client in clients for operation in client.history]
    assert len(history) > CLIENTS * 20, "hardly anything happened"
    return history, newest


def check(history: Sequence[Operation], entries: Sequence[Entry], watchers: Sequence[StormWatcher]) -> None:
    outcomes = [type(operation.outcome).__name__ for operation in history]
    print({name: outcomes.count(name) for name in sorted(set(outcomes))}, f"{len(entries)} changes")
    assert any(operation.writes and isinstance(operation.outcome, Unknown) for operation in history), "no kill hit"
    found = histories.violations(history, entries)
    for watcher in watchers:
        found += watchlogs.violations(watcher.seen, entries, watcher.scope)
    assert not found, "\n".join(map(str, found[:20]))


@pytest.mark.etcd
@pytest.mark.timeout(120)
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


@pytest.mark.timeout(120)
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
            told = wire.stream("Watch", seconds=30)
            start = resources_pb2.WatchStart(id=7, target=barewire.target("configmaps"), resource_version=str(begin))
            await told.write(resources_pb2.WatchRequest(start=start).SerializeToString())
            async with asyncio.TaskGroup() as tasks:
                for client in clients:
                    tasks.create_task(client.run(stop))
                await eventually(lambda: all(watcher.seen for watcher in watchers if not watcher.name))
                asked = time.monotonic()
                code = await leaving.terminate()
                took = time.monotonic() - asked
                await asyncio.sleep(0.5)
                stop.set()
            async with barewire.connected(staying.grpc) as other:
                newest = (await storm.listed(other)).revision
            for watcher in watchers:
                await watcher.catch_up(newest)
            last = resources_pb2.WatchReply.FromString(await told.read())
        assert code == 0
        assert took < DRAIN_SECONDS
        assert [(last.id, event.type) for event in last.events] == [(7, resources_pb2.WatchEvent.CLOSED)]
        entries = await storm.etcd_log(etcd.endpoint, begin, newest)
        found = histories.violations([operation for client in clients for operation in client.history], entries)
        for watcher in watchers:
            found += watchlogs.violations(watcher.seen, entries, watcher.scope)
        assert not found, "\n".join(map(str, found[:20]))


@pytest.mark.etcd
async def test_a_write_under_way_when_its_server_stops_is_not_called_undone(etcd: EtcdMember, tmp_path: Path) -> None:
    """etcd may have it and does not answer: it may yet land, so no definite answer would be true."""
    async with api_servers(2, tmp_path, [etcd.endpoint]) as (leaving, staying):
        await storm.make_namespace(leaving.grpc)
        async with barewire.connected(leaving.grpc) as wire, barewire.connected(staying.grpc) as other:
            assert isinstance(await storm.perform(wire, "warm", histories.Create("a")), histories.Done)
            etcd.pause()
            try:
                write = asyncio.create_task(storm.perform(wire, "k0", histories.Create("b")))
                await eventually(lambda: _is_writing(leaving))
                await leaving.terminate()
                told = await write
            finally:
                etcd.resume()
            assert told == Unknown()
            await eventually(lambda: _can_read(other))


async def _is_writing(server: ApiServerProcess) -> bool:
    return (await scraping.gauges(server.rest))["apiserver_requests_inflight"] > 0


async def _can_read(wire: barewire.BareWire) -> bool:
    return not isinstance(await storm.perform(wire, "k0", histories.Get()), histories.Failed)
