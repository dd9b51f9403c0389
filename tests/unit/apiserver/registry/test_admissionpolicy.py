"""Admission policies and their bindings, validating and mutating: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.mutatingadmissionpolicy import MUTATING_ADMISSION_POLICY
from apiserver.registry.mutatingadmissionpolicybinding import MUTATING_ADMISSION_POLICY_BINDING
from apiserver.registry.validatingadmissionpolicy import VALIDATING_ADMISSION_POLICY
from apiserver.registry.validatingadmissionpolicybinding import VALIDATING_ADMISSION_POLICY_BINDING
from steersman.api import admissionregistration as api
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, NAME_PART
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step
from tests.unit.apiserver.registry.test_webhookconfiguration import DNS_1035

PODS = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
MATCH = {"resourceRules": [PODS]}
VALIDATING = Subject(
    api.ValidatingAdmissionPolicy,
    VALIDATING_ADMISSION_POLICY,
    {
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": MATCH, "validations": [{"expression": "true"}]},
    },
)
MUTATION = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/a', value: 1}]"}}
MUTATING = Subject(
    api.MutatingAdmissionPolicy,
    MUTATING_ADMISSION_POLICY,
    {
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": MATCH, "mutations": [MUTATION], "reinvocationPolicy": "Never"},
    },
)
VALIDATING_BINDING = Subject(
    api.ValidatingAdmissionPolicyBinding,
    VALIDATING_ADMISSION_POLICY_BINDING,
    {"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"]}},
)
MUTATING_BINDING = Subject(
    api.MutatingAdmissionPolicyBinding,
    MUTATING_ADMISSION_POLICY_BINDING,
    {"metadata": {"name": "b"}, "spec": {"policyName": "p"}},
)
POLICIES = pytest.mark.parametrize("subject", [VALIDATING, MUTATING], ids=["validating", "mutating"])
BINDINGS = pytest.mark.parametrize("subject", [VALIDATING_BINDING, MUTATING_BINDING], ids=["validating", "mutating"])


def spec(**given: Any) -> dict[str, Any]:
    return {"spec": given}


@POLICIES
def test_defaults(subject: Subject) -> None:
    made = subject.defaulted()["spec"]
    assert made["failurePolicy"] == "Fail"
    assert made["matchConstraints"] == {
        "namespaceSelector": {},
        "objectSelector": {},
        "matchPolicy": "Equivalent",
        "resourceRules": [{**PODS, "scope": "*"}],
    }


@BINDINGS
def test_defaults_of_bindings(subject: Subject) -> None:
    assert "matchResources" not in subject.defaulted()["spec"]
    excluding = subject.defaulted(spec(matchResources={"excludeResourceRules": [PODS]}))["spec"]["matchResources"]
    assert excluding["matchPolicy"] == "Equivalent"
    assert excluding["excludeResourceRules"][0]["scope"] == "*"


CONSTRAINTS = "spec.matchConstraints"
POLICY_ROWS = [
    row("as it should be", {}),
    row("parameters", spec(paramKind={"apiVersion": "example.com/v1", "kind": "Limit"})),
    row("variables", spec(variables=[{"name": "a_b", "expression": "1"}])),
    row(
        "no such failure",
        spec(failurePolicy="Shrug"),
        'spec.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"',
    ),
    row(
        "parameters of nothing",
        spec(paramKind={}),
        "spec.paramKind.apiVersion: Required value",
        "spec.paramKind.kind: Required value",
    ),
    row(
        "parameters of a bad kind",
        spec(paramKind={"apiVersion": "A/1", "kind": "L_"}),
        f'spec.paramKind.apiVersion: Invalid value: "A": {DNS_SUBDOMAIN}',
        f'spec.paramKind.apiVersion: Invalid value: "1": {DNS_1035}',
        f'spec.paramKind.kind: Invalid value: "L_": may have mixed case, but should otherwise match: {DNS_1035}',
    ),
    row(
        "parameters without a version",
        spec(paramKind={"apiVersion": "a.b/", "kind": "L"}),
        'spec.paramKind.apiVersion: Invalid value: "a.b/": version must be specified',
    ),
    row(
        "parameters of too many groups",
        spec(paramKind={"apiVersion": "a/b/c", "kind": "L"}),
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ),
    row("about nothing", spec(matchConstraints=None), f"{CONSTRAINTS}: Required value"),
    row(
        "about nothing in particular",
        spec(matchConstraints={"resourceRules": []}),
        f"{CONSTRAINTS}.resourceRules: Required value",
    ),
    row(
        "about nonsense",
        spec(
            matchConstraints={
                "matchPolicy": "Vague",
                "namespaceSelector": {"matchLabels": {"-": "a"}},
                "resourceRules": [{**PODS, "resourceNames": ["a", "a", "b/c"]}],
                "excludeResourceRules": [{**PODS, "apiGroups": []}],
            }
        ),
        f'{CONSTRAINTS}.matchPolicy: Unsupported value: "Vague": supported values: "Equivalent", "Exact"',
        f'{CONSTRAINTS}.namespaceSelector.matchLabels: Invalid value: "-": {NAME_PART}',
        f'{CONSTRAINTS}.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        f"{CONSTRAINTS}.resourceRules[0].resourceNames[2]: Invalid value: \"b/c\": may not contain '/'",
        f"{CONSTRAINTS}.excludeResourceRules[0].apiGroups: Required value",
    ),
    row(
        "a condition of nothing",
        spec(matchConditions=[{"name": "a", "expression": ""}]),
        "spec.matchConditions[0].expression: Required value",
    ),
    row(
        "variables of nothing",
        spec(
            variables=[
                {"name": " ", "expression": " "},
                {"name": "in", "expression": "1"},
                {"name": "1", "expression": "1"},
            ]
        ),
        "spec.variables[0].name: Required value: name is not specified",
        "spec.variables[0].expression: Required value: expression is not specified",
        'spec.variables[1].name: Invalid value: "in": must be a valid CEL identifier',
        'spec.variables[2].name: Invalid value: "1": must be a valid CEL identifier',
    ),
]


@pytest.mark.parametrize("case", POLICY_ROWS, ids=ids(POLICY_ROWS))
@POLICIES
def test_rules_of_policies(subject: Subject, case: Row) -> None:
    assert subject.complaints(case.patch) == list(case.complaints)


def test_what_defaults_would_have_said_must_be_said() -> None:
    bare = api.ValidatingAdmissionPolicySpec(match_constraints=api.MatchResources())
    causes = VALIDATING_ADMISSION_POLICY.validate(api.ValidatingAdmissionPolicy(spec=bare))
    assert [f"{cause.field}: {cause.message}" for cause in causes][:5] == [
        "spec.failurePolicy: Required value",
        f"{CONSTRAINTS}.matchPolicy: Required value",
        f"{CONSTRAINTS}.namespaceSelector: Required value",
        f"{CONSTRAINTS}.objectSelector: Required value",
        f"{CONSTRAINTS}.resourceRules: Required value",
    ]


NOTHING = "validations or auditAnnotations must contain at least one item"
FIRST = "spec.validations[0]"
VALIDATING_ROWS = [
    row("notes alone", spec(validations=[], auditAnnotations=[{"key": "a", "valueExpression": "'x'"}])),
    row(
        "nothing to do",
        spec(validations=[]),
        f"spec.validations: Required value: {NOTHING}",
        f"spec.auditAnnotations: Required value: {NOTHING}",
    ),
    row(
        "a validation of nothing",
        spec(validations=[{"expression": " ", "message": " ", "messageExpression": " ", "reason": "Mood"}]),
        f"{FIRST}.expression: Required value: expression is not specified",
        f'{FIRST}.messageExpression: Invalid value: " ": must be non-empty if specified',
        f'{FIRST}.message: Invalid value: " ": must be non-empty if specified',
        f'{FIRST}.reason: Unsupported value: "Mood": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ),
    row(
        "a message of several lines",
        spec(validations=[{"expression": "true", "message": "a\nb"}]),
        f'{FIRST}.message: Invalid value: "a\\nb": must not contain line breaks',
    ),
    row(
        "a note of nothing",
        spec(auditAnnotations=[{"key": "-", "valueExpression": ""}]),
        f'spec.auditAnnotations[0].key: Invalid value: "p/-": {NAME_PART}',
        "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
    ),
    row(
        "a long note, twice",
        spec(auditAnnotations=[{"key": "a", "valueExpression": "'x'"}, {"key": "a", "valueExpression": "x" * 5121}]),
        "spec.auditAnnotations[1].valueExpression: Required value: must not exceed 5120 bytes in length",
        'spec.auditAnnotations[1].key: Duplicate value: "a"',
    ),
    row(
        "a note on nothing",
        {"metadata": {"name": ""}, **spec(auditAnnotations=[{"key": "a", "valueExpression": "'x'"}])},
        'spec.auditAnnotations[0].key: Invalid value: "a": requires metadata.name be non-empty',
    ),
]


@pytest.mark.parametrize("case", VALIDATING_ROWS, ids=ids(VALIDATING_ROWS))
def test_rules_of_validating_policies(case: Row) -> None:
    assert VALIDATING.complaints(case.patch) == list(case.complaints)


def test_too_many_notes() -> None:
    notes = [{"key": f"a{number}", "valueExpression": "'x'"} for number in range(21)]
    (complaint,) = VALIDATING.complaints(spec(auditAnnotations=notes))
    assert complaint.startswith('spec.auditAnnotations: Invalid value: [{"Key":"a0","ValueExpression":"\'x\'"},')
    assert complaint.endswith(": must not have more than 20 auditAnnotations")


CONDITION = {
    "type": "Ready",
    "status": "True",
    "reason": "Fine",
    "message": "",
    "lastTransitionTime": "2026-11-18T06:59:47Z",
}
REASON = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
    "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
    "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
)
STEPS = [
    step("checked", {"status": {"typeChecking": {}, "conditions": [CONDITION]}}),
    step(
        "warnings of nothing",
        {"status": {"typeChecking": {"expressionWarnings": [{"fieldRef": " ", "warning": ""}]}}},
        "status.typeChecking.expressionWarnings[0].warning: Required value",
        "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    ),
    step(
        "bad conditions",
        {
            "status": {
                "conditions": [
                    {**CONDITION, "reason": "1", "observedGeneration": -1},
                    {"type": "Ready", "status": "Perhaps", "reason": "", "message": "x" * 32769},
                    {**CONDITION, "type": "-", "reason": "x" * 1025},
                ]
            }
        },
        "status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
        f'status.conditions[0].reason: Invalid value: "1": {REASON}',
        'status.conditions[1].type: Duplicate value: "Ready"',
        'status.conditions[1].status: Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
        "status.conditions[1].lastTransitionTime: Required value",
        "status.conditions[1].reason: Required value",
        "status.conditions[1].message: Too long: may not be more than 32768 bytes",
        f'status.conditions[2].type: Invalid value: "-": {NAME_PART}',
        "status.conditions[2].reason: Too long: may not be more than 1024 bytes",
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_statuses(case: Step) -> None:
    assert VALIDATING.complaints_about_step(case) == list(case.complaints)


def mutation(**given: Any) -> dict[str, Any]:
    return spec(mutations=[given])


FIRST_MUTATION = "spec.mutations[0]"
MUTATING_ROWS = [
    row("applied", mutation(patchType="ApplyConfiguration", applyConfiguration={"expression": "Object{}"})),
    row("no change", spec(mutations=[]), "spec.mutations: Required value: mutations must contain at least one item"),
    row("no type", mutation(patchType=""), f"{FIRST_MUTATION}.patchType: Required value"),
    row(
        "no such type",
        mutation(patchType="Wish"),
        f'{FIRST_MUTATION}.patchType: Unsupported value: "Wish": supported values: "ApplyConfiguration", "JSONPatch"',
    ),
    row(
        "the other one",
        mutation(patchType="JSONPatch", applyConfiguration={"expression": "x"}),
        f"{FIRST_MUTATION}.jsonPatch: Required value: must be specified when patchType is JSONPatch",
        f'{FIRST_MUTATION}.applyConfiguration: Invalid value: "{{applyConfiguration}}": '
        "must not be specified when patchType is JSONPatch",
    ),
    row(
        "both of them",
        mutation(patchType="ApplyConfiguration", applyConfiguration={"expression": " "}, jsonPatch={"expression": "x"}),
        f"{FIRST_MUTATION}.applyConfiguration.expression: Required value",
        f'{FIRST_MUTATION}.jsonPatch: Invalid value: "{{jsonPatch}}": '
        "must not be specified when patchType is ApplyConfiguration",
    ),
    row("not said how often", spec(reinvocationPolicy=None), "spec.reinvocationPolicy: Required value"),
    row(
        "too often",
        spec(reinvocationPolicy="Always"),
        'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ),
    row(
        "what is about to go",
        spec(matchConstraints={"resourceRules": [{**PODS, "operations": ["DELETE"]}]}),
        f'{CONSTRAINTS}.resourceRules.operations: Unsupported value: "DELETE": '
        'supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ),
]


@pytest.mark.parametrize("case", MUTATING_ROWS, ids=ids(MUTATING_ROWS))
def test_rules_of_mutating_policies(case: Row) -> None:
    assert MUTATING.complaints(case.patch) == list(case.complaints)


def reference(**given: Any) -> dict[str, Any]:
    return spec(paramRef={"parameterNotFoundAction": "Deny", **given})


EXCLUSIVE = "name and selector are mutually exclusive"
BINDING_ROWS = [
    row("as it should be", {}),
    row("parameters by name", reference(name="limits", namespace="n")),
    row("parameters by label", reference(selector={})),
    row("no policy", spec(policyName=""), "spec.policyName: Required value"),
    row("a bad policy", spec(policyName="P"), f'spec.policyName: Invalid value: "P": {DNS_SUBDOMAIN}'),
    row("no parameters", reference(), "spec.paramRef: Required value: one of name or selector must be specified"),
    row(
        "two sorts of parameters",
        reference(name="a/b", selector={"matchLabels": {"-": "a"}}),
        "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'",
        f"spec.paramRef.name: Forbidden: {EXCLUSIVE}",
        f'spec.paramRef.selector.matchLabels: Invalid value: "-": {NAME_PART}',
        f"spec.paramRef.selector: Forbidden: {EXCLUSIVE}",
    ),
    row(
        "not said what if they are missing",
        reference(name="a", parameterNotFoundAction=None),
        "spec.paramRef.parameterNotFoundAction: Required value",
    ),
    row(
        "nonsense if they are missing",
        reference(name="a", parameterNotFoundAction="Cry"),
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Cry": supported values: "Deny", "Allow"',
    ),
    row(
        "about nonsense",
        spec(matchResources={"matchPolicy": "Vague"}),
        'spec.matchResources.matchPolicy: Unsupported value: "Vague": supported values: "Equivalent", "Exact"',
    ),
]


@pytest.mark.parametrize("case", BINDING_ROWS, ids=ids(BINDING_ROWS))
@BINDINGS
def test_rules_of_bindings(subject: Subject, case: Row) -> None:
    assert subject.complaints(case.patch) == list(case.complaints)


ACTION_ROWS = [
    row("warn and note", spec(validationActions=["Warn", "Audit"])),
    row(
        "do nothing",
        spec(validationActions=[]),
        "spec.validationActions: Required value: at least one validation action is required",
    ),
    row(
        "do too much",
        spec(validationActions=["Deny", "Warn", "Deny", "Dance"]),
        'spec.validationActions[2]: Duplicate value: "Deny"',
        'spec.validationActions[3]: Unsupported value: "Dance": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Dance"]: must not contain both Deny and Warn '
        "(repeating the same validation failure information in the API response and headers serves no purpose)",
    ),
]


@pytest.mark.parametrize("case", ACTION_ROWS, ids=ids(ACTION_ROWS))
def test_actions(case: Row) -> None:
    assert VALIDATING_BINDING.complaints(case.patch) == list(case.complaints)


def test_a_mutating_binding_cannot_be_about_deletions() -> None:
    deletions = {"resourceRules": [{**PODS, "operations": ["DELETE"]}]}
    assert MUTATING_BINDING.complaints(spec(matchResources=deletions)) == [
        'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": '
        'supported values: "*", "CONNECT", "CREATE", "UPDATE"'
    ]
    assert VALIDATING_BINDING.complaints(spec(matchResources=deletions)) == []
