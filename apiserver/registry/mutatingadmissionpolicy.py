"""MutatingAdmissionPolicies: changes to incoming objects, written in CEL."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import celadmission, checks, expressions, policies, requestrules
from apiserver.registry.validation.celadmission import Scope
from apiserver.registry.warnings import small as warned
from steersman.api import fields
from steersman.api.admissionregistration import ApplyConfiguration, JSONPatch, MutatingAdmissionPolicy, Mutation
from steersman.api.errors import Cause
from steersman.api.fields import Path

PATCH_TYPES: Final = ("ApplyConfiguration", "JSONPatch")
_FIELDS: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}

_RESULTS: Final = {"ApplyConfiguration": celadmission.OBJECT, "JSONPatch": celadmission.PATCHES}
_SPEC: Final = Path("spec")


def default(new: MutatingAdmissionPolicy) -> MutatingAdmissionPolicy:
    spec = new.spec
    return replace(
        new,
        spec=replace(
            spec,
            failure_policy="Fail" if spec.failure_policy is None else spec.failure_policy,
            match_constraints=requestrules.default_resources(spec.match_constraints),
        ),
    )


def validate(new: MutatingAdmissionPolicy) -> list[Cause]:
    spec, constraints = new.spec, _SPEC.child("matchConstraints")
    causes = policies.validate_failure_policy(spec.failure_policy, _SPEC.child("failurePolicy"))
    if spec.param_kind is not None:
        causes += policies.validate_param_kind(spec.param_kind, _SPEC.child("paramKind"))
    causes += policies.validate_constraints(spec.match_constraints, constraints)
    if spec.match_constraints is not None:
        causes += requestrules.validate_mutable(spec.match_constraints, constraints)
    scope = Scope(params=spec.param_kind is not None)
    causes += expressions.validate_match_conditions(spec.match_conditions, _SPEC.child("matchConditions"), scope)
    causes += expressions.validate_variables(spec.variables, _SPEC.child("variables"), scope)
    scope = celadmission.with_variables(scope, spec.variables).with_patches()
    if not spec.mutations:
        causes.append(fields.required(_SPEC.child("mutations"), "mutations must contain at least one item"))
    for index, mutation in enumerate(spec.mutations):
        causes += _validate_mutation(mutation, _SPEC.child("mutations").index(index), scope)
    reinvocation = _SPEC.child("reinvocationPolicy")
    return causes + checks.required_choice(spec.reinvocation_policy, reinvocation, policies.REINVOCATION_POLICIES)


def _validate_mutation(mutation: Mutation, path: Path, scope: Scope) -> list[Cause]:
    """What the type names must be there, and the other must not."""
    kind = mutation.patch_type
    if kind not in PATCH_TYPES:
        return checks.required_choice(kind, path.child("patchType"), PATCH_TYPES)
    given: dict[str, ApplyConfiguration | JSONPatch | None] = {
        "ApplyConfiguration": mutation.apply_configuration,
        "JSONPatch": mutation.json_patch,
    }
    causes: list[Cause] = []
    meant = given.pop(kind)
    where = path.child(_FIELDS[kind])
    if meant is None:
        causes.append(fields.required(where, f"must be specified when patchType is {kind}"))
    elif expression := meant.expression.strip():
        causes += celadmission.validate_expression(expression, where.child("expression"), scope, _RESULTS[kind])
    else:
        causes.append(fields.required(where.child("expression")))
    for other, surplus in given.items():
        if surplus is not None:
            field = _FIELDS[other]
            detail = f"must not be specified when patchType is {kind}"
            causes.append(fields.invalid(path.child(field), f"{{{field}}}", detail))
    return causes


MUTATING_ADMISSION_POLICY = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_admission,
)
