"""Structs to JSON bytes and back: the only door between them.

Reading is a plain decode in C as long as the input is clean; `diagnosis` takes over when it is not. Scalars leave here
in canonical form whatever form they came in: times in UTC, quantities as Kubernetes writes them.

The stored form has `metadata` first and no resourceVersion. The revision is put in on the way out, by `with_revision`,
without looking at the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

import msgspec

from steersman.api import diagnosis, kinds, quantity, schema, times
from steersman.api.errors import BadRequest
from steersman.api.part import MicroTime, Part, Quantity, Time

T = TypeVar("T", bound=Part)


class FieldValidation(StrEnum):
    """What becomes of unknown and repeated fields: refused, dropped with a warning, dropped."""

    STRICT = "Strict"
    WARN = "Warn"
    IGNORE = "Ignore"


def decode(
    struct: type[T], data: bytes, *, validation: FieldValidation = FieldValidation.IGNORE
) -> tuple[T, list[str]]:
    """What a user sent, and the warnings to send back. BadRequest when it cannot be read as a `struct`."""
    try:
        decoded = _reader(struct).decode(_compact(data) if schema.holds_json(struct) else data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_slowly(struct, data, validation)
    if validation is not FieldValidation.IGNORE and _may_repeat(data):
        return _decode_slowly(struct, data, validation)
    return decoded, []


def _compact(data: bytes) -> bytes:
    """Without whitespace between tokens: what is kept as it was written must not keep the sender's layout."""
    return msgspec.json.format(data, indent=-1)


def type_of(data: bytes) -> tuple[str, str]:
    """The apiVersion and kind that a document claims, empty where it does not say. Never refuses: `decode` will."""
    try:
        claimed = _CLAIM.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "", ""
    return claimed.apiVersion or "", claimed.kind or ""


def load(struct: type[T], data: bytes) -> T:
    """What we ourselves (or a server) have written: canonical already. Fields of a newer version are dropped."""
    try:
        loaded: T = _loader(struct).decode(data)
    except msgspec.MsgspecError:
        return _decode_slowly(struct, data, FieldValidation.IGNORE)[0]
    return loaded


def encode(value: Part) -> bytes:
    return _ENCODER.encode(value)


def with_revision(stored: bytes, revision: int) -> bytes:
    """The stored bytes of an object with its resourceVersion spliced in."""
    comma = b"" if stored[13:14] == b"}" else b","
    head = b'{"metadata":{"resourceVersion":"%d"%b' % (revision, comma)
    return b"".join((head, memoryview(stored)[13:]))


def to_dict(value: Part) -> dict[str, Any]:
    """Plain dicts and lists with JSON names, for patching."""
    plain: dict[str, Any] = msgspec.json.decode(_ENCODER.encode(value))
    return plain


def from_dict(
    struct: type[T], plain: Mapping[str, Any], *, validation: FieldValidation = FieldValidation.IGNORE
) -> tuple[T, list[str]]:
    """The way back from `to_dict`, as strict as `decode`."""
    data = _ENCODER.encode(plain)
    try:
        return _reader(struct).decode(data), []
    except (msgspec.MsgspecError, RecursionError):
        return _decode_slowly(struct, data, validation)


def _decode_slowly(struct: type[T], data: bytes, validation: FieldValidation) -> tuple[T, list[str]]:
    try:
        finding = diagnosis.diagnose(struct, data)
        decoded = _reader(struct).decode(_ENCODER.encode(finding.clean))
    except diagnosis.Unreadable as err:
        raise BadRequest(unrecognized(struct, data, str(err))) from err
    except (diagnosis.Malformed, msgspec.MsgspecError) as err:
        raise BadRequest(cannot_be_handled(struct, str(err))) from err
    match validation:
        case FieldValidation.STRICT if finding.complaints:
            raise BadRequest(cannot_be_handled(struct, f"strict decoding error: {', '.join(finding.complaints)}"))
        case FieldValidation.WARN:
            return decoded, finding.complaints
    return decoded, []


def cannot_be_handled(struct: type[Part], why: str) -> str:
    name, version = kinds.name_and_version(struct)
    return f'{name} in version "{version}" cannot be handled as a {name}: {why}'


def unrecognized(struct: type[Part], data: bytes, why: str) -> str:
    name, _ = kinds.name_and_version(struct)
    start = data[:30].decode(errors="replace") if data.startswith(b"{") else data[:30].hex()
    summary = f"{start} ..." if len(data) > 30 else start or "<empty>"
    return f"the object provided is unrecognized (must be of type {name}): {why} ({summary})"


def _may_repeat(data: bytes) -> bool:
    """Whether an object in `data` may name a field twice. False is certain; True is worth a closer look.

    Every member of an object has one colon. Decoding into dicts and encoding again loses repeated members and their
    colons, and changes no other colon unless one was spelled as an escape.
    """
    if b"\\" in data and (b"\\u003a" in data or b"\\u003A" in data):
        return True
    return data.count(b":") != msgspec.json.encode(msgspec.json.decode(data)).count(b":")


def _normalised(kind: type, value: Any) -> Any:
    """msgspec's hook for the types that it does not know: our scalars."""
    if kind is Quantity:
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return quantity.canonical(value)
    elif isinstance(value, str):
        if kind is Time:
            return times.time(value)
        if kind is MicroTime:
            return times.micro_time(value)
    raise ValueError(f"not a {kind.__name__}")


class _Claim(msgspec.Struct):
    apiVersion: str | None = None
    kind: str | None = None


_CLAIM = msgspec.json.Decoder(_Claim)
_ENCODER = msgspec.json.Encoder(enc_hook=str.__str__)


@cache
def _reader(struct: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(struct, dec_hook=_normalised)


@cache
def _loader(struct: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(struct, dec_hook=type.__call__)
