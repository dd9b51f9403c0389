"""One watch that outlives its connections.

A task follows etcd's stream and hands whole revisions to the reader through a bounded queue; when the reader is slow,
etcd waits. When the stream breaks, it is opened again after the last revision handed over, on whichever member answers.
Each opening is checked with a linearizable read, so that a store that is not the one we knew (its history compacted
past us, restored from an older copy, or replaced) ends the watch with Expired instead of a gap.

A second task asks for progress: for a reader who wants it, and as a heartbeat when the stream is quiet, because a
frozen member keeps its connections open. (HTTP/2 pings cannot do that: etcd takes more than one in five seconds on a
quiet connection for abuse, so the client stops after two.)
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from typing import Any

import structlog
from aetcd.rpc import rpc_pb2 as pb
from grpc import StatusCode
from tenacity import AsyncRetrying, retry_if_exception_type, wait_random_exponential

from apiserver.storage.etcd.keyspace import ALL_KEYS, Keyspace
from apiserver.storage.etcd.members import Member, Members, Unanswered
from apiserver.storage.etcd.revisions import Assembly
from apiserver.storage.interface import Changed, Revised
from steersman.api.errors import ApiError, Expired
from steersman.api.names import Revision
from steersman.rpc.asking import Conversation, Failed

log = structlog.get_logger(__name__)

OPEN_SECONDS = 2.0
HEARTBEAT_SECONDS = 1.0
SILENCE_SECONDS = 3.0
LONGEST_SILENCE_SECONDS = 60.0
ASK_AGAIN_SECONDS = 0.05
BATCHES = 8

_PROGRESS: bytes = pb.WatchRequest(progress_request=pb.WatchProgressRequest()).SerializeToString()


class EtcdWatch:
    def __init__(
        self,
        members: Members,
        keyspace: Keyspace,
        prefix: str,
        after: Revision,
        *,
        newest: Callable[[], Awaitable[Revision]],
    ) -> None:
        self._members = members
        self._keyspace = keyspace
        self._prefix = prefix
        self._newest = newest
        self._reached = after  # everything up to here is with the reader, or in the queue
        self._must_have = after  # the store is not the one we know if its newest revision is lower
        self._last_change: tuple[Revision, Changed] | None = None
        self._cluster_id: int | None = None
        self._patience_seconds = SILENCE_SECONDS
        self._queue: asyncio.Queue[Sequence[Revised] | ApiError | None] = asyncio.Queue(BATCHES)
        self._batch: deque[Revised] = deque()
        self._stream: Conversation | None = None  # set while we wait on it
        self._progress_wanted = asyncio.Event()
        self._progress_owed = False
        self._advanced = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.closed = False

    def start(self, tasks: asyncio.TaskGroup) -> None:
        self._task = tasks.create_task(self._run())

    def __aiter__(self) -> EtcdWatch:
        return self

    async def __anext__(self) -> Revised:
        while not self._batch:
            item = await self._queue.get()
            if item is None or isinstance(item, ApiError):
                self._queue.put_nowait(item)  # the end stays the end
                if item is None:
                    raise StopAsyncIteration
                raise item
            self._batch.extend(item)
        return self._batch.popleft()

    async def request_progress(self) -> None:
        self._progress_owed = True
        self._progress_wanted.set()

    async def aclose(self) -> None:
        if self.closed:
            return
        self.closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._batch.clear()
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            prompting = tasks.create_task(self._prompt())
            await self._queue.put(await self._follow())
            prompting.cancel()

    async def _follow(self) -> ApiError:
        """Until the watch cannot go on; says why."""
        try:
            while True:
                member, stream = await self._connect()
                try:
                    await self._pump(member, stream)
                finally:
                    stream.cancel()
                self._must_have = max(self._reached, self._members.newest)
                log.info("etcd watch is interrupted", endpoint=member.endpoint, revision=self._reached)
        except ApiError as end:
            return end

    async def _connect(self) -> tuple[Member, Conversation]:
        endless = AsyncRetrying(
            retry=retry_if_exception_type(Unanswered), wait=wait_random_exponential(multiplier=0.02, max=1.0)
        )
        async for attempt in endless:
            with attempt:
                return await self._open()
        raise AssertionError("endless retries have ended")

    async def _open(self) -> tuple[Member, Conversation]:
        """A stream that is known to go on where we are. Unanswered; Expired."""
        member = await self._members.pick()
        with ExitStack() as undo:
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    stream = member.watch()
                    undo.callback(stream.cancel)
                    await stream.write(self._create_request())
                    created = await stream.read()
                    if created is None or pb.WatchResponse.FromString(created).canceled:
                        raise Unanswered(member, "does not take the watch", sent=True)
                    await self._verify(member)
            except Failed as failed:
                raise self._members.judge(member, failed.code, failed.details) from failed
            except TimeoutError as slow:
                raise self._members.judge(member, StatusCode.DEADLINE_EXCEEDED, "opening a watch") from slow
            undo.pop_all()
        return member, stream

    def _create_request(self) -> bytes:
        start, end = self._keyspace.span(self._prefix)
        create = pb.WatchCreateRequest(
            key=start, range_end=end, start_revision=self._reached + 1, progress_notify=True, fragment=True
        )
        return bytes(pb.WatchRequest(create_request=create).SerializeToString())

    async def _verify(self, member: Member) -> None:
        """Expired unless the store holds the history that we have followed.

        Done after the stream is created, not before: else a compaction between the two would go unnoticed. Reading at
        `_reached` fails if that is compacted or in the future. The last change that we gave must be there unchanged: a
        restored store may have grown past us in the meantime, and it keeps its cluster id.
        """
        key = self._keyspace.name(self._last_change[1].key) if self._last_change else ALL_KEYS
        request = pb.RangeRequest(key=key, revision=max(self._reached, 1))
        answer = await member.range.ask(request, timeout_seconds=OPEN_SECONDS)
        cluster_id, revision = answer.header.cluster_id, Revision(answer.header.revision)
        if self._cluster_id not in (None, cluster_id):
            raise Expired(f"etcd is another cluster than before: {cluster_id:x}, not {self._cluster_id:x}")
        if revision < self._must_have:
            self._members.newest = revision
            raise Expired(f"etcd is at revision {revision}, but was at {self._must_have}: it has been restored")
        if self._last_change and _versions(answer) != _expected_versions(*self._last_change):
            raise Expired(f"etcd does not hold what it gave us at revision {self._reached}: it has been restored")
        self._cluster_id = cluster_id

    async def _pump(self, member: Member, stream: Conversation) -> None:
        """Hand over what the stream brings, until it breaks. Expired."""
        assembly = Assembly(self._keyspace, self._reached)
        while True:
            self._stream = stream
            try:
                async with asyncio.timeout(self._patience_seconds):
                    raw = await stream.read()
            except Failed as failed:
                self._members.judge(member, failed.code, failed.details)
                return
            except TimeoutError:
                # Scanning a long history for a few events can look like death: be more patient the next time.
                self._patience_seconds = min(2 * self._patience_seconds, LONGEST_SILENCE_SECONDS)
                self._members.move_on_from(member)
                return
            finally:
                self._stream = None
            if raw is None:
                return
            response = pb.WatchResponse.FromString(raw)
            if response.canceled:
                if response.compact_revision:
                    raise Expired(f"etcd has compacted to {response.compact_revision}, past {self._reached}")
                return
            self._patience_seconds = SILENCE_SECONDS
            await self._hand_over(assembly.add(response))

    async def _hand_over(self, revised: Sequence[Revised]) -> None:
        self._advanced.set()
        if not revised:
            return
        last = revised[-1]
        if last.revision == self._reached and not self._progress_owed:
            return  # the answer to a heartbeat is no news to the reader
        await self._queue.put(revised)
        self._reached = last.revision
        if last.changes:
            self._last_change = (last.revision, last.changes[-1])
        else:
            self._progress_owed = False

    async def _prompt(self) -> None:
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._progress_wanted.wait()
            except TimeoutError:
                await self._ask_for_progress()
                continue
            self._progress_wanted.clear()
            try:
                await self._prompt_until(await self._newest())
            except ApiError as error:
                log.warning("etcd does not tell its revision", error=error.message)

    async def _prompt_until(self, revision: Revision) -> None:
        """At least once, then until the watch is there: etcd ignores the question while it has events to send."""
        while True:
            self._advanced.clear()
            await self._ask_for_progress()
            try:
                async with asyncio.timeout(ASK_AGAIN_SECONDS):
                    await self._advanced.wait()
            except TimeoutError:
                continue
            if self._reached >= revision:
                return

    async def _ask_for_progress(self) -> None:
        """Only while the other task listens, so that questions never pile up behind a slow reader."""
        stream = self._stream
        if stream is None:
            return
        try:
            await stream.write(_PROGRESS)
        except Failed:
            return  # the stream has ended: the listening task finds out by itself


def _versions(answer: Any) -> list[tuple[int, bytes]]:
    return [(kv.mod_revision, kv.value) for kv in answer.kvs]


def _expected_versions(revision: Revision, change: Changed) -> list[tuple[int, bytes]]:
    return [] if change.value is None else [(revision, change.value)]
