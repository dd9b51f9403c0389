"""A real Jaeger for tests: one process on free loopback ports with its traces in memory, killed at the end.

async with jaeger_server(tmp_path) as jaeger:
    … spans go to jaeger.otlp …
    spans = await jaeger.trace(trace_id)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

READY_SECONDS = 60.0
CALL_SECONDS = 20.0
_FIND = Path(__file__).parents[1] / "deploy" / "dev" / "jaeger.sh"


def require_jaeger() -> str:
    """The program's path. Skips the test where there is none; fails it where STEERSMAN_REQUIRE names jaeger."""
    found = subprocess.run([_FIND, "--find"], capture_output=True, text=True, timeout=CALL_SECONDS, check=False)
    if found.returncode == 0:
        return found.stdout.strip()
    if "jaeger" in os.environ.get("STEERSMAN_REQUIRE", ""):
        pytest.fail(found.stderr.strip())
    pytest.skip(found.stderr.strip())


@dataclass(frozen=True)
class JaegerSpan:
    """As Jaeger has it; `parent` is empty for the first of a trace. Times in nanoseconds since 1970."""

    id: str
    parent: str
    service: str
    name: str
    begins: int
    ends: int
    attributes: dict[str, str]


class JaegerServer:
    def __init__(self, otlp: str, query: str) -> None:
        self.otlp = otlp
        self.query = query

    async def trace(self, trace_id: str) -> Sequence[JaegerSpan]:
        """Its spans by the time of their beginning; none while Jaeger has not heard of it."""
        async with self._session() as session, session.get(f"{self.query}/api/v3/traces/{trace_id}") as answer:
            if answer.status == 404:
                return ()
            assert answer.status == 200, await answer.text()
            return sorted(_spans(json.loads(await answer.text())), key=lambda span: span.begins)

    async def answers(self) -> bool:
        """Asked for traces; and listens for spans, which it does a little later: an early span may be lost."""
        with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError):
            async with self._session() as session, session.get(f"{self.query}/api/v3/services") as answer:
                if answer.status != 200:
                    return False
            host, _, port = self.otlp.removeprefix("http://").rpartition(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()
            return True
        return False

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(CALL_SECONDS))


@asynccontextmanager
async def jaeger_server(folder: Path) -> AsyncIterator[JaegerServer]:
    program = require_jaeger()
    otlp, http, grpc = _free_addresses(3)
    settings, log_file = folder / "jaeger.json", folder / "jaeger.log"
    settings.write_text(json.dumps(_configuration(otlp, http, grpc)))  # JSON is YAML
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(program, f"--config={settings}", stdout=log, stderr=log)
    server = JaegerServer(f"http://{otlp}", f"http://{http}")
    try:
        async with asyncio.timeout(READY_SECONDS):
            while not await server.answers():
                if process.returncode is not None:
                    raise RuntimeError(f"Jaeger has ended: {log_file.read_text()[-2000:]}")
                await asyncio.sleep(0.05)
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _configuration(otlp: str, http: str, grpc: str) -> dict[str, Any]:
    return {
        "service": {
            "extensions": ["jaeger_storage", "jaeger_query"],
            "pipelines": {"traces": {"receivers": ["otlp"], "exporters": ["jaeger_storage_exporter"]}},
            "telemetry": {"metrics": {"level": "none"}, "logs": {"level": "warn"}},
        },
        "extensions": {
            "jaeger_storage": {"backends": {"memory": {"memory": {"max_traces": 10_000}}}},
            "jaeger_query": {"storage": {"traces": "memory"}, "http": {"endpoint": http}, "grpc": {"endpoint": grpc}},
        },
        "receivers": {"otlp": {"protocols": {"grpc": {"endpoint": otlp}}}},
        "exporters": {"jaeger_storage_exporter": {"trace_storage": "memory"}},
    }


def _spans(answer: dict[str, Any]) -> list[JaegerSpan]:
    return [
        JaegerSpan(
            id=span["spanId"],
            parent=span.get("parentSpanId", ""),
            service=_texts(resource["resource"]["attributes"])["service.name"],
            name=span["name"],
            begins=int(span["startTimeUnixNano"]),
            ends=int(span["endTimeUnixNano"]),
            attributes=_texts(span.get("attributes", [])),
        )
        for resource in answer["result"]["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def _texts(attributes: list[dict[str, Any]]) -> dict[str, str]:
    return {each["key"]: str(next(iter(each["value"].values()), "")) for each in attributes}


def _free_addresses(count: int) -> list[str]:
    """Held all at once, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for held in sockets:
            held.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{held.getsockname()[1]}" for held in sockets]
