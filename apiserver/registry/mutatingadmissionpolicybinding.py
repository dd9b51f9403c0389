"""MutatingAdmissionPolicyBindings: where a mutating policy applies, and with which parameters."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import Strategy
from apiserver.registry.validation import policies, requestrules
from apiserver.registry.warnings import small as warned
from steersman.api.admissionregistration import MutatingAdmissionPolicyBinding
from steersman.api.errors import Cause
from steersman.api.fields import Path

_SPEC: Final = Path("spec")


def default(new: MutatingAdmissionPolicyBinding) -> MutatingAdmissionPolicyBinding:
    resources = requestrules.default_resources(new.spec.match_resources)
    return replace(new, spec=replace(new.spec, match_resources=resources))


def validate(new: MutatingAdmissionPolicyBinding) -> list[Cause]:
    spec = new.spec
    causes = policies.validate_binding(spec.policy_name, spec.param_ref, spec.match_resources, _SPEC)
    if spec.match_resources is not None:
        causes += requestrules.validate_mutable(spec.match_resources, _SPEC.child("matchResources"))
    return causes


MUTATING_ADMISSION_POLICY_BINDING = Strategy(
    default=default,
    validate=validate,
    warn=warned.of_admission,
)
