"""Errors on the gRPC wire: from our family to a Status message and back. Both ends use this file, so they agree."""

from __future__ import annotations

from steersman.api.errors import BY_REASON, ApiError, Cause, Details, Internal
from steersman.api.names import Revision
from steersman.pb import objects_pb2 as pb

STATUS_KEY = "steersman-status-bin"
REASON_KEY = "steersman-reason"
MAX_METADATA_BYTES = 64 * 1024
"""Both ends allow headers of this size."""
MAX_STATUS_BYTES = 24 * 1024
MAX_MESSAGE_BYTES = 4 * 1024
"""gRPC sends the message with three characters for each byte that is not ASCII."""
MAX_NAME_BYTES = 1024


def to_message(error: ApiError) -> pb.Status:
    message = pb.Status(code=error.http_code, reason=error.reason, message=error.message, revision=error.revision or 0)
    details = error.details
    if details is not None:
        message.details.CopyFrom(
            pb.StatusDetails(
                name=details.name,
                group=details.group,
                kind=details.kind,
                uid=details.uid,
                causes=[
                    pb.StatusCause(reason=cause.reason, message=cause.message, field=cause.field)
                    for cause in details.causes
                ],
                retry_after_seconds=details.retry_after_seconds,
            )
        )
    return message


def from_message(message: pb.Status) -> ApiError:
    details = message.details
    known = BY_REASON.get(message.reason, Internal)
    return known(
        message.message,
        details=Details(
            name=details.name,
            group=details.group,
            kind=details.kind,
            uid=details.uid,
            causes=tuple(Cause(cause.reason, cause.message, cause.field) for cause in details.causes),
            retry_after_seconds=details.retry_after_seconds,
        )
        if message.HasField("details")
        else None,
        revision=Revision(message.revision) if message.revision else None,
    )


def trailing_metadata(error: ApiError) -> tuple[tuple[str, str | bytes], ...]:
    """What a failed call carries beside its code and message; cut down where it would not fit into a header."""
    message = to_message(error)
    message.message = shortened(message.message)
    if message.HasField("details"):
        message.details.name = shortened(message.details.name, MAX_NAME_BYTES)
        while message.ByteSize() > MAX_STATUS_BYTES and message.details.causes:
            del message.details.causes[len(message.details.causes) // 2 :]
    return ((REASON_KEY, error.reason), (STATUS_KEY, message.SerializeToString()))


def shortened(text: str, most_bytes: int = MAX_MESSAGE_BYTES) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most_bytes else encoded[:most_bytes].decode(errors="ignore") + "…"
