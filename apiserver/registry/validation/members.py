"""Rules for several fields of a struct at once: numbers that are not negative, fields that never change.

Callers name attributes; complaints name the fields as users know them.
"""

from __future__ import annotations

from functools import cache

from apiserver.registry.validation import checks
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.part import Part

IMMUTABLE = "field is immutable"
NOT_DECREMENTED = "cannot be decremented"


def not_negative(part: Part, path: Path, *attributes: str) -> list[Cause]:
    """Every one of these numbers that is there and below zero."""
    causes: list[Cause] = []
    for attribute in attributes:
        number = getattr(part, attribute)
        if number is not None and number < 0:
            causes += checks.not_negative(number, path.child(field_name(type(part), attribute)))
    return causes


def not_above(part: Part, path: Path, attribute: str, *others: str, called: str) -> list[Cause]:
    """Every one of the `others` that exceeds the number which complaints call `called`."""
    most = getattr(part, attribute)
    return [
        fields.invalid(
            path.child(field_name(type(part), other)), getattr(part, other), f"cannot be greater than {called}"
        )
        for other in others
        if getattr(part, other) > most
    ]


def immutable(new: Part, old: Part, path: Path, *attributes: str) -> list[Cause]:
    """Every one of these fields that differs between old and new."""
    return [
        fields.invalid(path.child(field_name(type(new), attribute)), getattr(new, attribute), IMMUTABLE)
        for attribute in attributes
        if getattr(new, attribute) != getattr(old, attribute)
    ]


def not_decremented(new: int | None, old: int | None, path: Path) -> list[Cause]:
    """A counter that goes up or stays; leaving it out is going back to zero."""
    if old is None or (new is not None and new >= old):
        return []
    return [fields.invalid(path, new or 0, NOT_DECREMENTED)]


def field_name(struct: type[Part], attribute: str) -> str:
    return _names(struct)[attribute]


@cache
def _names(struct: type[Part]) -> dict[str, str]:
    return dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
