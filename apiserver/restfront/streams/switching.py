"""The native switch to SPDY/3.1, by which clients before WebSockets came to open their streams."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from apiserver.restfront import replies
from apiserver.restfront.reply import Reply
from apiserver.restfront.streams.pipes import BareConnection

SPDY = "SPDY/3.1"
_PROTOCOL, _ACCEPTED = "X-Stream-Protocol-Version", "X-Accepted-Stream-Protocol-Versions"


def is_spdy_asked_for(request: web.BaseRequest) -> bool:
    connection = request.headers.get("Connection", "").lower()
    return "upgrade" in connection and request.headers.get("Upgrade", "").strip().lower() == SPDY.lower()


def chosen(request: web.BaseRequest, known: Sequence[str]) -> str | None:
    """The first offer that is known; the oldest for those who offer nothing. None: we have no language in common."""
    given = ",".join(request.headers.getall(_PROTOCOL, ()))
    offers = [each.strip() for each in given.split(",") if each.strip()]
    if not offers:
        return known[-1]
    return next((offer for offer in offers if offer in known), None)


def refused(known: Sequence[str]) -> Reply:
    reply = replies.text(403, f"unable to upgrade: unable to negotiate protocol: server accepts {[*known]}\n".encode())
    for each in known:
        reply.add(_ACCEPTED, each)
    return reply


async def switched(request: web.BaseRequest, protocol: str) -> BareConnection:
    """The answer is out, and what follows is SPDY."""
    connection = BareConnection(request)
    await connection.prepare(request)
    fields = {"Connection": "Upgrade", "Upgrade": SPDY, _PROTOCOL: protocol}
    head = ["HTTP/1.1 101 Switching Protocols", *(f"{name}: {value}" for name, value in fields.items())]
    await connection.send("\r\n".join((*head, "", "")).encode())
    return connection
