"""VolumeAttributesClasses: what a driver may change on living volumes; the class itself never changes."""

from __future__ import annotations

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import parameters
from steersman.api import fields
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import VolumeAttributesClass


def validate(new: VolumeAttributesClass) -> list[Cause]:
    causes = [
        *parameters.validate_provisioner(new.driver_name, Path("driverName")),
        *parameters.validate_parameters(new.parameters, Path("parameters")),
    ]
    if not new.parameters:
        causes.append(fields.required(Path("parameters"), "must contain at least one key/value pair"))
    return causes


def validate_update(new: VolumeAttributesClass, old: VolumeAttributesClass) -> list[Cause]:
    causes: list[Cause] = []
    if new.driver_name != old.driver_name:
        causes.append(fields.forbidden(Path("driverName"), "updates to driverName are forbidden."))
    if new.parameters != old.parameters:
        causes.append(fields.forbidden(Path("parameters"), "updates to parameters are forbidden."))
    return causes


VOLUME_ATTRIBUTES_CLASS = Strategy(validate=validate, validate_update=validate_update)
