"""Spans, when an OTLP endpoint is set; next to nothing when not.

    with tracing.span("reconcile", parent=tracing.extract(annotation), controller="replicaset") as span:
        ...
        span.set(outcome="done")

Switched off (the default), `span` hands out one shared object, `extract` and `inject` answer None, and OpenTelemetry is
never imported. Switched on, a span is the parent of the spans opened inside it, also across `await` and in tasks
started in it. Context crosses processes as a W3C `traceparent`, in metadata or in an annotation; the words here are
ours, so that nothing else in the project knows OpenTelemetry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

Attribute = str | bool | int | float | Sequence[str]


@dataclass(frozen=True, slots=True)
class SpanContext:
    """Where in which trace: what a `traceparent` says."""

    trace_id: int
    span_id: int
    sampled: bool

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{'01' if self.sampled else '00'}"


class Span(Protocol):
    """A piece of work. Leaving it by an exception records the error; a cancellation is noted but is no error."""

    def __enter__(self) -> Span: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def set(self, **attributes: Attribute) -> None: ...

    def link(self, context: SpanContext | None) -> None:
        """Note a further cause, in this trace or another."""

    def fail(self, error: BaseException) -> None:
        """Record an error that does not leave the span."""

    def end(self) -> None:
        """Close a span that no `with` surrounds: one that ends in another place than it began in."""

    @property
    def context(self) -> SpanContext | None: ...


class _NoSpan:
    """The span of a process that does not trace: one for all, as it holds nothing."""

    __slots__ = ()

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def set(self, **attributes: Attribute) -> None:
        return None

    def link(self, context: SpanContext | None) -> None:
        return None

    def fail(self, error: BaseException) -> None:
        return None

    def end(self) -> None:
        return None

    @property
    def context(self) -> SpanContext | None:
        return None


class Tracer(Protocol):
    """What stands behind the functions below once tracing is on."""

    def span(
        self,
        name: str,
        parent: SpanContext | None,
        links: Sequence[SpanContext | None],
        attributes: dict[str, Attribute],
    ) -> Span: ...

    def current(self) -> SpanContext | None: ...

    def shutdown(self, timeout_seconds: float) -> None: ...


_NO_SPAN = _NoSpan()
_tracer: Tracer | None = None


def configure(service: str, endpoint: str | None, sample_ratio: float = 1.0) -> None:
    """Send this process's spans to `endpoint` (`http://host:4317`; `https://` for TLS), or switch tracing off (None).

    `sample_ratio` is the share of *new* traces that is kept; a trace begun elsewhere keeps its own decision.
    """
    if not 0 <= sample_ratio <= 1:
        raise ValueError(f"the sample ratio is a share from 0 to 1, not {sample_ratio}")
    global _tracer
    shutdown()
    if endpoint:
        from steersman.base import otlp  # 250 ms of imports that only a traced process pays for

        _tracer = otlp.OtlpTracer(service, endpoint, sample_ratio)


def enabled() -> bool:
    return _tracer is not None


def span(
    name: str,
    /,
    *,
    parent: SpanContext | None = None,
    links: Sequence[SpanContext | None] = (),
    **attributes: Attribute,
) -> Span:
    """A span below `parent`, else below the span that is open around it, else the first of a new trace."""
    if _tracer is None:
        return _NO_SPAN
    return _tracer.span(name, parent, links, attributes)


def current() -> SpanContext | None:
    return None if _tracer is None else _tracer.current()


def inject() -> str | None:
    """The `traceparent` to send along or to leave on an object, if a span is open."""
    context = current()
    return None if context is None else context.traceparent


def extract(traceparent: str | None) -> SpanContext | None:
    """What a received `traceparent` says; None for one that is absent or broken, and when tracing is off."""
    return None if _tracer is None or not traceparent else parse(traceparent)


# Version 00 has exactly these four fields; a later version may append more, and must still be understood so far.
_TRACEPARENT = re.compile(r"(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)


def parse(traceparent: str) -> SpanContext | None:
    """A W3C trace context header, level 1. Broken ones are ignored, as the standard asks."""
    match = _TRACEPARENT.fullmatch(traceparent)
    if match is None or (match[1] == "00" and match[5]):
        return None
    trace_id, span_id, flags = int(match[2], 16), int(match[3], 16), int(match[4], 16)
    return SpanContext(trace_id, span_id, bool(flags & 1)) if trace_id and span_id else None


def shutdown(timeout_seconds: float = 2.0) -> None:
    """Send what is left, for at most `timeout_seconds`, and switch off. Blocks: call it after the event loop."""
    global _tracer
    tracer, _tracer = _tracer, None
    if tracer is not None:
        tracer.shutdown(timeout_seconds)
