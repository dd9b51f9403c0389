"""Rules for names that are free but for what a URL path cannot carry: roles, and references to kinds of any group."""

from __future__ import annotations

from apiserver.registry.validation import checks
from steersman.api.errors import Cause
from steersman.api.fields import Path

_NEVER = (".", "..")
_NOT_INSIDE = ("/", "%")


def path_segment(name: str) -> list[str]:
    """Complaints about a name. An empty one is no concern of this rule, nor is a long one."""
    if name in _NEVER:
        return [f"may not be '{name}'"]
    return [f"may not contain '{character}'" for character in _NOT_INSIDE if character in name]


def validate(name: str, path: Path) -> list[Cause]:
    return checks.name(name, path, path_segment)


def validate_required(name: str, path: Path) -> list[Cause]:
    return checks.required_name(name, path, path_segment)
