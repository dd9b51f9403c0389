"""What is wrong with an object's metadata, in Kubernetes' words. Pure; the same for every built-in kind.

Called when names have been generated, namespaces filled in and the fields that belong to the server carried over, so a
complaint about one of those means that the user asked for something else than the object is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path
from steersman.api.meta import ManagedFieldsEntry, ObjectMeta, OwnerReference

IMMUTABLE: Final = "field is immutable"

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"
STANDARD_FINALIZERS: Final = frozenset({"kubernetes", ORPHAN, FOREGROUND})

MAX_ANNOTATIONS_BYTES = 256 * 1024
MAX_MANAGER_BYTES = 128
MAX_SUBRESOURCE_BYTES = 256

_METADATA: Final = Path("metadata")
_ANNOTATIONS: Final = _METADATA.child("annotations")
_FINALIZERS: Final = _METADATA.child("finalizers")
_GENERATE_NAME: Final = _METADATA.child("generateName")
_GENERATION: Final = _METADATA.child("generation")
_LABELS: Final = _METADATA.child("labels")
_MANAGED_FIELDS: Final = _METADATA.child("managedFields")
_NAME: Final = _METADATA.child("name")
_NAMESPACE: Final = _METADATA.child("namespace")
_OWNER_REFERENCES: Final = _METADATA.child("ownerReferences")
_NEVER_CHANGE: Final = (
    ("name", "name"),
    ("namespace", "namespace"),
    ("uid", "uid"),
    ("creation_timestamp", "creationTimestamp"),
    ("deletion_timestamp", "deletionTimestamp"),
    ("deletion_grace_period_seconds", "deletionGracePeriodSeconds"),
)


def validate(meta: ObjectMeta, *, namespaced: bool, name_rule: Callable[[str], Collection[str]]) -> list[Cause]:
    """Complaints about the metadata of a new object. `name_rule` says what is wrong with a name of its kind."""
    causes: list[Cause] = []
    if meta.generate_name:
        causes += checks.name(meta.generate_name, _GENERATE_NAME, checks.prefixable(name_rule))
    if meta.name:
        causes += checks.name(meta.name, _NAME, name_rule)
    else:
        causes.append(fields.required(_NAME, "name or generateName is required"))
    causes += _namespace(meta.namespace, namespaced=namespaced)
    return causes + validate_whole(meta) + _unqualified(meta.finalizers, _FINALIZERS)


class Look(Enum):
    """How metadata is looked at in the course of an update."""

    WHOLE = "on its own"
    STEP = "by the side of what was there"


@dataclass(frozen=True, slots=True)
class Findings:
    """Complaints about the metadata of a changed object, by the look that finds them.

    On an update Kubernetes looks several times, and names a mistake as often as it finds it.
    """

    whole: tuple[Cause, ...]
    step: tuple[Cause, ...]
    finalizers: tuple[Cause, ...]
    """What only the kind's own looks find."""

    @classmethod
    def of(cls, new: ObjectMeta, old: ObjectMeta) -> Findings:
        whole = validate_whole(new)
        # What stands alone without a fault is not looked at twice: only the change itself can be wrong.
        step = validate_step(new, old) if whole else _change(new, old)
        return cls(tuple(whole), tuple(step), tuple(_unqualified(new.finalizers, _FINALIZERS)))

    def of_every_kind(self) -> list[Cause]:
        """What is found before the kind itself looks."""
        return [*self.whole, *self.step]

    def own(self, *looks: Look) -> list[Cause]:
        """What the kind itself finds, looking like this."""
        found = ((self.whole if look is Look.WHOLE else self.step, self.finalizers) for look in looks)
        return [cause for parts in found for part in parts for cause in part]


def validate_whole(meta: ObjectMeta) -> list[Cause]:
    """What must hold on every write, names aside."""
    return [
        *checks.not_negative(meta.generation, _GENERATION),
        *_described(meta),
        *_finalizers(meta.finalizers, _FINALIZERS),
        *_managed_fields(meta.managed_fields, _MANAGED_FIELDS),
    ]


def validate_step(new: ObjectMeta, old: ObjectMeta) -> list[Cause]:
    """Complaints about the step from `old` to `new`, among them most of what `new` has wrong on its own."""
    return [*_change(new, old), *_described(new), *_managed_fields(new.managed_fields, _MANAGED_FIELDS)]


def _described(meta: ObjectMeta) -> list[Cause]:
    return [
        *checks.validate_labels(meta.labels, _LABELS),
        *checks.validate_annotations(meta.annotations, _ANNOTATIONS),
        *_owners(meta.owner_references, _OWNER_REFERENCES),
    ]


def _change(new: ObjectMeta, old: ObjectMeta) -> list[Cause]:
    causes = [] if old.deletion_timestamp is None else _no_new_finalizers(new.finalizers, old.finalizers)
    causes += checks.not_negative(new.generation, _GENERATION)
    if new.generation < old.generation:
        causes.append(fields.invalid(_GENERATION, new.generation, "must not be decremented"))
    for attribute, field in _NEVER_CHANGE:
        value = getattr(new, attribute)
        if value != getattr(old, attribute):
            causes.append(fields.invalid(_METADATA.child(field), value, IMMUTABLE))
    return causes


def validate_conditional(meta: ObjectMeta) -> list[Cause]:
    """The complaint about an update that does not say what it was made from, for kinds that insist on it."""
    if meta.resource_version not in ("", "0"):
        return []
    # Kubernetes shows the absent revision as the unsigned zero that it holds.
    complaint = "Invalid value: 0x0: must be specified for an update"
    return [Cause("FieldValueInvalid", complaint, _METADATA.child("resourceVersion"))]


def _namespace(namespace: str, *, namespaced: bool) -> list[Cause]:
    path = _NAMESPACE
    if namespaced:
        return checks.required_name(namespace, path, names.dns_label)
    return [fields.forbidden(path, "not allowed on this type")] if namespace else []


def _owners(owners: Sequence[OwnerReference], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    controller = ""
    for index, owner in enumerate(owners):
        causes += _owner(owner, path.index(index))
        if not owner.controller:
            continue
        described = f"{owner.kind}/{owner.name}"
        if controller:
            rule = "Only one reference can have Controller set to true."
            found = f'Found "true" in references for {controller} and {described}'
            causes.append(fields.invalid(path, owners, f"{rule} {found}"))
        controller = controller or described
    return causes


def _owner(owner: OwnerReference, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    group, _, version = owner.api_version.rpartition("/")
    if owner.api_version and (not version or "/" in group):
        complaint = "must be <group>/<version> or <version>"
        causes.append(fields.invalid(path.child("apiVersion"), owner.api_version, complaint))
    given = (("apiVersion", owner.api_version), ("kind", owner.kind), ("name", owner.name), ("uid", owner.uid))
    causes += [fields.required(path.child(field), "must not be empty") for field, value in given if not value]
    if (owner.api_version, owner.kind) == ("v1", "Event"):
        causes.append(fields.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"))
    return causes


def _finalizers(finalizers: Sequence[str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for finalizer in finalizers:
        causes += checks.name(finalizer, path, names.qualified_name)
    if ORPHAN in finalizers and FOREGROUND in finalizers:
        causes.append(fields.invalid(path, finalizers, f"finalizer {ORPHAN} and {FOREGROUND} cannot be both set"))
    return causes


def _unqualified(finalizers: Sequence[str], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, finalizer in enumerate(finalizers):
        if "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            complaint = "name is neither a standard finalizer name nor is it fully qualified"
            causes.append(fields.invalid(path.index(index), finalizer, complaint))
    return causes


def _no_new_finalizers(new: Sequence[str], old: Sequence[str]) -> list[Cause]:
    added = sorted(set(new) - set(old))
    if not added:
        return []
    shown = ", ".join(map(quoted, added))
    rule = "no new finalizers can be added if the object is being deleted"
    complaint = f"{rule}, found new finalizers []string{{{shown}}}"
    return [fields.forbidden(_FINALIZERS, complaint)]


def _managed_fields(entries: Sequence[ManagedFieldsEntry], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, entry in enumerate(entries):
        here = path.index(index)
        if not entry.operation:
            causes.append(fields.required(here.child("operation"), "must not be empty"))
        else:
            causes += checks.choice(entry.operation, here.child("operation"), ("Apply", "Update"))
        if entry.fields_type not in ("", "FieldsV1"):
            causes.append(fields.invalid(here.child("fieldsType"), entry.fields_type, "must be `FieldsV1`"))
        causes += manager(entry.manager, here.child("manager"))
        if len(entry.subresource.encode()) > MAX_SUBRESOURCE_BYTES:
            causes.append(fields.too_long(here.child("subresource"), MAX_SUBRESOURCE_BYTES))
    return causes


def manager(name: str, path: Path) -> list[Cause]:
    """Complaints about a field manager's name: short, and nothing that would garble a terminal."""
    causes: list[Cause] = []
    if len(name.encode()) > MAX_MANAGER_BYTES:
        causes.append(fields.too_long(path, MAX_MANAGER_BYTES))
    for position, character in enumerate(name):
        if not character.isprintable():
            offset = len(name[:position].encode())
            complaint = f"invalid character U+{ord(character):04X} (at position {offset})"
            causes.append(fields.invalid(path, name, complaint))
    return causes
