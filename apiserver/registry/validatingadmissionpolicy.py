"""ValidatingAdmissionPolicies: conditions in CEL that incoming objects must meet, and what to note about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import (
    celadmission,
    checks,
    conditions,
    expressions,
    internalform,
    policies,
    requestrules,
)
from apiserver.registry.validation.celadmission import Scope
from apiserver.registry.warnings import small as warned
from steersman.api import fields, names
from steersman.api.admissionregistration import (
    AuditAnnotation,
    ExpressionWarning,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicySpec,
    Validation,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.cel import types

REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
MAX_AUDIT_ANNOTATIONS: Final = 20
MAX_AUDIT_EXPRESSION_BYTES: Final = 5 * 1024

_SPEC: Final = Path("spec")
_STATUS: Final = Path("status")
_NOTHING_TO_DO: Final = "validations or auditAnnotations must contain at least one item"


def default(new: ValidatingAdmissionPolicy) -> ValidatingAdmissionPolicy:
    spec = new.spec
    return replace(
        new,
        spec=replace(
            spec,
            failure_policy="Fail" if spec.failure_policy is None else spec.failure_policy,
            match_constraints=requestrules.default_resources(spec.match_constraints),
        ),
    )


def validate(new: ValidatingAdmissionPolicy) -> list[Cause]:
    spec = new.spec
    causes = policies.validate_failure_policy(spec.failure_policy, _SPEC.child("failurePolicy"))
    if spec.param_kind is not None:
        causes += policies.validate_param_kind(spec.param_kind, _SPEC.child("paramKind"))
    causes += policies.validate_constraints(spec.match_constraints, _SPEC.child("matchConstraints"))
    scope = Scope(params=spec.param_kind is not None)
    causes += expressions.validate_match_conditions(spec.match_conditions, _SPEC.child("matchConditions"), scope)
    causes += expressions.validate_variables(spec.variables, _SPEC.child("variables"), scope)
    scope = celadmission.with_variables(scope, spec.variables)
    if not spec.validations and not spec.audit_annotations:
        causes.append(fields.required(_SPEC.child("validations"), _NOTHING_TO_DO))
        causes.append(fields.required(_SPEC.child("auditAnnotations"), _NOTHING_TO_DO))
    for index, validation in enumerate(spec.validations):
        causes += _validate_validation(validation, _SPEC.child("validations").index(index), scope)
    return causes + _validate_audits(spec, new.metadata.name, _SPEC.child("auditAnnotations"), scope)


def validate_update(new: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    status = new.status
    if status == old.status:
        return []
    warnings = status.type_checking.expression_warnings if status.type_checking else ()
    return [
        *_validate_warnings(warnings, _STATUS.child("typeChecking").child("expressionWarnings")),
        *conditions.validate_conditions(status.conditions, _STATUS.child("conditions")),
    ]


def _validate_validation(validation: Validation, path: Path, scope: Scope) -> list[Cause]:
    causes: list[Cause] = []
    where = path.child("expression")
    if validation.expression.strip():
        causes += celadmission.validate_expression(validation.expression, where, scope, types.BOOL)
    else:
        causes.append(fields.required(where, "expression is not specified"))
    text, where = validation.message_expression, path.child("messageExpression")
    if text.strip():
        causes += celadmission.validate_expression(text, where, scope.without_authorizer(), types.STRING)
    elif text:
        causes.append(fields.invalid(where, text, "must be non-empty if specified"))
    message = validation.message.strip()
    if validation.message and not message:
        causes.append(fields.invalid(path.child("message"), validation.message, "must be non-empty if specified"))
    elif re.search("[\n\r]", message):
        causes.append(fields.invalid(path.child("message"), validation.message, "must not contain line breaks"))
    if validation.reason is not None:
        causes += checks.choice(validation.reason, path.child("reason"), REASONS)
    return causes


def _validate_audits(spec: ValidatingAdmissionPolicySpec, policy: str, path: Path, scope: Scope) -> list[Cause]:
    annotations = spec.audit_annotations
    causes: list[Cause] = []
    if len(annotations) > MAX_AUDIT_ANNOTATIONS:
        detail = f"must not have more than {MAX_AUDIT_ANNOTATIONS} auditAnnotations"
        causes.append(fields.invalid(path, [internalform.shown(one) for one in annotations], detail))
    seen: set[str] = set()
    for index, annotation in enumerate(annotations):
        where = path.index(index)
        causes += _validate_audit(annotation, policy, where, scope)
        if annotation.key in seen:
            causes.append(fields.duplicate(where.child("key"), annotation.key))
        seen.add(annotation.key)
    return causes


def _validate_audit(annotation: AuditAnnotation, policy: str, path: Path, scope: Scope) -> list[Cause]:
    causes: list[Cause] = []
    if policy:
        causes += checks.name(f"{policy}/{annotation.key}", path.child("key"), names.qualified_name)
    else:
        causes.append(fields.invalid(path.child("key"), annotation.key, "requires metadata.name be non-empty"))
    given, where = annotation.value_expression, path.child("valueExpression")
    expression = given.strip()
    if not expression:
        return [*causes, fields.required(where, "valueExpression is not specified")]
    if len(expression.encode()) > MAX_AUDIT_EXPRESSION_BYTES:
        return [*causes, fields.required(where, f"must not exceed {MAX_AUDIT_EXPRESSION_BYTES} bytes in length")]
    return causes + celadmission.validate_expression(
        expression, where, scope, *celadmission.TEXT_OR_NOTHING, shown=given
    )


def _validate_warnings(warnings: Sequence[ExpressionWarning], path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, warning in enumerate(warnings):
        if not warning.warning:
            causes.append(fields.required(path.index(index).child("warning")))
        if not warning.field_ref.strip():
            causes.append(fields.required(path.index(index).child("fieldRef")))
    return causes


VALIDATING_ADMISSION_POLICY = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    warn=warned.of_admission,
    status_keeps=METADATA,
)
