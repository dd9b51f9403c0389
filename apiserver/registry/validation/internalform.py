"""Values of structured fields as Kubernetes shows them in complaints.

Its rules see internal types, which have Go's field names and leave nothing out; users know those texts, so ours are the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from steersman.api.part import Part

_ENCODER: Final = msgspec.json.Encoder(enc_hook=str.__str__)
_INITIALISMS: Final = {"apiGroup": "APIGroup", "apiGroups": "APIGroups", "cidrs": "CIDRs"}


def shown(part: Part) -> msgspec.Raw:
    """The JSON of a Struct with Go's names: nothing omitted, what is empty as `null`."""
    return msgspec.Raw(_ENCODER.encode(_internal(part)))


def _internal(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        encoded = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        return {_go_name(name): _internal(getattr(value, attribute)) for name, attribute in encoded}
    if isinstance(value, Mapping):
        return {key: _internal(value[key]) for key in sorted(value)} or None
    if isinstance(value, tuple):
        return [_internal(item) for item in value] or None
    if isinstance(value, msgspec.Raw):
        return value if bytes(value) else None
    return value


def _go_name(name: str) -> str:
    return _INITIALISMS.get(name) or f"{name[0].upper()}{name[1:]}"
