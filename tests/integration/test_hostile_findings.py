"""What hostile input has found: one test for each bug, named after it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from apiserver.grpcfront.watching import MAX_WATCHES_PER_STREAM
from apiserver.registry.catalog import STRATEGIES
from apiserver.server import Serving
from steersman.api import kinds
from steersman.api.errors import BadRequest, Invalid, NotFound
from steersman.pb import objects_pb2, resources_pb2
from tests import barewire, builders
from tests.barewire import BareWire, NoSuccess


@pytest.fixture
async def wire(api_server: Serving) -> AsyncIterator[BareWire]:
    async with barewire.connected(str(api_server.grpc)) as connection:
        yield connection


async def create(wire: BareWire, resource: str, body: bytes) -> Any:
    return await wire.call("Create", resources_pb2.CreateRequest(target=barewire.target(resource), json=body))


@pytest.mark.parametrize("seconds", [2**31, 2**40, 10**15, 2**63 - 1])
async def test_a_grace_period_beyond_the_end_of_time_is_cut(wire: BareWire, seconds: int) -> None:
    await create(wire, "pods", builders.make_pod("web", node="n1"))
    target = barewire.target("pods", "web")
    how = resources_pb2.DeleteOptions(grace_period_seconds=seconds)
    marked = await wire.call("Delete", resources_pb2.DeleteRequest(target=target, delete=how))
    assert b'"deletionGracePeriodSeconds":2147483647' in marked.object.json


def not_served() -> objects_pb2.Target:
    """A kind that the tables know and no strategy serves; skips where there is none left."""
    for kind in kinds.ALL:
        if kind.qualified_resource not in STRATEGIES:
            namespace = "default" if kind.namespaced else ""
            return objects_pb2.Target(group=kind.group, resource=kind.resource, namespace=namespace, name="x")
    pytest.skip("every kind is served")


@pytest.mark.parametrize("method", ["Get", "List", "Create", "Update", "Patch", "Delete", "DeleteCollection"])
async def test_a_kind_that_is_known_but_not_served_is_not_found(wire: BareWire, method: str) -> None:
    pb, target = resources_pb2, not_served()
    requests: dict[str, Message] = {
        "Get": pb.GetRequest(target=target),
        "List": pb.ListRequest(target=target),
        "Create": pb.CreateRequest(target=target, json=b'{"metadata":{"name":"x"}}'),
        "Update": pb.UpdateRequest(target=target, json=b'{"metadata":{"name":"x"}}'),
        "Patch": pb.PatchRequest(target=target, type=pb.PatchRequest.MERGE, patch=b"{}"),
        "Delete": pb.DeleteRequest(target=target),
        "DeleteCollection": pb.DeleteCollectionRequest(list=pb.ListRequest(target=target)),
    }
    with pytest.raises(NoSuccess) as refused:
        await wire.call(method, requests[method])
    assert isinstance(refused.value.error, NotFound)


@pytest.mark.parametrize(
    "character", ["X", "名", "😀", "\\u0000", '\\"'], ids=["ascii", "cjk", "emoji", "nul", "quote"]
)
async def test_an_error_about_a_huge_name_fits_into_the_headers(wire: BareWire, character: str) -> None:
    body = b'{"metadata":{"name":"%b"}}' % (character.encode() * 200_000)
    with pytest.raises(NoSuccess) as refused:
        await create(wire, "configmaps", body)
    assert isinstance(refused.value.error, Invalid)


class Watching:
    """One Watch stream."""

    def __init__(self, wire: BareWire) -> None:
        self._call = wire.stream("Watch")

    async def ask(self, **ask: Any) -> None:
        await self._call.write(resources_pb2.WatchRequest(**ask).SerializeToString())

    async def start(self, watch_id: int) -> None:
        wanted = resources_pb2.WatchStart(id=watch_id, target=barewire.target("configmaps"), initial_events=None)
        await self.ask(start=wanted)

    async def events(self) -> list[tuple[int, int]]:
        """The ids and types of the next reply's events."""
        reply = resources_pb2.WatchReply.FromString(await self._call.read())
        return [(reply.id, event.type) for event in reply.events]

    async def ended(self) -> NoSuccess:
        code, text = await self._call.code(), await self._call.details()
        return barewire.explained(code, text, await self._call.trailing_metadata())


@pytest.fixture
async def watching(wire: BareWire) -> Watching:
    return Watching(wire)


async def test_a_question_right_behind_its_watch_is_answered(watching: Watching) -> None:
    """It used to be dropped while the watch was being opened."""
    await watching.start(1)
    await watching.ask(progress=resources_pb2.WatchProgress(id=1, revision=1))
    assert await watching.events() == [(1, resources_pb2.WatchEvent.BOOKMARK)]


async def test_a_stop_right_behind_its_watch_ends_it(watching: Watching) -> None:
    """It used to be dropped while the watch was being opened, and the watch went on."""
    await watching.start(1)
    await watching.ask(stop=resources_pb2.WatchStop(id=1))
    assert await watching.events() == [(1, resources_pb2.WatchEvent.CLOSED)]


@pytest.mark.parametrize(
    "ids",
    [pytest.param([1, 1], id="one id twice"), pytest.param(range(MAX_WATCHES_PER_STREAM + 1), id="too many")],
)
async def test_watches_that_are_being_opened_count_too(watching: Watching, ids: list[int]) -> None:
    for watch_id in ids:
        await watching.start(watch_id)
    ended = await watching.ended()
    assert ended.code is grpc.StatusCode.INVALID_ARGUMENT
    assert isinstance(ended.error, BadRequest)


async def test_a_batch_item_that_fails_hinders_no_other(wire: BareWire) -> None:
    call = wire.stream("Batch")
    body = builders.make_configmap("settings")
    for number, target in enumerate((not_served(), barewire.target("configmaps"))):
        item = resources_pb2.BatchItem(id=number, create=resources_pb2.CreateRequest(target=target, json=body))
        await call.write(item.SerializeToString())
    await call.done_writing()
    results = [resources_pb2.BatchResult.FromString(await call.read()) for _ in range(2)]
    outcomes = {result.id: result.WhichOneof("result") for result in results}
    assert outcomes == {0: "error", 1: "reply"}


async def test_an_invalid_status_is_refused(wire: BareWire) -> None:
    """Found with STEERSMAN_FUZZ_SEED=1: a Node whose swap is smaller than nothing."""
    target = objects_pb2.Target(resource="nodes", name="n1")
    body = b'{"metadata":{"name":"n1"},"status":{"nodeInfo":{"swap":{"capacity":%d}}}}'
    await wire.call("Create", resources_pb2.CreateRequest(target=target, json=body % 1))
    with pytest.raises(NoSuccess) as refused:
        await wire.call("UpdateStatus", resources_pb2.UpdateRequest(target=target, json=body % -1))
    assert isinstance(refused.value.error, Invalid)
