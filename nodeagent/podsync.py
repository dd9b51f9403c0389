"""The `sync pod` span: from the moment that there is something to do for a pod until nothing more is under way.

It continues the trace of the write that left the pod as it is; what the agent starts and reports meanwhile is below it.
A write that arrives while it is open is a further cause, noted as a link. A look at the pod that finds nothing to do is
no span: pods that just run leave nothing in a trace.
"""

from __future__ import annotations

from steersman.api.core import Pod
from steersman.api.names import TRACEPARENT
from steersman.base import tracing
from steersman.base.tracing import Attribute, Span, SpanContext


class PodSync:
    def __init__(self) -> None:
        self._span: Span | None = None
        self._cause: SpanContext | None = None

    @property
    def context(self) -> SpanContext | None:
        return None if self._span is None else self._span.context

    def begin(self, pod: Pod) -> None:
        """There is something to do; also if it has begun already."""
        if not tracing.enabled():
            return
        cause = cause_of(pod)
        if self._span is None:
            meta = pod.metadata
            self._span = tracing.span(
                "sync pod", parent=cause, pod=f"{meta.namespace}/{meta.name}", node=pod.spec.node_name
            )
        elif cause != self._cause:
            self._span.link(cause)
        self._cause = cause

    def part(self, name: str, **attributes: Attribute) -> Span:
        """A piece of it."""
        return tracing.span(name, parent=self.context, links=(), **attributes)

    def end(self) -> None:
        span, self._span = self._span, None
        if span is not None:
            span.end()


def cause_of(pod: Pod) -> SpanContext | None:
    """The trace of the write that left the pod so."""
    return tracing.extract(pod.metadata.annotations.get(TRACEPARENT))
