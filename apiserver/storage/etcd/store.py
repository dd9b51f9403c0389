"""The Store over etcd.

Reads are linearizable and repeated until one is answered. A list is read in pages at the revision of its first page.

A write is one Txn. If its answer is lost, the same Txn is sent again to another member, by a task of the store. If that
is refused, an earlier sending may be the reason, and the write counts as done only where the store proves it
(`transactions.landed`); where nothing can be proved the caller gets Timeout. An update or delete can land only once,
because the revision that it compares never returns. A create can land again if somebody deletes the object between two
sendings: callers that mind must put something unique (a uid) into the value.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aetcd.rpc import rpc_pb2 as pb
from grpc import StatusCode
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from apiserver.storage.etcd import members as etcd_members
from apiserver.storage.etcd import transactions
from apiserver.storage.etcd.keyspace import ALL_KEYS, Keyspace
from apiserver.storage.etcd.members import Call, Certificates, Member, Members, Unanswered
from apiserver.storage.etcd.watching import EtcdWatch
from apiserver.storage.interface import WHOLE, Listing, Page, Store, Stored
from apiserver.storage.swap import Refused, SwappingStore, Transaction
from steersman.api.errors import ApiError, Expired, NotFound, RequestTooLarge, Timeout, TooManyRequests, Unavailable
from steersman.api.names import Revision
from steersman.rpc.asking import Failed

TRY_SECONDS = 2.0
PAGE_SECONDS = 5.0  # a page of large values takes longer than any other call
ANSWER_SECONDS = 8.0
CLOSE_SECONDS = 0.3
PAGE_KEYS = 500
LARGE_BYTES = 3 << 19  # etcd's own limit, unless told otherwise


class EtcdStore(SwappingStore):
    def __init__(self, members: Members, keyspace: Keyspace, tasks: asyncio.TaskGroup) -> None:
        super().__init__()
        self._members = members
        self._keyspace = keyspace
        self._tasks = tasks
        self._watches: set[EtcdWatch] = set()
        self._settling: set[asyncio.Task[Revision | Refused | ApiError]] = set()

    async def get(self, key: str) -> Stored:
        answer = await self._read(pb.RangeRequest(key=self._keyspace.name(key)))
        for kv in answer.kvs:
            return Stored(key, kv.value, Revision(kv.mod_revision))
        raise NotFound(f"key {key} not found", revision=Revision(answer.header.revision))

    async def list(self, prefix: str, page: Page = WHOLE) -> Listing:
        start, end = self._keyspace.span(prefix, page.after_key)
        if end != ALL_KEYS and start >= end:
            return Listing((), page.revision or await self.revision())
        items: list[Stored] = []
        revision, total = page.revision, 0
        while True:
            wanted = min(PAGE_KEYS, page.limit - len(items)) if page.limit else PAGE_KEYS
            request = pb.RangeRequest(key=start, range_end=end, limit=wanted, revision=revision)
            answer = await self._read(request, timeout_seconds=PAGE_SECONDS)
            # The answer's own revision is the store's of now, even to a question about an older one.
            revision = revision or Revision(answer.header.revision)
            total = total or answer.count
            key_of = self._keyspace.key
            items += [Stored(key_of(kv.key), kv.value, Revision(kv.mod_revision)) for kv in answer.kvs]
            if not answer.more or len(items) == page.limit:
                return Listing(tuple(items), revision, remaining=total - len(items))
            start = answer.kvs[-1].key + b"\0"

    async def revision(self) -> Revision:
        answer = await self._read(pb.RangeRequest(key=ALL_KEYS, count_only=True))
        revision = Revision(answer.header.revision)
        self._members.newest = max(self._members.newest, revision)
        return revision

    async def oldest(self) -> Revision:
        """Found by halving: etcd tells whether it has a revision, not which one is its oldest."""
        low, high = 1, int(await self.revision())
        while low < high:
            middle = (low + high) // 2
            try:
                await self._read(pb.RangeRequest(key=ALL_KEYS, count_only=True, revision=middle))
            except Expired:
                low = middle + 1
            else:
                high = middle
        return Revision(low)

    async def compact(self, upto: Revision) -> None:
        try:
            await self._read(pb.CompactionRequest(revision=upto), call="compact", timeout_seconds=PAGE_SECONDS)
        except Expired:
            if upto > await self.revision():
                raise

    def watch(self, prefix: str, after: Revision) -> EtcdWatch:
        watch = EtcdWatch(self._members, self._keyspace, prefix, after, newest=self.revision)
        watch.start(self._tasks)
        self._watches = {other for other in self._watches if not other.closed} | {watch}
        return watch

    async def close(self) -> None:
        """End the watches, and give those transactions a last moment whose fate is still being found out."""
        for watch in self._watches:
            await watch.aclose()
        if self._settling:
            await asyncio.wait(self._settling, timeout=CLOSE_SECONDS)
        for unsettled in tuple(self._settling):
            unsettled.cancel()

    async def commit(self, transaction: Transaction) -> Revision | Refused:
        request = transactions.request_of(self._keyspace, transaction)
        try:
            response = await self._send(request)
        except Unanswered as silence:
            settling = self._tasks.create_task(self._settle(transaction, request, silence))
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)
            outcome = await asyncio.shield(settling)
            if isinstance(outcome, ApiError):
                raise outcome from silence
            return outcome
        except TooManyRequests:
            return await self._resolve_exhausted(transaction, request.ByteSize())
        if response.succeeded:
            return self._acknowledged(response)
        return transactions.refusal(transaction, transactions.found_in(self._keyspace, transaction, response))

    async def _send(self, request: Any, *, besides: Member | None = None) -> Any:
        """One try. The call is not cancelled with its caller: once sent, a transaction belongs to the store."""
        member = await self._members.pick(besides=besides)
        try:
            response = await member.txn.ask(request, timeout_seconds=TRY_SECONDS)
        except Failed as failed:
            if failed.code is StatusCode.INVALID_ARGUMENT and request.ByteSize() > LARGE_BYTES:
                raise RequestTooLarge(f"etcd refuses a transaction of {request.ByteSize()} bytes") from failed
            raise self._members.judge(member, failed.code, failed.details) from failed
        member.misses = 0
        return response

    async def _settle(
        self, transaction: Transaction, request: Any, silence: Unanswered
    ) -> Revision | Refused | ApiError:
        """Repeat a transaction until it is answered, and judge the answer by what the lost ones may have done. Gives
        errors back instead of raising them: they are the caller's, and must not end the store's tasks."""
        sent = silence.sent
        try:
            async for attempt in _retrying():
                with attempt:
                    try:
                        response = await self._send(request, besides=silence.member if silence.sent else None)
                    except Unanswered as again:
                        silence, sent = again, sent or again.sent
                        raise
        except Unanswered as last:
            if sent:
                return Timeout(f"key {transaction.key}: it is not known whether the write happened ({last})")
            return Unavailable(f"key {transaction.key}: etcd cannot be reached ({last})")
        except ApiError as refused:
            if sent:
                return Timeout(f"key {transaction.key}: it is not known whether the write happened ({refused.message})")
            return refused
        if response.succeeded:
            return self._acknowledged(response)
        found = transactions.found_in(self._keyspace, transaction, response)
        if not sent or transactions.lost_for_good(transaction, found):
            return transactions.refusal(transaction, found)
        return transactions.landed(transaction, found) or Timeout(
            f"key {transaction.key}: it is not known whether the write happened before the key changed"
        )

    async def _resolve_exhausted(self, transaction: Transaction, size: int) -> Revision:
        """etcd may apply the very transaction that fills its quota and still answer "no space": so look first."""
        look = transactions.look_of(self._keyspace, transaction)
        response = await self._read(look, call="txn")
        found = transactions.found_in(self._keyspace, transaction, response)
        revision = transactions.landed(transaction, found)
        if revision is not None:
            return revision
        if transactions.untouched(transaction, found):
            if size > LARGE_BYTES:
                raise RequestTooLarge(f"etcd refuses a transaction of {size} bytes", revision=found.revision)
            raise TooManyRequests("etcd has no room for the write", revision=found.revision)
        raise Timeout(f"key {transaction.key}: etcd ran out of room while the key changed")

    def _acknowledged(self, response: Any) -> Revision:
        revision = Revision(response.header.revision)
        self._members.newest = max(self._members.newest, revision)
        return revision

    async def _read(self, request: Any, *, call: Call = "range", timeout_seconds: float = TRY_SECONDS) -> Any:
        """Ask until somebody answers. (The first try is made bare: nearly all need no more.)"""
        try:
            return await self._members.ask(call, request, timeout_seconds=timeout_seconds)
        except Unanswered:
            pass
        try:
            async for attempt in _retrying():
                with attempt:
                    return await self._members.ask(call, request, timeout_seconds=timeout_seconds)
        except Unanswered as silence:
            if silence.sent:
                raise Timeout(f"etcd does not answer ({silence})") from silence
            raise Unavailable(f"etcd cannot be reached ({silence})") from silence


@asynccontextmanager
async def open_store(
    endpoints: Sequence[str],
    *,
    ca_file: Path | None = None,
    cert_file: Path | None = None,
    key_file: Path | None = None,
    root: str = "",
) -> AsyncIterator[Store]:
    """A store over the etcd cluster behind `endpoints`, all its keys below `root`. Connects when first asked."""
    certificates = Certificates(ca_file, cert_file, key_file)
    failure: BaseException | None = None
    async with etcd_members.connected(endpoints, certificates) as members, asyncio.TaskGroup() as tasks:
        store = EtcdStore(members, Keyspace(root), tasks)
        try:
            yield store
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - raised below, where the task group cannot wrap it
            failure = error
        finally:
            await store.close()
    if failure is not None:
        raise failure


def _retrying() -> AsyncRetrying:
    return AsyncRetrying(
        retry=retry_if_exception_type(Unanswered),
        wait=wait_random_exponential(multiplier=0.02, max=0.5),
        stop=stop_after_delay(ANSWER_SECONDS - 2 * TRY_SECONDS),  # the first and the last try come on top
        reraise=True,
    )
