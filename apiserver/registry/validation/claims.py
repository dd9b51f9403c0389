"""Rules for claims of storage: the spec of a PersistentVolumeClaim, alone or as a template inside a pod's volume."""

from __future__ import annotations

from apiserver.registry.validation import checks
from steersman.api import fields, names, quantity
from steersman.api.core import (
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimTemplate,
    TypedLocalObjectReference,
    TypedObjectReference,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import ObjectMeta

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
SINGLE_POD = "ReadWriteOncePod"

_NOT_FOR_TEMPLATES = (
    ("name", "name"),
    ("generate_name", "generateName"),
    ("namespace", "namespace"),
    ("self_link", "selfLink"),
    ("uid", "uID"),
    ("resource_version", "resourceVersion"),
    ("generation", "generation"),
    ("creation_timestamp", "creationTimestamp"),
    ("deletion_timestamp", "deletionTimestamp"),
    ("deletion_grace_period_seconds", "deletionGracePeriodSeconds"),
    ("owner_references", "ownerReferences"),
    ("finalizers", "finalizers"),
    ("managed_fields", "managedFields"),
)
"""Metadata that a template may not set, as named in the Struct and in complaints (`uID` is Kubernetes' spelling)."""


def validate_claim_template(template: PersistentVolumeClaimTemplate, path: Path) -> list[Cause]:
    causes = _validate_template_metadata(template.metadata, path.child("metadata"))
    return causes + validate_claim_spec(template.spec, path.child("spec"))


def validate_claim_spec(spec: PersistentVolumeClaimSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not spec.access_modes:
        causes.append(fields.required(path.child("accessModes"), "at least 1 access mode is required"))
    causes += checks.validate_label_selector(spec.selector, path.child("selector"))
    causes += validate_access_modes(spec.access_modes, path.child("accessModes"))
    causes += _validate_size(spec, path.child("resources").key("storage"))
    if spec.storage_class_name:
        causes += checks.name(spec.storage_class_name, path.child("storageClassName"), names.dns_subdomain)
    if spec.volume_mode is not None:
        causes += checks.choice(spec.volume_mode, path.child("volumeMode"), VOLUME_MODES)
    if spec.data_source is not None:
        causes += _validate_source(spec.data_source, path.child("dataSource"))
    if spec.data_source_ref is not None:
        causes += _validate_source(spec.data_source_ref, path.child("dataSourceRef"))
        if spec.data_source_ref.namespace:
            where = path.child("dataSourceRef").child("namespace")
            causes += checks.name(spec.data_source_ref.namespace, where, names.dns_label)
    causes += _validate_sources_agree(spec.data_source, spec.data_source_ref, path)
    if spec.volume_attributes_class_name:
        where = path.child("volumeAttributesClassName")
        causes += checks.name(spec.volume_attributes_class_name, where, names.dns_subdomain)
    return causes


def _validate_template_metadata(metadata: ObjectMeta, path: Path) -> list[Cause]:
    causes = checks.validate_annotations(metadata.annotations, path.child("annotations"))
    causes += checks.validate_labels(metadata.labels, path.child("labels"))
    for attribute, shown in _NOT_FOR_TEMPLATES:
        if getattr(metadata, attribute):
            causes.append(fields.forbidden(path.child(shown), "cannot be set"))
    return causes


def validate_access_modes(modes: tuple[str, ...], path: Path) -> list[Cause]:
    causes = [fields.not_supported(path, mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
    if SINGLE_POD in modes and any(mode in ACCESS_MODES and mode != SINGLE_POD for mode in modes):
        causes.append(fields.forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return causes


def _validate_size(spec: PersistentVolumeClaimSpec, path: Path) -> list[Cause]:
    size = spec.resources.requests.get("storage")
    if size is None:
        return [fields.required(path)]
    return [] if quantity.value(size) > 0 else [fields.invalid(path, size, "must be greater than zero")]


def _validate_source(source: TypedLocalObjectReference | TypedObjectReference, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not source.name:
        causes.append(fields.required(path.child("name")))
    if not source.kind:
        causes.append(fields.required(path.child("kind")))
    if source.api_group:
        causes += checks.name(source.api_group, path.child("apiGroup"), names.dns_subdomain)
    elif source.kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        causes.append(fields.invalid(path, source.kind, detail))
    return causes


def _validate_sources_agree(
    source: TypedLocalObjectReference | None, reference: TypedObjectReference | None, path: Path
) -> list[Cause]:
    if source is None or reference is None:
        return []
    # Kubernetes shows an empty object where the value would be.
    if reference.namespace:
        return [fields.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")]
    if (source.api_group, source.kind, source.name) != (reference.api_group, reference.kind, reference.name):
        return [fields.invalid(path, {}, "must match dataSourceRef")]
    return []
