"""Clients that ask and never read: what is kept for them has a bound, and in the end they are cut off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from apiserver.grpcfront import watching
from apiserver.grpcfront.watching import MAX_WATCHES_PER_STREAM
from steersman.base.values import Address
from steersman.pb import resources_pb2
from tests.eventually import eventually
from tests.integration.test_grpc_front import create, running, target
from tests.scraping import gauges

LARGE = "x" * 900_000
SMALL_WINDOW = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535))
"""Else the client's own transport reads ahead by megabytes, more on some machines than on others."""


@dataclass(frozen=True, slots=True)
class Deaf:
    call: Any
    rest: str

    async def is_watched(self) -> bool:
        return (await gauges(self.rest)).get("apiserver_watchers", 0) > 0


@pytest.fixture
async def deaf(tmp_path: Path) -> AsyncIterator[Deaf]:
    """A Watch stream of which nothing is read, with more on its way than any buffer between the two ends holds."""
    async with running(tmp_path, insecure=True) as serving, _deaf_channel(serving.grpc) as channel:
        for number in range(5):
            await create(channel, f"large-{number}", data={"k": LARGE})
        call = channel.stream_stream(
            "/steersman.v1.Resources/Watch", request_serializer=resources_pb2.WatchRequest.SerializeToString
        )()
        await call.write(start(1, "configmaps"))
        deaf = Deaf(call, str(serving.rest))
        await eventually(deaf.is_watched)
        yield deaf
        call.cancel()


def _deaf_channel(address: Address) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(str(address), options=SMALL_WINDOW)


def start(watch_id: int, resource: str) -> resources_pb2.WatchRequest:
    return resources_pb2.WatchRequest(start=resources_pb2.WatchStart(id=watch_id, target=target(resource=resource)))


async def last_words(deaf: Deaf) -> str:
    """What the stream ended with, once the server has closed it: to read sooner would help it out."""

    async def is_closed() -> bool:
        return not await deaf.is_watched()

    await eventually(is_closed, within=20)
    try:
        while await deaf.call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return str(error.details())
    return ""


async def test_ends_that_nobody_reads_do_not_pile_up(deaf: Deaf) -> None:
    for number in range(2 * MAX_WATCHES_PER_STREAM):
        await deaf.call.write(start(10 + number, "nonsense"))
    assert "faster than the ends of others are read" in await last_words(deaf)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WRITE_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
async def test_who_reads_nothing_for_long_is_cut_off(deaf: Deaf) -> None:
    assert "in time" in await last_words(deaf)
