"""Which member of the cluster is asked, and what its silence means.

Requests go to one member as long as it answers. The next one takes its place when it cannot be reached, says that it is
unavailable (it has lost its leader, or is stopping), or lets two deadlines pass in a row. Every call has a deadline and
carries `hasleader`, so that a member cut off from the others refuses instead of waiting.

An error is judged by its code: either the member has decided (`decision` says what that is in our words), or it has not
answered, and `Unanswered` says whether the request may have reached it.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from aetcd.rpc import rpc_pb2 as pb
from grpc import StatusCode

from apiserver.storage.interface import NO_REVISION
from steersman.api.errors import ApiError, Expired, Internal, TooManyRequests
from steersman.api.names import Revision
from steersman.base import values
from steersman.http2.limits import Limits
from steersman.rpc.asking import Conversation, Failed, Unary
from steersman.rpc.channel import Channel, Method

CONNECT_SECONDS = 1.0
MISSES_ALLOWED = 1
HAS_LEADER = (("hasleader", "true"),)
ANY_SIZE = 2**31 - 1
"""Of a message that we take: etcd has limits of its own, and no object is to be out of our reach for one of ours."""

LIMITS = Limits(
    stream_window=1024 * 1024,
    connection_window=16 * 1024 * 1024,
    max_lent_bytes=ANY_SIZE,
    keepalive_seconds=2.0,
    keepalive_timeout_seconds=2.0,
)

Call = Literal["range", "txn", "compact"]

UNDECIDED = frozenset(
    {
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.UNAVAILABLE,
        StatusCode.CANCELLED,
        StatusCode.ABORTED,
        StatusCode.UNKNOWN,
        StatusCode.INTERNAL,
        StatusCode.DATA_LOSS,
    }
)


class Unanswered(Exception):
    """No answer from `member`. `sent`: the request may have reached it, and may have been or still be carried out."""

    def __init__(self, member: Member, why: str, *, sent: bool) -> None:
        super().__init__(f"{member.endpoint}: {why}")
        self.member = member
        self.sent = sent


def decision(code: StatusCode, why: str) -> ApiError:
    """What a member has decided, in our words. Both compacted and future revisions are OUT_OF_RANGE to etcd."""
    if code is StatusCode.OUT_OF_RANGE:
        return Expired(f"etcd does not have that revision: {why}")
    if code is StatusCode.RESOURCE_EXHAUSTED:
        return TooManyRequests(f"etcd has no room: {why}")
    return Internal(f"etcd refused the request: {why}")


class Question:
    """A unary method of etcd."""

    def __init__(self, method: Method, answer: Any) -> None:
        self._method = method
        self._answer = answer

    async def ask(self, request: Any, *, timeout_seconds: float) -> Any:
        """The answer, as a message. Raises Failed."""
        return await self.answer(self.send(request, timeout_seconds=timeout_seconds))

    def send(self, request: Any, *, timeout_seconds: float) -> Unary:
        """Only send it: it goes its way, whether its answer is waited for or not."""
        return self._method.call(request.SerializeToString(), timeout_seconds=timeout_seconds)

    async def answer(self, call: Unary) -> Any:
        return self._answer.FromString(await call.answer())


class Member:
    """One endpoint: its channel, and the calls we make on it, prepared once."""

    def __init__(self, endpoint: str, channel: Channel) -> None:
        self.endpoint = endpoint
        self.channel = channel
        self.misses = 0
        self.range = Question(channel.method("/etcdserverpb.KV/Range", sent=HAS_LEADER), pb.RangeResponse)
        self.txn = Question(channel.method("/etcdserverpb.KV/Txn", sent=HAS_LEADER), pb.TxnResponse)
        self.compact = Question(channel.method("/etcdserverpb.KV/Compact", sent=HAS_LEADER), pb.CompactionResponse)
        self._watch = channel.method("/etcdserverpb.Watch/Watch", sent=HAS_LEADER)

    def watch(self) -> Conversation:
        """Raises Failed."""
        return self._watch.converse()

    async def connect(self) -> None:
        """Return when connected. Unanswered when the endpoint refuses, or after CONNECT_SECONDS."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self.channel.connect()
        except TimeoutError as slow:
            raise Unanswered(self, "does not accept connections", sent=False) from slow
        except OSError as refused:
            raise Unanswered(self, "refuses connections", sent=False) from refused


class Members:
    """All members, the one in use, and the newest revision that any has acknowledged to us."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = tuple(members)
        self._position = 0
        self.newest: Revision = NO_REVISION

    @property
    def current(self) -> Member:
        return self._members[self._position]

    async def pick(self, *, besides: Member | None = None) -> Member:
        """The member in use, or the one after it where that is `besides`; connected. Unanswered if it cannot be."""
        member = self.current
        if member is besides:
            member = self._members[(self._position + 1) % len(self._members)]
        if not member.channel.is_connected:
            try:
                await member.connect()
            except Unanswered:
                self.move_on_from(member)
                raise
        return member

    async def ask(self, call: Call, request: Any, *, timeout_seconds: float) -> Any:
        """One try of a call of Member. Unanswered, or the member's decision as an ApiError."""
        member = await self.pick()
        try:
            answer = await getattr(member, call).ask(request, timeout_seconds=timeout_seconds)
        except Failed as failed:
            raise self.judge(member, failed.code, failed.details) from failed
        member.misses = 0
        return answer

    def judge(self, member: Member, code: StatusCode, details: str) -> ApiError | Unanswered:
        """What an error code of `member` means, counted against it if it is no answer."""
        why = f"{code.name}: {details}"
        if code not in UNDECIDED:
            member.misses = 0
            return decision(code, why)
        if code is StatusCode.DEADLINE_EXCEEDED:
            member.misses += 1
        if code is not StatusCode.DEADLINE_EXCEEDED or member.misses > MISSES_ALLOWED:
            self.move_on_from(member)
        return Unanswered(member, why, sent=True)

    def move_on_from(self, member: Member) -> None:
        """Only from the member in use: of many calls that fail together, the first one moves all."""
        if member is self.current:
            member.misses = 0
            self._position = (self._position + 1) % len(self._members)


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files for https endpoints: whom we trust, and who we are."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


@asynccontextmanager
async def connected(endpoints: Sequence[str], certificates: Certificates) -> AsyncIterator[Members]:
    """Channels to all endpoints (`http://…`, `https://…` or bare `host:port`), closed at the end."""
    if not endpoints:
        raise ValueError("at least one etcd endpoint is needed")
    members = [Member(endpoint, _channel(endpoint, certificates)) for endpoint in endpoints]
    try:
        yield Members(members)
    finally:
        for member in members:
            member.channel.close()


def _channel(endpoint: str, certificates: Certificates) -> Channel:
    scheme, _, target = endpoint.rpartition("://")
    address = values.parse_address(target)
    tls = _tls(certificates) if scheme == "https" else None
    return Channel(address.host, address.port, tls=tls, limits=LIMITS, max_message_bytes=ANY_SIZE)


def _tls(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certificates.ca_file)
    context.set_alpn_protocols(["h2"])
    if certificates.cert_file and certificates.key_file:
        context.load_cert_chain(certificates.cert_file, certificates.key_file)
    return context
