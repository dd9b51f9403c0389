"""Rules for which requests a web hook or a policy looks at: operations on resources of groups and versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from apiserver.registry.validation import checks, pathsegments
from steersman.api import fields
from steersman.api.admissionregistration import MatchResources, NamedRuleWithOperations, RuleWithOperations
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.meta import LabelSelector

ANY: Final = "*"
OPERATIONS: Final = (ANY, "CONNECT", "CREATE", "DELETE", "UPDATE")
MUTATING_OPERATIONS: Final = (ANY, "CONNECT", "CREATE", "UPDATE")
SCOPES: Final = (ANY, "Cluster", "Namespaced")
MATCH_POLICIES: Final = ("Equivalent", "Exact")

Rule = RuleWithOperations | NamedRuleWithOperations


def default_rules(rules: tuple[RuleWithOperations, ...]) -> tuple[RuleWithOperations, ...]:
    return tuple(replace(rule, scope=ANY) if rule.scope is None else rule for rule in rules)


def default_resources(resources: MatchResources | None) -> MatchResources | None:
    """What is left open matches everything."""
    if resources is None:
        return None
    return replace(
        resources,
        namespace_selector=LabelSelector() if resources.namespace_selector is None else resources.namespace_selector,
        object_selector=LabelSelector() if resources.object_selector is None else resources.object_selector,
        match_policy="Equivalent" if resources.match_policy is None else resources.match_policy,
        resource_rules=_with_scopes(resources.resource_rules),
        exclude_resource_rules=_with_scopes(resources.exclude_resource_rules),
    )


def _with_scopes(rules: tuple[NamedRuleWithOperations, ...]) -> tuple[NamedRuleWithOperations, ...]:
    return tuple(replace(rule, scope=ANY) if rule.scope is None else rule for rule in rules)


def validate_resources(resources: MatchResources, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if resources.match_policy is None:
        causes.append(fields.required(path.child("matchPolicy")))
    else:
        causes += checks.choice(resources.match_policy, path.child("matchPolicy"), MATCH_POLICIES)
    selectors = (
        ("namespaceSelector", resources.namespace_selector),
        ("objectSelector", resources.object_selector),
    )
    for field, selector in selectors:
        if selector is None:
            causes.append(fields.required(path.child(field)))
        causes += checks.validate_label_selector(selector, path.child(field))
    for index, rule in enumerate(resources.resource_rules):
        causes += _validate_named(rule, path.child("resourceRules").index(index))
    for index, rule in enumerate(resources.exclude_resource_rules):
        causes += _validate_named(rule, path.child("excludeResourceRules").index(index))
    return causes


def validate_mutable(resources: MatchResources, path: Path) -> list[Cause]:
    """What is about to be deleted cannot be changed on the way."""
    where = path.child("resourceRules").child("operations")
    return [
        fields.not_supported(where, operation, MUTATING_OPERATIONS)
        for rule in resources.resource_rules
        for operation in rule.operations
        if operation not in MUTATING_OPERATIONS
    ]


def validate_rule(rule: Rule, path: Path) -> list[Cause]:
    causes = _validate_list(rule.operations, path.child("operations"), "operations")
    for index, operation in enumerate(rule.operations):
        causes += checks.choice(operation, path.child("operations").index(index), OPERATIONS)
    causes += _validate_list(rule.api_groups, path.child("apiGroups"), "API groups")
    causes += _validate_list(rule.api_versions, path.child("apiVersions"), "API versions")
    for index, version in enumerate(rule.api_versions):
        if not version:
            causes.append(fields.required(path.child("apiVersions").index(index)))
    causes += _validate_names(rule.resources, path.child("resources"))
    if rule.scope is not None:
        causes += checks.choice(rule.scope, path.child("scope"), SCOPES)
    return causes


def _validate_named(rule: NamedRuleWithOperations, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    for index, name in enumerate(rule.resource_names):
        where = path.child("resourceNames").index(index)
        causes += pathsegments.validate(name, where)
        if name in rule.resource_names[:index]:
            causes.append(fields.duplicate(where, name))
    return causes + validate_rule(rule, path)


def _validate_list(items: Sequence[str], path: Path, what: str) -> list[Cause]:
    if not items:
        return [fields.required(path)]
    if len(items) > 1 and ANY in items:
        return [fields.invalid(path, items, f"if '*' is present, must not specify other {what}")]
    return []


def _validate_names(resources: Sequence[str], path: Path) -> list[Cause]:
    """Resources and subresources (`pods`, `pods/log`, `pods/*`, `*/scale`, `*/*`), none of them twice over."""
    causes = [] if resources else [fields.required(path)]
    whole: set[str] = set()  # x, where x/* was met
    everywhere: set[str] = set()  # y, where */y was met
    last_plain = ""
    for index, text in enumerate(resources):
        where = path.index(index)
        resource, slash, subresource = text.partition("/")
        if not text:
            causes.append(fields.required(where))
            continue
        if not slash:
            last_plain = text
            continue
        if resource in whole:
            causes.append(fields.invalid(where, text, f"if '{resource}/*' is present, must not specify {text}"))
        if subresource in everywhere:
            causes.append(fields.invalid(where, text, f"if '*/{subresource}' is present, must not specify {text}"))
        if subresource == ANY:
            whole.add(resource)
        if resource == ANY:
            everywhere.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        causes.append(fields.invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    # As in Kubernetes, it is the last resource without a subresource that counts.
    if ANY in resources and last_plain != ANY:
        detail = "if '*' is present, must not specify other resources without subresources"
        causes.append(fields.invalid(path, resources, detail))
    return causes
