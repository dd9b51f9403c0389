"""What surrounds every gRPC call: who asks, a place at the gate, a span, a metric, and errors in our words.

Done by wrapping handlers rather than by interceptors, which cost a fifth of a small call. No deadline is set here: the
client's own is kept by gRPC, and whatever a handler waits for (the store, the cache) has one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from prometheus_client import CollectorRegistry

from apiserver import observation
from apiserver.auth.identity import INSECURE, Caller, from_certificate
from apiserver.limits import Gate
from steersman import wire
from steersman.api import kinds
from steersman.api.errors import ApiError, BadRequest, Internal, RequestTooLarge, Timeout, Unauthenticated, Unavailable
from steersman.base import log, run, tracing
from steersman.http2.stream import StreamGone

MAX_BODY_BYTES = 3 * 1024 * 1024
"""The same as Kubernetes allows a request body."""

READS = frozenset({"get", "list", "watch", "kinds", "hold"})
"""Verbs that change nothing by themselves."""
KNOWN_RESOURCES = frozenset(kind.resource for kind in kinds.ALL)

_log = log.get("grpc")
Request = TypeVar("Request", bound=Message)


class Calls:
    """Wraps handlers; holds what all calls share."""

    def __init__(self, registry: CollectorRegistry, *, secure: bool) -> None:
        self._secure = secure
        self._draining = False
        self._seconds = observation.request_seconds(registry)

    def drain(self) -> None:
        """From now on a cancellation is the server's doing."""
        self._draining = True

    @property
    def is_draining(self) -> bool:
        return self._draining

    def unary(
        self,
        verb: str,
        request_type: type[Request],
        handle: Callable[[Request, Caller], Awaitable[Message | bytes]],
        gate: Gate | None,
    ) -> grpc.RpcMethodHandler:
        """A unary call. The request is parsed here, so that a broken one gets a clean refusal.

        The reply is a message or the bytes of one.
        """

        async def call(raw: bytes, context: Any) -> bytes:
            started, code, resource = time.perf_counter(), "OK", ""
            try:
                caller = self.caller(context)
                request = parse(request_type, raw)
                resource = resource_of(request)
                with gate or nullcontext(), self.span(verb, resource, context):
                    reply = await handle(request, caller)
                return reply if isinstance(reply, bytes) else bytes(reply.SerializeToString())
            except BaseException as problem:  # noqa: BLE001 - `explain` raises on what is not ours
                code = refuse(context, self.explain(problem, verb))
                return b""
            finally:
                self._seconds("grpc", verb, resource, code).observe(time.perf_counter() - started)

        return grpc.unary_unary_rpc_method_handler(call)

    def stream(self, verb: str, handle: Callable[[Any, Any], Awaitable[None]]) -> grpc.RpcMethodHandler:
        """A stream of requests and replies, both as bytes; `handle` gets the iterator and the context."""

        async def call(requests: Any, context: Any) -> None:
            try:
                self.caller(context)
                await handle(requests, context)
            except BaseException as problem:  # noqa: BLE001 - `explain` raises on what is not ours
                await abort(context, self.explain(problem, verb))

        return grpc.stream_stream_rpc_method_handler(call)

    def caller(self, context: Any) -> Caller:
        """Who the peer's certificate says it is."""
        if not self._secure:
            return INSECURE
        certificates = context.auth_context().get("x509_pem_cert", ())
        caller = from_certificate(certificates[0]) if certificates else None
        if caller is None:
            raise Unauthenticated("Unauthorized")
        return caller

    @staticmethod
    def span(verb: str, resource: str, context: Any) -> tracing.Span:
        if not tracing.enabled():
            return tracing.span(verb)
        sent = dict(context.invocation_metadata() or ())
        parent = tracing.extract(sent.get("traceparent"))
        return tracing.span(f"{verb} {resource}".rstrip(), parent=parent, verb=verb, resource=resource)

    def explain(self, problem: BaseException, verb: str) -> ApiError:
        """An error of our family for whatever went wrong; what is not ours to explain is raised on."""
        match problem:
            case ApiError():
                return problem
            case BaseExceptionGroup():
                return self.explain(problem.exceptions[0], verb)
            case TimeoutError():
                return Timeout("the server could not complete the call in time")
            case asyncio.CancelledError() if self._draining:
                # Out of a handler a cancellation would leave the client hanging. Unavailable promises that nothing was
                # done, and a write that the store already has can still land.
                if verb in READS:
                    return Unavailable("the server is shutting down")
                return Timeout("the server is shutting down, and the write may or may not have been carried out")
            case StreamGone():
                return Unavailable("the client has gone in the midst of a reply")  # nobody will read this
            case Exception() if not isinstance(problem, grpc.RpcError | grpc.aio.AbortError):
                _log.error("call failed by a bug", verb=verb, **run.describe(problem), exc_info=problem)
                return Internal("Internal error occurred: see the server's log")
            case _:
                raise problem


def refuse(context: Any, error: ApiError) -> str:
    """Have a unary call end with this error, whatever it returns; the reason.

    Not by `context.abort`: gRPC keeps what that raises in a cycle, and with it, until the next full collection, every
    frame of the failed call and megabytes of its request.
    """
    context.set_code(getattr(grpc.StatusCode, error.grpc_code))
    context.set_details(wire.shortened(error.message))
    context.set_trailing_metadata(wire.trailing_metadata(error))
    return error.reason


async def abort(context: Any, error: ApiError) -> None:
    """End the call with this error. Raises."""
    code = getattr(grpc.StatusCode, error.grpc_code)
    await context.abort(code, wire.shortened(error.message), wire.trailing_metadata(error))


def parse(request_type: type[Request], raw: bytes) -> Request:
    if len(raw) > MAX_BODY_BYTES:
        raise RequestTooLarge(f"Request entity too large: limit is {MAX_BODY_BYTES}")
    try:
        return request_type.FromString(raw)
    except DecodeError as error:
        raise BadRequest(f"the body is not a {request_type.DESCRIPTOR.name} message") from error


def resource_of(request: Message) -> str:
    """The resource that a request names, if it names one that exists: metrics need a closed set of labels."""
    holder = getattr(request, "list", request)
    target = getattr(holder, "target", None)
    return target.resource if target is not None and target.resource in KNOWN_RESOURCES else ""
