"""Ten thousand requests that no decent client would send: each gets a clean answer, and nothing of them stays behind.

The requests are the same every day, each by its number; STEERSMAN_FUZZ_SEED chooses others.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from grpc import aio

from apiserver.registry import metadata
from apiserver.registry.catalog import STRATEGIES
from steersman.api import codec, errors, kinds
from steersman.api.codec import FieldValidation
from steersman.pb import objects_pb2, resources_pb2
from tests import barewire, builders
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.barewire import BareWire, NoSuccess
from tests.eventually import eventually
from tests.integration import hostile, hostilestreams
from tests.integration.hostilevalues import PRESENT
from tests.scraping import gauges

SEED = int(os.environ.get("STEERSMAN_FUZZ_SEED", "20261118"))
WARM_UP, SMALL, LARGE, STREAMS = 1_500, 8_800, 200, 300
ANSWERED = 10_000
"""At least: one request in fifty is abandoned by its sender, and streams come on top."""
WORKERS = 32
ANSWER_SECONDS = 60.0
"""Far longer than any answer takes: a call that needs it hangs."""

RESTORE_EVERY = 100
MAX_REQUEST_BYTES = 8 * 1024 * 1024

SLACK_TASKS = 3
"""A probe of /metrics is a task itself, and the store's own come and go."""
SLACK_FILES = 3
"""The connection of the probe, and one that gRPC is just closing."""
SLACK_SMALL = 16 * 1024 * 1024
"""For caches that are bounded and were not yet full: 2 KB a request would be more."""
SLACK_LARGE = 48 * 1024 * 1024
"""From one hundred requests of megabytes to the next: the allocator keeps what they have torn open, once."""
SLACK_RETURNED = 80 * 1024 * 1024
"""What is free goes back to the system; what small objects have come to lie between does not."""
PEAK = 400 * 1024 * 1024
"""Of the whole process, with as many such requests at once as there are workers."""

CLEAN = {getattr(grpc.StatusCode, error.grpc_code) for error in errors.FAMILY} - {grpc.StatusCode.INTERNAL}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ApiServerProcess]:
    async with api_server_process(data_dir=tmp_path) as process:
        yield process


@pytest.fixture
async def wire(server: ApiServerProcess) -> AsyncIterator[BareWire]:
    async with barewire.connected(server.grpc) as connection:
        yield connection


# -- what the server holds


async def memory(server: ApiServerProcess) -> float:
    """But for what the windows of changes keep by intent."""
    seen = await gauges(server.rest)
    return seen["process_resident_memory_bytes"] - seen["watch_cache_window_bytes"]


def peak_memory(server: ApiServerProcess) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


async def check_nothing_left(server: ApiServerProcess, before: dict[str, float]) -> None:
    async def returned() -> bool:
        now = await gauges(server.rest)
        assert now["asyncio_tasks"] <= before["asyncio_tasks"] + SLACK_TASKS, now["asyncio_tasks"]
        assert now["process_open_fds"] <= before["process_open_fds"] + SLACK_FILES, now["process_open_fds"]
        assert now.get("apiserver_watchers", 0) == 0
        assert now["apiserver_requests_inflight"] == 0
        return True

    await eventually(returned, within=60)


# -- sending


@dataclass
class Tally:
    """What became of all that was sent. Requests are numbered through, and each is made by its own number."""

    answered: int = 0
    complaints: list[str] = field(default_factory=list)
    _sent: int = 0

    async def send(self, count: int, one: Callable[[Random], Awaitable[str | None]]) -> None:
        """So many, by several workers; `one` says what was wrong."""
        numbers = iter(range(self._sent, self._sent + count))
        self._sent += count

        async def worker() -> None:
            for number in numbers:
                wrong = await one(Random(f"{SEED}/{number}"))
                self.complaints += [wrong] if wrong else []

        async with asyncio.TaskGroup() as tasks:
            for _ in range(WORKERS):
                tasks.create_task(worker())

    async def send_requests(self, wire: BareWire, make: hostile.Maker, count: int) -> None:
        """One in fifty is abandoned by its sender. From time to time what they have destroyed is made anew."""

        async def one(random: Random) -> str | None:
            if random.random() < 1 / RESTORE_EVERY:
                await restore(wire)
            request = make(random)
            if random.random() < 0.02:
                with contextlib.suppress(TimeoutError, NoSuccess):
                    async with asyncio.timeout(random.random() * 0.01):
                        await wire.call(request.method, request.body, seconds=ANSWER_SECONDS)
                return None
            wrong = None
            try:
                await wire.call(request.method, request.body, seconds=ANSWER_SECONDS)
            except NoSuccess as problem:
                wrong = complaint(request, problem)
            self.answered += 1
            return wrong

        await restore(wire)
        await self.send(count, one)

    async def send_streams(self, wire: BareWire, count: int) -> None:
        await self.send(count, lambda random: send_stream(wire, random))


async def restore(wire: BareWire) -> None:
    """Objects of every kind, so that updates, patches and deletions have something to hurt."""
    for name in PRESENT:
        for resource, body in (
            ("namespaces", builders.make_namespace(name)),
            ("configmaps", builders.make_configmap(name)),
            ("pods", builders.make_pod(name, node="n1")),
            ("leases", builders.make_lease(name)),
        ):
            request = resources_pb2.CreateRequest(target=hostile.sane_target(resource), json=body)
            with contextlib.suppress(NoSuccess):
                await wire.call("Create", request)


def complaint(request: hostile.Request, problem: NoSuccess) -> str | None:
    """What is wrong with an answer; None if it is a clean refusal."""
    if problem.error is not None and problem.code in CLEAN:
        return None
    if len(request.body) > MAX_REQUEST_BYTES and problem.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return None  # the transport does not even take it in
    return f"{problem} <- {request.what}, {request.method}, {len(request.body)} bytes: {request.body[:200]!r}"


async def send_stream(wire: BareWire, random: Random) -> str | None:
    """One Watch or Batch stream with garbage in it: closed, cancelled or abandoned. What was wrong with its end."""
    method, make = random.choice((("Watch", hostilestreams.watch_message), ("Batch", hostilestreams.batch_message)))
    call, sent = wire.stream(method, seconds=ANSWER_SECONDS), [make(random) for _ in range(5)]
    try:
        for message in sent:
            await call.write(message)
        if random.random() < 0.5:
            await call.done_writing()
    except (asyncio.InvalidStateError, aio.AioRpcError):
        return None  # the server has ended it already, and gRPC keeps to itself with what status
    try:
        async with asyncio.timeout(random.random()):
            while await call.read() is not aio.EOF:
                pass
    except TimeoutError:
        return None
    except aio.AioRpcError as error:
        problem = barewire.explained(error.code(), error.details(), error.trailing_metadata())
        if problem.error is None or problem.code not in CLEAN:
            return f"{problem} <- {method}: {sent!r}"
    finally:
        call.cancel()
    return None


# -- what is stored


def stored_objects(reply: resources_pb2.ListReply, kind: kinds.Kind) -> Iterator[Any]:
    for item in reply.items:
        stored, warnings = codec.decode(kind.struct, item.json, validation=FieldValidation.STRICT)
        assert not warnings
        yield stored


async def check_store(wire: BareWire) -> None:
    """Everything that is stored can be read, and is valid by its own kind's rules."""
    for kind in kinds.ALL:
        strategy = STRATEGIES.get(kind.qualified_resource)
        if strategy is None or kind.stored_as:
            continue
        target = objects_pb2.Target(group=kind.group, version=kind.version, resource=kind.resource)
        reply = await wire.call("List", resources_pb2.ListRequest(target=target), seconds=ANSWER_SECONDS)
        for stored in stored_objects(reply, kind):
            assert list(strategy.validate(stored)) == [], stored
            rules = metadata.validate(stored.metadata, namespaced=kind.namespaced, name_rule=strategy.name_rule)
            assert rules == [], stored


async def clear(wire: BareWire) -> None:
    for resource in ("configmaps", "pods", "leases"):
        request = resources_pb2.DeleteCollectionRequest(
            list=resources_pb2.ListRequest(target=hostile.sane_target(resource)),
            delete=resources_pb2.DeleteOptions(grace_period_seconds=0),
        )
        await wire.call("DeleteCollection", request, seconds=ANSWER_SECONDS)


async def check_it_still_works(wire: BareWire) -> None:
    made = await wire.call(
        "Create",
        resources_pb2.CreateRequest(
            target=hostile.sane_target("configmaps"), json=builders.make_configmap("after-all-that")
        ),
    )
    target = hostile.sane_target("configmaps", "after-all-that")
    found = await wire.call("Get", resources_pb2.GetRequest(target=target))
    assert found.revision == made.object.revision
    await wire.call("Delete", resources_pb2.DeleteRequest(target=target))


@pytest.mark.timeout(600)
async def test_hostile_requests_get_clean_answers_and_leave_nothing_behind(server: ApiServerProcess) -> None:
    tally = Tally()
    async with barewire.connected(server.grpc) as wire:  # what is loaded and cached once is no leak
        await tally.send_requests(wire, hostile.small, WARM_UP)
        await tally.send_streams(wire, STREAMS // 10)
        await clear(wire)
    before, used = await gauges(server.rest), [await memory(server)]
    async with barewire.connected(server.grpc) as wire:
        await tally.send_requests(wire, hostile.small, SMALL)
        await tally.send_streams(wire, STREAMS)
        await check_store(wire)
        await clear(wire)
        used.append(await memory(server))
        for _ in range(2):
            await tally.send_requests(wire, hostile.large, LARGE // 2)
            await check_store(wire)
            await clear(wire)
            used.append(await memory(server))
        await check_it_still_works(wire)
    assert not tally.complaints, "\n".join([*tally.complaints[:20], bugs_in(server)])
    assert not bugs_in(server)
    assert tally.answered >= ANSWERED
    await check_nothing_left(server, before)
    print(f"MB after warm-up, small, large, large: {[round(each / 1e6) for each in used]}; peak {peak_memory(server)}")
    warm, after_small, after_large, at_the_end = used
    assert after_small - warm < SLACK_SMALL
    assert at_the_end - after_large < SLACK_LARGE
    assert peak_memory(server) < PEAK

    async def returned() -> bool:
        return await memory(server) - warm < SLACK_RETURNED

    await eventually(returned, within=60)


def bugs_in(server: ApiServerProcess) -> str:
    """Calls that the server itself says failed by a bug of its own."""
    lines = server.log_file.read_text().splitlines()
    found = Counter(re.findall(r'"at":"([^"]*)"', "\n".join(line for line in lines if '"level":"error"' in line)))
    return "\n".join(f"{count} x {where}" for where, count in found.most_common())
