"""The API server's gRPC as a load generator speaks it: bare messages, nothing in between that costs time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from steersman.pb import objects_pb2, resources_pb2

NAMESPACE = "default"
_OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]


class Wire:
    def __init__(self, channel: grpc.aio.Channel) -> None:
        pb = resources_pb2
        self.create = self._unary(channel, "Create", pb.CreateRequest, pb.WriteReply)
        self.update = self._unary(channel, "Update", pb.UpdateRequest, pb.WriteReply)
        self.get = self._unary(channel, "Get", pb.GetRequest, objects_pb2.Object)
        self.list = self._unary(channel, "List", pb.ListRequest, pb.ListReply)
        self.delete_collection = self._unary(channel, "DeleteCollection", pb.DeleteCollectionRequest, pb.ListReply)
        self._watch = channel.stream_stream(
            "/steersman.v1.Resources/Watch",
            request_serializer=pb.WatchRequest.SerializeToString,
        )

    @staticmethod
    def _unary(channel: grpc.aio.Channel, method: str, request: Any, reply: Any) -> Any:
        return channel.unary_unary(
            f"/steersman.v1.Resources/{method}",
            request_serializer=request.SerializeToString,
            response_deserializer=reply.FromString,
        )

    async def watch(self, after: int) -> AsyncIterator[bytes]:
        """The replies as they come, not taken apart: with hundreds of watchers that would be most of the work."""
        start = resources_pb2.WatchStart(id=1, target=target(), resource_version=str(after))
        call = self._watch()
        await call.write(resources_pb2.WatchRequest(start=start))
        async for reply in call:
            yield reply


@asynccontextmanager
async def connected(address: str, data_dir: Path) -> AsyncIterator[Wire]:
    """With the admin's certificate if the server made one, else in the clear."""
    pki = data_dir / "pki"
    if not pki.exists():
        async with grpc.aio.insecure_channel(address, options=_OPTIONS) as channel:
            yield Wire(channel)
        return
    credentials = grpc.ssl_channel_credentials(
        (pki / "ca.crt").read_bytes(), (pki / "admin.key").read_bytes(), (pki / "admin.crt").read_bytes()
    )
    async with grpc.aio.secure_channel(address, credentials, options=_OPTIONS) as channel:
        async with asyncio.timeout(10):
            await channel.channel_ready()
        yield Wire(channel)


def target(name: str = "", namespace: str = NAMESPACE, resource: str = "configmaps") -> objects_pb2.Target:
    return objects_pb2.Target(version="v1", resource=resource, namespace=namespace, name=name)


def configmap(name: str, namespace: str = NAMESPACE, **data: str) -> bytes:
    """About 1 KB."""
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": {"bench": "cm"}},
        "data": {"payload": "x" * 1024, **data},
    }
    return json.dumps(body, separators=(",", ":")).encode()
