"""Spans, as an OTLP collector in this process receives them over gRPC."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
import structlog
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as messages
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as services
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from steersman.base import log, tracing

REMOTE = tracing.SpanContext(0x4BF92F3577B34DA6A3CE929D0E0E4736, 0x00F067AA0BA902B7, sampled=True)
UNSAMPLED = tracing.SpanContext(REMOTE.trace_id, REMOTE.span_id, sampled=False)


class Collector(services.TraceServiceServicer):
    def __init__(self) -> None:
        self.requests: list[messages.ExportTraceServiceRequest] = []

    def Export(
        self, request: messages.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> messages.ExportTraceServiceResponse:
        self.requests.append(request)
        return messages.ExportTraceServiceResponse()

    def spans(self) -> dict[str, Span]:
        """What has arrived, by name; flushes first."""
        tracing.shutdown(timeout_seconds=10)
        scopes = (scope for request in self.requests for each in request.resource_spans for scope in each.scope_spans)
        return {span.name: span for scope in scopes for span in scope.spans}

    def services(self) -> set[str]:
        resources = (each.resource for request in self.requests for each in request.resource_spans)
        return {
            attribute.value.string_value
            for resource in resources
            for attribute in resource.attributes
            if attribute.key == "service.name"
        }


@pytest.fixture
def endpoint_and_collector() -> Iterator[tuple[str, Collector]]:
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(1))
    services.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"http://127.0.0.1:{port}", collector
    tracing.shutdown()
    server.stop(grace=None).wait(5)


@pytest.fixture
def collector(endpoint_and_collector: tuple[str, Collector]) -> Collector:
    endpoint, collector = endpoint_and_collector
    tracing.configure("steersman-test", endpoint)
    return collector


def attributes(span: Span) -> dict[str, object]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value") or "") for each in span.attributes}


def test_a_span_is_the_parent_of_those_inside(collector: Collector) -> None:
    with tracing.span("reconcile", controller="replicaset", attempt=2) as outer, tracing.span("create"):
        outer.set(outcome="done")
    spans = collector.spans()
    assert spans["create"].parent_span_id == spans["reconcile"].span_id
    assert spans["create"].trace_id == spans["reconcile"].trace_id
    assert spans["reconcile"].parent_span_id == b""
    assert attributes(spans["reconcile"]) == {"controller": "replicaset", "attempt": 2, "outcome": "done"}
    assert collector.services() == {"steersman-test"}


async def test_spans_of_concurrent_tasks_do_not_mix(collector: Collector) -> None:
    async def work(name: str) -> None:
        with tracing.span(name):
            await asyncio.sleep(0)
            with tracing.span(f"{name}/inner"):
                await asyncio.sleep(0)

    with tracing.span("outer"):
        async with asyncio.TaskGroup() as group:
            group.create_task(work("a"))
            group.create_task(work("b"))
    spans = collector.spans()
    parents = {name: span.parent_span_id for name, span in spans.items()}
    assert parents == {
        "outer": b"",
        "a": spans["outer"].span_id,
        "b": spans["outer"].span_id,
        "a/inner": spans["a"].span_id,
        "b/inner": spans["b"].span_id,
    }


def test_context_crosses_processes_as_traceparent(collector: Collector) -> None:
    with tracing.span("writer") as writer:
        annotation = tracing.inject()
        assert writer.context is not None
        assert annotation == writer.context.traceparent
    with tracing.span("reader", parent=tracing.extract(annotation)):
        pass
    spans = collector.spans()
    assert spans["reader"].trace_id == spans["writer"].trace_id
    assert spans["reader"].parent_span_id == spans["writer"].span_id


def test_a_parent_given_outranks_the_span_around(collector: Collector) -> None:
    with tracing.span("around"), tracing.span("adopted", parent=REMOTE):
        pass
    adopted = collector.spans()["adopted"]
    assert int.from_bytes(adopted.trace_id) == REMOTE.trace_id
    assert int.from_bytes(adopted.parent_span_id) == REMOTE.span_id


def test_further_causes_are_links(collector: Collector) -> None:
    other = tracing.SpanContext(7, 8, sampled=True)
    with tracing.span("reconcile", links=[REMOTE, None]) as span:
        span.link(other)
        span.link(None)
    links = collector.spans()["reconcile"].links
    assert [int.from_bytes(link.span_id) for link in links] == [REMOTE.span_id, 8]


async def test_errors_are_recorded_and_cancellation_is_none(collector: Collector) -> None:
    with pytest.raises(OSError, match="away"), tracing.span("fails"):
        raise OSError("away")
    with tracing.span("goes on") as span:
        span.fail(KeyError("spec"))
    with pytest.raises(asyncio.CancelledError), tracing.span("is cancelled"):
        raise asyncio.CancelledError
    spans = collector.spans()
    assert spans["fails"].status.code == Status.STATUS_CODE_ERROR
    assert spans["fails"].status.message == "OSError: away"
    assert [event.name for event in spans["fails"].events] == ["exception"]
    assert spans["goes on"].status.code == Status.STATUS_CODE_ERROR
    assert spans["is cancelled"].status.code == Status.STATUS_CODE_UNSET
    assert attributes(spans["is cancelled"]) == {"cancelled": True}


def test_sampling_keeps_decisions_made_elsewhere(endpoint_and_collector: tuple[str, Collector]) -> None:
    endpoint, collector = endpoint_and_collector
    tracing.configure("steersman-test", endpoint, sample_ratio=0.0)
    with tracing.span("new"):
        assert (tracing.inject() or "").endswith("-00")
    with tracing.span("of a sampled trace", parent=REMOTE):
        pass
    with tracing.span("of an unsampled trace", parent=UNSAMPLED):
        pass
    assert set(collector.spans()) == {"of a sampled trace"}


def test_log_lines_inside_a_span_carry_its_ids(collector: Collector) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    try:
        log.configure("info", "json", stream=stream)
        with tracing.span("reconcile"):
            log.get("ours").info("said")
            logging.getLogger("theirs").info("said")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
    span = collector.spans()["reconcile"]
    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["trace_id"], line["span_id"]) for line in told] == [(span.trace_id.hex(), span.span_id.hex())] * 2


def test_shutdown_is_bounded_when_nobody_listens() -> None:
    tracing.configure("steersman-test", "http://127.0.0.1:1")
    with tracing.span("lost"):
        pass
    began = time.monotonic()
    tracing.shutdown(timeout_seconds=0.2)
    assert time.monotonic() - began < 60.0  # and not for ever
    assert not tracing.enabled()


def test_switched_off_nothing_heavy_is_imported() -> None:
    program = """
import sys
from steersman.base import log, tracing
tracing.configure("x", None)
log.configure("info", "json")
with tracing.span("a"):
    log.get("x").info("said")
heavy = {"opentelemetry", "grpc", "rich", "cryptography", "tenacity"} & set(sys.modules)
sys.exit(f"imported: {heavy}" if heavy else 0)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 0, ended.stderr
