"""HTTP for health, metrics and version, the same in every process, with Kubernetes' paths and texts.

`routes` go into any aiohttp application; `serving` puts an application on an address and takes it off again in order.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry

from steersman.base import metrics
from steersman.base.health import Health
from steersman.base.values import Address

STOP_WITHIN_SECONDS = 5.0
_TEXT = {"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}


def routes(
    *, live: Health, ready: Health, registry: CollectorRegistry, version: Mapping[str, str]
) -> list[web.RouteDef]:
    """`/healthz` (which kubectl and older tools ask for) answers as `/livez` does."""
    body = (json.dumps(dict(version), indent=2) + "\n").encode()

    async def tell_version(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    async def tell_metrics(_: web.Request) -> web.Response:
        text, content_type = metrics.render(registry)
        return web.Response(body=text, headers={"Content-Type": content_type})

    return [
        *_health_routes("healthz", live),
        *_health_routes("livez", live),
        *_health_routes("readyz", ready),
        web.get("/metrics", tell_metrics),
        web.get("/version", tell_version),
    ]


def application(
    *, live: Health, ready: Health, registry: CollectorRegistry, version: Mapping[str, str]
) -> web.Application:
    """For a process that serves nothing else."""
    made = web.Application()
    made.add_routes(routes(live=live, ready=ready, registry=registry, version=version))
    return made


def _health_routes(endpoint: str, health: Health) -> list[web.RouteDef]:
    async def tell(request: web.Request) -> web.Response:
        query = request.query
        code, text = await health_text(
            endpoint,
            health,
            check=request.match_info.get("check", ""),
            exclude=query.getall("exclude", []),
            verbose="verbose" in query,
        )
        return web.Response(text=text, status=code, headers=_TEXT)

    return [web.get(f"/{endpoint}", tell), web.get(f"/{endpoint}/{{check}}", tell)]


async def health_text(
    endpoint: str, health: Health, *, check: str = "", exclude: Collection[str] = (), verbose: bool = False
) -> tuple[int, str]:
    """The code and the text with which an endpoint answers: all of its checks, or one of them."""
    if not check:
        report = await health.report(exclude=exclude)
        if report.ok and not verbose:
            return 200, "ok"
        verdict = "passed" if report.ok else "failed"
        text = "".join(f"{line}\n" for line in (*report.lines, f"{endpoint} check {verdict}"))
        return 200 if report.ok else 500, text
    if check not in health:
        return 404, "404 page not found\n"
    result = await health.check(check)
    return (200, "ok") if result.reason is None else (500, f"internal server error: {result.reason}\n")


@asynccontextmanager
async def serving(
    application: web.Application,
    address: Address,
    *,
    tls: ssl.SSLContext | None = None,
    stop_within_seconds: float = STOP_WITHIN_SECONDS,
) -> AsyncIterator[Address]:
    """Serve while the block is open; gives the address that was bound (with the port that the system chose for 0).

    At the end it stops accepting, lets running requests finish for `stop_within_seconds`, then cuts them off.
    """
    runner = web.AppRunner(
        application,
        handle_signals=False,
        access_log=None,
        shutdown_timeout=stop_within_seconds,
        handler_cancellation=True,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, address.host, address.port, ssl_context=tls).start()
        yield Address(address.host, runner.addresses[0][1])
    finally:
        await runner.cleanup()
