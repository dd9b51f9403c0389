"""Spans over OTLP/gRPC with OpenTelemetry's SDK: the only importer of it, imported only when tracing is on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextvars import Token
from types import TracebackType

from opentelemetry import context as otel_context
from opentelemetry import trace as otel
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio

from steersman.base.tracing import Attribute, Span, SpanContext

EXPORT_TIMEOUT_SECONDS = 5.0
# A human who watches a rollout in Jaeger waits for this long at most.
EXPORT_EVERY_SECONDS = 1.0
QUEUE_SPANS = 8192


class OtlpTracer:
    """A provider of its own, not OpenTelemetry's global one, so that several may live one after another in a test."""

    def __init__(self, service: str, endpoint: str, sample_ratio: float) -> None:
        exporter = OTLPSpanExporter(
            endpoint=endpoint, insecure=not endpoint.startswith("https://"), timeout=EXPORT_TIMEOUT_SECONDS
        )
        self._processor = BatchSpanProcessor(
            exporter, max_queue_size=QUEUE_SPANS, schedule_delay_millis=EXPORT_EVERY_SECONDS * 1000
        )
        self._provider = TracerProvider(
            sampler=ParentBasedTraceIdRatio(sample_ratio),
            resource=Resource.create({SERVICE_NAME: service}),
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(self._processor)
        self._tracer = self._provider.get_tracer("steersman")

    def span(
        self,
        name: str,
        parent: SpanContext | None,
        links: Sequence[SpanContext | None],
        attributes: dict[str, Attribute],
    ) -> Span:
        above = None if parent is None else otel.set_span_in_context(otel.NonRecordingSpan(_to_otel(parent)))
        further = [otel.Link(_to_otel(link)) for link in links if link is not None]
        return _OtlpSpan(self._tracer.start_span(name, context=above, attributes=attributes, links=further))

    def current(self) -> SpanContext | None:
        context = otel.get_current_span().get_span_context()
        return _from_otel(context) if context.is_valid else None

    def shutdown(self, timeout_seconds: float) -> None:
        # The SDK's own bound is 30 s, and an exporter that is retrying holds its lock; a thread can be left behind.
        flush = threading.Thread(target=self._provider.shutdown, name="flush-spans", daemon=True)
        flush.start()
        flush.join(timeout_seconds)


class _OtlpSpan:
    __slots__ = ("_span", "_token")

    def __init__(self, span: otel.Span) -> None:
        self._span = span
        self._token: Token[otel_context.Context] | None = None

    def __enter__(self) -> Span:
        self._token = otel_context.attach(otel.set_span_in_context(self._span))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            otel_context.detach(self._token)
        if isinstance(error, asyncio.CancelledError):
            self.set(cancelled=True)
        elif error is not None:
            self.fail(error)
        self._span.end()

    def set(self, **attributes: Attribute) -> None:
        self._span.set_attributes(attributes)

    def link(self, context: SpanContext | None) -> None:
        if context is not None:
            self._span.add_link(_to_otel(context))

    def fail(self, error: BaseException) -> None:
        self._span.record_exception(error)
        self._span.set_status(otel.StatusCode.ERROR, f"{type(error).__name__}: {error}")

    def end(self) -> None:
        self._span.end()

    @property
    def context(self) -> SpanContext | None:
        return _from_otel(self._span.get_span_context())


def _to_otel(context: SpanContext) -> otel.SpanContext:
    return otel.SpanContext(
        context.trace_id, context.span_id, is_remote=True, trace_flags=otel.TraceFlags(int(context.sampled))
    )


def _from_otel(context: otel.SpanContext) -> SpanContext:
    return SpanContext(context.trace_id, context.span_id, context.trace_flags.sampled)
