"""Whether a Docker engine answers on this machine: with one, nodes run containers; without, they play it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

DEFAULT_URL = "unix:///var/run/docker.sock"
ANSWER_SECONDS = 1.0


def url(environment: Mapping[str, str]) -> str:
    return environment.get("DOCKER_HOST") or DEFAULT_URL


async def trouble(engine_url: str) -> str:
    """Why there is no engine to be had there; empty: it answers."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await _ping(engine_url)
    except TimeoutError:
        return f"the Docker engine at {engine_url} does not answer"
    except (OSError, ValueError) as error:
        return f"no Docker engine at {engine_url} ({error})"
    return (
        ""
        if b" 200 " in answer
        else f"the Docker engine at {engine_url} says {answer.decode(errors='replace').strip()}"
    )


async def _ping(engine_url: str) -> bytes:
    parts = urlsplit(engine_url)
    if parts.scheme == "unix":
        reader, writer = await asyncio.open_unix_connection(parts.path)
    elif parts.scheme in ("tcp", "http"):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 2375)
    else:
        raise ValueError("only unix:// and tcp:// are known")
    try:
        writer.write(b"GET /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n")
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()
