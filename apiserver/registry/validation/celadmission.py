"""What expressions of admission policies and web hooks may speak of, and that they compile. Pure.

`object`, `oldObject` and `params` may be of any kind; the request, the namespace and the policy's own variables are
typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from steersman.api import fields
from steersman.api.admissionregistration import Variable
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.cel import compilation, kubernetes, types
from steersman.cel.environment import Environment, Fields
from steersman.cel.library.authorization import AUTHORIZER, RESOURCE_CHECK
from steersman.cel.library.quantities import JSON_PATCH
from steersman.cel.source import CompilationError
from steersman.cel.types import Type

OBJECT: Final = types.struct("Object")
PATCHES: Final = types.list_of(types.struct("JSONPatch"))
TEXT_OR_NOTHING: Final = (types.STRING, types.NULL)

_VARIABLES: Final = "kubernetes.variables"
_TEXTS: Final = types.list_of(types.STRING)
_LABELS: Final = types.map_of(types.STRING, types.STRING)


def _texts(*names: str) -> dict[str, Type]:
    return dict.fromkeys(names, types.STRING)


_KIND: Final = types.struct("kubernetes.GroupVersionKind")
_RESOURCE: Final = types.struct("kubernetes.GroupVersionResource")
_OBJECTS: Final[Mapping[str, Fields]] = {
    "kubernetes.GroupVersionKind": _texts("group", "version", "kind"),
    "kubernetes.GroupVersionResource": _texts("group", "version", "resource"),
    "kubernetes.UserInfo": {
        **_texts("username", "uid"),
        "groups": _TEXTS,
        "extra": types.map_of(types.STRING, _TEXTS),
    },
    "kubernetes.AdmissionRequest": {
        **_texts("subResource", "requestSubResource", "name", "namespace", "operation"),
        "kind": _KIND,
        "resource": _RESOURCE,
        "requestKind": _KIND,
        "requestResource": _RESOURCE,
        "userInfo": types.struct("kubernetes.UserInfo"),
        "dryRun": types.BOOL,
        "options": types.DYN,
    },
    "kubernetes.NamespaceSpec": {"finalizers": _TEXTS},
    "kubernetes.NamespaceCondition": {
        **_texts("status", "type", "message", "reason"),
        "lastTransitionTime": types.TIMESTAMP,
    },
    "kubernetes.NamespaceStatus": {
        "conditions": types.list_of(types.struct("kubernetes.NamespaceCondition")),
        "phase": types.STRING,
    },
    "kubernetes.NamespaceMetadata": {
        **_texts("name", "generateName", "namespace", "UID", "resourceVersion"),
        "labels": _LABELS,
        "annotations": _LABELS,
        "creationTimestamp": types.TIMESTAMP,
        "deletionTimestamp": types.TIMESTAMP,
        "deletionGracePeriodSeconds": types.INT,
        "generation": types.INT,
        "finalizers": _TEXTS,
    },
    "kubernetes.Namespace": {
        "metadata": types.struct("kubernetes.NamespaceMetadata"),
        "spec": types.struct("kubernetes.NamespaceSpec"),
        "status": types.struct("kubernetes.NamespaceStatus"),
    },
}
_PATCH_FIELDS: Final[Fields] = {**_texts("op", "path", "from"), "value": types.DYN}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which of the optional names an expression may use."""

    params: bool = False
    authorizer: bool = True
    patches: bool = False
    variables: tuple[tuple[str, Type], ...] | None = None
    """The policy's own; None: it has none, and not even the word."""

    def without_authorizer(self) -> Scope:
        return replace(self, authorizer=False)

    def with_patches(self) -> Scope:
        return replace(self, patches=True)


@lru_cache(maxsize=64)
def environment(scope: Scope) -> Environment:
    variables = {
        "object": types.DYN,
        "oldObject": types.DYN,
        "namespaceObject": types.struct("kubernetes.Namespace"),
        "request": types.struct("kubernetes.AdmissionRequest"),
    }
    if scope.params:
        variables["params"] = types.DYN
    if scope.authorizer:
        variables["authorizer"] = types.struct(AUTHORIZER)
        variables["authorizer.requestResource"] = types.struct(RESOURCE_CHECK)
    objects = dict(_OBJECTS)
    if scope.variables is not None:
        variables["variables"] = types.struct(_VARIABLES)
        objects[_VARIABLES] = dict(scope.variables)
    base = kubernetes.ENVIRONMENT.with_variables(variables).with_objects(objects)
    if not scope.patches:
        return base
    extended = base.with_functions(JSON_PATCH).with_objects({"JSONPatch": _PATCH_FIELDS})
    return replace(extended, find_object=_patch_object, find_field=_patch_field)


def _is_patch_object(name: str) -> bool:
    return name == OBJECT.name or name.startswith(f"{OBJECT.name}.")


def _patch_object(name: str) -> Fields | None:
    """`Object.spec.template` names the type of that part, whatever is in it."""
    return {} if _is_patch_object(name) else None


def _patch_field(name: str, _field: str) -> Type | None:
    return types.DYN if _is_patch_object(name) else None


def validate_expression(text: str, path: Path, scope: Scope, *results: Type, shown: str | None = None) -> list[Cause]:
    """Complaints about an expression that must come to one of `results`; none given: anything will do."""
    value = text if shown is None else shown
    try:
        found = compilation.compile(text, environment(scope)).result
    except CompilationError as error:
        return [fields.invalid(path, value, f"compilation failed: {error}")]
    if not results or found in results:
        return []
    wanted = str(results[0]) if len(results) == 1 else f"one of [{' '.join(map(str, results))}]"
    return [fields.invalid(path, value, f"must evaluate to {wanted} but got {found}")]


def with_variables(scope: Scope, variables: Sequence[Variable]) -> Scope:
    """The scope behind the variables, each of the type that its expression has; a broken one may be anything."""
    if not variables:
        return scope
    for end in range(len(variables)):
        known = (scope.variables or ()) if end else ()
        given = replace(scope, variables=known)
        scope = replace(scope, variables=(*known, (variables[end].name, _result(variables[end].expression, given))))
    return scope


def _result(text: str, scope: Scope) -> Type:
    try:
        return compilation.compile(text, environment(scope)).result
    except CompilationError:
        return types.DYN
