"""Rules for what classes of volumes say to their drivers: the driver's name and free parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path

MAX_PARAMETERS: Final = 512
MAX_PARAMETERS_BYTES: Final = 256 * 1024


def validate_provisioner(name: str, path: Path) -> list[Cause]:
    """Capitals do not count."""
    return checks.required_name(name.lower(), path, names.qualified_name)


def validate_parameters(parameters: Mapping[str, str], path: Path) -> list[Cause]:
    if len(parameters) > MAX_PARAMETERS:
        return [fields.too_long(path, MAX_PARAMETERS)]
    causes = [fields.invalid(path, key, "field can not be empty.") for key in parameters if not key]
    if sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items()) > MAX_PARAMETERS_BYTES:
        causes.append(fields.too_long(path, MAX_PARAMETERS_BYTES))
    return causes
