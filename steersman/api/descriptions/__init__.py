"""What the fields of the API mean, a line for each, in our own words: what `kubectl explain` shows.

A Struct's own meaning is its docstring. The tables are split as the kinds are; each maps Structs to their fields by
JSON name.
"""

from __future__ import annotations

from steersman.api.descriptions.catalog import BY_STRUCT, COMMON
from steersman.api.meta import Object
from steersman.api.part import Part


def of_struct(struct: type[Part]) -> str:
    """Empty when nobody has said anything about it."""
    own = struct.__dict__.get("__doc__") or ""
    return " ".join(own.split())


def of_field(struct: type[Part], name: str) -> str:
    """By JSON name; empty when nobody has said anything about it."""
    own = BY_STRUCT.get(struct, {}).get(name)
    if own is not None:
        return own
    return COMMON.get(name, "") if issubclass(struct, Object) else ""
