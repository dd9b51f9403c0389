"""The roles of an empty cluster: the notation means what it says, and every role and binding is a valid object."""

from __future__ import annotations

import pytest

from apiserver.bootstrap.priorities import PRIORITY_CLASSES
from apiserver.bootstrap.roles import ROLES, gathered
from apiserver.bootstrap.rules import rule, subjects
from apiserver.registry import metadata
from apiserver.registry.catalog import STRATEGIES
from steersman.api import kinds
from steersman.api.rbac import ClusterRole, PolicyRule, Subject

GROUP = "rbac.authorization.k8s.io"
CLUSTER_ROLES = {role.metadata.name: role for role in ROLES if isinstance(role, ClusterRole)}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("get of pods", PolicyRule(verbs=("get",), api_groups=("",), resources=("pods",))),
        (
            "read delete of pods+log+status in core metrics.k8s.io",
            PolicyRule(
                verbs=("delete", "get", "list", "watch"),
                api_groups=("", "metrics.k8s.io"),
                resources=("pods", "pods/log", "pods/status"),
            ),
        ),
        (
            "write of nodes/proxy+metrics",
            PolicyRule(
                verbs=("create", "delete", "deletecollection", "patch", "update"),
                api_groups=("",),
                resources=("nodes/metrics", "nodes/proxy"),
            ),
        ),
        (
            "update of leases in coordination.k8s.io named b a",
            PolicyRule(
                verbs=("update",),
                api_groups=("coordination.k8s.io",),
                resources=("leases",),
                resource_names=("a", "b"),
            ),
        ),
        ("get at /version /healthz", PolicyRule(verbs=("get",), non_resource_urls=("/healthz", "/version"))),
    ],
)
def test_rules(text: str, meaning: PolicyRule) -> None:
    assert rule(text) == meaning


def test_subjects() -> None:
    assert subjects("user jane, group devs, account builder") == (
        Subject(kind="User", api_group=GROUP, name="jane"),
        Subject(kind="Group", api_group=GROUP, name="devs"),
        Subject(kind="ServiceAccount", name="builder", namespace="kube-system"),
    )
    assert subjects("") == ()


@pytest.mark.parametrize("text", ["pods", "get pods", "of pods"])
def test_nonsense(text: str) -> None:
    with pytest.raises(ValueError, match="not a rule"):
        rule(text)


def test_nobody_of_an_unknown_sort() -> None:
    with pytest.raises(ValueError, match="not a subject: robot r2"):
        subjects("robot r2")


def test_every_object_is_valid_and_complete() -> None:
    for made in (*ROLES, *PRIORITY_CLASSES):
        group, _, version = made.api_version.partition("/")
        kind = kinds.by_kind(group, version, made.kind)
        assert kind is not None
        strategy = STRATEGIES[kind.qualified_resource]
        if kind.group == GROUP:
            assert strategy.default(made) == made
        assert not strategy.validate(strategy.default(made)), made.metadata.name
        assert not metadata.validate(made.metadata, namespaced=kind.namespaced, name_rule=strategy.name_rule)


def test_nothing_is_there_twice_and_bindings_follow_what_they_bind() -> None:
    names = [(made.kind, made.metadata.namespace, made.metadata.name) for made in ROLES]
    assert len(set(names)) == len(names) == 133
    for place, made in enumerate(ROLES):
        if not hasattr(made, "role_ref"):
            continue
        namespace = made.metadata.namespace if made.role_ref.kind == "Role" else ""
        assert names.index((made.role_ref.kind, namespace, made.role_ref.name)) < place


def test_the_administrator_may_do_everything() -> None:
    assert CLUSTER_ROLES["cluster-admin"].rules == (
        PolicyRule(verbs=("*",), api_groups=("*",), resources=("*",)),
        PolicyRule(verbs=("*",), non_resource_urls=("*",)),
    )


def test_roles_for_users_contain_each_other() -> None:
    view, edit, admin = (set(CLUSTER_ROLES[name].rules or ()) for name in ("view", "edit", "admin"))
    assert view
    assert view < edit < admin
    assert edit >= set(CLUSTER_ROLES["system:aggregate-to-edit"].rules or ())
    assert gathered(CLUSTER_ROLES["admin"], list(CLUSTER_ROLES.values())) == CLUSTER_ROLES["admin"].rules
    labels = CLUSTER_ROLES["view"].metadata.labels
    assert labels == {"kubernetes.io/bootstrapping": "rbac-defaults", f"{GROUP}/aggregate-to-edit": "true"}


def test_priorities() -> None:
    assert {each.metadata.name: each.value for each in PRIORITY_CLASSES} == {
        "system-node-critical": 2_000_001_000,
        "system-cluster-critical": 2_000_000_000,
    }
