"""Clients that ask and never read: what is kept for them has a bound, and in the end they are cut off."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from apiserver.grpcfront import watching
from apiserver.grpcfront.watching import MAX_WATCHES_PER_STREAM, WatchStream
from steersman.base.values import Address
from steersman.pb import resources_pb2
from tests.eventually import eventually
from tests.integration.test_grpc_front import create, running, target
from tests.scraping import gauges

LARGE = "x" * 900_000
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535))
"""Else the client's own transport reads ahead by megabytes, more on some machines than on others."""


FOR_EVER = 3600.0
WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class Deaf:
    """`over`: the server has ended the stream."""

    call: Any
    rest: str
    over: asyncio.Event

    async def is_watched(self) -> bool:
        return (await gauges(self.rest)).get("apiserver_watchers", 0) > 0


@pytest.fixture
def over(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a Watch stream has ended: its client cannot tell before it has read what came first."""
    ended, run = asyncio.Event(), WatchStream.run

    async def noted(stream: WatchStream) -> None:
        try:
            await run(stream)
        finally:
            ended.set()

    monkeypatch.setattr(WatchStream, "run", noted)
    return ended


@pytest.fixture
async def deaf(tmp_path: Path, over: asyncio.Event) -> AsyncIterator[Deaf]:
    """A Watch stream of which nothing is read, with more on its way than any buffer between the two ends holds."""
    async with running(tmp_path, insecure=True) as serving, _deaf_channel(serving.grpc) as channel:
        for number in range(5):
            await create(channel, f"large-{number}", data={"k": LARGE})
        call = channel.stream_stream(
            "/steersman.v1.Resources/Watch", request_serializer=resources_pb2.WatchRequest.SerializeToString
        )()
        await call.write(start(1, "configmaps"))
        yield Deaf(call, str(serving.rest), over)
        call.cancel()


def _deaf_channel(address: Address) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(str(address), options=SMALL_WINDOW)


def start(watch_id: int, resource: str) -> resources_pb2.WatchRequest:
    return resources_pb2.WatchRequest(start=resources_pb2.WatchStart(id=watch_id, target=target(resource=resource)))


async def last_words(deaf: Deaf) -> str:
    """What the stream ended with, once the server has closed it: to read sooner would help it out."""
    async with asyncio.timeout(WITHIN):
        await deaf.over.wait()
    try:
        while await deaf.call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return str(error.details())
    return ""


@pytest.fixture
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WRITE_SECONDS", request.param)


@pytest.mark.parametrize("patience", [FOR_EVER], indirect=True)
@pytest.mark.usefixtures("patience")
async def test_ends_that_nobody_reads_do_not_pile_up(deaf: Deaf) -> None:
    await eventually(deaf.is_watched, within=WITHIN)
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # it may be over before all are out
        for number in range(2 * MAX_WATCHES_PER_STREAM):
            await deaf.call.write(start(10 + number, "nonsense"))
    assert "faster than the ends of others are read" in await last_words(deaf)


@pytest.mark.parametrize("patience", [0.5], indirect=True)
@pytest.mark.usefixtures("patience")
async def test_who_reads_nothing_for_long_is_cut_off(deaf: Deaf) -> None:
    assert "in time" in await last_words(deaf)
