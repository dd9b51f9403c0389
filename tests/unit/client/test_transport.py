from __future__ import annotations

import pytest
from grpc import StatusCode

from steersman import wire
from steersman.api import errors
from steersman.api.errors import ApiError, Cause, Details
from steersman.api.names import Revision
from steersman.base import tracing
from steersman.base.tracing import SpanContext
from steersman.client import transport
from steersman.client.retrying import Fate

BARE = {
    StatusCode.UNAVAILABLE: (errors.Unavailable, Fate.LOST),
    StatusCode.DEADLINE_EXCEEDED: (errors.Timeout, Fate.LOST),
    StatusCode.CANCELLED: (errors.Unavailable, Fate.LOST),
    StatusCode.INTERNAL: (errors.Internal, Fate.LOST),
    StatusCode.UNKNOWN: (errors.Internal, Fate.LOST),
    StatusCode.RESOURCE_EXHAUSTED: (errors.TooManyRequests, Fate.REFUSED),
    StatusCode.UNAUTHENTICATED: (errors.Unauthenticated, Fate.REFUSED),
    StatusCode.PERMISSION_DENIED: (errors.Forbidden, Fate.REFUSED),
    StatusCode.UNIMPLEMENTED: (errors.MethodNotAllowed, Fate.REFUSED),
    StatusCode.INVALID_ARGUMENT: (errors.BadRequest, Fate.REFUSED),
    StatusCode.OUT_OF_RANGE: (errors.Internal, Fate.REFUSED),
}


@pytest.mark.parametrize("family", errors.FAMILY, ids=lambda family: family.__name__)
def test_every_error_comes_back_as_it_was_raised(family: type[ApiError]) -> None:
    sent = family(
        "what happened",
        details=Details(name="web", kind="pods", causes=(Cause("R", "m", "spec"),), retry_after_seconds=2),
        revision=Revision(5),
    )
    failed = transport.judge(getattr(StatusCode, family.grpc_code), sent.message, wire.trailing_metadata(sent))
    assert type(failed.error) is family
    assert (failed.error.message, failed.error.details, failed.error.revision) == (sent.message, sent.details, 5)


@pytest.mark.parametrize(("code", "expected"), BARE.items(), ids=[code.name for code in BARE])
def test_a_bare_code(code: StatusCode, expected: tuple[type[ApiError], Fate]) -> None:
    failed = transport.judge(code, "why", ())
    assert (type(failed.error), failed.fate) == expected


def test_a_status_that_cannot_be_read_leaves_the_code() -> None:
    failed = transport.judge(StatusCode.UNAVAILABLE, None, ((wire.STATUS_KEY, b"\xff\xff"),))
    assert failed.fate is Fate.LOST


def test_unavailable_said_by_the_server_means_that_nothing_was_done() -> None:
    said = wire.trailing_metadata(errors.Unavailable("draining"))
    assert transport.judge(StatusCode.UNAVAILABLE, "draining", said).fate is Fate.UNTOUCHED


@pytest.mark.parametrize(
    "endpoints",
    [
        pytest.param((), id="none"),
        pytest.param(("10.0.0.1:6444",), id="not loopback"),
        pytest.param(("x",), id="no port"),
    ],
)
async def test_endpoints_that_are_refused(endpoints: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"endpoint|loopback|host:port"):
        async with transport.opened(endpoints, None):
            pass


class _InASpan:
    """A tracer of which only the present place in a trace matters."""

    def current(self) -> SpanContext:
        return SpanContext(trace_id=1, span_id=2, sampled=True)


def test_the_trace_goes_with_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert transport.metadata() is None
    monkeypatch.setattr(tracing, "_tracer", _InASpan())
    assert transport.metadata() == (("traceparent", f"00-{1:032x}-{2:016x}-01"),)
