"""Continue tokens: where a paged list goes on, and at which revision. Opaque to clients, checked on return."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import msgspec

from steersman.api.errors import BadRequest, Expired
from steersman.api.names import Revision


@dataclass(frozen=True, slots=True)
class Continuation:
    """Go on after `after` (a key relative to the collection), in the state at `revision` (0: whatever is newest)."""

    revision: Revision
    after: str


class _Token(msgspec.Struct, forbid_unknown_fields=True):
    v: str
    rv: int
    start: str


_VERSION = "meta.k8s.io/v1"
_decoder = msgspec.json.Decoder(_Token)


def encode(continuation: Continuation) -> str:
    token = _Token(_VERSION, continuation.revision, continuation.after)
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).rstrip(b"=").decode()


def decode(text: str) -> Continuation:
    try:
        padded = text + "=" * (-len(text) % 4)
        token = _decoder.decode(base64.b64decode(padded.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise BadRequest("continue key is not valid: it was not made by this server") from error
    if token.v != _VERSION or token.rv < 0 or not token.start or token.start.startswith("/") or ".." in token.start:
        raise BadRequest("continue key is not valid: it was not made by this server")
    return Continuation(Revision(token.rv), token.start)


def expired(continuation: Continuation) -> Expired:
    """The revision of a paged list is no longer kept. The error's token goes on with the newest state."""
    fresh = encode(Continuation(Revision(0), continuation.after))
    error = Expired(
        "The provided continue parameter is too old to display a consistent list result. Start a new list without it, "
        "or go on with the token in this response and accept that the rest is from a newer state."
    )
    error.continue_token = fresh
    return error
