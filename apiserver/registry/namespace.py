"""Namespaces: a label that repeats the name, and a finalizer that holds the namespace until it is empty.

`spec.finalizers` is given at creation and changes through the `finalize` subresource alone.
"""

from __future__ import annotations

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from steersman.api import fields, names
from steersman.api.core import Namespace, NamespaceSpec, NamespaceStatus
from steersman.api.errors import Cause
from steersman.api.fields import Path

NAME_LABEL = "kubernetes.io/metadata.name"
FINALIZER = "kubernetes"
ACTIVE = "Active"
TERMINATING = "Terminating"

_UNQUALIFIED_FINALIZERS = frozenset({FINALIZER, "orphan", "foregroundDeletion"})
_FINALIZERS = Path("spec").child("finalizers")
_PHASE = Path("status").child("Phase")


def default(new: Namespace) -> Namespace:
    """The label on every write; phase and finalizer on a newborn, which is known by having no phase yet."""
    metadata = new.metadata
    if metadata.name and metadata.labels.get(NAME_LABEL) != metadata.name:
        new = replace(new, metadata=replace(metadata, labels={**metadata.labels, NAME_LABEL: metadata.name}))
    if new.status.phase:
        return new
    finalizers = new.spec.finalizers if FINALIZER in new.spec.finalizers else (*new.spec.finalizers, FINALIZER)
    return replace(new, spec=NamespaceSpec(finalizers=finalizers), status=NamespaceStatus(phase=ACTIVE))


def validate(new: Namespace) -> list[Cause]:
    return [cause for finalizer in new.spec.finalizers for cause in _complain_of_finalizer(finalizer, _FINALIZERS)]


def validate_finalize(new: Namespace, _old: Namespace) -> list[Cause]:
    """Rules of the `finalize` subresource, the only verb that changes `spec.finalizers`."""
    return [
        cause
        for index, finalizer in enumerate(new.spec.finalizers)
        for cause in _complain_of_finalizer(finalizer, _FINALIZERS.index(index))
    ]


def validate_status_update(new: Namespace, _old: Namespace) -> list[Cause]:
    """Rules of the `status` subresource: the phase tells whether the namespace is being deleted, and nothing else."""
    phase = new.status.phase
    if new.metadata.deletion_timestamp is None:
        if phase != ACTIVE:
            return [fields.invalid(_PHASE, phase, "may only be 'Active' if `deletionTimestamp` is empty")]
    elif phase != TERMINATING:
        return [fields.invalid(_PHASE, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")]
    return []


def prepare_update(new: Namespace, old: Namespace) -> Namespace:
    return new if new.spec == old.spec else replace(new, spec=old.spec)


def _complain_of_finalizer(finalizer: str, path: Path) -> list[Cause]:
    causes = [fields.invalid(path, finalizer, complaint) for complaint in names.qualified_name(finalizer)]
    if "/" not in finalizer and finalizer not in _UNQUALIFIED_FINALIZERS:
        complaint = "name is neither a standard finalizer name nor is it fully qualified"
        causes.append(fields.invalid(path, finalizer, complaint))
    return causes


NAMESPACE = Strategy(
    default=default,
    validate=validate,
    prepare_update=prepare_update,
    validate_status_update=validate_status_update,
    name_rule=names.dns_label,
)
