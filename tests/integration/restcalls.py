"""A bare HTTP client of the REST front: what it sends and gets is what is on the wire."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from multidict import CIMultiDictProxy

from apiserver.server import Serving

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Rest:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """`body` as JSON unless it is bytes or a file; `content_type="…"` becomes a header."""
        data = body if body is None or isinstance(body, bytes | io.BytesIO) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named.setdefault("accept-encoding", "identity")
        if data is not None:
            named.setdefault("content-type", "application/json")
        async with self.session.request(method, path, data=data, headers=named) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.ask("GET", path, **headers)

    async def create(self, path: str, body: Any, **headers: str) -> Answer:
        return await self.ask("POST", path, body, **headers)

    async def delete(self, path: str, body: Any = None) -> Answer:
        return await self.ask("DELETE", path, body)

    async def patch(self, path: str, patch: Any, kind: str = "merge-patch") -> Answer:
        return await self.ask("PATCH", path, patch, content_type=f"application/{kind}+json")

    async def config_map(self, name: str, **data: str) -> Any:
        answer = await self.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": data})
        assert answer.code == 201, answer.body
        return answer.json

    async def watch(self, path: str, **headers: str) -> list[Any]:
        """All events of a watch that ends by itself."""
        answer = await self.get(path, **headers)
        assert answer.code == 200, answer.body
        return [json.loads(line) for line in answer.body.splitlines()]


@asynccontextmanager
async def rest_client(serving: Serving) -> AsyncIterator[Rest]:
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(f"http://{serving.rest}", timeout=timeout, auto_decompress=False) as session:
        yield Rest(session)


async def events(answer: aiohttp.ClientResponse, count: int) -> list[Any]:
    """The next so many events of an open watch."""
    async with asyncio.timeout(60):
        return [json.loads(await answer.content.readline()) for _ in range(count)]


def pod(name: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }


def deployment(name: str, replicas: int = 1) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod(name)["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
