"""Rules for conditions in the form that the newer kinds share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import Condition

STATUSES: Final = ("False", "True", "Unknown")
MAX_REASON_BYTES: Final = 1024
MAX_MESSAGE_BYTES: Final = 32 * 1024

_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_NOT_A_REASON: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
    f"'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '{_REASON}')"
)


def validate_conditions(conditions: Sequence[Condition], path: Path) -> list[Cause]:
    """Each has a type of its own."""
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        where = path.index(index)
        if condition.type in seen:
            causes.append(fields.duplicate(where.child("type"), condition.type))
        seen.add(condition.type)
        causes += _validate_condition(condition, where)
    return causes


def _validate_condition(condition: Condition, path: Path) -> list[Cause]:
    causes = [
        *checks.name(condition.type, path.child("type"), names.qualified_name),
        *checks.choice(condition.status, path.child("status"), STATUSES),
    ]
    if condition.observed_generation < 0:
        where = path.child("observedGeneration")
        causes.append(fields.invalid(where, condition.observed_generation, "must be greater than or equal to zero"))
    if not condition.last_transition_time:
        causes.append(fields.required(path.child("lastTransitionTime")))
    causes += _validate_reason(condition.reason, path.child("reason"))
    if len(condition.message.encode()) > MAX_MESSAGE_BYTES:
        causes.append(fields.too_long(path.child("message"), MAX_MESSAGE_BYTES))
    return causes


def _validate_reason(reason: str, path: Path) -> list[Cause]:
    if not reason:
        return [fields.required(path)]
    causes = [] if re.fullmatch(_REASON, reason) else [fields.invalid(path, reason, _NOT_A_REASON)]
    if len(reason.encode()) > MAX_REASON_BYTES:
        causes.append(fields.too_long(path, MAX_REASON_BYTES))
    return causes
