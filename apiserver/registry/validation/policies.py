"""Rules that admission policies and their bindings share: parameters, failure, and what a policy is bound to."""

from __future__ import annotations

from typing import Final

from apiserver.registry.validation import checks, pathsegments, requestrules
from steersman.api import fields, names
from steersman.api.admissionregistration import MatchResources, ParamKind, ParamRef
from steersman.api.errors import Cause
from steersman.api.fields import Path

FAILURE_POLICIES: Final = ("Fail", "Ignore")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
NOT_FOUND_ACTIONS: Final = ("Deny", "Allow")

_EXCLUSIVE: Final = "name and selector are mutually exclusive"


def validate_failure_policy(policy: str | None, path: Path) -> list[Cause]:
    return [fields.required(path)] if policy is None else checks.choice(policy, path, FAILURE_POLICIES)


def validate_constraints(constraints: MatchResources | None, path: Path) -> list[Cause]:
    """A policy must say of which resources it is, as their types are what its expressions are about."""
    if constraints is None:
        return [fields.required(path)]
    causes = requestrules.validate_resources(constraints, path)
    return causes if constraints.resource_rules else [*causes, fields.required(path.child("resourceRules"))]


def validate_param_kind(kind: ParamKind, path: Path) -> list[Cause]:
    causes = _validate_api_version(kind.api_version, path.child("apiVersion"))
    if not kind.kind:
        return [*causes, fields.required(path.child("kind"))]
    if complaints := names.dns_1035_label(kind.kind.lower()):
        detail = f"may have mixed case, but should otherwise match: {','.join(complaints)}"
        causes.append(fields.invalid(path.child("kind"), kind.kind, detail))
    return causes


def _validate_api_version(text: str, path: Path) -> list[Cause]:
    if not text:
        return [fields.required(path)]
    group, _, version = text.rpartition("/")
    if "/" in group:
        return [fields.invalid(path, text, f"unexpected GroupVersion string: {text}")]
    causes: list[Cause] = []
    if group and (complaints := names.dns_subdomain(group)):
        causes.append(fields.invalid(path, group, ",".join(complaints)))
    if not version:
        causes.append(fields.invalid(path, text, "version must be specified"))
    elif complaints := names.dns_1035_label(version):
        causes.append(fields.invalid(path, version, ",".join(complaints)))
    return causes


def validate_binding(
    policy_name: str, param_ref: ParamRef | None, resources: MatchResources | None, path: Path
) -> list[Cause]:
    causes = checks.required_name(policy_name, path.child("policyName"), names.dns_subdomain)
    if param_ref is not None:
        causes += _validate_param_ref(param_ref, path.child("paramRef"))
    if resources is not None:
        causes += requestrules.validate_resources(resources, path.child("matchResources"))
    return causes


def _validate_param_ref(reference: ParamRef, path: Path) -> list[Cause]:
    name, selector = reference.name, reference.selector
    causes = pathsegments.validate(name, path.child("name"))
    if name and selector is not None:
        causes.append(fields.forbidden(path.child("name"), _EXCLUSIVE))
    causes += checks.validate_label_selector(selector, path.child("selector"))
    if name and selector is not None:
        causes.append(fields.forbidden(path.child("selector"), _EXCLUSIVE))
    if not name and selector is None:
        causes.append(fields.required(path, "one of name or selector must be specified"))
    action = reference.parameter_not_found_action or ""
    return causes + checks.required_choice(action, path.child("parameterNotFoundAction"), NOT_FOUND_ACTIONS)
