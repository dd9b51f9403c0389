"""The one handler of every HTTP request: who asks, what about, a place at the gate, a span, a metric, errors in our
words. Who then answers is looked up in tables.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CollectorRegistry

from apiserver import observation
from apiserver.limits import Limits
from apiserver.registry.registry import Registry
from apiserver.restfront import doors, parameters, paths, query, replies, representation, routing, verbs
from apiserver.restfront import pages as pages_
from apiserver.restfront.authentication import Authentication
from apiserver.restfront.call import Call
from apiserver.restfront.negotiation import PLAIN_JSON
from apiserver.restfront.pages import Page
from apiserver.restfront.paths import ResourcePath
from apiserver.restfront.routing import Doors, Handler, Reviews
from apiserver.restfront.verbs import Verbs
from apiserver.restfront.watching import Watches
from steersman.api import errors, kinds
from steersman.api.errors import ApiError, Internal, MethodNotAllowed, Timeout
from steersman.api.kinds import Kind
from steersman.base import log, run, tracing

READS = frozenset({"get", "list"})

CLIENT_LEFT = "499"
"""The code under which requests are counted whose client did not wait for the answer; a watch mostly ends so."""

Place = AbstractContextManager[None]
NO_PLACE: Place = nullcontext()

_log = log.get("rest")


@dataclass(slots=True)
class _Seen:
    """What is known of a request so far."""

    verb: str = ""
    resource: str = ""


class Front:
    def __init__(
        self,
        registry: Registry,
        limits: Limits,
        metrics_registry: CollectorRegistry,
        authentication: Authentication,
        *,
        doors_: Doors | None = None,
        reviews: Reviews | None = None,
    ) -> None:
        """`doors_` and `reviews` are those that others bring along: streams, tokens, access reviews."""
        self._registry = registry
        self._limits = limits
        self._authentication = authentication
        self._watches = Watches(registry, limits.watches)
        self._seconds = observation.request_seconds(metrics_registry)
        small, verbs_ = doors.SmallDoors(registry), Verbs(registry)
        self.doors: Doors = {**doors.parts(verbs_), **small.doors(), **(doors_ or {})}
        self._reviews: Reviews = {**small.reviews(), **(reviews or {})}
        self.pages: Sequence[Page] = ()
        self._handlers: dict[str, Handler] = {
            "get": verbs_.get,
            "list": verbs_.list,
            "watch": self._watches.serve,
            "create": verbs_.create,
            "update": verbs_.update,
            "patch": verbs_.patch,
            "delete": verbs_.delete,
            "deletecollection": verbs_.delete_collection,
        }

    def serves(self, kind: Kind) -> bool:
        return kind.qualified_resource in self._reviews or self._registry.serves(kind)

    def served(self) -> Sequence[Kind]:
        return [kind for kind in kinds.ALL if self.serves(kind)]

    def drain(self) -> None:
        """End every watch: the clients are to go on elsewhere."""
        self._watches.drain()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        started, seen, code = time.perf_counter(), _Seen(), CLIENT_LEFT
        try:
            try:
                reply = await self._answer(request, seen)
            except BaseException as problem:  # noqa: BLE001 - `explain` raises on what is not ours
                reply = replies.of_error(_explain(problem, request))
            await replies.finish(request, reply)
            code = str(reply.status)
            return reply
        finally:
            self._seconds("rest", seen.verb, seen.resource, code).observe(time.perf_counter() - started)

    async def _answer(self, request: web.BaseRequest, seen: _Seen) -> web.StreamResponse:
        target = request.raw_path if request.raw_path.startswith("/") else request.rel_url.raw_path_qs
        raw_path, _, query_text = target.partition("?")
        path = paths.decoded(raw_path)
        if pages_.is_open(path):
            return await self._page(request, path, query_text)
        caller = await self._authentication.caller(request)
        about = paths.parse(path)
        if about is None:
            return await self._page(request, path, query_text)
        is_stream = bool(about.subresource) and self._is_stream(about)
        accepted = PLAIN_JSON if is_stream else representation.accepted(request.headers.get("Accept", ""))
        call = Call(request, caller, about, query.parse(query_text), accepted)
        verb, handler, place = self._route(request.method, call)
        seen.verb, seen.resource = verb, about.kind.resource
        if place is not NO_PLACE:
            await call.body()  # now, or a client that dribbles it would keep the place from others
        with place:
            handle = _in_time if "timeout" in call.query and place is not NO_PLACE else _traced
            reply = await handle(handler, call, verb)
            # Sent while the place is still taken: answers that wait to be read are bounded like requests.
            await replies.finish(request, reply)
            return reply

    async def _page(self, request: web.BaseRequest, path: str, query_text: str) -> web.StreamResponse:
        path = path.rstrip("/") or "/"
        for page in self.pages:
            found = await page(request, path, query.parse(query_text))
            if found is not None:
                pages_.check_method(request)
                return found
        return replies.page_not_found()

    def _route(self, method: str, call: Call) -> tuple[str, Handler, Place]:
        """The verb, who answers it, and the place that it takes while it is answered."""
        about = call.path
        if not self.serves(about.kind):
            raise paths.not_found()
        if about.subresource:
            return self._through_door(method, about)
        is_watch = about.is_watch or (not about.name and bool(call.query.flag("watch")))
        verb = verbs.verb_of(method, about.kind, is_named=bool(about.name), is_watch=is_watch)
        if not verb or (verb in ("create", "deletecollection") and about.kind.namespaced and not about.namespace):
            raise _not_allowed()
        if verb == "create" and about.kind.qualified_resource in self._reviews:
            return verb, self._reviews[about.kind.qualified_resource], self._limits.writes
        return verb, self._handlers[verb], self._place(verb)

    def _through_door(self, method: str, about: ResourcePath) -> tuple[str, Handler, Place]:
        door = routing.door_of(about.kind, about.subresource, self.doors)
        if door is None or (about.rest and not door.is_stream):
            raise paths.not_found()
        verb = routing.verb_through(door, method)
        if verb not in door.handlers:
            raise _not_allowed()
        return verb, door.handlers[verb], NO_PLACE if door.is_stream else self._place(verb)

    def _is_stream(self, about: ResourcePath) -> bool:
        """What is no object in some form: logs, and whatever a proxy passes on."""
        door = routing.door_of(about.kind, about.subresource, self.doors)
        return door is not None and door.is_stream

    def _place(self, verb: str) -> Place:
        if verb == "watch":
            return NO_PLACE  # watches have places of their own, taken where they are served
        return self._limits.reads if verb in READS else self._limits.writes


async def _in_time(handler: Handler, call: Call, verb: str) -> web.StreamResponse:
    """The handler's answer, or Timeout once the client does not wait for it any longer."""
    patience = asyncio.timeout(parameters.timeout_seconds(call.query))
    try:
        async with patience:
            return await _traced(handler, call, verb)
    except TimeoutError as error:
        if not patience.expired():
            raise
        message = "Timeout: request did not complete within requested timeout - context deadline exceeded"
        raise Timeout(message, details=errors.Details()) from error


async def _traced(handler: Handler, call: Call, verb: str) -> web.StreamResponse:
    """The handler's answer; in a span of its own, unless it goes on for as long as the client likes."""
    if verb == "watch" or not tracing.enabled():
        return await handler(call)
    resource, parent = call.kind.resource, tracing.extract(call.request.headers.get("traceparent"))
    with tracing.span(f"{verb} {resource}", parent=parent, verb=verb, resource=resource):
        return await handler(call)


def _not_allowed() -> MethodNotAllowed:
    message = "the server does not allow this method on the requested resource"
    return MethodNotAllowed(message, details=errors.Details())


def _explain(problem: BaseException, request: web.BaseRequest) -> ApiError:
    """An error of our family for whatever went wrong; what is not ours to explain is raised on."""
    match problem:
        case asyncio.CancelledError() | ConnectionError():
            raise problem
        case BaseExceptionGroup():
            return _explain(problem.exceptions[0], request)
        case ApiError():
            error: ApiError = problem
        case TimeoutError():
            error = Timeout("the server could not complete the call in time")
        case Exception():
            _log.error(
                "request failed by a bug",
                method=request.method,
                path=request.path,
                **run.describe(problem),
                exc_info=problem,
            )
            error = Internal("Internal error occurred: see the server's log")
        case _:
            raise problem
    if request.writer.output_size:
        # Half an answer is out: all that is left to say is that it will not be finished.
        raise ConnectionResetError("the answer broke off") from problem
    return error
