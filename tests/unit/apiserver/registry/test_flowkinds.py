"""FlowSchemas and PriorityLevelConfigurations: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry import flowschema, prioritylevelconfiguration
from apiserver.registry.flowschema import FLOW_SCHEMA
from apiserver.registry.prioritylevelconfiguration import PRIORITY_LEVEL_CONFIGURATION
from steersman.api.flowcontrol import FlowSchema, PriorityLevelConfiguration
from steersman.api.meta import ObjectMeta
from tests.unit.apiserver.registry.pods import DNS_LABEL, DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

GROUP = {"kind": "Group", "group": {"name": "devs"}}
READING = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["*"]}
SCHEMA = Subject(
    FlowSchema,
    FLOW_SCHEMA,
    {"metadata": {"name": "s"}, "spec": {"priorityLevelConfiguration": {"name": "workload-low"}}},
)
RULE = "spec.rules[0]"
SUPPORTED_VERBS = (
    'supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"'
)


def rule(**given: Any) -> dict[str, Any]:
    return {"spec": {"rules": [{"subjects": [GROUP], "resourceRules": [READING], **given}]}}


def subject(**given: Any) -> dict[str, Any]:
    return rule(subjects=[given])


def resources(**given: Any) -> dict[str, Any]:
    return rule(resourceRules=[{**READING, **given}])


def urls(*given: str, verbs: tuple[str, ...] = ("get",)) -> dict[str, Any]:
    return rule(resourceRules=[], nonResourceRules=[{"verbs": list(verbs), "nonResourceURLs": list(given)}])


def test_defaults_of_schemas() -> None:
    assert SCHEMA.defaulted()["spec"]["matchingPrecedence"] == 1000
    assert SCHEMA.defaulted({"spec": {"matchingPrecedence": 5}})["spec"]["matchingPrecedence"] == 5


SCHEMA_ROWS = [
    row("as it should be", {}),
    row("a rule", rule(nonResourceRules=[{"verbs": ["*"], "nonResourceURLs": ["/healthz", "/", "/livez/*"]}])),
    row("every account of a namespace", subject(kind="ServiceAccount", serviceAccount={"namespace": "n", "name": "*"})),
    row("the cluster itself", resources(namespaces=[], clusterScope=True)),
    row(
        "below the first",
        {"spec": {"matchingPrecedence": -1}},
        "spec.matchingPrecedence: Invalid value: -1: must be a positive value",
    ),
    row(
        "after the last",
        {"spec": {"matchingPrecedence": 10001}},
        "spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000",
    ),
    row(
        "the first",
        {"spec": {"matchingPrecedence": 1}},
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ),
    row(
        "told apart by nothing",
        {"spec": {"distinguisherMethod": {"type": "ByShoe"}}},
        'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByShoe"}: '
        'supported values: "ByNamespace", "ByUser"',
    ),
    row(
        "no level",
        {"spec": {"priorityLevelConfiguration": {"name": ""}}},
        "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
    ),
    row(
        "a bad level",
        {"spec": {"priorityLevelConfiguration": {"name": "A"}}},
        f'spec.priorityLevelConfiguration.name: Invalid value: "A": {DNS_SUBDOMAIN}',
    ),
    row(
        "a rule about nothing",
        rule(subjects=[], resourceRules=[]),
        f"{RULE}.subjects: Required value: subjects must contain at least one value",
        f"{RULE}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
    ),
    row(
        "a robot",
        subject(kind="Robot"),
        f'{RULE}.subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
    ),
    row(
        "a user who is a group and an account",
        subject(kind="User", group={"name": "g"}, serviceAccount={"namespace": "n", "name": "a"}),
        f"{RULE}.subjects[0].user: Required value: user is required when subject kind is 'User'",
        f"{RULE}.subjects[0].serviceAccount: Forbidden: "
        "serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
        f"{RULE}.subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ),
    row(
        "a group of nobody",
        subject(kind="Group", group={"name": ""}, user={"name": "u"}),
        f"{RULE}.subjects[0].group.name: Required value",
        f"{RULE}.subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ),
    row(
        "an account of nobody",
        subject(kind="ServiceAccount", serviceAccount={"namespace": "", "name": ""}),
        f"{RULE}.subjects[0].serviceAccount.name: Required value",
        f"{RULE}.subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account",
    ),
    row(
        "a bad account",
        subject(kind="ServiceAccount", serviceAccount={"namespace": "N", "name": "A"}),
        f'{RULE}.subjects[0].serviceAccount.name: Invalid value: "A": {DNS_SUBDOMAIN}',
        f'{RULE}.subjects[0].serviceAccount.namespace: Invalid value: "N": {DNS_LABEL}',
    ),
    row(
        "resources of nothing",
        resources(verbs=[], apiGroups=[], resources=[], namespaces=[]),
        f"{RULE}.resourceRules[0].verbs: Required value: verbs must contain at least one value",
        f"{RULE}.resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group",
        f"{RULE}.resourceRules[0].resources: Required value: resource rules must supply at least one resource",
        f"{RULE}.resourceRules[0].namespaces: Required value: "
        "resource rules that are not cluster scoped must supply at least one namespace",
    ),
    row(
        "everything and more",
        resources(verbs=["*", "get"], apiGroups=["*", ""], resources=["a", "*"], namespaces=["n", "*"]),
        f'{RULE}.resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
        f'{RULE}.resourceRules[0].apiGroups: Invalid value: ["*",""]: '
        "if '*' is present, must not specify other api groups",
        f'{RULE}.resourceRules[0].resources: Invalid value: ["a","*"]: '
        "if '*' is present, must not specify other resources",
        f'{RULE}.resourceRules[0].namespaces: Invalid value: ["n","*"]: '
        "if '*' is present, must not specify other namespaces",
    ),
    row(
        "unheard-of verbs",
        resources(verbs=["get", "sing"]),
        f'{RULE}.resourceRules[0].verbs: Unsupported value: ["get","sing"]: {SUPPORTED_VERBS}',
    ),
    row(
        "a bad namespace",
        resources(namespaces=["n", "N"]),
        f'{RULE}.resourceRules[0].namespaces[1]: Invalid value: "N": '
        f"each member of this list must be '*' or a DNS-1123 label; {DNS_LABEL}",
    ),
    row(
        "no URLs",
        urls(verbs=()),
        f"{RULE}.nonResourceRules[0].verbs: Required value: verbs must contain at least one value",
        f"{RULE}.nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value",
    ),
    row(
        "all URLs and more",
        urls("*", "/a"),
        f'{RULE}.nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/a"]: '
        "if '*' is present, must not specify other non-resource URLs",
    ),
    row(
        "bad URLs",
        urls("", "a", "/a b", "/a//b", "/a*", "/*/*"),
        f'{RULE}.nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
        f'{RULE}.nonResourceRules[0].nonResourceURLs[1]: Invalid value: "a": must start with slash',
        f'{RULE}.nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a b": must not contain white-space',
        f'{RULE}.nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a//b": must not contain double slash',
        f'{RULE}.nonResourceRules[0].nonResourceURLs[4]: Invalid value: "/a*": wildcard can only do suffix matching',
        f'{RULE}.nonResourceRules[0].nonResourceURLs[5]: Invalid value: "/*/*": wildcard can only do suffix matching',
    ),
    row(
        "another way of catching all",
        {"metadata": {"name": "catch-all"}},
        'spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"workload-low"},"MatchingPrecedence":1000,'
        '"DistinguisherMethod":null,"Rules":null}: spec of \'catch-all\' must equal the fixed value',
    ),
]


@pytest.mark.parametrize("case", SCHEMA_ROWS, ids=ids(SCHEMA_ROWS))
def test_schemas(case: Row) -> None:
    assert SCHEMA.complaints(case.patch) == list(case.complaints)


@pytest.mark.parametrize("name", flowschema.MANDATORY)
def test_fixed_schemas_are_fine(name: str) -> None:
    fixed = FlowSchema(metadata=ObjectMeta(name=name), spec=flowschema.MANDATORY[name])
    assert FLOW_SCHEMA.default(fixed) == fixed
    assert not FLOW_SCHEMA.validate(fixed)


LEVEL = Subject(
    PriorityLevelConfiguration,
    PRIORITY_LEVEL_CONFIGURATION,
    {"metadata": {"name": "l"}, "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}},
)


def queuing(**given: int) -> dict[str, Any]:
    return {"spec": {"limited": {"limitResponse": {"type": "Queue", "queuing": given}}}}


def test_defaults_of_levels() -> None:
    assert LEVEL.defaulted()["spec"]["limited"] == {
        "nominalConcurrencyShares": 30,
        "lendablePercent": 0,
        "limitResponse": {"type": "Reject"},
    }
    assert LEVEL.defaulted({"spec": {"limited": {"nominalConcurrencyShares": 0}}})["spec"]["limited"].items() >= {
        ("nominalConcurrencyShares", 0)
    }
    assert LEVEL.defaulted(queuing())["spec"]["limited"]["limitResponse"]["queuing"] == {
        "queues": 64,
        "handSize": 8,
        "queueLengthLimit": 50,
    }
    exempt = {"metadata": {"name": "exempt"}, "spec": {"type": "Exempt", "limited": None, "exempt": {}}}
    assert LEVEL.defaulted(exempt)["spec"]["exempt"] == {"nominalConcurrencyShares": 0, "lendablePercent": 0}


IFF = "must be 'Exempt' if and only if `name` is 'exempt'"
QUEUING = "spec.limited.limitResponse.queuing"
LEVEL_ROWS = [
    row("as it should be", {}),
    row("queues", queuing()),
    row(
        "an old annotation",
        {"metadata": {"annotations": {prioritylevelconfiguration.ZERO_SHARES_ANNOTATION: ""}}},
        "metadata.annotations: Forbidden: "
        "annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
    ),
    row("no type", {"spec": {"type": ""}}, "spec.type: Required value"),
    row(
        "no such type",
        {"spec": {"type": "Boundless"}},
        'spec.type: Unsupported value: "Boundless": supported values: "Exempt", "Limited"',
    ),
    row(
        "exempt under another name",
        {"spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": -1, "lendablePercent": 101}}},
        f'spec.type: Invalid value: "Exempt": {IFF}',
        "spec.limited: Forbidden: must be nil if the type is not Limited",
        "spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
        "spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
    ),
    row(
        "exempt but limited",
        {"metadata": {"name": "exempt"}, "spec": {"limited": None, "exempt": {}}},
        f'spec.type: Invalid value: "Limited": {IFF}',
        "spec.exempt: Forbidden: must be nil if the type is Limited",
        "spec.limited: Required value: must not be empty when type is Limited",
        'spec: Invalid value: {"Type":"Limited","Limited":null,"Exempt":{"NominalConcurrencyShares":0,'
        "\"LendablePercent\":0}}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
    ),
    row(
        "exempt with shares",
        {
            "metadata": {"name": "exempt"},
            "spec": {"type": "Exempt", "limited": None, "exempt": {"nominalConcurrencyShares": 7}},
        },
    ),
    row(
        "another way of catching all",
        {"metadata": {"name": "catch-all"}},
        'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":30,"LimitResponse":'
        '{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: '
        "spec of 'catch-all' must equal the fixed value",
    ),
    row(
        "shares of less than nothing",
        {"spec": {"limited": {"nominalConcurrencyShares": -1, "lendablePercent": -1, "borrowingLimitPercent": -1}}},
        "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
        "spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive",
        "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
    ),
    row(
        "no response",
        {"spec": {"limited": {"limitResponse": {"type": ""}}}},
        "spec.limited.limitResponse.type: Required value",
    ),
    row(
        "no such response",
        {"spec": {"limited": {"limitResponse": {"type": "Laugh"}}}},
        'spec.limited.limitResponse.type: Unsupported value: "Laugh": supported values: "Queue", "Reject"',
    ),
    row(
        "queues without need",
        {"spec": {"limited": {"limitResponse": {"queuing": {}}}}},
        f"{QUEUING}: Forbidden: must be nil if limited.limitResponse.type is not Limited",
    ),
    row(
        "no queues",
        {"spec": {"limited": {"limitResponse": {"type": "Queue"}}}},
        f"{QUEUING}: Required value: must not be empty if limited.limitResponse.type is Limited",
    ),
    row(
        "queues of less than nothing",
        queuing(queues=-1, handSize=-1, queueLengthLimit=-1),
        f"{QUEUING}.queueLengthLimit: Invalid value: -1: must be positive",
        f"{QUEUING}.queues: Invalid value: -1: must be positive",
        f"{QUEUING}.handSize: Invalid value: -1: must be positive",
    ),
    row(
        "far too many queues",
        queuing(queues=10000001, handSize=1),
        f"{QUEUING}.queues: Invalid value: 10000001: must not be greater than 10000000",
    ),
    row(
        "more than there are",
        queuing(queues=4, handSize=5),
        f"{QUEUING}.handSize: Invalid value: 5: should not be greater than queues (4)",
    ),
    row(
        "too much to choose from",
        queuing(queues=1024, handSize=7),
        f"{QUEUING}.handSize: Invalid value: 7: "
        "required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60",
    ),
]


@pytest.mark.parametrize("case", LEVEL_ROWS, ids=ids(LEVEL_ROWS))
def test_levels(case: Row) -> None:
    assert LEVEL.complaints(case.patch) == list(case.complaints)


@pytest.mark.parametrize("name", prioritylevelconfiguration.MANDATORY)
def test_fixed_levels_are_fine(name: str) -> None:
    spec = prioritylevelconfiguration.MANDATORY[name]
    fixed = PriorityLevelConfiguration(metadata=ObjectMeta(name=name), spec=spec)
    assert PRIORITY_LEVEL_CONFIGURATION.default(fixed) == fixed
    assert not PRIORITY_LEVEL_CONFIGURATION.validate(fixed)


STEPS = [
    step("a condition", {"status": {"conditions": [{"type": "Dangling", "status": "False"}]}}),
    step(
        "bad conditions",
        {"status": {"conditions": [{"type": "a"}, {"type": "a"}, {}]}},
        'status.conditions[1].type: Duplicate value: "a"',
        "status.conditions[2].type: Required value",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_statuses(case: Step) -> None:
    assert SCHEMA.complaints_about_step(case) == list(case.complaints)
    assert LEVEL.complaints_about_step(case) == list(case.complaints)
