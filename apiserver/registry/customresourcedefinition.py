"""CustomResourceDefinitions: names and versions of a kind that users bring, each version with a structural schema.

The status remembers in which versions objects may be stored; none of those may leave the spec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, crdconversion, crdversions, internalform, structural
from steersman.api import fields, names
from steersman.api.apiextensions import (
    CustomResourceDefinition,
    CustomResourceDefinitionNames,
    CustomResourceDefinitionSpec,
    JSONSchemaProps,
)
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

SCOPES: Final = ("Cluster", "Namespaced")
APPROVAL_ANNOTATION: Final = "api-approved.kubernetes.io"

_SPEC: Final = Path("spec")
_STATUS: Final = Path("status")
_PROTECTED: Final = ("k8s.io", "kubernetes.io")
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"

Definition = CustomResourceDefinition


def default(new: Definition) -> Definition:
    spec = new.spec
    given = spec.names
    defaulted = replace(
        spec,
        names=replace(
            given,
            singular=given.singular or given.kind.lower(),
            list_kind=given.list_kind or (f"{given.kind}List" if given.kind else ""),
        ),
        conversion=crdconversion.default_conversion(spec.conversion),
    )
    new = replace(new, spec=defaulted)
    return new if new.status.stored_versions else _remembering_storage(new)


def prepare_update(new: Definition, _old: Definition) -> Definition:
    """Once objects may have been stored in a version, the status says so."""
    return _remembering_storage(new)


def validate(new: Definition) -> list[Cause]:
    spec, status = new.spec, new.status
    causes = _validate_spec(spec)
    causes += _validate_names(status.accepted_names, _STATUS.child("acceptedNames"))
    causes += _validate_stored_versions(status.stored_versions, spec, _STATUS.child("storedVersions"))
    causes += _validate_approval(spec.group, new.metadata.annotations.get(APPROVAL_ANNOTATION, ""))
    if spec.preserve_unknown_fields:
        advice = "set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        path = _SPEC.child("preserveUnknownFields")
        causes.append(fields.invalid(path, spec.preserve_unknown_fields, f"cannot set to true, {advice}"))
    return causes


def validate_create(new: Definition) -> list[Cause]:
    """The name follows from what never changes, so it needs looking at once."""
    name, spec = new.metadata.name, new.spec
    if not name or name == f"{spec.names.plural}.{spec.group}":
        return []
    return [fields.invalid(Path("metadata").child("name"), name, 'must be spec.names.plural+"."+spec.group')]


def validate_update(new: Definition, old: Definition) -> list[Cause]:
    """What never changes; and what does not once the kind is served."""
    now, before, named = new.spec, old.spec, _SPEC.child("names")
    established = any(one.type == "Established" and one.status == "True" for one in old.status.conditions or ())
    kept = [
        (_SPEC.child("group"), now.group, before.group),
        (named.child("plural"), now.names.plural, before.names.plural),
    ]
    causes: list[Cause] = []
    if established:
        kept[:0] = [
            (_SPEC.child("scope"), now.scope, before.scope),
            (named.child("kind"), now.names.kind, before.names.kind),
        ]
        causes += crdconversion.validate_bundle(now.conversion, before.conversion, _SPEC.child("conversion"))
    causes += [fields.invalid(path, value, IMMUTABLE) for path, value, earlier in kept if value != earlier]
    if new.status != old.status:
        causes += _validate_names(new.status.accepted_names, _STATUS.child("acceptedNames"))
    return causes


def _remembering_storage(new: Definition) -> Definition:
    stored = new.status.stored_versions or ()
    current = next((version.name for version in new.spec.versions if version.storage), None)
    if current is None or current in stored:
        return new
    return replace(new, status=replace(new.status, stored_versions=(*stored, current)))


def _validate_spec(spec: CustomResourceDefinitionSpec) -> list[Cause]:
    folded = crdversions.fold(spec.versions)
    causes = _validate_group(spec.group, _SPEC.child("group"))
    causes += checks.required_choice(spec.scope, _SPEC.child("scope"), SCOPES)
    for index, version in enumerate(spec.versions):
        if version.schema is None or version.schema.open_api_v3_schema is None:
            path = _SPEC.child("versions").index(index).child("schema").child("openAPIV3Schema")
            causes.append(fields.required(path))
    if spec.preserve_unknown_fields and _has_defaults(spec):
        detail = "must be false in order to use defaults in the schema"
        causes.append(fields.invalid(_SPEC.child("preserveUnknownFields"), spec.preserve_unknown_fields, detail))
    causes += crdversions.validate_versions(folded, _SPEC)
    causes += _validate_version_list(folded, _SPEC)
    for field, value in (
        ("plural", spec.names.plural),
        ("singular", spec.names.singular),
        ("kind", spec.names.kind),
        ("listKind", spec.names.list_kind),
    ):
        if not value:
            causes.append(fields.required(_SPEC.child("names").child(field)))
    causes += _validate_names(spec.names, _SPEC.child("names"))
    causes += crdversions.validate_common(folded, _SPEC)
    if spec.conversion is None:
        return causes
    if spec.conversion.strategy != "None" and spec.preserve_unknown_fields:
        path, detail = _SPEC.child("conversion").child("strategy"), "must be None if spec.preserveUnknownFields is true"
        causes.append(fields.invalid(path, spec.conversion.strategy, detail))
    return causes + crdconversion.validate_conversion(spec.conversion, _SPEC.child("conversion"))


def _validate_group(group: str, path: Path) -> list[Cause]:
    if not group:
        return [fields.required(path)]
    if complaints := names.dns_subdomain(group):
        return [fields.invalid(path, group, ",".join(complaints))]
    return [] if "." in group else [fields.invalid(path, group, "should be a domain with at least one dot")]


def _has_defaults(spec: CustomResourceDefinitionSpec) -> bool:
    def has_default(schema: JSONSchemaProps) -> bool:
        return structural.is_given(schema.default) or any(map(has_default, structural.children(schema)))

    schemas = [version.schema.open_api_v3_schema for version in spec.versions if version.schema is not None]
    return any(schema is not None and has_default(schema) for schema in schemas)


def _validate_version_list(folded: crdversions.Folded, path: Path) -> list[Cause]:
    versions, where = folded.versions, path.child("versions")
    shown = [internalform.shown(version) for version in versions] or None
    causes: list[Cause] = []
    if len({version.name for version in versions}) < len(versions):
        causes.append(fields.invalid(where, shown, "must contain unique version names"))
    if sum(version.storage for version in versions) != 1:
        causes.append(fields.invalid(where, shown, "must have exactly one version marked as storage version"))
    if versions and versions[0].name and (complaints := names.dns_1035_label(versions[0].name)):
        causes.append(fields.invalid(path.child("version"), versions[0].name, ",".join(complaints)))
    return causes


def _validate_names(given: CustomResourceDefinitionNames, path: Path) -> list[Cause]:
    """Whatever names are given must be good ones; which are needed is another matter."""
    causes: list[Cause] = []
    for field, name in (("plural", given.plural), ("singular", given.singular)):
        causes += _validate_label(name, path.child(field)) if name else []
    for field, name in (("kind", given.kind), ("listKind", given.list_kind)):
        if name and (complaints := names.dns_1035_label(name.lower())):
            detail = f"may have mixed case, but should otherwise match: {','.join(complaints)}"
            causes.append(fields.invalid(path.child(field), name, detail))
    for index, name in enumerate(given.short_names):
        causes += _validate_label(name, path.child("shortNames").index(index))
    if given.kind and given.kind == given.list_kind:
        detail = "kind and listKind may not be the same"
        causes.append(fields.invalid(path.child("listKind"), given.list_kind, detail))
    for index, name in enumerate(given.categories):
        causes += _validate_label(name, path.child("categories").index(index))
    return causes


def _validate_label(name: str, path: Path) -> list[Cause]:
    complaints = names.dns_1035_label(name)
    return [fields.invalid(path, name, ",".join(complaints))] if complaints else []


def _validate_stored_versions(
    stored: Sequence[str] | None, spec: CustomResourceDefinitionSpec, path: Path
) -> list[Cause]:
    if not stored:
        return [fields.invalid(path, stored, "must have at least one stored version")]
    causes: list[Cause] = []
    for version in spec.versions:
        if version.storage and version.name not in stored:
            causes.append(fields.invalid(path, stored, f"must have the storage version {version.name}"))
    served = {version.name for version in spec.versions}
    for index, name in enumerate(stored):
        if name not in served:
            detail = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} "
                f"and removes {name} from status.storedVersions"
            )
            causes.append(fields.invalid(path.index(index), name, detail))
    return causes


def _validate_approval(group: str, annotation: str) -> list[Cause]:
    """Kubernetes' own groups are not for everybody."""
    if not any(group == own or group.endswith(f".{own}") for own in _PROTECTED):
        return []
    path = Path("metadata").child("annotations").key(APPROVAL_ANNOTATION)
    rule = f"protected groups must have approval annotation {quoted(APPROVAL_ANNOTATION)}"
    if not annotation:
        return [fields.required(path, f"{rule}, {_SEE}")]
    if annotation.startswith("unapproved") or _is_url(annotation):
        return []
    detail = f'{rule} with either a URL or a reason starting with "unapproved", {_SEE}'
    return [fields.invalid(path, annotation, detail)]


def _is_url(text: str) -> bool:
    try:
        url = urlsplit(text)
    except ValueError:
        return False
    return bool(url.scheme and url.netloc)


CUSTOM_RESOURCE_DEFINITION = Strategy(
    default=default,
    validate=validate,
    validate_create=validate_create,
    validate_update=validate_update,
    prepare_update=prepare_update,
)
