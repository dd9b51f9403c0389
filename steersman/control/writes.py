"""Writes that the barrier knows of: a client's resource whose answers are noted on the pass that made them.

Noted is the revision of each success, and of NotFound, AlreadyExists and Conflict: those say what was true then, and
whoever decides again must have seen that. Outside a pass nothing is noted.

An answer is always definite, or the key stays closed. A write without an answer that cannot land twice (create; update
with a resourceVersion; delete, evict and bind with a uid) is repeated unchanged until there is one, however long that
takes; a create whose object is then found with our own controller's uid has succeeded. A write that could land twice
(patch, scale, writes without those guards) ends with Timeout, but not before the store has told its revision, so that
the next pass sees what had landed by then.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Generic, TypeVar

from steersman.api.autoscaling import Scale
from steersman.api.core import Binding
from steersman.api.errors import AlreadyExists, ApiError, Conflict, Deposed, NotFound, Timeout
from steersman.api.meta import Object
from steersman.api.names import Revision
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock, SystemClock
from steersman.client import retrying
from steersman.client.client import Resource
from steersman.client.requests import Deleted, Items, PatchType, Propagation, WriteOptions, Written
from steersman.client.retrying import Fate
from steersman.client.writing import Writes
from steersman.control import passes
from steersman.control.passes import Pass

BETWEEN_REPEATS = Backoff(initial=0.05, maximum=2.0, jitter=0.5)

T = TypeVar("T", bound=Object)
W = TypeVar("W")

Write = Callable[[], Awaitable[W]]
Recognise = Callable[[ApiError], Awaitable[W | None]]
"""What a refused repeat means for a write in doubt: its result if it has landed after all."""

_log = log.get("writes")


def controller_uid(value: Object) -> str:
    """The uid of the owner that controls the object; empty if none does."""
    return next((owner.uid for owner in value.metadata.owner_references if owner.controller), "")


class Tracked(Generic[T]):
    """The verbs of `resource`. `over`: what carries the writes, if not single calls (a Batch stream's `of(kind)`)."""

    def __init__(self, resource: Resource[T], *, over: Writes[T] | None = None, clock: Clock | None = None) -> None:
        self.kind = resource.kind
        self.get = resource.get
        self.list = resource.list
        self.pages = resource.pages
        self.watch = resource.watch
        self.get_scale = resource.get_scale
        self._resource = resource
        self._writes: Writes[T] = over or resource
        self._clock = clock or SystemClock()

    async def create(self, new: T, *, options: WriteOptions | None = None) -> Written[T]:
        write = partial(self._writes.create, new, options=options)
        return await self._landing_once("create", write, options, partial(self._recognise, new))

    async def update(self, changed: T, *, options: WriteOptions | None = None, subresource: str = "") -> Written[T]:
        write = partial(self._writes.update, changed, options=options, subresource=subresource)
        return await self._update("update", changed, write, options)

    async def update_status(self, changed: T, *, options: WriteOptions | None = None) -> Written[T]:
        write = partial(self._writes.update_status, changed, options=options)
        return await self._update("update status of", changed, write, options)

    async def _update(
        self, verb: str, changed: T, write: Write[Written[T]], options: WriteOptions | None
    ) -> Written[T]:
        version = changed.metadata.resource_version
        how = self._landing_once if version else self._landing_freely
        return await how(verb, write, options, unchanged=version)

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
        write = partial(self._writes.patch, name, namespace, patch, type, subresource=subresource, options=options)
        return await self._landing_freely("patch", write, options)

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
        write = partial(
            self._writes.delete,
            name,
            namespace,
            uid=uid,
            resource_version=resource_version,
            grace_period_seconds=grace_period_seconds,
            propagation=propagation,
            options=options,
        )
        how = self._landing_once if uid else self._landing_freely
        return await how("delete", write, options)

    async def evict(
        self,
        name: str,
        namespace: str,
        *,
        uid: str = "",
        grace_period_seconds: int | None = None,
        options: WriteOptions | None = None,
    ) -> Deleted[T]:
        write = partial(
            self._writes.evict, name, namespace, uid=uid, grace_period_seconds=grace_period_seconds, options=options
        )
        how = self._landing_once if uid else self._landing_freely
        return await how("evict", write, options)

    async def bind(self, binding: Binding, *, options: WriteOptions | None = None) -> Written[T]:
        write = partial(self._writes.bind, binding, options=options)
        how = self._landing_once if binding.metadata.uid else self._landing_freely
        return await how("bind", write, options)

    async def scale(
        self,
        name: str,
        namespace: str,
        replicas: int,
        *,
        resource_version: str = "",
        options: WriteOptions | None = None,
    ) -> Written[Scale]:
        write = partial(
            self._writes.scale, name, namespace, replicas, resource_version=resource_version, options=options
        )
        return await self._landing_freely("scale", write, options)

    async def delete_collection(
        self,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        grace_period_seconds: int | None = None,
        propagation: Propagation = Propagation.UNSAID,
        options: WriteOptions | None = None,
    ) -> Items[T]:
        write = partial(
            self._resource.delete_collection,
            namespace,
            label_selector=label_selector,
            field_selector=field_selector,
            grace_period_seconds=grace_period_seconds,
            propagation=propagation,
            options=options,
        )
        found = await self._landing_freely("delete all of", write, options)
        await self._note_present()  # the answer carries the revision of the list, which is before the deletions
        return found

    # -- how an answer becomes definite

    async def _landing_once(
        self,
        verb: str,
        write: Write[W],
        options: WriteOptions | None,
        recognise: Recognise[W] | None = None,
        *,
        unchanged: str = "",
    ) -> W:
        noted = passes.current()
        if noted is None or (options is not None and options.dry_run):
            return await write()
        try:
            result = await self._repeated(write, recognise, in_doubt=False)
        except asyncio.CancelledError:
            noted.leave_unsettled(partial(self._repeated, write, recognise, in_doubt=True))
            raise
        self._note_change(noted, verb, result, unchanged)
        return result

    async def _landing_freely(
        self, verb: str, write: Write[W], options: WriteOptions | None, *, unchanged: str = ""
    ) -> W:
        noted = passes.current()
        if noted is None or (options is not None and options.dry_run):
            return await write()
        try:
            result = await write()
        except asyncio.CancelledError:
            noted.leave_unsettled(self._note_present)
            raise
        except ApiError as error:
            await self._note_refusal(error)
            raise
        await self._note_result(result)
        self._note_change(noted, verb, result, unchanged)
        return result

    async def _repeated(self, write: Write[W], recognise: Recognise[W] | None, *, in_doubt: bool) -> W:
        for attempt in itertools.count():
            try:
                result = await write()
                await self._note_result(result)
                return result
            except ApiError as error:
                if isinstance(error, Deposed) or (not in_doubt and not isinstance(error, Timeout)):
                    await self._note_refusal(error)
                    raise
                if retrying.fate_of(error) is Fate.REFUSED:
                    landed = await recognise(error) if recognise is not None else None
                    if landed is not None:
                        return landed
                    await self._note_present()
                    raise
                if attempt == 0:
                    _log.warning(
                        "repeating a write without an answer", resource=self.kind.resource, error=error.message
                    )
                in_doubt = True
            await self._clock.sleep(BETWEEN_REPEATS.delay(attempt))
        raise AssertionError("unreachable")

    async def _recognise(self, new: T, refusal: ApiError) -> Written[T] | None:
        """Whether `new`, whose creation was in doubt, is there. Whatever refuses a repeat may be its own first try."""
        present = await self._answered(partial(self._present, new))
        if present is None or not controller_uid(new) or controller_uid(present) != controller_uid(new):
            return None
        revision = Revision(int(present.metadata.resource_version))
        result = Written(present, revision, created=True)
        await self._note_result(result)
        return result

    async def _present(self, new: T) -> T | None:
        try:
            return await self._resource.get(new.metadata.name, new.metadata.namespace)
        except NotFound:
            return None

    async def _answered(self, read: Write[W]) -> W:
        """A read that must be made, however long it takes."""
        for attempt in itertools.count():
            try:
                return await read()
            except ApiError as error:
                if retrying.fate_of(error) is Fate.REFUSED:
                    raise
            await self._clock.sleep(BETWEEN_REPEATS.delay(attempt))
        raise AssertionError("unreachable")

    # -- what is noted

    async def _note_result(self, result: Any) -> None:
        revision: Revision = result.revision
        if revision:
            self._note(revision)
        else:  # a deletion found done carries none
            await self._note_present()

    async def _note_refusal(self, error: ApiError) -> None:
        if isinstance(error, Timeout):
            await self._note_present()
        elif isinstance(error, NotFound | AlreadyExists | Conflict) and error.revision:
            self._note(error.revision)

    async def _note_present(self) -> None:
        """Nobody knows at which revision the write has landed, if it has: it is not above the store's present one."""
        self._note((await self._answered(partial(self._resource.list, limit=1))).revision)

    def _note(self, revision: Revision) -> None:
        noted = passes.current()
        if noted is not None:
            noted.note(self.kind, revision)

    def _note_change(self, noted: Pass, verb: str, result: Any, unchanged: str) -> None:
        if not unchanged or str(result.revision) != unchanged:
            noted.note_change(f"{verb} {self.kind.resource}")
