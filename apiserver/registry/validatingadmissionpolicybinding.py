"""ValidatingAdmissionPolicyBindings: where a policy applies, with which parameters, and what a failure leads to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import checks, policies, requestrules
from apiserver.registry.warnings import small as warned
from steersman.api import fields
from steersman.api.admissionregistration import ValidatingAdmissionPolicyBinding
from steersman.api.errors import Cause
from steersman.api.fields import Path

ACTIONS: Final = ("Audit", "Deny", "Warn")

_SPEC: Final = Path("spec")
_SAID_TWICE: Final = (
    "must not contain both Deny and Warn "
    "(repeating the same validation failure information in the API response and headers serves no purpose)"
)


def default(new: ValidatingAdmissionPolicyBinding) -> ValidatingAdmissionPolicyBinding:
    resources = requestrules.default_resources(new.spec.match_resources)
    return replace(new, spec=replace(new.spec, match_resources=resources))


def validate(new: ValidatingAdmissionPolicyBinding) -> list[Cause]:
    spec = new.spec
    return [
        *policies.validate_binding(spec.policy_name, spec.param_ref, spec.match_resources, _SPEC),
        *_validate_actions(spec.validation_actions, _SPEC.child("validationActions")),
    ]


def _validate_actions(actions: Sequence[str], path: Path) -> list[Cause]:
    if not actions:
        return [fields.required(path, "at least one validation action is required")]
    causes: list[Cause] = []
    for index, action in enumerate(actions):
        causes += checks.choice(action, path.index(index), ACTIONS)
        if action in actions[:index]:
            causes.append(fields.duplicate(path.index(index), action))
    if "Deny" in actions and "Warn" in actions:
        causes.append(fields.invalid(path, actions, _SAID_TWICE))
    return causes


VALIDATING_ADMISSION_POLICY_BINDING = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_admission,
)
