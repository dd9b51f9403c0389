"""Rules for who may do what: the rules of roles, the subjects of bindings, and the role that a binding refers to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.validation import checks, internalform, pathsegments
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.rbac import ClusterRoleBinding, PolicyRule, RoleBinding, RoleRef, Subject

GROUP: Final = "rbac.authorization.k8s.io"
SERVICE_ACCOUNT, USER, USER_GROUP = "ServiceAccount", "User", "Group"

_ROLE_REF: Final = Path("roleRef")
_SUBJECTS: Final = Path("subjects")


def validate_rules(rules: Sequence[PolicyRule], path: Path, *, namespaced: bool) -> list[Cause]:
    causes: list[Cause] = []
    for index, rule in enumerate(rules):
        causes += _validate_rule(rule, path.index(index), namespaced=namespaced)
    return causes


def _validate_rule(rule: PolicyRule, path: Path, *, namespaced: bool) -> list[Cause]:
    causes: list[Cause] = []
    if not rule.verbs:
        causes.append(fields.required(path.child("verbs"), "verbs must contain at least one value"))
    if not rule.non_resource_urls:
        if not rule.api_groups:
            detail = "resource rules must supply at least one api group"
            causes.append(fields.required(path.child("apiGroups"), detail))
        if not rule.resources:
            causes.append(fields.required(path.child("resources"), "resource rules must supply at least one resource"))
        return causes
    where = path.child("nonResourceURLs")
    if namespaced:
        detail = "namespaced rules cannot apply to non-resource URLs"
        causes.append(fields.invalid(where, rule.non_resource_urls, detail))
    if rule.api_groups or rule.resources or rule.resource_names:
        detail = "rules cannot apply to both regular resources and non-resource URLs"
        causes.append(fields.invalid(where, rule.non_resource_urls, detail))
    return causes


def default_role_ref(reference: RoleRef) -> RoleRef:
    return reference if reference.api_group else replace(reference, api_group=GROUP)


def default_subjects(subjects: tuple[Subject, ...]) -> tuple[Subject, ...]:
    """Users and groups are of the RBAC group; service accounts of the core group, which has no name."""
    return tuple(
        replace(subject, api_group=GROUP) if subject.kind in (USER, USER_GROUP) and not subject.api_group else subject
        for subject in subjects
    )


def validate_role_ref(reference: RoleRef, kinds: Sequence[str]) -> list[Cause]:
    return [
        *checks.choice(reference.api_group, _ROLE_REF.child("apiGroup"), (GROUP,)),
        *checks.choice(reference.kind, _ROLE_REF.child("kind"), kinds),
        *pathsegments.validate_required(reference.name, _ROLE_REF.child("name")),
    ]


def validate_subjects(subjects: Sequence[Subject], *, namespaced: bool) -> list[Cause]:
    causes: list[Cause] = []
    for index, subject in enumerate(subjects):
        causes += _validate_subject(subject, _SUBJECTS.index(index), namespaced=namespaced)
    return causes


def _validate_subject(subject: Subject, path: Path, *, namespaced: bool) -> list[Cause]:
    """`namespaced`: a service account may leave its namespace out, as the binding has one."""
    causes = [] if subject.name else [fields.required(path.child("name"))]
    match subject.kind:
        case "ServiceAccount":
            if subject.name:
                causes += checks.name(subject.name, path.child("name"), names.dns_subdomain)
            if subject.api_group:
                causes.append(fields.not_supported(path.child("apiGroup"), subject.api_group, ("",)))
            if not namespaced and not subject.namespace:
                causes.append(fields.required(path.child("namespace")))
        case "User" | "Group":
            causes += checks.choice(subject.api_group, path.child("apiGroup"), (GROUP,))
        case kind:
            causes.append(fields.not_supported(path.child("kind"), kind, (SERVICE_ACCOUNT, USER, USER_GROUP)))
    return causes


def validate_binding_update(
    new: RoleBinding | ClusterRoleBinding, old: RoleBinding | ClusterRoleBinding
) -> list[Cause]:
    """Whoever may bind one role may not turn the binding into one of another role."""
    if new.role_ref == old.role_ref:
        return []
    return [fields.invalid(_ROLE_REF, internalform.shown(new.role_ref), "cannot change roleRef")]
