"""What looks at writes before they are carried out: webhooks and policies."""

from __future__ import annotations

from datetime import datetime

from apiserver.printing import ages, phrases
from apiserver.printing.columns import AGE, NAME, Cells, Column, Printer, number
from steersman.api.admissionregistration import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    MutatingWebhookConfiguration,
    ParamKind,
    ParamRef,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    ValidatingWebhookConfiguration,
)
from steersman.api.meta import LabelSelector


def webhook_cells(shown: MutatingWebhookConfiguration | ValidatingWebhookConfiguration, now: datetime) -> Cells:
    return [shown.metadata.name, len(shown.webhooks), ages.since(shown.metadata.creation_timestamp, now)]


def validating_cells(shown: ValidatingAdmissionPolicy, now: datetime) -> Cells:
    spec, age = shown.spec, ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, len(spec.validations), _parameter_kind(spec.param_kind), age]


def mutating_cells(shown: MutatingAdmissionPolicy, now: datetime) -> Cells:
    spec, age = shown.spec, ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, len(spec.mutations), _parameter_kind(spec.param_kind), age]


def binding_cells(shown: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding, now: datetime) -> Cells:
    spec, age = shown.spec, ages.since(shown.metadata.creation_timestamp, now)
    return [shown.metadata.name, spec.policy_name, _parameters(spec.param_ref), age]


def _parameter_kind(kind: ParamKind | None) -> str:
    return phrases.UNSET if kind is None else f"{kind.api_version}/{kind.kind}"


def _parameters(ref: ParamRef | None) -> str:
    if ref is not None and ref.name:
        return f"{ref.namespace or '*'}/{ref.name}"
    if ref is not None and ref.selector is not None:
        return _go_text(ref.selector)
    return phrases.UNSET


def _go_text(selector: LabelSelector) -> str:
    """As Go writes the struct down; there is no nicer form that clients know."""
    labels = "".join(f"{key}: {selector.match_labels[key]}," for key in sorted(selector.match_labels))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.key},Operator:{each.operator},Values:[{' '.join(each.values)}],}},"
        for each in selector.match_expressions
    )
    lists = f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},{lists},}}"


_PARAMETER_KIND = Column("ParamKind", "The kind of objects that the policy takes its parameters from.")

WEBHOOKS = Printer((NAME, number("Webhooks", "How many webhooks are called."), AGE), webhook_cells)
VALIDATING_POLICY = Printer(
    (NAME, number("Validations", "How many rules must hold."), _PARAMETER_KIND, AGE), validating_cells
)
MUTATING_POLICY = Printer(
    (NAME, number("Mutations", "How many changes are made."), _PARAMETER_KIND, AGE), mutating_cells
)
POLICY_BINDING = Printer(
    (
        NAME,
        Column("PolicyName", "The policy that is put into force."),
        Column("ParamRef", "The object that gives the policy its parameters."),
        AGE,
    ),
    binding_cells,
)
