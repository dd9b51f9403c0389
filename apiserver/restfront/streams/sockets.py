"""WebSockets as Kubernetes uses them: the protocols that clients offer, and channels within messages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from aiohttp import WSMsgType, web

from apiserver.restfront import replies
from apiserver.restfront.streams.pipes import WRITE_SECONDS
from steersman.api.errors import BadRequest

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
PIECE_BYTES = 32 * 1024
"""What we put into one message."""


def is_asked_for(request: web.BaseRequest) -> bool:
    return request.headers.get("Upgrade", "").strip().lower() == "websocket"


def offered(request: web.BaseRequest) -> list[str]:
    """The protocols that a client offers, the preferred first."""
    given = ",".join(request.headers.getall("Sec-WebSocket-Protocol", ()))
    return [each.strip() for each in given.split(",") if each.strip()]


def chosen(offers: Sequence[str], known: Sequence[str]) -> str:
    """The first offer that is known; empty if there is none and nothing was offered. BadRequest."""
    if not offers:
        return ""
    for offer in offers:
        if offer in known:
            return offer
    raise BadRequest(f"unable to upgrade: unable to negotiate protocol: client supports {[*offers]}, server {[*known]}")


async def opened(request: web.BaseRequest, protocol: str) -> web.WebSocketResponse:
    """BadRequest for what is no WebSocket handshake."""
    socket = web.WebSocketResponse(
        protocols=(protocol,) if protocol else (), compress=False, max_msg_size=MAX_MESSAGE_BYTES, timeout=2.0
    )
    try:
        await socket.prepare(request)
    except web.HTTPBadRequest as error:
        raise BadRequest(error.text or "the WebSocket handshake is not right") from error
    return socket


class Channels:
    """Numbered channels in the messages of one socket: a byte that says which, then the data. With `base64`, both are
    text: a digit, then the data in base64."""

    def __init__(self, request: web.BaseRequest, socket: web.WebSocketResponse, *, is_base64: bool) -> None:
        self._request = request
        self._socket = socket
        self._is_base64 = is_base64

    async def receive(self) -> tuple[int, bytes] | None:
        """The channel and what came on it; None once the client has gone, or does not make sense."""
        while True:
            message = await self._socket.receive()
            if message.type is WSMsgType.TEXT:
                raw = message.data.encode()
            elif message.type is WSMsgType.BINARY:
                raw = message.data
            else:
                return None
            if raw:
                return self._decoded(raw)

    def _decoded(self, raw: bytes) -> tuple[int, bytes] | None:
        if not self._is_base64:
            return raw[0], bytes(raw[1:])
        try:
            return raw[0] - ord("0"), base64.b64decode(raw[1:], validate=True)
        except binascii.Error:
            return None

    async def send(self, channel: int, data: bytes) -> None:
        """ConnectionResetError when the client has gone."""
        for begin in range(0, max(len(data), 1), PIECE_BYTES):
            piece = data[begin : begin + PIECE_BYTES]
            async with replies.patience(self._request, WRITE_SECONDS):
                if self._is_base64:
                    await self._socket.send_str(f"{channel}{base64.b64encode(piece).decode()}")
                else:
                    await self._socket.send_bytes(bytes((channel,)) + piece)

    async def close(self) -> None:
        await self._socket.close()
