"""The one family of errors that a caller of the API can meet, and its one table of codes.

Every layer raises these; the fronts turn them into gRPC statuses and HTTP `Status` bodies by reading the class
attributes, and the client turns them back. Nothing is ever recognised by its message text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from steersman.api.names import Revision


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for a refusal, tied to a field where there is one."""

    reason: str
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """What the error is about: `kind` is the resource's plural or the kind, as Kubernetes has it for that reason."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


class ApiError(Exception):
    """An answer other than success.

    `revision`, where known, is the store's revision at which the answer was true. `warnings` are what the writer should
    be told beside the refusal.
    """

    http_code: ClassVar[int] = 500
    grpc_code: ClassVar[str] = "INTERNAL"
    reason: ClassVar[str] = "InternalError"
    warnings: tuple[str, ...] = ()

    def __init__(self, message: str, *, details: Details | None = None, revision: Revision | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.revision = revision


class BadRequest(ApiError):
    http_code, grpc_code, reason = 400, "INVALID_ARGUMENT", "BadRequest"


class Invalid(ApiError):
    http_code, grpc_code, reason = 422, "INVALID_ARGUMENT", "Invalid"


class RequestTooLarge(ApiError):
    http_code, grpc_code, reason = 413, "INVALID_ARGUMENT", "RequestEntityTooLarge"


class UnsupportedMediaType(ApiError):
    http_code, grpc_code, reason = 415, "INVALID_ARGUMENT", "UnsupportedMediaType"


class NotAcceptable(ApiError):
    http_code, grpc_code, reason = 406, "INVALID_ARGUMENT", "NotAcceptable"


class Unauthenticated(ApiError):
    http_code, grpc_code, reason = 401, "UNAUTHENTICATED", "Unauthorized"


class Forbidden(ApiError):
    http_code, grpc_code, reason = 403, "PERMISSION_DENIED", "Forbidden"


class NotFound(ApiError):
    http_code, grpc_code, reason = 404, "NOT_FOUND", "NotFound"


class MethodNotAllowed(ApiError):
    http_code, grpc_code, reason = 405, "UNIMPLEMENTED", "MethodNotAllowed"


class AlreadyExists(ApiError):
    http_code, grpc_code, reason = 409, "ALREADY_EXISTS", "AlreadyExists"


class Conflict(ApiError):
    http_code, grpc_code, reason = 409, "ABORTED", "Conflict"


class Deposed(ApiError):
    """The write named a term of leadership that has ended. Never retried; it ends the caller's term."""

    http_code, grpc_code, reason = 409, "FAILED_PRECONDITION", "Deposed"


class Expired(ApiError):
    """The revision asked for is no longer kept (or is not of this store): list again.

    `continue_token`, for a paged list: goes on behind the last page with the newest state.
    """

    http_code, grpc_code, reason = 410, "OUT_OF_RANGE", "Expired"
    continue_token: str = ""


class TooManyRequests(ApiError):
    http_code, grpc_code, reason = 429, "RESOURCE_EXHAUSTED", "TooManyRequests"


class Timeout(ApiError):
    """No definite answer in time. A write that ends so may or may not have landed."""

    http_code, grpc_code, reason = 504, "DEADLINE_EXCEEDED", "Timeout"


class Unavailable(ApiError):
    """Nothing was done; another try, perhaps at another server, may succeed."""

    http_code, grpc_code, reason = 503, "UNAVAILABLE", "ServiceUnavailable"


class Internal(ApiError):
    http_code, grpc_code, reason = 500, "INTERNAL", "InternalError"


FAMILY: tuple[type[ApiError], ...] = (
    BadRequest,
    Invalid,
    RequestTooLarge,
    UnsupportedMediaType,
    NotAcceptable,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    AlreadyExists,
    Conflict,
    Deposed,
    Expired,
    TooManyRequests,
    Timeout,
    Unavailable,
    Internal,
)
BY_REASON: dict[str, type[ApiError]] = {error.reason: error for error in FAMILY}


@dataclass(frozen=True, slots=True)
class Subject:
    """The resource (and object) that an error is about. `group` is empty for the core group."""

    group: str
    resource: str
    kind: str

    @property
    def qualified_resource(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def qualified_kind(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind

    def details(self, name: str, *, uid: str = "") -> Details:
        return Details(name=name, group=self.group, kind=self.resource, uid=uid)


def quoted(text: str) -> str:
    """`text` in double quotes, with the escapes of a JSON string, non-ASCII kept."""
    return json.dumps(text, ensure_ascii=False)


def not_found(subject: Subject, name: str, revision: Revision | None = None) -> NotFound:
    message = f"{subject.qualified_resource} {quoted(name)} not found"
    return NotFound(message, details=subject.details(name), revision=revision)


def already_exists(subject: Subject, name: str, revision: Revision | None = None) -> AlreadyExists:
    message = f"{subject.qualified_resource} {quoted(name)} already exists"
    return AlreadyExists(message, details=subject.details(name), revision=revision)


def conflict(subject: Subject, name: str, why: str, revision: Revision | None = None) -> Conflict:
    message = f"Operation cannot be fulfilled on {subject.qualified_resource} {quoted(name)}: {why}"
    return Conflict(message, details=subject.details(name), revision=revision)


def forbidden(subject: Subject, name: str, why: str) -> Forbidden:
    message = (
        f"{subject.qualified_resource} {quoted(name)} is forbidden: {why}"
        if name
        else f"{subject.qualified_resource} is forbidden: {why}"
    )
    return Forbidden(message, details=subject.details(name))


def invalid(subject: Subject, name: str, causes: Sequence[Cause]) -> Invalid:
    """Causes in field order, also those named several times. Of the lines that they make, each is written once.

    Kubernetes joins several lines with brackets and writes a single one bare.
    """
    said = (f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
    lines = list(dict.fromkeys(said))
    listing = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
    message = f"{subject.qualified_kind} {quoted(name)} is invalid: {listing}"
    details = Details(name=name, group=subject.group, kind=subject.kind, causes=tuple(causes))
    return Invalid(message, details=details)


def internal(why: str) -> Internal:
    return Internal(f"Internal error occurred: {why}", details=Details(causes=(Cause("", why),)))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
