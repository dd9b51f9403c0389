"""Roles and ClusterRoles: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.clusterrole import CLUSTER_ROLE
from apiserver.registry.role import ROLE
from steersman.api.rbac import ClusterRole, Role
from tests.unit.apiserver.registry.pods import NAME_PART
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row

READING = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
IN_NAMESPACE = Subject(Role, ROLE, {"metadata": {"name": "reader", "namespace": "default"}, "rules": [READING]})
IN_CLUSTER = Subject(ClusterRole, CLUSTER_ROLE, {"metadata": {"name": "reader"}, "rules": [READING]})

ROWS = [
    row("as it should be", {}),
    row("no rules at all", {"rules": []}),
    row("named resources", {"rules": [{**READING, "resourceNames": ["web"]}]}),
    row(
        "nothing may be done",
        {"rules": [{**READING, "verbs": []}]},
        "rules[0].verbs: Required value: verbs must contain at least one value",
    ),
    row(
        "no group",
        {"rules": [READING, {**READING, "apiGroups": []}]},
        "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
    ),
    row(
        "nothing to do it to",
        {"rules": [{"verbs": ["get"]}]},
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
    ),
]
BOTH = "rules cannot apply to both regular resources and non-resource URLs"
URLS = {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules_of_both(case: Row) -> None:
    assert IN_NAMESPACE.complaints(case.patch) == list(case.complaints)
    assert IN_CLUSTER.complaints(case.patch) == list(case.complaints)


def test_urls_belong_to_no_namespace() -> None:
    assert IN_NAMESPACE.complaints({"rules": [{**URLS, "apiGroups": [""]}]}) == [
        'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
        f'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: {BOTH}',
    ]


CLUSTER_ROWS = [
    row("plain URLs", {"rules": [URLS]}),
    row(
        "no verbs for URLs",
        {"rules": [{**URLS, "verbs": []}]},
        f"rules[0].verbs: Required value: {'verbs must contain at least one value'}",
    ),
    row(
        "URLs and resources",
        {"rules": [{**URLS, "resources": ["pods"]}]},
        f'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: {BOTH}',
    ),
    row(
        "URLs and names",
        {"rules": [{**URLS, "resourceNames": ["a"]}]},
        f'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: {BOTH}',
    ),
    row("gathered", {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}),
    row(
        "gathered from nothing",
        {"aggregationRule": {}},
        "aggregationRule.clusterRoleSelectors: Required value: "
        "at least one clusterRoleSelector required if aggregationRule is non-nil",
    ),
    row(
        "gathered by a bad key",
        {"aggregationRule": {"clusterRoleSelectors": [{}, {"matchLabels": {"-": "b"}}]}},
        f'aggregationRule.clusterRoleSelectors[1].matchLabels: Invalid value: "-": {NAME_PART}',
        "aggregationRule.clusterRoleSelectors[1]: Invalid value: null: invalid label selector.",
    ),
    row(
        "gathered in no known way",
        {"aggregationRule": {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "Like"}]}]}},
        "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: "
        'Invalid value: "Like": not a valid selector operator',
        "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
    ),
]


@pytest.mark.parametrize("case", CLUSTER_ROWS, ids=ids(CLUSTER_ROWS))
def test_rules_of_cluster_roles(case: Row) -> None:
    assert IN_CLUSTER.complaints(case.patch) == list(case.complaints)


@pytest.mark.parametrize(
    ("name", "complaints"),
    [
        ("system:node", []),
        ("Any Name, really", []),
        (".", ["may not be '.'"]),
        ("..", ["may not be '..'"]),
        ("a/b", ["may not contain '/'"]),
        ("a/b%c", ["may not contain '/'", "may not contain '%'"]),
    ],
)
def test_names_are_path_segments(name: str, complaints: list[str]) -> None:
    assert list(ROLE.name_rule(name)) == list(CLUSTER_ROLE.name_rule(name)) == complaints
