"""Tells the API how pods fare: one writer per node, the newest word on each pod, nothing said twice.

What is offered while a write is under way replaces what was waiting. A write carries the resourceVersion that it
started from; if somebody was faster, it starts again from what is there, and never takes anything back. While the API
cannot be reached everything waits, and only the newest is sent.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import structs

from nodeagent import podstatus, podsync
from steersman.api.core import Pod, PodStatus
from steersman.api.errors import ApiError, Conflict, NotFound
from steersman.base import log, tracing
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.base.tracing import SpanContext
from steersman.client import cache, retrying
from steersman.client.cache import ObjectKey
from steersman.client.client import Resource
from steersman.client.retrying import Fate

WRITERS = 4
BETWEEN_TRIES = Backoff(initial=0.2, maximum=5.0, jitter=0.5)

_log = log.get("reporter")


@dataclass(frozen=True, slots=True)
class _Offer:
    pod: Pod
    status: PodStatus
    cause: SpanContext | None


class Reporter:
    """`known` gives a pod as the informer has it; `addressee` the object whose status a pod's is, None: nobody's."""

    def __init__(
        self,
        pods: Resource[Pod],
        known: Callable[[ObjectKey], Pod | None],
        clock: Clock,
        addressee: Callable[[Pod], Pod | None] = lambda pod: pod,
    ) -> None:
        self._addressee = addressee
        self._pods = pods
        self._known = known
        self._clock = clock
        self._waiting: OrderedDict[str, _Offer] = OrderedDict()
        self._writing: set[str] = set()
        self._written: dict[str, Pod] = {}
        self._changed = asyncio.Condition()
        self._arrived = asyncio.Event()

    def offer(self, pod: Pod, status: PodStatus, *, cause: SpanContext | None = None) -> None:
        """Say this of the pod, soon, as part of the trace of `cause`, or of the write that left the pod so."""
        shown = self._addressee(pod)
        if shown is not None:
            self._waiting[shown.metadata.uid] = _Offer(shown, status, cause or podsync.cause_of(pod))
            self._arrived.set()

    async def run(self) -> None:
        """Until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(WRITERS):
                tasks.create_task(self._write_all())

    async def _write_all(self) -> None:
        while True:
            uid = next((each for each in self._waiting if each not in self._writing), None)
            if uid is None:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            offer = self._waiting.pop(uid)
            self._writing.add(uid)
            try:
                await self._write(offer)
            finally:
                self._writing.discard(uid)
                self._arrived.set()
                async with self._changed:
                    self._changed.notify_all()

    async def _write(self, offer: _Offer) -> None:
        uid, failures = offer.pod.metadata.uid, 0
        base: Pod | None = self._newest(offer.pod)
        while base is not None:
            status = podstatus.merge(offer.status, base.status, self._clock.now())
            if status == base.status:
                return
            try:
                with tracing.span("report status", parent=offer.cause, phase=status.phase):
                    written = await self._pods.update_status(structs.replace(base, status=status))
                self._written[uid] = written.object
                return
            except NotFound:
                return
            except Conflict:
                base = await self._read(offer.pod)
            except ApiError as error:
                if retrying.fate_of(error) is Fate.REFUSED:
                    _log.error("status refused", pod=str(cache.key_of(offer.pod)), reason=error.message)
                    return
                await self._clock.sleep(BETWEEN_TRIES.delay(failures))
                failures += 1
                offer = self._waiting.pop(uid, offer)

    def _newest(self, pod: Pod) -> Pod:
        """The newest state that we know of: the informer's, or what our last write left."""
        uid = pod.metadata.uid
        candidates = [pod, self._known(cache.key_of(pod)), self._written.get(uid)]
        return max(
            (each for each in candidates if each is not None and each.metadata.uid == uid),
            key=lambda each: int(each.metadata.resource_version or 0),
        )

    async def _read(self, pod: Pod) -> Pod | None:
        """From the store; None when that very pod is gone."""
        failures = 0
        while True:
            try:
                found = await self._pods.get(pod.metadata.name, pod.metadata.namespace)
                return found if found.metadata.uid == pod.metadata.uid else None
            except NotFound:
                return None
            except ApiError as error:
                _log.info("cannot read a pod", pod=str(cache.key_of(pod)), reason=error.message)
                await self._clock.sleep(BETWEEN_TRIES.delay(failures))
                failures += 1

    async def forget(self, pod: Pod) -> None:
        """Nothing of it is left: let the API remove it, once the last word on it is written. Gone already is fine."""
        meta, failures = pod.metadata, 0
        async with self._changed:
            await self._changed.wait_for(lambda: meta.uid not in self._waiting and meta.uid not in self._writing)
        while True:
            try:
                await self._pods.delete(meta.name, meta.namespace, uid=meta.uid, grace_period_seconds=0)
                break
            except (NotFound, Conflict):
                break
            except ApiError as error:
                _log.info("cannot remove a pod", pod=str(cache.key_of(pod)), reason=error.message)
                await self._clock.sleep(BETWEEN_TRIES.delay(failures))
                failures += 1
        self._written.pop(meta.uid, None)

    async def settled(self) -> None:
        """Until there is nothing left to say."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._waiting and not self._writing)

    def drop(self, uid: str) -> None:
        """The pod is gone: whatever waits to be said of it is of no interest."""
        self._waiting.pop(uid, None)
        self._written.pop(uid, None)
