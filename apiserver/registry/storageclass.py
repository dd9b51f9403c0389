"""StorageClasses: a provisioner and its parameters, chosen once; where volumes may be, and when they are bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.metadata import IMMUTABLE
from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, parameters
from apiserver.registry.warnings import storage as warned
from steersman.api import fields, names
from steersman.api.core import TopologySelectorTerm
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.storage import StorageClass

RECLAIM_POLICIES: Final = ("Delete", "Retain")
BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")


def default(new: StorageClass) -> StorageClass:
    return replace(
        new,
        reclaim_policy="Delete" if new.reclaim_policy is None else new.reclaim_policy,
        volume_binding_mode="Immediate" if new.volume_binding_mode is None else new.volume_binding_mode,
    )


def validate(new: StorageClass) -> list[Cause]:
    causes = [
        *parameters.validate_provisioner(new.provisioner, Path("provisioner")),
        *parameters.validate_parameters(new.parameters, Path("parameters")),
    ]
    if new.reclaim_policy:
        causes += checks.choice(new.reclaim_policy, Path("reclaimPolicy"), RECLAIM_POLICIES)
    if new.volume_binding_mode is None:
        causes.append(fields.required(Path("volumeBindingMode")))
    else:
        causes += checks.choice(new.volume_binding_mode, Path("volumeBindingMode"), BINDING_MODES)
    return causes + _validate_topologies(new.allowed_topologies, Path("allowedTopologies"))


def validate_update(new: StorageClass, old: StorageClass) -> list[Cause]:
    kept = (
        ("parameters", new.parameters or None, old.parameters or None),
        ("provisioner", new.provisioner, old.provisioner),
        ("reclaimPolicy", new.reclaim_policy, old.reclaim_policy),
        ("volumeBindingMode", new.volume_binding_mode, old.volume_binding_mode),
    )
    return [fields.invalid(Path(name), now, IMMUTABLE) for name, now, before in kept if now != before]


def _validate_topologies(terms: Sequence[TopologySelectorTerm], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    # In Kubernetes a term without expressions repeats each of as many empty terms as there are terms.
    earlier: list[dict[str, set[str]]] = [{} for _ in terms]
    for index, term in enumerate(terms):
        where = path.index(index).child("matchLabelExpressions")
        causes += _validate_term(term, where)
        wanted = {expression.key: set(expression.values) for expression in term.match_label_expressions}
        causes += [fields.duplicate(where, "") for other in earlier if other == wanted]
        earlier.append(wanted)
    return causes


def _validate_term(term: TopologySelectorTerm, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    keys: set[str] = set()
    for index, expression in enumerate(term.match_label_expressions):
        where = path.index(index)
        if not expression.values:
            causes.append(fields.required(where.child("values")))
        values: set[str] = set()
        for position, value in enumerate(expression.values):
            if value in values:
                causes.append(fields.duplicate(where.child("values").index(position), value))
            values.add(value)
        causes += checks.name(expression.key, where.child("key"), names.qualified_name)
        if expression.key in keys:
            causes.append(fields.duplicate(where.child("key"), expression.key))
        keys.add(expression.key)
    return causes


STORAGE_CLASS = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_class,
)
