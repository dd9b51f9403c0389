"""How a kind is seen through the group-version that was asked for, whatever the form that is stored.

Everything behind these functions (strategies, generation, the store) deals in the stored form; everything before them
(bodies, patches, answers, events) in the asked one. For a kind that is stored as it is asked for they do nothing.
"""

from __future__ import annotations

from typing import Any

from steersman.api import codec, conversion
from steersman.api.kinds import Kind


def to_stored(kind: Kind, asked: Any) -> Any:
    return conversion.CONVERSIONS[kind.struct].to_stored(asked) if kind.stored_as else asked


def to_asked(kind: Kind, stored: Any) -> Any:
    return conversion.CONVERSIONS[kind.struct].to_asked(stored) if kind.stored_as else stored


def shown(kind: Kind, json: bytes) -> bytes:
    """The bytes of a stored object (with its resourceVersion) as the asked version has them."""
    return codec.encode(to_asked(kind, codec.load(kind.storage.struct, json))) if kind.stored_as else json
