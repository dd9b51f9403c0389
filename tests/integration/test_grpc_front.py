"""The gRPC front as a stranger meets it: bare stubs, a real server, real TLS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from apiserver import server
from apiserver.config import Settings
from apiserver.grpcfront import calls
from apiserver.server import Serving
from steersman import wire
from steersman.api import errors
from steersman.api.errors import ApiError
from steersman.api.names import Revision
from steersman.base.values import Address
from steersman.pb import objects_pb2, resources_pb2
from tests.builders import make_configmap, make_pod

ANYWHERE = Address("127.0.0.1", 0)
SECONDS = 40.0
_REPLIES: dict[str, type[Message]] = {"Get": objects_pb2.Object, "List": resources_pb2.ListReply}


@asynccontextmanager
async def running(data_dir: Path, **settings: Any) -> AsyncIterator[Serving]:
    chosen = Settings(data_dir=data_dir, grpc_address=ANYWHERE, rest_address=ANYWHERE, **settings)
    async with server.serving(chosen) as serving:
        yield serving


@pytest.fixture
async def channel(api_server: Serving) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a fresh server without TLS."""
    async with grpc.aio.insecure_channel(str(api_server.grpc)) as opened:
        yield opened


def target(name: str = "", resource: str = "configmaps", namespace: str = "default", **more: str) -> objects_pb2.Target:
    return objects_pb2.Target(version="v1", resource=resource, namespace=namespace, name=name, **more)


async def ask(channel: grpc.aio.Channel, method: str, request: Message) -> Any:
    reply = _REPLIES.get(method, resources_pb2.WriteReply)
    call = channel.unary_unary(
        f"/steersman.v1.Resources/{method}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=reply.FromString,
    )
    return await call(request, timeout=SECONDS)


async def create(channel: grpc.aio.Channel, name: str = "settings", **fields: Any) -> resources_pb2.WriteReply:
    request = resources_pb2.CreateRequest(target=target(), json=make_configmap(name, **fields))
    reply: resources_pb2.WriteReply = await ask(channel, "Create", request)
    return reply


class Watcher:
    """One Watch stream in a test's hands."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._call = channel.stream_stream(
            "/steersman.v1.Resources/Watch",
            request_serializer=resources_pb2.WatchRequest.SerializeToString,
            response_deserializer=resources_pb2.WatchReply.FromString,
        )(timeout=SECONDS)
        self._pending: list[tuple[int, resources_pb2.WatchEvent]] = []

    async def start(self, watch_id: int = 1, **options: Any) -> None:
        options.setdefault("target", target())
        start = resources_pb2.WatchStart(id=watch_id, **options)
        await self._call.write(resources_pb2.WatchRequest(start=start))

    async def send(self, **ask: Any) -> None:
        await self._call.write(resources_pb2.WatchRequest(**ask))

    async def next(self) -> tuple[int, resources_pb2.WatchEvent]:
        while not self._pending:
            reply = await self._call.read()
            assert reply is not grpc.aio.EOF, "the stream is over"
            self._pending += [(reply.id, event) for event in reply.events]
        return self._pending.pop(0)

    async def is_over(self) -> bool:
        return await self._call.read() is grpc.aio.EOF


def told(event: resources_pb2.WatchEvent) -> tuple[str, str]:
    name = json.loads(event.object.json)["metadata"].get("name", "") if event.object.json else ""
    return resources_pb2.WatchEvent.Type.Name(event.type), name


async def test_an_object_makes_the_round(channel: grpc.aio.Channel) -> None:
    created = await create(channel)
    assert created.created
    assert created.object.kind == "ConfigMap"
    found = await ask(channel, "Get", resources_pb2.GetRequest(target=target("settings")))
    assert found.json == created.object.json
    assert json.loads(found.json)["metadata"]["resourceVersion"] == str(found.revision)
    listed = await ask(channel, "List", resources_pb2.ListRequest(target=target()))
    assert [item.json for item in listed.items] == [found.json]
    deleted = await ask(channel, "Delete", resources_pb2.DeleteRequest(target=target("settings")))
    assert deleted.status.code == 200
    assert deleted.object.revision > found.revision


@pytest.mark.parametrize("family", errors.FAMILY, ids=lambda family: family.__name__)
def test_every_error_crosses_the_wire_and_back(family: type[ApiError]) -> None:
    details = errors.Details("n", "g", "k", "u", (errors.Cause("FieldValueInvalid", "bad", "spec.x"),), 3)
    error = family("what went wrong", details=details, revision=Revision(7))
    assert getattr(grpc.StatusCode, family.grpc_code)
    metadata = dict(wire.trailing_metadata(error))
    assert metadata[wire.REASON_KEY] == family.reason
    back = wire.from_message(objects_pb2.Status.FromString(bytes(metadata[wire.STATUS_KEY])))  # type: ignore[arg-type]
    assert type(back) is family
    assert (back.message, back.details, back.revision) == (error.message, details, 7)


def test_an_error_too_large_for_a_header_is_cut_down() -> None:
    causes = tuple(errors.Cause("FieldValueInvalid", "x" * 1000, f"spec.{number}") for number in range(500))
    error = errors.Invalid("y" * 100_000, details=errors.Details(causes=causes))
    size = sum(len(value) for _, value in wire.trailing_metadata(error)) + len(wire.shortened(error.message))
    assert size < wire.MAX_METADATA_BYTES


@pytest.mark.parametrize(
    ("method", "request_", "code", "reason"),
    [
        pytest.param("Get", resources_pb2.GetRequest(target=target("none")), "NOT_FOUND", "NotFound", id="NotFound"),
        pytest.param(
            "Get",
            resources_pb2.GetRequest(target=target("x", resource="cows")),
            "NOT_FOUND",
            "NotFound",
            id="no such kind",
        ),
        pytest.param(
            "Get", resources_pb2.GetRequest(target=target("a/b")), "INVALID_ARGUMENT", "BadRequest", id="slash"
        ),
        pytest.param("Get", resources_pb2.GetRequest(target=target()), "INVALID_ARGUMENT", "BadRequest", id="no name"),
        pytest.param(
            "Create",
            resources_pb2.CreateRequest(target=target(), json=make_configmap("Not_A_Name")),
            "INVALID_ARGUMENT",
            "Invalid",
            id="Invalid",
        ),
        pytest.param(
            "Create",
            resources_pb2.CreateRequest(target=target(), json=make_configmap("taken")),
            "ALREADY_EXISTS",
            "AlreadyExists",
            id="AlreadyExists",
        ),
        pytest.param(
            "Update",
            resources_pb2.UpdateRequest(target=target("taken"), json=make_configmap("taken", resourceVersion="1")),
            "ABORTED",
            "Conflict",
            id="Conflict",
        ),
        pytest.param(
            "Create",
            resources_pb2.CreateRequest(
                target=target(),
                json=make_configmap("fenced"),
                options=resources_pb2.WriteOptions(
                    term=objects_pb2.Term(lease_namespace="a", lease_name="b", token=999)
                ),
            ),
            "FAILED_PRECONDITION",
            "Deposed",
            id="Deposed",
        ),
        pytest.param(
            "Apply",
            resources_pb2.ApplyRequest(target=target("x")),
            "INVALID_ARGUMENT",
            "UnsupportedMediaType",
            id="apply",
        ),
        pytest.param(
            "Scale",
            resources_pb2.ScaleRequest(target=target("taken")),
            "UNIMPLEMENTED",
            "MethodNotAllowed",
            id="no scale",
        ),
        pytest.param(
            "Delete",
            resources_pb2.DeleteRequest(target=target("default", resource="namespaces", namespace="")),
            "PERMISSION_DENIED",
            "Forbidden",
            id="Forbidden",
        ),
    ],
)
async def test_refusals(channel: grpc.aio.Channel, method: str, request_: Message, code: str, reason: str) -> None:
    await create(channel, "taken")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(channel, method, request_)
    assert caught.value.code().name == code
    trailing = dict(caught.value.trailing_metadata())
    assert trailing[wire.REASON_KEY] == reason
    status = objects_pb2.Status.FromString(trailing[wire.STATUS_KEY])
    assert status.message == caught.value.details()


async def test_a_body_that_is_too_large_is_refused_in_our_words(channel: grpc.aio.Channel) -> None:
    for size in (1_600_000, calls.MAX_BODY_BYTES):
        container = {"name": "main", "image": "i", "env": [{"name": "BIG", "value": "x" * size}]}
        pod = make_pod(spec={"containers": [container]})
        with pytest.raises(grpc.aio.AioRpcError, match="Request entity too large"):
            await ask(channel, "Create", resources_pb2.CreateRequest(target=target(resource="pods"), json=pod))


async def test_bytes_that_are_no_message_are_a_bad_request(channel: grpc.aio.Channel) -> None:
    call = channel.unary_unary("/steersman.v1.Resources/Get")
    with pytest.raises(grpc.aio.AioRpcError, match="not a GetRequest message") as caught:
        await call(b"\xff\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_warnings_come_with_the_answer(channel: grpc.aio.Channel) -> None:
    reply = await create(channel, "settings", daat={})
    assert list(reply.warnings) == ['unknown field "daat"']


async def test_several_watches_share_a_stream(channel: grpc.aio.Channel) -> None:
    watcher = Watcher(channel)
    await watcher.start(1, resource_version="0", field_selector="metadata.name=a")
    await watcher.start(2, resource_version="0", target=target(resource="pods"))
    await create(channel, "b")
    await create(channel, "a")
    await ask(channel, "Create", resources_pb2.CreateRequest(target=target(resource="pods"), json=make_pod("p")))
    seen = {(watch_id, *told(event)) for watch_id, event in [await watcher.next(), await watcher.next()]}
    assert seen == {(1, "ADDED", "a"), (2, "ADDED", "p")}


async def test_a_watch_answers_for_its_progress(channel: grpc.aio.Channel) -> None:
    first = await create(channel, "a")
    watcher = Watcher(channel)
    await watcher.start(7, resource_version=str(first.object.revision))
    pod = await ask(channel, "Create", resources_pb2.CreateRequest(target=target(resource="pods"), json=make_pod("p")))
    await watcher.send(progress=resources_pb2.WatchProgress(id=7, revision=pod.object.revision))
    watch_id, event = await watcher.next()
    assert (watch_id, told(event)[0]) == (7, "BOOKMARK")
    assert event.object.revision >= pod.object.revision


async def test_a_watch_that_cannot_be_says_why(channel: grpc.aio.Channel) -> None:
    watcher = Watcher(channel)
    await watcher.start(1, resource_version="999999")
    await watcher.start(2, label_selector="a in ((")
    await watcher.start(3, target=target(resource="cows"))
    reasons = {}
    for _ in range(3):
        watch_id, event = await watcher.next()
        reasons[watch_id] = (told(event)[0], event.error.reason)
    assert reasons == {1: ("ERROR", "Expired"), 2: ("ERROR", "BadRequest"), 3: ("ERROR", "NotFound")}


async def test_a_watch_ends_when_asked_or_when_its_time_is_up(channel: grpc.aio.Channel) -> None:
    watcher = Watcher(channel)
    await watcher.start(1, timeout_seconds=1)
    await watcher.start(2)
    await create(channel, "a")
    ends: list[int] = []
    while len(ends) < 2:
        watch_id, event = await watcher.next()
        if told(event)[0] == "ADDED" and watch_id == 2:
            await watcher.send(stop=resources_pb2.WatchStop(id=2))
        elif told(event)[0] == "CLOSED":
            ends.append(watch_id)
    assert sorted(ends) == [1, 2]


async def test_a_batch_carries_many_writes_and_each_answers_for_itself(channel: grpc.aio.Channel) -> None:
    batch = channel.stream_stream(
        "/steersman.v1.Resources/Batch",
        request_serializer=resources_pb2.BatchItem.SerializeToString,
        response_deserializer=resources_pb2.BatchResult.FromString,
    )(timeout=SECONDS)
    for number in range(200):
        request = resources_pb2.CreateRequest(target=target(), json=make_configmap(f"c{number % 150}"))
        await batch.write(resources_pb2.BatchItem(id=number, create=request))
    await batch.write(resources_pb2.BatchItem(id=200))
    await batch.done_writing()
    results = {result.id: result async for result in batch}
    assert sorted(results) == list(range(201))
    assert sum(result.HasField("reply") for result in results.values()) == 150
    assert {result.error.reason for result in results.values() if result.HasField("error")} == {
        "AlreadyExists",
        "BadRequest",
    }


async def test_a_drain_sends_watchers_elsewhere(tmp_path: Path) -> None:
    opened = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()

    async def serve() -> None:
        async with running(tmp_path, insecure=True) as serving:
            opened.set_result(str(serving.grpc))
            await stop.wait()

    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve())
        async with grpc.aio.insecure_channel(await opened) as channel:
            watchers = [Watcher(channel) for _ in range(10)]
            for watcher in watchers:
                await watcher.start(1)
            await create(channel, "a")
            for watcher in watchers:
                assert told((await watcher.next())[1]) == ("ADDED", "a")
            stop.set()
            for watcher in watchers:
                assert told((await watcher.next())[1])[0] == "CLOSED"
                assert await watcher.is_over()
            await serving


async def test_health_and_reflection(channel: grpc.aio.Channel) -> None:
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    assert (await check(health_pb2.HealthCheckRequest())).status == health_pb2.HealthCheckResponse.SERVING
    reflect = channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )(timeout=SECONDS)
    await reflect.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    answer = await reflect.read()
    names = {service.name for service in answer.list_services_response.service}
    assert {"steersman.v1.Resources", "steersman.v1.Leadership", "steersman.v1.Nodes"} <= names


@pytest.mark.parametrize("method", ["/steersman.v1.Nodes/Logs"])
async def test_services_to_come_say_that_they_are_not_there(channel: grpc.aio.Channel, method: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await channel.unary_unary(method)(b"", timeout=SECONDS)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_tls_wants_a_certificate_of_ours(tmp_path: Path) -> None:
    async with running(tmp_path / "ours") as serving, running(tmp_path / "theirs"):
        request = resources_pb2.GetRequest(target=target("default", resource="namespaces", namespace=""))
        for folder, works in (("ours", True), ("theirs", False), (None, False)):
            pki = tmp_path / str(folder) / "pki"
            certificate = (
                {"private_key": (pki / "admin.key").read_bytes(), "certificate_chain": (pki / "admin.crt").read_bytes()}
                if folder
                else {}
            )
            authority = (tmp_path / "ours" / "pki" / "ca.crt").read_bytes()
            credentials = grpc.ssl_channel_credentials(authority, **certificate)
            async with grpc.aio.secure_channel(str(serving.grpc), credentials) as channel:
                if works:
                    assert (await ask(channel, "Get", request)).kind == "Namespace"
                else:
                    with pytest.raises(grpc.aio.AioRpcError) as caught:
                        await ask(channel, "Get", request)
                    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_port_that_is_taken_is_said_clearly(tmp_path: Path) -> None:
    async with running(tmp_path / "a", insecure=True) as serving:
        chosen = Settings(data_dir=tmp_path / "b", grpc_address=serving.grpc, rest_address=ANYWHERE, insecure=True)
        with pytest.raises(ExceptionGroup) as caught:
            async with server.serving(chosen):
                pass
    (error,) = caught.value.exceptions
    assert str(error) == f"cannot listen on {serving.grpc} for gRPC: the address is in use or not ours"
