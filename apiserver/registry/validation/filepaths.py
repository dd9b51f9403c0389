"""Rules for paths inside volumes and on nodes: no way out, and no names that the node keeps for itself."""

from __future__ import annotations

from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path

LARGEST_MODE = 0o777


def has_backsteps(text: str) -> bool:
    return ".." in text and ".." in text.split("/")


def no_backsteps(text: str, path: Path) -> list[Cause]:
    return [fields.invalid(path, text, "must not contain '..'")] if has_backsteps(text) else []


def descending(text: str, path: Path) -> list[Cause]:
    """Relative, and never upwards."""
    causes = [fields.invalid(path, text, "must be a relative path")] if text.startswith("/") else []
    return causes + no_backsteps(text, path)


def in_volume(text: str, path: Path) -> list[Cause]:
    """Descending, and not beginning with two dots: volumes are swapped atomically through such names."""
    causes = descending(text, path)
    if text.startswith("..") and not text.startswith("../"):
        causes.append(fields.invalid(path, text, "must not start with '..'"))
    return causes


def file_mode(mode: int | None, path: Path) -> list[Cause]:
    if mode is None or 0 <= mode <= LARGEST_MODE:
        return []
    return [fields.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
