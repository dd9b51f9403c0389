"""The Resources service as bytes on a wire: what a test sends is what the server gets, once, with a deadline.

`steersman.client` repeats, resumes and repairs; tests that ask what a *server* promises must see its own answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from grpc import aio

from steersman import wire
from steersman.api.errors import ApiError
from steersman.pb import objects_pb2, resources_pb2

CALL_SECONDS = 30.0

_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", wire.MAX_METADATA_BYTES),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 200),
)
_PATH = "/steersman.v1.Resources/"
_REPLIES: dict[str, type[Message]] = {
    "Get": objects_pb2.Object,
    "List": resources_pb2.ListReply,
    "DeleteCollection": resources_pb2.ListReply,
    "Kinds": resources_pb2.KindsReply,
}


@dataclass(eq=False)
class NoSuccess(Exception):
    """`error` is what the server itself said; None: the answer came from gRPC, and nothing is known."""

    code: grpc.StatusCode
    text: str
    error: ApiError | None

    def __str__(self) -> str:
        return f"{self.code.name}: {self.text[:200]}"


class BareWire:
    def __init__(self, channel: aio.Channel) -> None:
        self._channel = channel
        self._unary = {
            method: channel.unary_unary(_PATH + method) for method in methods() if method not in ("Watch", "Batch")
        }
        self._streams = {method: channel.stream_stream(_PATH + method) for method in ("Watch", "Batch")}

    def is_connected(self) -> bool:
        """Whether a call would be sent at once. Asking has a lost connection made anew."""
        return bool(self._channel.get_state(try_to_connect=True) is grpc.ChannelConnectivity.READY)

    async def call(self, method: str, request: Message | bytes, *, seconds: float = CALL_SECONDS) -> Any:
        """The reply. Raises NoSuccess."""
        raw = request if isinstance(request, bytes) else request.SerializeToString()
        try:
            answer = await self._unary[method](raw, timeout=seconds)
        except aio.AioRpcError as failed:
            raise explained(failed.code(), failed.details(), failed.trailing_metadata()) from None
        return _REPLIES.get(method, resources_pb2.WriteReply).FromString(answer)

    def stream(self, method: str, *, seconds: float | None = CALL_SECONDS) -> Any:
        """The bare call of gRPC, bytes in and bytes out."""
        return self._streams[method](timeout=seconds)


def methods() -> Iterable[str]:
    return [method.name for method in resources_pb2.DESCRIPTOR.services_by_name["Resources"].methods]


def explained(code: grpc.StatusCode, text: str | None, trailing: Any) -> NoSuccess:
    said = dict(trailing or ()).get(wire.STATUS_KEY)
    if said is None:
        return NoSuccess(code, text or "", None)
    try:
        return NoSuccess(code, text or "", wire.from_message(objects_pb2.Status.FromString(said)))
    except DecodeError:
        return NoSuccess(code, "the status in the trailing metadata cannot be read", None)


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[BareWire]:
    async with aio.insecure_channel(address, options=_OPTIONS) as channel:
        yield BareWire(channel)


def target(resource: str, name: str = "", namespace: str = "default", group: str = "") -> objects_pb2.Target:
    return objects_pb2.Target(group=group, version="v1", resource=resource, namespace=namespace, name=name)
