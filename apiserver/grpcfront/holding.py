"""The Leadership service: a leader whose line breaks loses its Lease soon, and not only when that runs out.

A process that is killed takes its connections with it, and the kernel says so at once. If the line ends without a
goodbye, and not because this server stops, the Lease is released on the leader's behalf after a moment in which it may
come back, here or elsewhere. Coming back is a renewal: the release lands only on the Lease as it was known at the
break, and only in that term. Safety hangs on nothing of this: the fence sees to that.

After a release on behalf the next one for the same Lease waits one Lease duration, so that a leader with a bad
connection is not replaced again and again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import grpc
import msgspec

from apiserver.grpcfront import calls, translate
from apiserver.grpcfront.calls import Calls
from apiserver.registry.registry import Registry
from apiserver.registry.requests import PatchType, Target, Term, WriteOptions
from steersman.api import codec, kinds
from steersman.api.coordination import Lease
from steersman.api.errors import ApiError, BadRequest, Conflict, Deposed, NotFound
from steersman.base import log
from steersman.base.clock import Clock
from steersman.pb import leadership_pb2

GRACE_SECONDS = 0.3

_LEASES = next(kind for kind in kinds.ALL if kind.struct is Lease)
_log = log.get("leadership")


class Leadership:
    """Entered as a context: the releases that are due then run in it, and end with it."""

    def __init__(self, registry: Registry, calls_: Calls, clock: Clock) -> None:
        self._registry = registry
        self._calls = calls_
        self._clock = clock
        self._tasks = asyncio.TaskGroup()
        self._lines: set[asyncio.Task[Any]] = set()
        self._due: set[asyncio.Task[None]] = set()
        self._resting: dict[str, float] = {}

    async def __aenter__(self) -> Leadership:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._due:
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def handler(self) -> grpc.GenericRpcHandler:
        methods = {"Hold": self._calls.stream("hold", self.hold)}
        return grpc.method_handlers_generic_handler("steersman.v1.Leadership", methods)

    def drain(self) -> None:
        """End every line: the leaders are to go on elsewhere, and keep their terms."""
        for line in self._lines:
            line.cancel()

    async def hold(self, requests: AsyncIterator[bytes], context: Any) -> None:
        line = asyncio.current_task()
        assert line is not None
        self._lines.add(line)
        try:
            await self._hold(requests, context)
        finally:
            self._lines.discard(line)

    async def _hold(self, requests: AsyncIterator[bytes], context: Any) -> None:
        term: Term | None = None
        has_left = False
        try:
            async for raw in requests:
                said = calls.parse(leadership_pb2.HoldRequest, raw)
                if said.HasField("goodbye"):
                    has_left = True
                    return
                if term is not None or not said.HasField("term"):
                    raise BadRequest("a line begins with the term, once, and ends with a goodbye")
                term = translate.term(said.term)
                await context.write(leadership_pb2.HoldReply().SerializeToString())
        finally:
            if term is not None and not has_left and not self._calls.is_draining:
                self._release_soon(term)

    def _release_soon(self, term: Term) -> None:
        task = self._tasks.create_task(self._release_on_behalf(term))
        self._due.add(task)
        task.add_done_callback(self._due.discard)

    async def _release_on_behalf(self, term: Term) -> None:
        target = Target(_LEASES, term.namespace, term.lease)
        said = _log.bind(lease=f"{term.namespace}/{term.lease}", token=term.token)
        try:
            # As this server knew the Lease at the break: what has been renewed since, also elsewhere, is not released.
            known = await self._registry.get(target, "0")
            await self._clock.sleep(max(GRACE_SECONDS, self._rest(target)))
            release = {"metadata": {"resourceVersion": str(known.revision)}, "spec": {"holderIdentity": None}}
            await self._registry.patch(target, PatchType.MERGE, msgspec.json.encode(release), WriteOptions(term=term))
        except (Conflict, Deposed, NotFound):
            said.debug("not released: the leader is back, or its term is over")
        except (ApiError, TimeoutError) as error:
            said.warning("not released: it runs out", error=type(error).__name__, reason=str(error))
        else:
            said.info("released on behalf of a leader whose line broke")
            seconds = codec.load(Lease, known.json).spec.lease_duration_seconds or 0
            self._resting[target.key] = self._clock.monotonic() + seconds

    def _rest(self, target: Target) -> float:
        """Seconds until the next release on behalf of this Lease; what is past is forgotten."""
        now = self._clock.monotonic()
        self._resting = {key: until for key, until in self._resting.items() if until > now}
        return self._resting.get(target.key, now) - now
