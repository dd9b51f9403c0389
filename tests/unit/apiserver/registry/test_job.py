"""Jobs: their defaults and selectors, and every rule of their spec broken once with exactly these complaints."""

from __future__ import annotations

import pytest

from apiserver.registry.job import JOB
from steersman.api.batch import Job
from tests.unit.apiserver.registry.tables import (
    DEFAULTED_TEMPLATE_SPEC,
    TEMPLATE,
    Patch,
    Row,
    Subject,
    ids,
    row,
)

UID = "9d9f5bd0-0000-4000-8000-000000000001"
OWN_LABELS = {
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "once",
    "controller-uid": UID,
    "job-name": "once",
}
SUBJECT = Subject(
    Job,
    JOB,
    {
        "metadata": {"name": "once", "namespace": "default", "uid": UID},
        "spec": {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}},
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
INDEXED = {"completionMode": "Indexed", "completions": 5}


def test_defaults() -> None:
    whole = SUBJECT.defaulted()
    assert whole["metadata"]["labels"] == OWN_LABELS
    assert whole["spec"] == {
        "parallelism": 1,
        "completions": 1,
        "backoffLimit": 6,
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}},
        "manualSelector": False,
        "template": {
            "metadata": {"labels": OWN_LABELS},
            "spec": {**DEFAULTED_TEMPLATE_SPEC, "restartPolicy": "Never"},
        },
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": "TerminatingOrFailed",
    }


RULE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
DEFAULTS: list[tuple[str, Patch, Patch]] = [
    ("a work queue has no completions", {"parallelism": 3}, {"parallelism": 3, "completions": None}),
    ("completions alone", {"completions": 3}, {"parallelism": 1, "completions": 3}),
    (
        "a limit per index is the only one",
        {**INDEXED, "backoffLimitPerIndex": 1},
        {"backoffLimit": 2147483647, "backoffLimitPerIndex": 1},
    ),
    (
        "a failure policy waits for the failure",
        {"podFailurePolicy": {"rules": [RULE]}},
        {
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
            },
        },
    ),
    ("zeros are meant", {"parallelism": 0, "backoffLimit": 0, "suspend": True}, {"parallelism": 0, "backoffLimit": 0}),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS])
def test_defaults_that_depend(given: Patch, wanted: Patch) -> None:
    spec = SUBJECT.defaulted({"spec": given})["spec"]
    assert {name: spec.get(name) for name in wanted} == wanted


def test_labels_of_the_user_stay() -> None:
    labels = {"app": "x"}
    whole = SUBJECT.make({"metadata": {"labels": labels}, "spec": {"template": {"metadata": {"labels": labels}}}})
    assert whole.metadata.labels == labels
    assert whole.spec.template.metadata.labels == {**OWN_LABELS, **labels}
    assert JOB.default(whole) is whole


def test_a_manual_selector_is_left_alone() -> None:
    labels = {"app": "x"}
    given = {"manualSelector": True, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
    whole = SUBJECT.make({"spec": given})
    assert whole.spec.template.metadata.labels == labels
    assert whole.spec.selector.match_labels == labels
    assert JOB.validate(whole) == []


def test_selectors_are_generated_at_birth_only() -> None:
    whole = SUBJECT.make({"status": {"active": 1}})
    assert whole.spec.selector is None


def test_labels_that_are_taken_away_are_missed() -> None:
    template = {"metadata": {"labels": {"job-name": "once"}}}
    selector = {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}
    found = SUBJECT.complaints({"status": {"active": 1}, "spec": {"selector": selector, "template": template}})
    assert found[:3] == [
        f"spec.template.metadata.labels[controller-uid]: Required value: must be '{UID}'",
        f"spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Required value: must be '{UID}'",
        "spec.template.metadata.labels[batch.kubernetes.io/job-name]: Required value: must be 'once'",
    ]


def spec(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec`."""
    return row(id, {"spec": given}, *(f"spec{complaint}" for complaint in complaints))


NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
WRONG_LABELS = '{"batch.kubernetes.io/controller-uid":"%s","batch.kubernetes.io/job-name":"once","controller-uid":"x",'
PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
ROWS = [
    row("as it should be", {}),
    spec("indexed", {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 3}),
    spec(
        "negative numbers",
        {"completionMode": "Indexed", **dict.fromkeys(NUMBERS, -1)},
        *(f".{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in NUMBERS),
    ),
    spec(
        "failed indexes without a limit per index",
        {**INDEXED, "maxFailedIndexes": 2},
        ".backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
    ),
    spec(
        "no such mode",
        {"completionMode": "Random"},
        '.completionMode: Unsupported value: "Random": supported values: "NonIndexed", "Indexed"',
    ),
    spec(
        "indexes of a Job without",
        {"backoffLimitPerIndex": 1, "maxFailedIndexes": 1, "successPolicy": {"rules": [{"succeededCount": 1}]}},
        ".backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
        ".maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
        '.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: '
        "requires indexed completion mode",
    ),
    spec(
        "indexes without end",
        {"completionMode": "Indexed", "parallelism": 1},
        ".completions: Required value: when completion mode is Indexed",
    ),
    spec(
        "too many at once",
        {**INDEXED, "parallelism": 100001},
        ".parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
    ),
    spec(
        "more failures than runs",
        {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 6},
        ".maxFailedIndexes: Invalid value: 6: must be less than or equal to completions",
    ),
    spec(
        "very many failures",
        {"completionMode": "Indexed", "completions": 200000, "backoffLimitPerIndex": 1, "maxFailedIndexes": 100001},
        ".maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
        ".maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 when completions are above "
        "100000 and used with backoff limit per index",
    ),
    spec(
        "very many runs",
        {"completionMode": "Indexed", "completions": 200000, "backoffLimitPerIndex": 1, "parallelism": 10001},
        ".maxFailedIndexes: Required value: must be specified when completions is above 100000",
        ".parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 "
        "and used with backoff limit per index",
    ),
    spec("managed by somebody else", {"managedBy": "acme.io/jobs"}),
    spec("managed by an empty name", {"managedBy": ""}, ".managedBy: Required value"),
    spec(
        "managed by no domain",
        {"managedBy": "acme"},
        '.managedBy: Invalid value: "acme": must be a domain-prefixed path (such as "acme.io/foo")',
    ),
    spec(
        "managed by what no path carries",
        {"managedBy": "acme.io/a b"},
        f".managedBy: Invalid value: \"a b\": Invalid path (regex used for validation is '{PATH}')",
    ),
    spec(
        "managed by a very long name",
        {"managedBy": "acme.io/" + "a" * 56},
        ".managedBy: Too long: may not be more than 63 bytes",
    ),
    spec(
        "no such replacement",
        {"podReplacementPolicy": "Never"},
        '.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"',
    ),
    spec(
        "replacement before the verdict",
        {"podReplacementPolicy": "TerminatingOrFailed", "podFailurePolicy": {"rules": [RULE]}},
        '.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ),
    spec(
        "pods that never end",
        {"template": {"spec": {"restartPolicy": None}}},
        '.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ),
    spec(
        "no such restart",
        {"template": {"spec": {"restartPolicy": "Twice"}}},
        '.template.spec.restartPolicy: Unsupported value: "Twice": supported values: "Always", "OnFailure", "Never"',
        '.template.spec.restartPolicy: Unsupported value: "Twice": supported values: "OnFailure", "Never"',
    ),
    spec(
        "restarts that hide failures",
        {"template": {"spec": {"restartPolicy": "OnFailure"}}, "podFailurePolicy": {"rules": [RULE]}},
        '.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is '
        "specified",
    ),
    spec(
        "a template without containers",
        {"template": {"spec": {"containers": None}}},
        ".template.spec.containers: Required value",
    ),
    spec(
        "somebody else's label",
        {"template": {"metadata": {"labels": {"controller-uid": "x"}}}},
        f'.template.metadata.labels[controller-uid]: Invalid value: {WRONG_LABELS % UID}"job-name":"once"}}: '
        f"must be '{UID}'",
    ),
    spec(
        "somebody else's selector",
        {"selector": {"matchLabels": {"app": "x"}}},
        f'.selector: Invalid value: {{"matchLabels":{{"app":"x","batch.kubernetes.io/controller-uid":"{UID}"}}}}: '
        "`selector` not auto-generated",
        f'.template.metadata.labels: Invalid value: {{"batch.kubernetes.io/controller-uid":"{UID}",'
        f'"batch.kubernetes.io/job-name":"once","controller-uid":"{UID}","job-name":"once"}}: '
        "`selector` does not match template `labels`",
    ),
    spec(
        "a selector that makes no sense",
        {"selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}},
        '.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ),
    spec(
        "a manual selector of nothing",
        {"manualSelector": True},
        ".selector: Required value",
        ".template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    ),
    spec(
        "a manual selector that makes no sense",
        {"manualSelector": True, "selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}},
        '.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ),
    row(
        "pods whose hostnames would be too long",
        {"metadata": {"name": "j" * 62}, "spec": {"completionMode": "Indexed", "completions": 11}},
        f'metadata.name: Invalid value: "{"j" * 62}": will not able to create pod with invalid DNS label: '
        f"{'j' * 62}-10",
    ),
    row(
        "no uid",
        {"metadata": {"uid": None}},
        "metadata.uid: Required value",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
