"""The REST front on an address: HTTP/1.1 with keep-alive, TLS, and bounds on what a client may leave undone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from apiserver.auth.tls import ServerTls
from apiserver.openapi.library import Library
from apiserver.restfront import openapi, pages
from apiserver.restfront.discovery import Discovery
from apiserver.restfront.front import Front
from apiserver.restfront.pages import About, Page
from steersman.base.values import Address

DRAIN_SECONDS = 1.5
IDLE_SECONDS = 90.0
"""How long a connection may stay without a whole request: an idle one, and one that dribbles its headers."""
HANDSHAKE_SECONDS = 10.0
MAX_LINE_BYTES = 64 * 1024
"""Selectors and continue tokens can make a request line long."""
MAX_HEADER_BYTES = 16 * 1024
BACKLOG = 1024
NO_PAGES: Mapping[str, Page] = {}


@asynccontextmanager
async def serving(
    front: Front, about: About, address: Address, tls: ServerTls | None, *, further: Mapping[str, Page] = NO_PAGES
) -> AsyncIterator[Address]:
    """Serve while the block is open; gives the address that was bound. Then watches end and requests finish.

    `further` are pages beside those that every server has, by the path under which the index lists them.
    """
    bound = address
    discovery = Discovery(front.served(), front.doors, lambda: str(bound))
    library = Library(openapi.resources(front.served(), front.doors), openapi.info(about.version["gitVersion"]))
    further = {**openapi.of_library(library), **further}
    front.pages = (
        pages.of_server(about),
        pages.of_discovery(discovery),
        pages.of_index([*pages.OF_SERVER, *discovery.paths, *further]),
        *further.values(),
    )
    http = web.Server(
        front.handle,
        handler_cancellation=True,
        access_log=None,
        logger=_quiet_logger(),
        keepalive_timeout=IDLE_SECONDS,
        max_line_size=MAX_LINE_BYTES,
        max_field_size=MAX_HEADER_BYTES,
        auto_decompress=False,
    )
    listening = await asyncio.get_running_loop().create_server(
        http,
        address.host,
        address.port,
        ssl=tls.http if tls is not None else None,
        ssl_handshake_timeout=HANDSHAKE_SECONDS if tls is not None else None,
        backlog=BACKLOG,
    )
    bound = Address(address.host, listening.sockets[0].getsockname()[1])
    try:
        yield bound
    finally:
        listening.close()
        front.drain()
        http.pre_shutdown()
        await asyncio.shield(http.shutdown(DRAIN_SECONDS))


def _quiet_logger() -> logging.Logger:
    """What aiohttp has to say, but for requests that are no HTTP: those who send them are told, nobody else cares."""

    def is_news(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))

    logger = logging.getLogger("apiserver.http")
    logger.filters = [is_news]
    return logger
