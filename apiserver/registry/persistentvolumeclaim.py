"""PersistentVolumeClaims: what is asked for stays as it was asked, but a bound claim may grow and change its class.

A source of data may be named in an older and a newer field; what is said in one is repeated in the other.
"""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.defaults import volume as defaults
from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, claims, podform, resources
from apiserver.registry.warnings import storage as warned
from steersman.api import fields, names, podresources, quantity
from steersman.api.core import (
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    TypedLocalObjectReference,
    TypedObjectReference,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

BOUND = "Bound"
STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
RESIZE_STATUSES = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)

_SPEC, _STATUS = Path("spec"), Path("status")
_STORAGE = _SPEC.child("resources", "requests", "storage")
_ATTRIBUTES = _SPEC.child("volumeAttributesClassName")
_SOURCES_OF_OLD = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))
"""(group, kind) of all that the older field has ever accepted."""


# --- Defaults


def default(new: PersistentVolumeClaim) -> PersistentVolumeClaim:
    """A newborn, which is known by having no phase yet, is pending, and loses what its source of data cannot be."""
    spec = defaults.default_claim_spec(new.spec)
    if new.status.phase:
        return new if spec is new.spec else replace(new, spec=spec)
    spec = _with_both_sources(_without_impossible_source(spec))
    return replace(new, spec=spec, status=replace(new.status, phase="Pending"))


def prepare_update(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> PersistentVolumeClaim:
    spec = new.spec
    if old.spec.data_source is None and old.spec.data_source_ref is None:
        spec = _without_impossible_source(spec)
    spec = _with_both_sources(spec)
    return new if spec is new.spec else replace(new, spec=spec)


def _without_impossible_source(spec: PersistentVolumeClaimSpec) -> PersistentVolumeClaimSpec:
    """Other namespaces, and in the older field other kinds, have always been ignored rather than refused."""
    if spec.data_source_ref is not None and spec.data_source_ref.namespace:
        spec = replace(spec, data_source_ref=None)
    source = spec.data_source
    if source is None or spec.data_source_ref is not None:
        return spec
    known = (source.api_group or "", source.kind) in _SOURCES_OF_OLD
    return spec if known else replace(spec, data_source=None)


def _with_both_sources(spec: PersistentVolumeClaimSpec) -> PersistentVolumeClaimSpec:
    source, reference = spec.data_source, spec.data_source_ref
    if source is not None and reference is None:
        same = TypedObjectReference(api_group=source.api_group, kind=source.kind, name=source.name)
        return replace(spec, data_source_ref=same)
    if source is None and reference is not None and not reference.namespace:
        known = TypedLocalObjectReference(api_group=reference.api_group, kind=reference.kind, name=reference.name)
        return replace(spec, data_source=known)
    return spec


# --- Rules


def validate(new: PersistentVolumeClaim) -> list[Cause]:
    return claims.validate_claim_spec(new.spec, _SPEC)


def validate_update(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[Cause]:
    """The rules of both endpoints: the main one leaves status alone, the status one spec, so each meets its own."""
    causes: list[Cause] = []
    if not _moves_class_to_field(new, old):
        annotation = new.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, "")
        if annotation != old.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, ""):
            path = Path("metadata").child("annotations", STORAGE_CLASS_ANNOTATION)
            causes.append(fields.invalid(path, annotation, IMMUTABLE))
    before, after = _comparable(new, old)
    if before != after:
        rule = (
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        )
        causes.append(fields.forbidden(_SPEC, f"{rule}\n{podform.difference(before, after)}"))
    causes += _validate_size(new, old)
    if new.spec.volume_mode != old.spec.volume_mode:
        causes.append(fields.invalid(Path("volumeMode"), new.spec.volume_mode, IMMUTABLE))
    causes += _validate_attributes(new, old)
    if new.status != old.status:
        causes += _validate_status(new.status)
    return causes


def _comparable(
    new: PersistentVolumeClaim, old: PersistentVolumeClaim
) -> tuple[PersistentVolumeClaimSpec, PersistentVolumeClaimSpec]:
    """Both specs without the differences that are allowed."""
    before, after = old.spec, new.spec
    if not before.volume_name:
        before = replace(before, volume_name=after.volume_name)
    if before.storage_class_name is None and _names_class_for_the_first_time(new, old):
        after = replace(after, storage_class_name=None)
    if new.status.phase == BOUND:
        requests = dict(after.resources.requests)
        if requests and "storage" in before.resources.requests:
            requests["storage"] = before.resources.requests["storage"]
        after = replace(
            after,
            resources=replace(after.resources, requests=requests),
            volume_attributes_class_name=before.volume_attributes_class_name,
        )
    return before, after


def _moves_class_to_field(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> bool:
    """From the annotation, where a claim's class once stood, to the field: the same class, named once or twice."""
    was = old.metadata.annotations.get(STORAGE_CLASS_ANNOTATION)
    if was is None or old.spec.storage_class_name is not None:
        return False
    return new.spec.storage_class_name == was == new.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, was)


def _names_class_for_the_first_time(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> bool:
    name = new.spec.storage_class_name
    return name is not None and old.metadata.annotations.get(STORAGE_CLASS_ANNOTATION, name) == name


def _validate_size(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[Cause]:
    """A claim whose growth has failed may ask for less again, but not for less than it has got."""
    wanted, before = (claim.spec.resources.requests.get("storage", "0") for claim in (new, old))
    if quantity.compare(wanted, before) >= 0:
        return []
    if quantity.compare(wanted, old.status.capacity.get("storage", "0")) > 0:
        return []
    return [fields.forbidden(_STORAGE, "field can not be less than status.capacity")]


def _validate_attributes(new: PersistentVolumeClaim, old: PersistentVolumeClaim) -> list[Cause]:
    """A class of attributes that has been applied can be replaced, not taken away."""
    name = new.spec.volume_attributes_class_name
    if name == old.spec.volume_attributes_class_name or old.status.current_volume_attributes_class_name is None or name:
        return []
    what = "nil" if name is None else "empty string"
    detail = f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [fields.forbidden(_ATTRIBUTES, detail)]


def _validate_status(status: PersistentVolumeClaimStatus) -> list[Cause]:
    causes: list[Cause] = []
    for name, amount in status.capacity.items():
        causes += _validate_amount(amount, _STATUS.child("capacity").key(name))
    path = _STATUS.child("allocatedResourceStatuses")
    for name, state in status.allocated_resource_statuses.items():
        causes += _validate_resource(name, path)
        if state not in RESIZE_STATUSES:
            causes.append(fields.not_supported(path, name, RESIZE_STATUSES))
    path = _STATUS.child("allocatedResources")
    for name, amount in status.allocated_resources.items():
        where = path.key(name)
        unknown = _validate_resource(name, path)
        causes += unknown or _validate_amount(amount, where) or resources.validate_amount("storage", amount, where)
    return causes


def _validate_amount(amount: str, path: Path) -> list[Cause]:
    whole = quantity.units(amount)
    return [] if whole >= 0 else [fields.invalid(path, whole, "must be a valid resource quantity")]


def _validate_resource(name: str, path: Path) -> list[Cause]:
    causes = checks.name(name, path, names.qualified_name)
    if causes or name == "storage" or not podresources.is_native(name):
        return causes
    return [fields.not_supported(path, name, ("storage",))]


PERSISTENT_VOLUME_CLAIM = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    prepare_update=prepare_update,
    warn=warned.of_claim,
)
