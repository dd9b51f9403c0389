"""Which member of the cluster is asked, and what its silence means.

Requests go to one member as long as it answers. The next one takes its place when it cannot be reached, says that it is
unavailable (it has lost its leader, or is stopping), or lets two deadlines pass in a row. Every call has a deadline and
carries `hasleader`, so that a member cut off from the others refuses instead of waiting.

An error is judged by its code: either the member has decided (`decision` says what that is in our words), or it has not
answered, and `Unanswered` says whether the request may have reached it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import grpc
from aetcd.rpc import rpc_pb2 as pb
from grpc import StatusCode, aio

from apiserver.storage.interface import NO_REVISION
from steersman.api.errors import ApiError, Expired, Internal, TooManyRequests
from steersman.api.names import Revision

CONNECT_SECONDS = 1.0
MISSES_ALLOWED = 1
HAS_LEADER = aio.Metadata(("hasleader", "true"))

CHANNEL_OPTIONS = (
    ("grpc.keepalive_time_ms", 2000),
    ("grpc.keepalive_timeout_ms", 2000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1000),  # how long one connection attempt may take
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_retries", 0),  # a transaction is repeated only by those who then judge its outcome
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


class Member:
    """One endpoint: its channel, and the calls we make on it, prepared once."""

    def __init__(self, endpoint: str, channel: aio.Channel) -> None:
        self.endpoint = endpoint
        self.channel = channel
        self.misses = 0
        self.range = _unary(channel, "KV/Range", pb.RangeRequest, pb.RangeResponse)
        self.txn = _unary(channel, "KV/Txn", pb.TxnRequest, pb.TxnResponse)
        self.compact = _unary(channel, "KV/Compact", pb.CompactionRequest, pb.CompactionResponse)
        self.watch = channel.stream_stream(
            "/etcdserverpb.Watch/Watch",
            request_serializer=pb.WatchRequest.SerializeToString,
            response_deserializer=pb.WatchResponse.FromString,
        )

    def is_connected(self) -> bool:
        """Also begins to connect, if it is not."""
        return self.channel.get_state(try_to_connect=True) is grpc.ChannelConnectivity.READY

    async def connect(self) -> None:
        """Return when connected. Unanswered when the endpoint refuses, or after CONNECT_SECONDS."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                while (state := self.channel.get_state(try_to_connect=True)) is not grpc.ChannelConnectivity.READY:
                    if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                        raise Unanswered(self, "refuses connections", sent=False)
                    await self.channel.wait_for_state_change(state)
        except TimeoutError as slow:
            raise Unanswered(self, "does not accept connections", sent=False) from slow


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
        if not member.is_connected():
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
            answer = await getattr(member, call)(request, timeout=timeout_seconds, metadata=HAS_LEADER)
        except aio.AioRpcError as error:
            raise self.judge(member, error.code(), error.details()) from error
        member.misses = 0
        return answer

    def judge(self, member: Member, code: StatusCode, details: str | None) -> ApiError | Unanswered:
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
            await member.channel.close()


def _channel(endpoint: str, certificates: Certificates) -> aio.Channel:
    scheme, _, target = endpoint.rpartition("://")
    if scheme != "https":
        return aio.insecure_channel(target, options=CHANNEL_OPTIONS)
    files = (certificates.ca_file, certificates.key_file, certificates.cert_file)
    credentials = grpc.ssl_channel_credentials(*(file.read_bytes() if file else None for file in files))
    return aio.secure_channel(target, credentials, options=CHANNEL_OPTIONS)


def _unary(channel: aio.Channel, method: str, request: Any, response: Any) -> Any:
    return channel.unary_unary(
        f"/etcdserverpb.{method}",
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )
