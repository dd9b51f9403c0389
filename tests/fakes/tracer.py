"""Spans kept in memory: a tracer that behaves like the real one and sends nothing anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType

from steersman.base import tracing
from steersman.base.tracing import Attribute, Span, SpanContext

_current: ContextVar[SpanContext | None] = ContextVar("fake_span", default=None)


class FakeSpan:
    def __init__(self, name: str, context: SpanContext, parent: SpanContext | None) -> None:
        self.name = name
        self.parent = parent
        self.attributes: dict[str, Attribute] = {}
        self.links: list[SpanContext] = []
        self.is_ended = False
        self._context = context
        self._token: Token[SpanContext | None] | None = None

    def __enter__(self) -> Span:
        self._token = _current.set(self._context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            _current.reset(self._token)
        self.end()

    def set(self, **attributes: Attribute) -> None:
        self.attributes.update(attributes)

    def link(self, context: SpanContext | None) -> None:
        if context is not None:
            self.links.append(context)

    def fail(self, error: BaseException) -> None:
        self.attributes["error"] = str(error)

    def end(self) -> None:
        self.is_ended = True

    @property
    def context(self) -> SpanContext:
        return self._context


class FakeTracer:
    def __init__(self) -> None:
        self.spans: list[FakeSpan] = []
        self._ids = itertools.count(1)

    def span(
        self,
        name: str,
        parent: SpanContext | None,
        links: Sequence[SpanContext | None],
        attributes: dict[str, Attribute],
    ) -> Span:
        above = parent or self.current()
        trace = above.trace_id if above is not None else next(self._ids)
        made = FakeSpan(name, SpanContext(trace, next(self._ids), sampled=True), above)
        made.set(**attributes)
        made.links.extend(link for link in links if link is not None)
        self.spans.append(made)
        return made

    def current(self) -> SpanContext | None:
        return _current.get()

    def shutdown(self, timeout_seconds: float) -> None:
        return None


@contextmanager
def traced() -> Iterator[FakeTracer]:
    """Tracing is on while the block is open."""
    before, tracing._tracer = tracing._tracer, (tracer := FakeTracer())
    try:
        yield tracer
    finally:
        tracing._tracer = before
