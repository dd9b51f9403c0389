"""From the bytes of a patch request to plain values, or to the complaint that Kubernetes would have."""

from __future__ import annotations

import json

import msgspec

from apiserver.registry.patching import refusals
from apiserver.registry.patching.document import Json
from apiserver.registry.requests import PatchType
from steersman.api.errors import BadRequest, quoted


def decode(patch_type: PatchType, body: bytes) -> Json:
    """BadRequest when `body` is no JSON. Whether it makes a patch of its type is for that type's `apply` to say."""
    try:
        decoded: Json = msgspec.json.decode(body)
    except RecursionError:
        raise refusals.too_deep() from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = _syntax_error(body)
        raise BadRequest(why if patch_type is PatchType.STRATEGIC else f"error decoding patch: {why}") from error
    return decoded


def _syntax_error(body: bytes) -> str:
    """Where reading stops making sense, in the words of Go's decoder."""
    text = body.decode(errors="replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos < len(text.rstrip()) and not error.msg.startswith("Unterminated string"):
            return f"invalid character '{quoted(text[error.pos])[1:-1]}' looking for beginning of value"
        return "unexpected end of JSON input"
    except RecursionError:
        return "exceeded max depth"
    return "invalid JSON"  # what Python's decoder lets pass, such as NaN or half of a UTF-16 pair
