"""The write verbs, over whatever carries them: single calls or a Batch stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar

from google.protobuf.message import Message

from steersman.api import codec
from steersman.api.authentication import TokenRequest
from steersman.api.autoscaling import Scale
from steersman.api.core import Binding
from steersman.api.errors import ApiError, NotFound
from steersman.api.kinds import Kind
from steersman.client import requests, settling
from steersman.client.requests import Deleted, Form, PatchType, Propagation, WriteOptions, Written
from steersman.client.retrying import Repeater, Settle, Unsettled
from steersman.client.transport import CALL_SECONDS
from steersman.pb import objects_pb2, resources_pb2

T = TypeVar("T")

Reply = resources_pb2.WriteReply
_PATCH = {
    PatchType.JSON: resources_pb2.PatchRequest.JSON,
    PatchType.MERGE: resources_pb2.PatchRequest.MERGE,
    PatchType.STRATEGIC: resources_pb2.PatchRequest.STRATEGIC,
}
_SCALE = requests.typed(Scale)
_TOKEN = requests.typed(TokenRequest)


class Carrier(Protocol):
    """One try of a call named as in the proto. Raises Failed."""

    def __call__(self, method: str, request: Message, timeout_seconds: float, /) -> Awaitable[Any]: ...


class Writes(Generic[T]):
    """Writes objects of one kind. `carry` sends them; what must be read to settle a doubt is read by `look`."""

    def __init__(
        self, kind: Kind, form: Form[T], options: WriteOptions, carry: Carrier, look: Carrier, repeater: Repeater
    ) -> None:
        self.kind = kind
        self._form = form
        self._options = options
        self._carry = carry
        self._look = look
        self._repeater = repeater

    async def create(self, new: T, *, options: WriteOptions | None = None) -> Written[T]:
        identity = self._form.identify(new)
        options = options or self._options
        request = resources_pb2.CreateRequest(
            target=self._target(identity.namespace, identity.name),
            json=self._form.dump(new),
            options=requests.options_message(options),
        )
        return requests.written(await self._write("Create", request, options), self._form)

    async def update(self, changed: T, *, options: WriteOptions | None = None, subresource: str = "") -> Written[T]:
        """With the resourceVersion that was read: Conflict if the object has changed since. Without: overwrites."""
        return await self._update("Update", changed, options or self._options, subresource)

    async def update_status(self, changed: T, *, options: WriteOptions | None = None) -> Written[T]:
        """Only the status (and what else the kind's status subresource may change) is taken from `changed`."""
        return await self._update("UpdateStatus", changed, options or self._options, "status")

    async def _update(self, method: str, changed: T, options: WriteOptions, subresource: str) -> Written[T]:
        identity, json = self._form.identify(changed), self._form.dump(changed)
        target = self._target(identity.namespace, identity.name)
        request = resources_pb2.UpdateRequest(
            target=target,
            json=json,
            options=requests.options_message(options),
            subresource=subresource if method == "Update" else "",
        )

        async def settle(_: ApiError) -> Reply:
            present = await self._present(target)
            if present is None or not settling.update_landed(json, present.json, self.kind, subresource=subresource):
                raise Unsettled
            return Reply(object=present)

        guarded = bool(identity.resource_version)
        return requests.written(await self._write(method, request, options, settle if guarded else None), self._form)

    async def patch(
        self,
        name: str,
        namespace: str,
        patch: bytes,
        type: PatchType = PatchType.MERGE,
        *,
        subresource: str = "",
        options: WriteOptions | None = None,
    ) -> Written[T]:
        options = options or self._options
        request = resources_pb2.PatchRequest(
            target=self._target(namespace, name),
            type=_PATCH[type],
            patch=patch,
            subresource=subresource,
            options=requests.options_message(options),
        )
        return requests.written(await self._write("Patch", request, options), self._form)

    async def delete(
        self,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        resource_version: str = "",
        grace_period_seconds: int | None = None,
        propagation: Propagation = Propagation.UNSAID,
        options: WriteOptions | None = None,
    ) -> Deleted[T]:
        """With `uid`: only that very object, never a namesake created later."""
        how = requests.delete_message(uid, resource_version, grace_period_seconds, propagation)
        return await self._delete("Delete", resources_pb2.DeleteRequest, name, namespace, how, options)

    async def evict(
        self,
        name: str,
        namespace: str,
        *,
        uid: str = "",
        grace_period_seconds: int | None = None,
        options: WriteOptions | None = None,
    ) -> Deleted[T]:
        """Delete a pod if its disruption budgets allow it; TooManyRequests if not now."""
        how = requests.delete_message(uid, "", grace_period_seconds, Propagation.UNSAID)
        return await self._delete("Evict", resources_pb2.EvictRequest, name, namespace, how, options)

    async def _delete(
        self,
        method: str,
        request_type: Callable[..., Message],
        name: str,
        namespace: str,
        how: resources_pb2.DeleteOptions,
        options: WriteOptions | None,
    ) -> Deleted[T]:
        options = options or self._options
        target, uid = self._target(namespace, name), how.uid
        request = request_type(target=target, delete=how, options=requests.options_message(options))

        async def settle(refusal: ApiError) -> Reply:
            present = None if isinstance(refusal, NotFound) else await self._present(target)
            if present is None or settling.is_gone(uid, present.json):
                revision = present.revision if present is not None else refusal.revision or 0
                return Reply(status=objects_pb2.Status(code=200, revision=revision))
            if settling.is_marked(present.json):
                return Reply(object=present)
            raise Unsettled

        return requests.deleted(await self._write(method, request, options, settle if uid else None), self._form)

    async def bind(self, binding: Binding, *, options: WriteOptions | None = None) -> Written[T]:
        """Put the pod that `binding.metadata` names on the node that `binding.target` names, once."""
        options = options or self._options
        meta, node = binding.metadata, binding.target.name
        target = self._target(meta.namespace, meta.name)
        request = resources_pb2.BindRequest(
            target=target, json=codec.encode(binding), options=requests.options_message(options)
        )

        async def settle(_: ApiError) -> Reply:
            present = await self._present(target)
            if present is None or not settling.is_bound(meta.uid, node, present.json):
                raise Unsettled
            return Reply(object=present)

        return requests.written(await self._write("Bind", request, options, settle if meta.uid else None), self._form)

    async def request_token(
        self, name: str, namespace: str, wish: TokenRequest, *, options: WriteOptions | None = None
    ) -> TokenRequest:
        """A token of the service account of that name. Nothing is stored, so it may be asked for again."""
        options = options or self._options
        request = resources_pb2.CreateRequest(
            target=self._target(namespace, name),
            json=codec.encode(wish),
            subresource="token",
            options=requests.options_message(options),
        )
        return requests.written(await self._write("Create", request, options), _TOKEN).object

    async def scale(
        self,
        name: str,
        namespace: str,
        replicas: int,
        *,
        resource_version: str = "",
        options: WriteOptions | None = None,
    ) -> Written[Scale]:
        options = options or self._options
        request = resources_pb2.ScaleRequest(
            target=self._target(namespace, name),
            replicas=replicas,
            resource_version=resource_version,
            options=requests.options_message(options),
        )
        return requests.written(await self._write("Scale", request, options), _SCALE)

    def _target(self, namespace: str, name: str = "") -> objects_pb2.Target:
        return requests.target_message(self.kind, namespace, name)

    async def _write(
        self, method: str, request: Message, options: WriteOptions, settle: Settle[Reply] | None = None
    ) -> Any:
        async def attempt(seconds: float) -> Any:
            return await self._carry(method, request, seconds)

        if options.dry_run:
            return await self._repeater.read(attempt, options.timeout_seconds)
        return await self._repeater.write(attempt, options.timeout_seconds, settle)

    async def _present(self, target: objects_pb2.Target) -> objects_pb2.Object | None:
        """The object as the store has it now."""
        request = resources_pb2.GetRequest(target=target)

        async def attempt(seconds: float) -> objects_pb2.Object:
            found: objects_pb2.Object = await self._look("Get", request, seconds)
            return found

        try:
            return await self._repeater.read(attempt, CALL_SECONDS)
        except NotFound:
            return None
