"""The Resources service: decode, call the registry, encode. No rule of the API lives here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import Message

from apiserver.auth.identity import Caller
from apiserver.grpcfront import calls, listing, showing, translate
from apiserver.grpcfront.calls import Calls
from apiserver.grpcfront.watching import WatchStream
from apiserver.limits import Limits
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Subresource
from steersman import wire
from steersman.api import kinds
from steersman.api.errors import BadRequest, NotFound, UnsupportedMediaType
from steersman.base import tracing
from steersman.pb import objects_pb2, resources_pb2

BATCH_PARALLEL = 32
"""Items of one Batch stream that are carried out at once; the rest wait in the stream."""

Write = Callable[[Any, Caller], Awaitable[resources_pb2.WriteReply]]


class Resources:
    def __init__(self, registry: Registry, calls_: Calls, limits: Limits) -> None:
        self._registry = registry
        self._calls = calls_
        self._limits = limits
        self._streams: set[WatchStream] = set()
        self._writes: dict[str, Write] = {
            "create": self.create,
            "update": self.update,
            "update_status": self.update_status,
            "patch": self.patch,
            "apply": self.apply,
            "delete": self.delete,
            "bind": self.bind,
            "evict": self.evict,
            "scale": self.scale,
        }

    def handler(self) -> grpc.GenericRpcHandler:
        unary, reads, writes = self._calls.unary, self._limits.reads, self._limits.writes
        pb = resources_pb2
        methods = {
            "Get": unary("get", pb.GetRequest, self.get, reads),
            "List": unary("list", pb.ListRequest, self.list, reads),
            "Watch": self._calls.stream("watch", self.watch),
            "Create": unary("create", pb.CreateRequest, self.create, writes),
            "Update": unary("update", pb.UpdateRequest, self.update, writes),
            "UpdateStatus": unary("update_status", pb.UpdateRequest, self.update_status, writes),
            "Patch": unary("patch", pb.PatchRequest, self.patch, writes),
            "Apply": unary("apply", pb.ApplyRequest, self.apply, writes),
            "Delete": unary("delete", pb.DeleteRequest, self.delete, writes),
            "DeleteCollection": unary("deletecollection", pb.DeleteCollectionRequest, self.delete_collection, writes),
            "Bind": unary("bind", pb.BindRequest, self.bind, writes),
            "Evict": unary("evict", pb.EvictRequest, self.evict, writes),
            "Scale": unary("scale", pb.ScaleRequest, self.scale, writes),
            "Batch": self._calls.stream("batch", self.batch),
            "Kinds": unary("kinds", pb.KindsRequest, self.kinds, None),
        }
        return grpc.method_handlers_generic_handler("steersman.v1.Resources", methods)

    async def get(self, request: resources_pb2.GetRequest, _: Caller) -> objects_pb2.Object:
        target = translate.one_object(request.target)
        table = showing.table_of(target.kind, request.form)
        found = await self._registry.get(target, request.resource_version)
        return translate.found(target.kind, found) if table is None else showing.one(table, found)

    async def list(self, request: resources_pb2.ListRequest, _: Caller) -> bytes | Message:
        target = translate.collection(request.target)
        table = showing.table_of(target.kind, request.form)
        found = await self._registry.list(target, translate.selection(request))
        return await (listing.encode(target.kind, found) if table is None else showing.whole(table, found))

    async def watch(self, requests: AsyncIterator[bytes], context: Any) -> None:
        stream = WatchStream(self._registry, self._limits.watches, requests, context)
        self._streams.add(stream)
        try:
            await stream.run()
        finally:
            self._streams.discard(stream)

    def drain(self) -> None:
        """End every watch in good order: the clients are told to go on elsewhere."""
        for stream in tuple(self._streams):
            stream.drain()

    async def create(self, request: resources_pb2.CreateRequest, caller: Caller) -> resources_pb2.WriteReply:
        if request.subresource:
            return await self._create_part(request, caller)
        target = translate.new_object(request.target)
        options = translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.create(target, request.json, options))

    async def _create_part(self, request: resources_pb2.CreateRequest, caller: Caller) -> resources_pb2.WriteReply:
        if request.subresource != "token":
            raise NotFound("the server could not find the requested resource")
        target = translate.one_object(request.target)
        options = translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.issue_token(target, request.json, options))

    async def update(self, request: resources_pb2.UpdateRequest, caller: Caller) -> resources_pb2.WriteReply:
        return await self._update(request, caller, translate.subresource(request.subresource))

    async def update_status(self, request: resources_pb2.UpdateRequest, caller: Caller) -> resources_pb2.WriteReply:
        return await self._update(request, caller, Subresource.STATUS)

    async def _update(
        self, request: resources_pb2.UpdateRequest, caller: Caller, subresource: Subresource
    ) -> resources_pb2.WriteReply:
        target = translate.one_object(request.target)
        options = translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.update(target, request.json, options, subresource))

    async def patch(self, request: resources_pb2.PatchRequest, caller: Caller) -> resources_pb2.WriteReply:
        target = translate.one_object(request.target)
        result = await self._registry.patch(
            target,
            translate.patch_type(request),
            request.patch,
            translate.write_options(request.options, caller),
            translate.subresource(request.subresource),
        )
        return translate.written(target, result)

    async def apply(self, _: resources_pb2.ApplyRequest, _caller: Caller) -> resources_pb2.WriteReply:
        accepted = "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json"
        raise UnsupportedMediaType(
            f"the body of the request was in an unknown format - accepted media types include: {accepted}"
        )

    async def delete(self, request: resources_pb2.DeleteRequest, caller: Caller) -> resources_pb2.WriteReply:
        target = translate.one_object(request.target)
        how, options = translate.delete_options(request.delete), translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.delete(target, how, options))

    async def delete_collection(self, request: resources_pb2.DeleteCollectionRequest, caller: Caller) -> bytes:
        target = translate.collection(request.list.target)
        how, options = translate.delete_options(request.delete), translate.write_options(request.options, caller)
        wanted = translate.selection(request.list)
        return await listing.encode(target.kind, await self._registry.delete_collection(target, wanted, how, options))

    async def bind(self, request: resources_pb2.BindRequest, caller: Caller) -> resources_pb2.WriteReply:
        target = translate.pod(request.target)
        options = translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.bind(target, request.json, options))

    async def evict(self, request: resources_pb2.EvictRequest, caller: Caller) -> resources_pb2.WriteReply:
        target = translate.pod(request.target)
        how, options = translate.delete_options(request.delete), translate.write_options(request.options, caller)
        return translate.written(target, await self._registry.evict(target, how, options))

    async def scale(self, request: resources_pb2.ScaleRequest, caller: Caller) -> resources_pb2.WriteReply:
        target = translate.one_object(request.target)
        replicas = request.replicas if request.HasField("replicas") else None
        options = translate.write_options(request.options, caller)
        result = await self._registry.scale(target, replicas, request.resource_version, options)
        return translate.written(target, result)

    async def batch(self, requests: AsyncIterator[bytes], context: Any) -> None:
        """Carry items out as they come. One that fails says so in its own result and hinders no other."""
        caller = self._calls.caller(context)
        places, writing = asyncio.Semaphore(BATCH_PARALLEL), asyncio.Lock()

        async def carry_out(item: resources_pb2.BatchItem) -> None:
            try:
                result = await self._carry_out(item, caller)
                async with writing:
                    await context.write(result.SerializeToString())
            finally:
                places.release()

        async with asyncio.TaskGroup() as tasks:
            async for raw in requests:
                item = calls.parse(resources_pb2.BatchItem, raw)
                await places.acquire()
                tasks.create_task(carry_out(item))

    async def _carry_out(self, item: resources_pb2.BatchItem, caller: Caller) -> resources_pb2.BatchResult:
        which = item.WhichOneof("write")
        try:
            if which is None:
                raise BadRequest("a batch item without a write")
            with self._limits.writes, _span(which, item):
                reply = await self._writes[which](getattr(item, which), caller)
        except Exception as problem:  # noqa: BLE001 - a bug met by one item is told to it, and ends no other
            error = self._calls.explain(problem, "batch")
            return resources_pb2.BatchResult(id=item.id, error=wire.to_message(error))
        return resources_pb2.BatchResult(id=item.id, reply=reply)

    async def kinds(self, _: resources_pb2.KindsRequest, _caller: Caller) -> Message:
        served = [kind for kind in kinds.ALL if self._registry.serves(kind)]
        return resources_pb2.KindsReply(kinds=[translate.kind_info(kind) for kind in served])


def _span(verb: str, item: resources_pb2.BatchItem) -> tracing.Span:
    if not tracing.enabled():
        return tracing.span(verb)
    resource = calls.resource_of(getattr(item, verb))
    parent = tracing.extract(item.traceparent)
    return tracing.span(f"{verb} {resource}".rstrip(), parent=parent, verb=verb, resource=resource)
