"""A leader's line to an API server: while it is open, the leader is known to live."""

from __future__ import annotations

import asyncio
import contextlib

from steersman.client.requests import Term
from steersman.client.retrying import Failed
from steersman.client.transport import StartTask, Stream, Transport
from steersman.pb import leadership_pb2, objects_pb2

LEAVE_SECONDS = 0.2
"""For the server to take note of a goodbye."""


async def hold(line: Transport, start: StartTask, term: Term) -> None:
    """Until the line breaks, which raises what broke it. Cancelled: say goodbye, so that the end means nothing."""
    try:
        stream = await line.open("Hold", start)
        try:
            named = objects_pb2.Term(lease_namespace=term.lease_namespace, lease_name=term.lease_name, token=term.token)
            await stream.send(leadership_pb2.HoldRequest(term=named))
            while True:
                await stream.receive()
        except asyncio.CancelledError:
            await _take_leave(stream)
            raise
        finally:
            stream.cancel()
    except Failed as failed:
        raise failed.error from failed


async def _take_leave(stream: Stream) -> None:
    with contextlib.suppress(Failed, TimeoutError):
        async with asyncio.timeout(LEAVE_SECONDS):
            await stream.send(leadership_pb2.HoldRequest(goodbye=leadership_pb2.Goodbye()))
            while True:
                await stream.receive()
