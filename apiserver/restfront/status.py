"""Errors (and successes that have no object to show) as Kubernetes' `Status`. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from steersman.api.errors import ApiError, Details, Expired

_encode = msgspec.json.Encoder().encode


def of_error(error: ApiError) -> bytes:
    status: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": _metadata(error),
        "status": "Failure",
        "message": error.message,
        "reason": error.reason,
    }
    if error.details is not None:
        status["details"] = _details(error.details)
    status["code"] = error.http_code
    return _encode(status)


def of_success(code: int = 0, details: Details | None = None) -> bytes:
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    if details is not None:
        status["details"] = _details(details)
    if code:
        status["code"] = code
    return _encode(status)


def _metadata(error: ApiError) -> dict[str, str]:
    """A paged list that cannot be continued says how to go on with the newest state."""
    token = error.continue_token if isinstance(error, Expired) else ""
    return {"continue": token} if token else {}


def _details(details: Details) -> dict[str, Any]:
    causes = [_present(reason=each.reason, message=each.message, field=each.field) for each in details.causes]
    return _present(
        name=details.name,
        group=details.group,
        kind=details.kind,
        uid=details.uid,
        causes=causes,
        retryAfterSeconds=details.retry_after_seconds,
    )


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}
