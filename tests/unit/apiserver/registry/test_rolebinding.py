"""RoleBindings and ClusterRoleBindings: defaults, and every rule broken once."""

from __future__ import annotations

import pytest

from apiserver.registry.clusterrolebinding import CLUSTER_ROLE_BINDING
from apiserver.registry.rolebinding import ROLE_BINDING
from steersman.api.rbac import ClusterRoleBinding, RoleBinding
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row, step

GROUP = "rbac.authorization.k8s.io"
JANE = {"kind": "User", "name": "jane"}
ROLE = {"kind": "ClusterRole", "name": "view"}
IN_NAMESPACE = Subject(
    RoleBinding, ROLE_BINDING, {"metadata": {"name": "b", "namespace": "n"}, "roleRef": ROLE, "subjects": [JANE]}
)
IN_CLUSTER = Subject(
    ClusterRoleBinding, CLUSTER_ROLE_BINDING, {"metadata": {"name": "b"}, "roleRef": ROLE, "subjects": [JANE]}
)
BOTH = [IN_NAMESPACE, IN_CLUSTER]


@pytest.mark.parametrize("subject", BOTH, ids=["in a namespace", "everywhere"])
def test_defaults(subject: Subject) -> None:
    people = [JANE, {"kind": "Group", "name": "devs"}, {"kind": "ServiceAccount", "name": "a", "namespace": "n"}]
    made = subject.defaulted({"subjects": people})
    assert made["roleRef"] == {**ROLE, "apiGroup": GROUP}
    assert [person.get("apiGroup") for person in made["subjects"]] == [GROUP, GROUP, None]


ROWS = [
    row("as it should be", {}),
    row("nobody", {"subjects": None}),
    row("an account", {"subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": "n"}]}),
    row(
        "a role of another group",
        {"roleRef": {"apiGroup": "apps"}},
        f'roleRef.apiGroup: Unsupported value: "apps": supported values: "{GROUP}"',
    ),
    row("no role", {"roleRef": {"name": None}}, "roleRef.name: Required value"),
    row(
        "an impossible role",
        {"roleRef": {"name": "a/b"}},
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'",
    ),
    row("nobody in particular", {"subjects": [{"kind": "User"}]}, "subjects[0].name: Required value"),
    row(
        "a user of another group",
        {"subjects": [JANE, {"kind": "User", "name": "j", "apiGroup": "x"}]},
        f'subjects[1].apiGroup: Unsupported value: "x": supported values: "{GROUP}"',
    ),
    row(
        "a group of another group",
        {"subjects": [{"kind": "Group", "name": "g", "apiGroup": "x"}]},
        f'subjects[0].apiGroup: Unsupported value: "x": supported values: "{GROUP}"',
    ),
    row(
        "an account with a group",
        {"subjects": [{"kind": "ServiceAccount", "name": "A", "namespace": "n", "apiGroup": "x"}]},
        f'subjects[0].name: Invalid value: "A": {DNS_SUBDOMAIN}',
        'subjects[0].apiGroup: Unsupported value: "x": supported values: ""',
    ),
    row(
        "a robot",
        {"subjects": [{"kind": "Robot", "name": "r2"}]},
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
@pytest.mark.parametrize("subject", BOTH, ids=["in a namespace", "everywhere"])
def test_rules(subject: Subject, case: Row) -> None:
    assert subject.complaints(case.patch) == list(case.complaints)


def test_what_can_be_bound() -> None:
    assert IN_NAMESPACE.complaints({"roleRef": {"kind": "Role"}}) == []
    assert IN_NAMESPACE.complaints({"roleRef": {"kind": "Pod"}}) == [
        'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"'
    ]
    assert IN_CLUSTER.complaints({"roleRef": {"kind": "Role"}}) == [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'
    ]


def test_only_a_namespaced_binding_knows_where_an_account_lives() -> None:
    stray = {"subjects": [{"kind": "ServiceAccount", "name": "a"}]}
    assert IN_NAMESPACE.complaints(stray) == []
    assert IN_CLUSTER.complaints(stray) == ["subjects[0].namespace: Required value"]


@pytest.mark.parametrize("subject", BOTH, ids=["in a namespace", "everywhere"])
def test_the_role_is_chosen_once(subject: Subject) -> None:
    assert subject.complaints_about_step(step("others", {"subjects": []})) == []
    assert subject.complaints_about_step(step("another role", {"roleRef": {"name": "edit"}})) == [
        f'roleRef: Invalid value: {{"APIGroup":"{GROUP}","Kind":"ClusterRole","Name":"edit"}}: cannot change roleRef'
    ]
