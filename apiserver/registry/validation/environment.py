"""Rules for a container's environment: names that a shell can carry, and exactly one source for each value."""

from __future__ import annotations

from apiserver.registry.validation import checks, selectors
from steersman.api import fields, names
from steersman.api.core import EnvFromSource, EnvVar, EnvVarSource
from steersman.api.errors import Cause
from steersman.api.fields import Path

_NO_SOURCE = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_SEVERAL_SOURCES = "may not have more than one field specified at a time"
_reference_name = checks.prefixable(names.dns_subdomain)


def validate_environment(variables: tuple[EnvVar, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, variable in enumerate(variables):
        if not variable.name:
            causes.append(fields.required(path.index(index).child("name")))
        elif complaints := checks.complaints(names.env_var_name, variable.name):
            where = path.index(index).child("name")
            causes += [fields.invalid(where, variable.name, complaint) for complaint in complaints]
        if variable.value_from is not None:
            causes += _validate_source(variable.value_from, variable.value, path.index(index).child("valueFrom"))
    return causes


def _validate_source(source: EnvVarSource, value: str, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    count = 0
    if source.field_ref is not None:
        count += 1
        causes += selectors.validate_field_selector(
            source.field_ref, path.child("fieldRef"), selectors.ENVIRONMENT_FIELDS
        )
    if source.resource_field_ref is not None:
        count += 1
        causes += selectors.validate_resource_selector(
            source.resource_field_ref, path.child("resourceFieldRef"), names_container=False
        )
    if source.config_map_key_ref is not None:
        count += 1
        causes += selectors.validate_key_selector(source.config_map_key_ref, path.child("configMapKeyRef"))
    if source.secret_key_ref is not None:
        count += 1
        causes += selectors.validate_key_selector(source.secret_key_ref, path.child("secretKeyRef"))
    if source.file_key_ref is not None:
        count += 1
        causes += selectors.validate_file_key_selector(source.file_key_ref, path.child("fileKeyRef"))
    if count == 0:
        causes.append(fields.invalid(path, "", _NO_SOURCE))
    elif value:
        causes.append(fields.invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        causes.append(fields.invalid(path, "", _SEVERAL_SOURCES))
    return causes


def validate_environment_sources(sources: tuple[EnvFromSource, ...], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, source in enumerate(sources):
        where = path.index(index)
        if source.prefix:
            causes += checks.name(source.prefix, where.child("prefix"), names.env_var_name)
        if source.config_map_ref is not None:
            reference = where.child("configMapRef").child("name")
            causes += checks.required_name(source.config_map_ref.name, reference, _reference_name)
        if source.secret_ref is not None:
            reference = where.child("secretRef").child("name")
            causes += checks.required_name(source.secret_ref.name, reference, _reference_name)
        if source.config_map_ref is None and source.secret_ref is None:
            causes.append(fields.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif source.config_map_ref is not None and source.secret_ref is not None:
            causes.append(fields.invalid(path, "", _SEVERAL_SOURCES))
    return causes
