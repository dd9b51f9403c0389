"""Rules for questions about rights, in Kubernetes' words. Pure."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.authorization import (
    FieldSelectorAttributes,
    LabelSelectorAttributes,
    LocalSubjectAccessReview,
    NonResourceAttributes,
    ResourceAttributes,
    SelfSubjectAccessReview,
    SelfSubjectAccessReviewSpec,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta

_SPEC: Final = Path("spec")
_METADATA: Final = Path("metadata")
_EMPTY: Final = ObjectMeta()


def validate_own_access(review: SelfSubjectAccessReview) -> list[Cause]:
    causes = _validate_target(review.spec) + _validate_attributes(review.spec.resource_attributes)
    return causes + _validate_metadata(review.metadata, review.metadata, "must be empty")


def validate_access(review: SubjectAccessReview) -> list[Cause]:
    return _validate_subject(review.spec) + _validate_metadata(review.metadata, review.metadata, "must be empty")


def validate_local_access(review: LocalSubjectAccessReview) -> list[Cause]:
    spec, meta = review.spec, review.metadata
    causes = _validate_subject(spec)
    causes += _validate_metadata(replace(meta, namespace=""), meta, "must be empty except for namespace")
    wanted = spec.resource_attributes
    if wanted is not None and wanted.namespace != meta.namespace:
        path = _SPEC.child("resourceAttributes", "namespace")
        causes.append(fields.invalid(path, wanted.namespace, "must match metadata.namespace"))
    if spec.non_resource_attributes is not None:
        path, shown = _SPEC.child("nonResourceAttributes"), _shown(spec.non_resource_attributes)
        causes.append(fields.invalid(path, shown, "disallowed on this kind of request"))
    return causes


def _validate_subject(spec: SubjectAccessReviewSpec) -> list[Cause]:
    causes = _validate_target(spec)
    if not spec.user and not spec.groups:
        detail = "at least one of user or group must be specified"
        causes.append(fields.invalid(_SPEC.child("user"), spec.user, detail))
    return causes + _validate_attributes(spec.resource_attributes)


def _validate_target(spec: SubjectAccessReviewSpec | SelfSubjectAccessReviewSpec) -> list[Cause]:
    if (spec.resource_attributes is None) is not (spec.non_resource_attributes is None):
        return []
    detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
    return [fields.invalid(_SPEC, _shown(spec.non_resource_attributes), detail)]


def _shown(attributes: NonResourceAttributes | None) -> dict[str, str] | None:
    """With the names that the fields have inside Kubernetes, which is how it shows them."""
    return None if attributes is None else {"Path": attributes.path, "Verb": attributes.verb}


def _validate_metadata(checked: ObjectMeta, shown: ObjectMeta, detail: str) -> list[Cause]:
    if replace(checked, managed_fields=()) == _EMPTY:
        return []
    return [fields.invalid(_METADATA, shown, detail)]


def _validate_attributes(attributes: ResourceAttributes | None) -> list[Cause]:
    if attributes is None:
        return []
    path, causes = _SPEC.child("resourceAttributes"), []
    if attributes.field_selector is not None:
        where = path.child("fieldSelector")
        causes += _validate_selector(attributes.field_selector, where)
        for index, wanted in enumerate(attributes.field_selector.requirements):
            causes += _validate_field(wanted, where.child("requirements").index(index))
    if attributes.label_selector is not None:
        where = path.child("labelSelector")
        causes += _validate_selector(attributes.label_selector, where)
        for index, required in enumerate(attributes.label_selector.requirements):
            causes += _validate_label(required, where.child("requirements").index(index))
    return causes


def _validate_selector(selector: FieldSelectorAttributes | LabelSelectorAttributes, path: Path) -> list[Cause]:
    if selector.raw_selector and selector.requirements:
        detail = "may not specified at the same time as requirements"
        return [fields.invalid(path.child("rawSelector"), selector.raw_selector, detail)]
    if not selector.raw_selector and not selector.requirements:
        detail = f"when {path} is specified, requirements or rawSelector is required"
        return [fields.required(path.child("requirements"), detail)]
    return []


def _validate_field(wanted: FieldSelectorRequirement, path: Path) -> list[Cause]:
    causes = [] if wanted.key else [fields.required(path.child("key"), "must be specified")]
    return causes + _validate_values(wanted.operator, wanted.values, path)


def _validate_label(wanted: LabelSelectorRequirement, path: Path) -> list[Cause]:
    causes = _validate_values(wanted.operator, wanted.values, path)
    causes += checks.name(wanted.key, path.child("key"), names.qualified_name)
    for index, value in enumerate(wanted.values):
        causes += checks.name(value, path.child("values").index(index), names.label_value)
    return causes


def _validate_values(operator: str, values: tuple[str, ...], path: Path) -> list[Cause]:
    """An operator that we do not know is let through: newer clients may ask newer questions."""
    if operator in ("In", "NotIn") and not values:
        return [fields.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")]
    if operator in ("Exists", "DoesNotExist") and values:
        detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [fields.forbidden(path.child("values"), detail)]
    return []
