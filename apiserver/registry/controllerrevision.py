"""ControllerRevisions: a remembered state that is an object, has a number, and never changes."""

from __future__ import annotations

import msgspec

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import members
from steersman.api import fields
from steersman.api.apps import ControllerRevision
from steersman.api.errors import Cause
from steersman.api.fields import Path

_DATA = Path("data")


def validate(new: ControllerRevision) -> list[Cause]:
    return members.not_negative(new, Path(), "revision")


def validate_create(new: ControllerRevision) -> list[Cause]:
    state = bytes(new.data).strip()
    if state in (b"", b"null"):
        return [fields.required(_DATA, "data is mandatory")]
    if not state.startswith(b"{"):
        return [fields.required(_DATA, "data must be a valid JSON object")]
    return []


def validate_update(new: ControllerRevision, old: ControllerRevision) -> list[Cause]:
    if _same(new.data, old.data):
        return []
    return [fields.invalid(_DATA, new.data or None, members.IMMUTABLE)]


def _same(new: msgspec.Raw, old: msgspec.Raw) -> bool:
    """Whether both say the same, however it is laid out: clients decode and encode what they send back."""
    return bytes(new) == bytes(old) or msgspec.json.decode(new or b"null") == msgspec.json.decode(old or b"null")


CONTROLLERREVISION = Strategy(validate=validate, validate_create=validate_create, validate_update=validate_update)
