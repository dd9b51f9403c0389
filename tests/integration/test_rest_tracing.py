"""A request that carries W3C trace context is a span of that trace."""

from __future__ import annotations

from apiserver.server import Serving
from tests.integration.restcalls import CONFIG_MAPS, rest_client
from tests.integration.test_tracing import (  # noqa: F401 - two of them are fixtures
    REMOTE,
    Collector,
    attributes,
    collector,
    endpoint_and_collector,
)


async def test_a_request_continues_its_callers_trace(
    collector: Collector,  # noqa: F811 - the fixture
    api_server: Serving,
) -> None:
    async with rest_client(api_server) as rest:
        await rest.get(CONFIG_MAPS, traceparent=REMOTE.traceparent)
    span = collector.spans()["list configmaps"]
    assert int.from_bytes(span.trace_id) == REMOTE.trace_id
    assert int.from_bytes(span.parent_span_id) == REMOTE.span_id
    assert attributes(span) == {"verb": "list", "resource": "configmaps"}
