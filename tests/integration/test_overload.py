"""More than a server takes at once is refused, with a word when to come back; and reads keep no writer out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from steersman.api.errors import Timeout, TooManyRequests
from steersman.pb import resources_pb2
from tests import barewire, builders
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.barewire import BareWire, NoSuccess
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.eventually import eventually
from tests.integration.hostilevalues import NEVER_REACHED
from tests.scraping import gauges

READS, WRITES, WATCHES = 5, 3, 4
LIMITS = (
    f"--max-requests-inflight={READS}",
    f"--max-mutating-requests-inflight={WRITES}",
    f"--max-watches={WATCHES}",
)
PATIENCE_SECONDS = 60.0

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ApiServerProcess]:
    async with api_server_process(data_dir=tmp_path, arguments=LIMITS) as process:
        yield process


@pytest.fixture
async def wire(server: ApiServerProcess) -> AsyncIterator[BareWire]:
    async with barewire.connected(server.grpc) as connection:
        yield connection


async def create(wire: BareWire, name: str, **fields: Any) -> Any:
    request = resources_pb2.CreateRequest(
        target=barewire.target("configmaps"), json=builders.make_configmap(name, **fields)
    )
    return await wire.call("Create", request, seconds=PATIENCE_SECONDS)


async def get(wire: BareWire, name: str, resource_version: str = "") -> Any:
    request = resources_pb2.GetRequest(target=barewire.target("configmaps", name), resource_version=resource_version)
    return await wire.call("Get", request, seconds=PATIENCE_SECONDS)


async def list_all(wire: BareWire) -> Any:
    request = resources_pb2.ListRequest(target=barewire.target("configmaps"))
    return await wire.call("List", request, seconds=PATIENCE_SECONDS)


def check_refusal(problem: NoSuccess | None) -> None:
    assert problem is not None
    assert problem.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert isinstance(problem.error, TooManyRequests)
    assert problem.error.details is not None
    assert problem.error.details.retry_after_seconds > 0


async def refusal_of(call: Awaitable[Any]) -> NoSuccess | None:
    """None: there was a place for it."""
    try:
        await call
    except NoSuccess as problem:
        return problem
    return None


async def number_there(wire: BareWire) -> int:
    """How many objects there are, once a place is free to ask: those who gave theirs up may still seem to hold it."""

    async def listed() -> Any:
        try:
            return await list_all(wire)
        except NoSuccess as problem:
            check_refusal(problem)
            return None

    return len((await eventually(listed)).items)


@asynccontextmanager
async def all_reading_places_taken(wire: BareWire) -> AsyncIterator[None]:
    """By reads that wait for a revision that never comes. The server gives up on each after seconds: then again."""

    async def wait() -> None:
        while True:
            with pytest.raises(NoSuccess):
                await get(wire, "settings", NEVER_REACHED)
            await asyncio.sleep(0.01)  # where there was no place: the question below may have held it for a moment

    async with asyncio.TaskGroup() as tasks:
        waiting = [tasks.create_task(wait()) for _ in range(READS)]
        check_refusal(await eventually(lambda: refusal_of(get(wire, "settings"))))
        yield
        for task in waiting:
            task.cancel()


async def test_reads_past_the_limit_are_told_when_to_come_back(wire: BareWire) -> None:
    await create(wire, "settings")
    async with all_reading_places_taken(wire):
        check_refusal(await eventually(lambda: refusal_of(list_all(wire))))
    assert await number_there(wire) == 1


async def test_reads_that_take_every_place_keep_no_writer_out(wire: BareWire) -> None:
    await create(wire, "settings")
    async with all_reading_places_taken(wire):
        for number in range(20):
            await create(wire, f"during-{number}")
    assert await number_there(wire) == 21


@pytest.mark.etcd
async def test_writes_past_the_limit_are_refused_and_those_within_it_are_carried_out(tmp_path: Path) -> None:
    async with (
        etcd_server(*NO_FSYNC) as etcd,
        api_server_process(data_dir=tmp_path, etcd_endpoints=[etcd.endpoint], arguments=LIMITS) as server,
        barewire.connected(server.grpc) as wire,
    ):
        await create(wire, "settings")
        etcd.pause()
        try:
            under_way = [asyncio.create_task(create(wire, f"waiting-{number}")) for number in range(WRITES)]
            await eventually(lambda: _inflight(server, WRITES))
            with pytest.raises(NoSuccess) as refused:
                await create(wire, "one-too-many")
            check_refusal(refused.value)
        finally:
            etcd.resume()
        outcomes = await asyncio.gather(*under_way, return_exceptions=True)
        acknowledged = [outcome.created for outcome in outcomes if not isinstance(outcome, BaseException)]
        unknown = [outcome for outcome in outcomes if isinstance(outcome, NoSuccess)]
        assert len(acknowledged) + len(unknown) == WRITES
        # A machine that needs seconds for the lines above keeps etcd away for longer than a write waits for it.
        assert all(isinstance(outcome.error, Timeout) for outcome in unknown)
        assert 1 + len(acknowledged) <= await number_there(wire) <= 1 + WRITES


async def _inflight(server: ApiServerProcess, requests: int) -> bool:
    return (await gauges(server.rest))["apiserver_requests_inflight"] == requests


async def test_whoever_comes_back_as_told_gets_through(wire: BareWire) -> None:
    refusals = 0

    async def insist(name: str) -> None:
        nonlocal refusals
        while True:
            try:
                await create(wire, name)
            except NoSuccess as problem:
                check_refusal(problem)
                refusals += 1
                await asyncio.sleep(0.02)
            else:
                return

    made = 0
    while not refusals:  # the first wave nearly always meets one
        async with asyncio.TaskGroup() as tasks:
            for _ in range(64):
                tasks.create_task(insist(f"insistent-{made}"))
                made += 1
    assert await number_there(wire) == made


async def test_watches_past_the_limit_end_with_an_error_event(wire: BareWire) -> None:
    call = wire.stream("Watch", seconds=PATIENCE_SECONDS)

    async def start(watch_id: int) -> None:
        wanted = resources_pb2.WatchStart(id=watch_id, target=barewire.target("configmaps"), resource_version="0")
        await call.write(resources_pb2.WatchRequest(start=wanted).SerializeToString())

    async def reply() -> resources_pb2.WatchReply:
        return resources_pb2.WatchReply.FromString(await call.read())

    for watch_id in range(WATCHES + 1):
        await start(watch_id)
    refused = await reply()
    (event,) = refused.events
    assert (refused.id, event.type) == (WATCHES, resources_pb2.WatchEvent.ERROR)
    assert (event.error.code, event.error.reason) == (429, TooManyRequests.reason)
    assert event.error.details.retry_after_seconds > 0

    await call.write(resources_pb2.WatchRequest(stop=resources_pb2.WatchStop(id=0)).SerializeToString())
    stopped = await reply()
    assert [event.type for event in stopped.events] == [resources_pb2.WatchEvent.CLOSED]
    await start(99)  # there is a place again
    await create(wire, "settings")
    told = {(await reply()).id for _ in range(WATCHES)}
    assert told == {1, 2, 3, 99}
    call.cancel()


async def test_writes_go_on_while_every_reading_place_lists_thousands(wire: BareWire, server: ApiServerProcess) -> None:
    objects, writes, lists = 2_000, 20, 0
    places, over = asyncio.Semaphore(WRITES), asyncio.Event()

    async def fill(number: int) -> None:
        async with places:
            await create(wire, f"filler-{number:05}", data={"payload": "x" * 1024})

    await asyncio.gather(*(fill(number) for number in range(objects)))

    async def lister() -> None:
        nonlocal lists
        async with barewire.connected(server.grpc) as own:
            while not over.is_set():
                assert len((await list_all(own)).items) >= objects
                lists += 1

    async with asyncio.TaskGroup() as tasks:
        for _ in range(READS):
            tasks.create_task(lister())
        await eventually(lambda: lists >= READS)
        for number in range(writes):
            await create(wire, f"written-{number:05}")
        over.set()
    assert await number_there(wire) == objects + writes
