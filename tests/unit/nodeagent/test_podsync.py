"""When a `sync pod` span is open, what it is below, and what is below it."""

from __future__ import annotations

import msgspec

from nodeagent.podsync import PodSync
from steersman.api import codec
from steersman.api.core import Pod
from steersman.api.names import TRACEPARENT
from steersman.base.tracing import SpanContext
from tests.builders import make_pod
from tests.fakes.tracer import traced

BOUND = SpanContext(7, 8, sampled=True)
LABELLED = SpanContext(9, 10, sampled=True)


def pod(written: SpanContext | None = BOUND) -> Pod:
    made = codec.load(Pod, make_pod("web", node="node-0"))
    annotations = {} if written is None else {TRACEPARENT: written.traceparent}
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, annotations=annotations))


def test_it_continues_the_trace_in_which_the_pod_was_written() -> None:
    with traced() as tracer:
        PodSync().begin(pod())
    (span,) = tracer.spans
    assert (span.name, span.parent, span.context.trace_id) == ("sync pod", BOUND, BOUND.trace_id)
    assert span.attributes == {"pod": "default/web", "node": "node-0"}


def test_what_is_done_meanwhile_is_below_it() -> None:
    with traced() as tracer:
        sync = PodSync()
        sync.begin(pod())
        with sync.part("start container", attempt=0):
            pass
    whole, part = tracer.spans
    assert (part.parent, whole.is_ended, part.is_ended) == (whole.context, False, True)


def test_begun_twice_is_one_span_and_ended_twice_is_fine() -> None:
    with traced() as tracer:
        sync = PodSync()
        sync.begin(pod())
        sync.begin(pod())
        sync.end()
        sync.end()
    (span,) = tracer.spans
    assert span.is_ended
    assert span.links == []
    assert sync.context is None


def test_a_later_write_is_a_link_while_it_is_open_and_the_parent_of_the_next() -> None:
    with traced() as tracer:
        sync = PodSync()
        sync.begin(pod())
        sync.begin(pod(LABELLED))
        sync.begin(pod(LABELLED))
        sync.end()
        sync.begin(pod(LABELLED))
    first, second = tracer.spans
    assert (first.parent, first.links) == (BOUND, [LABELLED])
    assert (second.parent, second.links) == (LABELLED, [])


def test_a_pod_without_a_trace_begins_one() -> None:
    with traced() as tracer:
        PodSync().begin(pod(None))
    assert [span.parent for span in tracer.spans] == [None]


def test_nothing_at_all_while_tracing_is_off() -> None:
    sync = PodSync()
    sync.begin(pod())
    with sync.part("start sandbox") as part:
        assert part.context is None
    sync.end()
    assert sync.context is None
