"""What may be asked of a log, checked as Kubernetes checks it. Pure."""

from __future__ import annotations

from apiserver.restfront.query import Query
from steersman.api import errors, times
from steersman.api.errors import BadRequest, Cause, Invalid, Subject
from steersman.pb import nodes_pb2 as pb

_SUBJECT = Subject("", "podlogoptions", "PodLogOptions")


def parse(query: Query, pod: str) -> pb.LogsRequest:
    """Without the container. BadRequest, Invalid."""
    request = pb.LogsRequest(
        follow=query.flag("follow") or False,
        previous=query.flag("previous") or False,
        timestamps=query.flag("timestamps") or False,
        tail_lines=query.integer("tailLines"),
        limit_bytes=query.integer("limitBytes"),
        since_seconds=query.integer("sinceSeconds"),
        since_time=_time(query.text("sinceTime")),
    )
    causes = [*_causes(request)]
    if "stream" in query:
        causes.append(Cause("FieldValueForbidden", "Forbidden: may not be specified", "stream"))
    if causes:
        raise _invalid(pod, causes)
    return request


def _causes(request: pb.LogsRequest) -> list[Cause]:
    found = []
    if request.HasField("tail_lines") and request.tail_lines < 0:
        found.append(_wrong("tailLines", request.tail_lines, "must be greater than or equal to 0"))
    if request.HasField("limit_bytes") and request.limit_bytes < 1:
        found.append(_wrong("limitBytes", request.limit_bytes, "must be greater than 0"))
    if request.HasField("since_seconds") and request.since_time:
        why = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
        found.append(Cause("FieldValueForbidden", why, ""))
    elif request.HasField("since_seconds") and request.since_seconds < 1:
        found.append(_wrong("sinceSeconds", request.since_seconds, "must be greater than 0"))
    return found


def _wrong(field: str, value: int, why: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {value}: {why}", field)


def _time(text: str) -> str:
    try:
        return times.time(text) if text else ""
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _invalid(pod: str, causes: list[Cause]) -> Invalid:
    return errors.invalid(_SUBJECT, pod, causes)
