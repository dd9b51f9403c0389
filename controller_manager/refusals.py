"""What a refused write means to a controller."""

from __future__ import annotations

from steersman.api.errors import ApiError

_NAMESPACE_TERMINATING = "NamespaceTerminating"


def is_of_ending_namespace(error: ApiError) -> bool:
    """Whether nothing can be created there any more: no reason to try again, or to tell anybody."""
    return error.details is not None and any(cause.reason == _NAMESPACE_TERMINATING for cause in error.details.causes)
