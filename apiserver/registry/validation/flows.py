"""Rules for what flow schemas match: subjects and their requests, and for the conditions that both flow kinds have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.errors import Cause
from steersman.api.fields import Path
from steersman.api.flowcontrol import (
    NonResourcePolicyRule,
    PolicyRulesWithSubjects,
    ResourcePolicyRule,
    ServiceAccountSubject,
    Subject,
)

ANY: Final = "*"
VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
SUBJECT_KINDS: Final = ("Group", "ServiceAccount", "User")

_FIELD_OF_KIND: Final = {"ServiceAccount": "serviceAccount", "User": "user", "Group": "group"}


def validate_rules(rules: PolicyRulesWithSubjects, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if not rules.subjects:
        causes.append(fields.required(path.child("subjects"), "subjects must contain at least one value"))
    for index, subject in enumerate(rules.subjects):
        causes += _validate_subject(subject, path.child("subjects").index(index))
    if not rules.resource_rules and not rules.non_resource_rules:
        detail = "at least one of resourceRules and nonResourceRules has to be non-empty"
        causes.append(fields.required(path, detail))
    for index, rule in enumerate(rules.resource_rules):
        causes += _validate_resource_rule(rule, path.child("resourceRules").index(index))
    for index, other in enumerate(rules.non_resource_rules):
        causes += _validate_non_resource_rule(other, path.child("nonResourceRules").index(index))
    return causes


def validate_conditions(types: Sequence[str]) -> list[Cause]:
    """`status.conditions`: each has a type of its own."""
    causes: list[Cause] = []
    for index, kind in enumerate(types):
        path = Path("status").child("conditions").index(index).child("type")
        if kind in types[:index]:
            causes.append(fields.duplicate(path, kind))
        if not kind:
            causes.append(fields.required(path))
    return causes


def _validate_subject(subject: Subject, path: Path) -> list[Cause]:
    """What the kind names must be there, and nothing else."""
    if subject.kind not in SUBJECT_KINDS:
        return [fields.not_supported(path.child("kind"), subject.kind, SUBJECT_KINDS)]
    given = {"ServiceAccount": subject.service_account, "User": subject.user, "Group": subject.group}
    field, meant = _FIELD_OF_KIND[subject.kind], given[subject.kind]
    causes: list[Cause] = []
    if meant is None:
        causes.append(fields.required(path.child(field), f"{field} is required when subject kind is '{subject.kind}'"))
    elif isinstance(meant, ServiceAccountSubject):
        causes += _validate_service_account(meant, path.child(field))
    elif not meant.name:
        causes.append(fields.required(path.child(field).child("name")))
    for kind, other in given.items():
        if kind != subject.kind and other is not None:
            surplus = _FIELD_OF_KIND[kind]
            detail = f"{surplus} is forbidden when subject kind is not '{kind}'"
            causes.append(fields.forbidden(path.child(surplus), detail))
    return causes


def _validate_service_account(account: ServiceAccountSubject, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if account.name != ANY:
        causes += checks.required_name(account.name, path.child("name"), names.dns_subdomain)
    if account.namespace:
        return causes + checks.name(account.namespace, path.child("namespace"), names.dns_label)
    return [*causes, fields.required(path.child("namespace"), "must specify namespace for service account")]


def _validate_resource_rule(rule: ResourcePolicyRule, path: Path) -> list[Cause]:
    causes = _validate_verbs(rule.verbs, path.child("verbs"))
    lists = (("apiGroups", rule.api_groups, "api group"), ("resources", rule.resources, "resource"))
    for field, items, what in lists:
        if not items:
            causes.append(fields.required(path.child(field), f"resource rules must supply at least one {what}"))
        causes += _alone(items, path.child(field), f"{what}s")
    where = path.child("namespaces")
    if not rule.namespaces and not rule.cluster_scope:
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        causes.append(fields.required(where, detail))
    elif ANY in rule.namespaces:
        causes += _alone(rule.namespaces, where, "namespaces")
    else:
        causes += _validate_namespaces(rule.namespaces, where)
    return causes


def _validate_namespaces(namespaces: Sequence[str], path: Path) -> list[Cause]:
    opening = "each member of this list must be '*' or a DNS-1123 label; "
    return [
        fields.invalid(path.index(index), namespace, opening + complaint)
        for index, namespace in enumerate(namespaces)
        for complaint in names.dns_label(namespace)
    ]


def _validate_non_resource_rule(rule: NonResourcePolicyRule, path: Path) -> list[Cause]:
    causes = _validate_verbs(rule.verbs, path.child("verbs"))
    urls, where = rule.non_resource_urls, path.child("nonResourceURLs")
    if not urls:
        return [*causes, fields.required(where, "nonResourceURLs must contain at least one value")]
    if ANY in urls:
        return causes + _alone(urls, where, "non-resource URLs")
    complaints = ((index, url, _complain_of_url(url)) for index, url in enumerate(urls))
    return causes + [fields.invalid(where.index(index), url, why) for index, url, why in complaints if why]


def _validate_verbs(verbs: Sequence[str], path: Path) -> list[Cause]:
    if not verbs:
        return [fields.required(path, "verbs must contain at least one value")]
    if ANY in verbs:
        return _alone(verbs, path, "verbs")
    return [] if set(verbs) <= set(VERBS) else [fields.not_supported(path, verbs, VERBS)]


def _alone(items: Sequence[str], path: Path, what: str) -> list[Cause]:
    """Where everything is meant, nothing else needs saying."""
    if ANY in items and len(items) > 1:
        return [fields.invalid(path, items, f"if '*' is present, must not specify other {what}")]
    return []


def _complain_of_url(url: str) -> str:
    """The first thing that is wrong with a path; a star stands for everything below."""
    if url == "/":
        return ""
    rules = (
        (not url, "must not be empty"),
        (not url.startswith("/"), "must start with slash"),
        (" " in url, "must not contain white-space"),
        ("//" in url, "must not contain double slash"),
        (url.count("*") > 1 or ("*" in url and not url.endswith("/*")), "wildcard can only do suffix matching"),
    )
    return next((complaint for is_broken, complaint in rules if is_broken), "")
