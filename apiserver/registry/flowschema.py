"""FlowSchemas: which requests belong to which priority level. Stored for those who ask; two of them are fixed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from apiserver.registry.strategy import METADATA, Strategy
from apiserver.registry.validation import checks, flows, internalform
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.flowcontrol import (
    FlowDistinguisherMethod,
    FlowSchema,
    FlowSchemaSpec,
    GroupSubject,
    NonResourcePolicyRule,
    PolicyRulesWithSubjects,
    PriorityLevelConfigurationReference,
    ResourcePolicyRule,
    Subject,
)

DEFAULT_PRECEDENCE: Final = 1000
LOWEST_PRECEDENCE: Final = 10000
EXEMPT, CATCH_ALL = "exempt", "catch-all"
METHODS: Final = ("ByNamespace", "ByUser")

_SPEC: Final = Path("spec")


def _everything_of(*groups: str) -> tuple[PolicyRulesWithSubjects, ...]:
    anything = ("*",)
    resources = ResourcePolicyRule(
        verbs=anything, api_groups=anything, resources=anything, cluster_scope=True, namespaces=anything
    )
    return (
        PolicyRulesWithSubjects(
            subjects=tuple(Subject(kind="Group", group=GroupSubject(name=name)) for name in groups),
            resource_rules=(resources,),
            non_resource_rules=(NonResourcePolicyRule(verbs=anything, non_resource_urls=anything),),
        ),
    )


MANDATORY: Final[Mapping[str, FlowSchemaSpec]] = {
    EXEMPT: FlowSchemaSpec(
        priority_level_configuration=PriorityLevelConfigurationReference(name=EXEMPT),
        matching_precedence=1,
        rules=_everything_of("system:masters"),
    ),
    CATCH_ALL: FlowSchemaSpec(
        priority_level_configuration=PriorityLevelConfigurationReference(name=CATCH_ALL),
        matching_precedence=LOWEST_PRECEDENCE,
        distinguisher_method=FlowDistinguisherMethod(type="ByUser"),
        rules=_everything_of("system:unauthenticated", "system:authenticated"),
    ),
}
"""Schemas that are there from the beginning and stay as they are."""


def default(new: FlowSchema) -> FlowSchema:
    if new.spec.matching_precedence:
        return new
    return replace(new, spec=replace(new.spec, matching_precedence=DEFAULT_PRECEDENCE))


def validate(new: FlowSchema) -> list[Cause]:
    name, spec = new.metadata.name, new.spec
    level = _SPEC.child("priorityLevelConfiguration").child("name")
    causes = _validate_precedence(spec.matching_precedence, name, _SPEC.child("matchingPrecedence"))
    if spec.distinguisher_method is not None and spec.distinguisher_method.type not in METHODS:
        path, shown = _SPEC.child("distinguisherMethod").child("type"), internalform.shown(spec.distinguisher_method)
        causes.append(fields.not_supported(path, shown, METHODS))
    if spec.priority_level_configuration.name:
        causes += checks.name(spec.priority_level_configuration.name, level, names.dns_subdomain)
    else:
        causes.append(fields.required(level, "must reference a priority level"))
    for index, rule in enumerate(spec.rules):
        causes += flows.validate_rules(rule, _SPEC.child("rules").index(index))
    if name in MANDATORY and spec != MANDATORY[name]:
        causes.append(fields.invalid(_SPEC, internalform.shown(spec), f"spec of '{name}' must equal the fixed value"))
    return causes


def validate_update(new: FlowSchema, old: FlowSchema) -> list[Cause]:
    """The rules of the status endpoint; the main one leaves status alone."""
    if new.status == old.status:
        return []
    return flows.validate_conditions([condition.type for condition in new.status.conditions])


def _validate_precedence(precedence: int, name: str, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if precedence <= 0:
        causes.append(fields.invalid(path, precedence, "must be a positive value"))
    if precedence > LOWEST_PRECEDENCE:
        causes.append(fields.invalid(path, precedence, f"must not be greater than {LOWEST_PRECEDENCE}"))
    if precedence == 1 and name != EXEMPT:
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        causes.append(fields.invalid(path, precedence, detail))
    return causes


FLOW_SCHEMA = Strategy(
    default=default,
    validate=validate,
    validate_update=validate_update,
    status_keeps=METADATA,
)
