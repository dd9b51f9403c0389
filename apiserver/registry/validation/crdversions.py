"""Rules for the versions of a custom kind: schema, subresources, printer columns, selectable fields.

What all versions have in common is looked at once and complained of at the top (`spec.validation`, …), where older
versions of the API had it: that is how users know these complaints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from apiserver.registry.validation import celrules, fieldpaths, openapischema, schemadefaults, structural
from steersman.api import fields, names
from steersman.api.apiextensions import (
    CustomResourceColumnDefinition,
    CustomResourceDefinitionVersion,
    CustomResourceSubresources,
    CustomResourceValidation,
    JSONSchemaProps,
    SelectableField,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
SELECTABLE_TYPES: Final = ("string", "boolean", "integer")
MAX_SELECTABLE_FIELDS: Final = 8
MAX_WARNING_BYTES: Final = 256

_AT_THE_ROOT: Final = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations"
)
_ROOT_ATTRIBUTES: Final = frozenset(
    """description type format title maximum exclusive_maximum minimum exclusive_minimum max_length min_length pattern
    max_items min_items unique_items multiple_of required items properties external_docs example
    x_kubernetes_preserve_unknown_fields x_kubernetes_validations""".split()  # noqa: SIM905  # a table reads better
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The versions without what they have in common, and that."""

    versions: tuple[CustomResourceDefinitionVersion, ...]
    validation: CustomResourceValidation | None = None
    subresources: CustomResourceSubresources | None = None
    columns: tuple[CustomResourceColumnDefinition, ...] = ()
    selectable: tuple[SelectableField, ...] = ()


def fold(versions: tuple[CustomResourceDefinitionVersion, ...]) -> Folded:
    if not versions:
        return Folded(versions)
    first = versions[0]
    schemas_agree = all(version.schema == first.schema for version in versions)
    subresources_agree = all(version.subresources == first.subresources for version in versions)
    columns_agree = all(version.additional_printer_columns == first.additional_printer_columns for version in versions)
    selectable_agree = all(version.selectable_fields == first.selectable_fields for version in versions)
    left = tuple(
        replace(
            version,
            schema=None if schemas_agree else version.schema,
            subresources=None if subresources_agree else version.subresources,
            additional_printer_columns=() if columns_agree else version.additional_printer_columns,
            selectable_fields=() if selectable_agree else version.selectable_fields,
        )
        for version in versions
    )
    return Folded(
        left,
        first.schema if schemas_agree else None,
        first.subresources if subresources_agree else None,
        first.additional_printer_columns if columns_agree else (),
        first.selectable_fields if selectable_agree else (),
    )


def validate_versions(folded: Folded, path: Path) -> list[Cause]:
    """What the versions have for themselves."""
    causes: list[Cause] = []
    for index, version in enumerate(folded.versions):
        where = path.child("versions").index(index)
        if complaints := names.dns_1035_label(version.name):
            causes.append(fields.invalid(where.child("name"), version.name, ",".join(complaints)))
        causes += _validate_warning(version, where.child("deprecationWarning"))
        subresources = version.subresources or folded.subresources
        causes += _validate_schema(version.schema, where.child("schema"), has_status=_has_status(subresources))
        causes += _validate_subresources(version.subresources, where.child("subresources"))
        causes += _validate_columns(version.additional_printer_columns, where.child("additionalPrinterColumns"))
        if version.selectable_fields:
            why = "may only be set when `version.schema.openAPIV3Schema` is not included"
            causes += _validate_selectable(version.selectable_fields, version.schema, where, why)
    return causes


def validate_common(folded: Folded, path: Path) -> list[Cause]:
    """What the versions have in common."""
    has_status = _has_status(folded.subresources) or any(_has_status(one.subresources) for one in folded.versions)
    causes = [
        *_validate_schema(folded.validation, path.child("validation"), has_status=has_status),
        *_validate_subresources(folded.subresources, path.child("subresources")),
        *_validate_columns(folded.columns, path.child("additionalPrinterColumns")),
    ]
    if folded.selectable:
        why = "may only be set when validations.schema is included"
        causes += _validate_selectable(folded.selectable, folded.validation, path, why)
    return causes


def _has_status(subresources: CustomResourceSubresources | None) -> bool:
    return subresources is not None and subresources.status is not None


def _validate_warning(version: CustomResourceDefinitionVersion, path: Path) -> list[Cause]:
    warning = version.deprecation_warning
    if warning is None:
        return []
    if not version.deprecated:
        return [fields.invalid(path, warning, "can only be set for deprecated versions")]
    complaints: list[str] = []
    if len(warning.encode()) > MAX_WARNING_BYTES:
        complaints.append(f"must be <= {MAX_WARNING_BYTES} characters long")
    if not warning:
        complaints.append("must not be an empty string")
    for position, character in enumerate(warning):
        if not character.isprintable():
            offset = len(warning[:position].encode())
            rule = "must only contain printable UTF-8 characters"
            complaints.append(f"{rule}; non-printable character found at index {offset}")
            break
    return [fields.invalid(path, warning, complaint) for complaint in complaints]


def _validate_schema(validation: CustomResourceValidation | None, path: Path, *, has_status: bool) -> list[Cause]:
    schema = None if validation is None else validation.open_api_v3_schema
    if schema is None:
        return []
    where = path.child("openAPIV3Schema")
    causes = _validate_root(schema, where) if has_status else []
    if schema.nullable:
        causes.append(fields.forbidden(where.child("nullable"), "nullable cannot be true at the root"))
    unsupported = structural.unsupported(schema)
    if not unsupported:
        causes += structural.validate_structure(schema, where) or schemadefaults.validate_defaults(schema, where)
    causes += openapischema.validate_schema(schema, where)
    if not unsupported:
        causes += celrules.validate_rules(schema, where, causes)
    # What cannot be looked at as a structure is mostly complained of by the rules just asked.
    return causes or ([fields.invalid(where, "", unsupported)] if unsupported else [])


def _validate_root(schema: JSONSchemaProps, path: Path) -> list[Cause]:
    """With a status of its own, only rules that survive cutting `properties.status` out may stand at the root."""
    nothing = JSONSchemaProps()
    for attribute in schema.__struct_fields__:
        if getattr(schema, attribute) == getattr(nothing, attribute):
            continue
        if attribute == "type" and schema.type != "object":
            detail = (
                'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            )
            return [fields.invalid(path.child("type"), schema.type, detail)]
        if attribute not in _ROOT_ATTRIBUTES:
            allowed = f"only [{_AT_THE_ROOT}] fields are allowed at the root of the schema"
            return [fields.invalid(path, schema, f"{allowed} if the status subresource is enabled")]
    return []


def _validate_subresources(subresources: CustomResourceSubresources | None, path: Path) -> list[Cause]:
    scale = None if subresources is None else subresources.scale
    if scale is None:
        return []
    causes: list[Cause] = []
    for field, text, parent in (
        ("specReplicasPath", scale.spec_replicas_path, ".spec"),
        ("statusReplicasPath", scale.status_replicas_path, ".status"),
    ):
        where = path.child("scale").child(field)
        if not text:
            causes.append(fields.required(where))
        elif complaint := _simple_path(text):
            causes.append(fields.invalid(where, text, complaint))
        elif not text.startswith(f"{parent}."):
            causes.append(fields.invalid(where, text, f"should be a json path under {parent}"))
    if text := scale.label_selector_path or "":
        where = path.child("scale").child("labelSelectorPath")
        if complaint := _simple_path(text):
            causes.append(fields.invalid(where, text, complaint))
        elif not text.startswith((".spec.", ".status.")):
            causes.append(fields.invalid(where, text, "should be a json path under either .spec or .status"))
    return causes


def _validate_columns(columns: Sequence[CustomResourceColumnDefinition], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, column in enumerate(columns):
        where = path.index(index)
        if not column.name:
            causes.append(fields.required(where.child("name")))
        known = f"must be one of {','.join(COLUMN_TYPES)}"
        if not column.type:
            causes.append(fields.required(where.child("type"), known))
        elif column.type not in COLUMN_TYPES:
            causes.append(fields.invalid(where.child("type"), column.type, known))
        if column.format and column.format not in COLUMN_FORMATS:
            detail = f"must be one of {','.join(COLUMN_FORMATS)}"
            causes.append(fields.invalid(where.child("format"), column.format, detail))
        if not column.json_path:
            causes.append(fields.required(where.child("JSONPath")))
        elif complaint := _simple_path(column.json_path):
            causes.append(fields.invalid(where.child("JSONPath"), column.json_path, complaint))
    return causes


def _simple_path(text: str) -> str:
    return "" if text.startswith(".") else "must be a simple json path starting with ."


def _validate_selectable(
    selectable: Sequence[SelectableField], validation: CustomResourceValidation | None, path: Path, why: str
) -> list[Cause]:
    """`why`: the complaint where there is no schema to find the fields in."""
    where = path.child("selectableFields")
    schema = None if validation is None else validation.open_api_v3_schema
    if schema is None:
        return [fields.invalid(where, "", why)]
    causes: list[Cause] = []
    seen: set[tuple[str, ...]] = set()
    for index, field in enumerate(selectable):
        here, text = where.index(index).child("jsonPath"), field.json_path
        if not text:
            causes.append(fields.required(here))
            continue
        try:
            found = fieldpaths.follow(text, schema, brackets=False)
        except fieldpaths.PathError as error:
            causes.append(fields.invalid(here, text, f"is an invalid path: {error}"))
            continue
        if found.names[:1] == ("metadata",):
            causes.append(fields.invalid(here, text, "must not point to fields in metadata"))
        if found.schema.type not in SELECTABLE_TYPES:
            detail = (
                "must point to a field of type string, boolean or integer. "
                "Enum string fields and strings with formats are allowed."
            )
            causes.append(fields.invalid(here, text, detail))
        if found.names in seen:
            causes.append(fields.duplicate(here, text))
        seen.add(found.names)
    if len(seen) > MAX_SELECTABLE_FIELDS:
        causes.append(fields.too_many(where, len(seen), MAX_SELECTABLE_FIELDS))
    return causes
