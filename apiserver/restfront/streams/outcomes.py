"""How a command ended, as clients are told: a `Status` (protocols from v4 on) or plain words (before). Pure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from apiserver.restfront import status
from steersman.api import errors
from steersman.api.errors import ApiError

NON_ZERO_EXIT_CODE = "NonZeroExitCode"

_SUCCESS = msgspec.json.encode({"metadata": {}, "status": "Success"})


@dataclass(frozen=True, slots=True)
class Exited:
    """None: it goes on without us, which is success too."""

    code: int | None


@dataclass(frozen=True, slots=True)
class Failed:
    """It could not be begun, or not be followed to its end."""

    error: ApiError


Outcome = Exited | Failed


def as_status(outcome: Outcome) -> bytes:
    match outcome:
        case Exited(None | 0):
            return _SUCCESS
        case Exited(code):
            return msgspec.json.encode(
                {
                    "metadata": {},
                    "status": "Failure",
                    "message": f"command terminated with non-zero exit code: exit status {code}",
                    "reason": NON_ZERO_EXIT_CODE,
                    "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
                }
            )
        case Failed(error):
            return status.of_error(error)


def as_text(outcome: Outcome) -> bytes:
    """Empty for success."""
    match outcome:
        case Exited(None | 0):
            return b""
        case Exited(code):
            return f"command terminated with non-zero exit code: exit status {code}".encode()
        case Failed(error):
            return error.message.encode()


def not_begun(error: ApiError) -> Failed:
    """What a client hears whose connection stands already when the agent refuses."""
    return Failed(errors.internal(f"unable to upgrade connection: {error.message}"))


def broken_off(error: ApiError) -> Failed:
    return Failed(errors.internal(f"error executing command in container: {error.message}"))
