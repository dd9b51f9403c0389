from __future__ import annotations

import pytest

from steersman.base import tracing
from steersman.base.tracing import SpanContext

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CONTEXT = SpanContext(int(TRACE, 16), int(SPAN, 16), sampled=True)


@pytest.mark.parametrize(
    ("traceparent", "context"),
    [
        pytest.param(f"00-{TRACE}-{SPAN}-01", CONTEXT, id="sampled"),
        pytest.param(f"00-{TRACE}-{SPAN}-00", SpanContext(CONTEXT.trace_id, CONTEXT.span_id, False), id="not sampled"),
        pytest.param(f"00-{TRACE}-{SPAN}-03", CONTEXT, id="unknown flags are ignored"),
        pytest.param(f"cc-{TRACE}-{SPAN}-01-what-ever", CONTEXT, id="a later version may say more"),
        pytest.param(f"00-{TRACE}-{SPAN}-01-more", None, id="version 00 may not"),
        pytest.param(f"ff-{TRACE}-{SPAN}-01", None, id="version ff is forbidden"),
        pytest.param(f"00-{'0' * 32}-{SPAN}-01", None, id="no trace"),
        pytest.param(f"00-{TRACE}-{'0' * 16}-01", None, id="no span"),
        pytest.param(f"00-{TRACE.upper()}-{SPAN}-01", None, id="upper case"),
        pytest.param(f"00-{TRACE[:-1]}-{SPAN}-01", None, id="too short"),
        pytest.param(f"00-{TRACE}-{SPAN}-01\n", None, id="a line end"),
        pytest.param("", None, id="empty"),
        pytest.param("hello", None, id="something else"),
    ],
)
def test_parse(traceparent: str, context: SpanContext | None) -> None:
    assert tracing.parse(traceparent) == context


def test_a_context_is_written_as_it_is_read() -> None:
    assert CONTEXT.traceparent == f"00-{TRACE}-{SPAN}-01"


def test_switched_off_everything_is_one_shared_nothing() -> None:
    with tracing.span("outer", controller="replicaset") as outer, tracing.span("inner", links=[CONTEXT]) as inner:
        outer.set(outcome="done")
        outer.link(CONTEXT)
        outer.fail(OSError("away"))
        assert outer is inner
        assert outer.context is None
        assert tracing.inject() is None
        assert tracing.current() is None
    assert tracing.extract(CONTEXT.traceparent) is None
    assert not tracing.enabled()


def test_switched_off_an_error_still_passes() -> None:
    with pytest.raises(OSError, match="away"), tracing.span("outer"):
        raise OSError("away")


def test_no_endpoint_means_off() -> None:
    tracing.configure("test", None)
    assert not tracing.enabled()
    tracing.shutdown()


@pytest.mark.parametrize("ratio", [-0.1, 1.1])
def test_the_ratio_is_a_share(ratio: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        tracing.configure("test", None, ratio)
