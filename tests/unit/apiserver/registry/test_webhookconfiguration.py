"""Validating and mutating webhook configurations: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.mutatingwebhookconfiguration import MUTATING_WEBHOOK_CONFIGURATION
from apiserver.registry.validatingwebhookconfiguration import VALIDATING_WEBHOOK_CONFIGURATION
from steersman.api.admissionregistration import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN, NAME_PART
from tests.unit.apiserver.registry.tables import Row, Subject, ids, row

HOOK = {
    "name": "check.example.com",
    "clientConfig": {"url": "https://hooks.example.com/check"},
    "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
VALIDATING = Subject(
    ValidatingWebhookConfiguration, VALIDATING_WEBHOOK_CONFIGURATION, {"metadata": {"name": "h"}, "webhooks": [HOOK]}
)
MUTATING = Subject(
    MutatingWebhookConfiguration, MUTATING_WEBHOOK_CONFIGURATION, {"metadata": {"name": "h"}, "webhooks": [HOOK]}
)
BOTH = [VALIDATING, MUTATING]
FIRST = "webhooks[0]"
FORM = "; desired format: https://host[/path]"
DNS_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def hook(**given: Any) -> dict[str, Any]:
    return {"webhooks": [{**HOOK, **given}]}


def rules(**given: Any) -> dict[str, Any]:
    whole = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"], **given}
    return hook(rules=[whole])


def url(text: str) -> dict[str, Any]:
    return hook(clientConfig={"url": text})


def service(**given: Any) -> dict[str, Any]:
    return hook(clientConfig={"service": {"namespace": "n", "name": "s", **given}})


@pytest.mark.parametrize("subject", BOTH, ids=["validating", "mutating"])
def test_defaults(subject: Subject) -> None:
    made = subject.defaulted(service())["webhooks"][0]
    assert made["clientConfig"]["service"]["port"] == 443
    assert made["rules"][0]["scope"] == "*"
    assert made["namespaceSelector"] == made["objectSelector"] == {}
    assert (made["failurePolicy"], made["matchPolicy"], made["timeoutSeconds"]) == ("Fail", "Equivalent", 10)
    assert made.get("reinvocationPolicy") == ("Never" if subject is MUTATING else None)


ROWS = [
    row("as it should be", {}),
    row("no hooks", {"webhooks": []}),
    row("a service", service(path="/a/b.c/", port=8443)),
    row("a condition", hook(matchConditions=[{"name": "a", "expression": "true"}])),
    row("no name", hook(name=""), f"{FIRST}.name: Required value"),
    row("a bad name", hook(name="A"), f'{FIRST}.name: Invalid value: "A": {DNS_SUBDOMAIN}'),
    row(
        "a short name",
        hook(name="example.com"),
        f'{FIRST}.name: Invalid value: "example.com": '
        "should be a domain with at least three segments separated by dots",
    ),
    row(
        "a name twice",
        {"webhooks": [HOOK, HOOK]},
        'webhooks[1].name: Duplicate value: "check.example.com"',
    ),
    row(
        "no rule in a rule",
        rules(operations=[], apiGroups=[], apiVersions=[], resources=[]),
        f"{FIRST}.rules[0].operations: Required value",
        f"{FIRST}.rules[0].apiGroups: Required value",
        f"{FIRST}.rules[0].apiVersions: Required value",
        f"{FIRST}.rules[0].resources: Required value",
    ),
    row(
        "everything and more",
        rules(operations=["*", "CREATE"], apiGroups=["*", ""], apiVersions=["v1", "*"], resources=["*/*", "pods"]),
        f'{FIRST}.rules[0].operations: Invalid value: ["*","CREATE"]: '
        "if '*' is present, must not specify other operations",
        f'{FIRST}.rules[0].apiGroups: Invalid value: ["*",""]: if \'*\' is present, must not specify other API groups',
        f'{FIRST}.rules[0].apiVersions: Invalid value: ["v1","*"]: '
        "if '*' is present, must not specify other API versions",
        f'{FIRST}.rules[0].resources: Invalid value: ["*/*","pods"]: '
        "if '*/*' is present, must not specify other resources",
    ),
    row(
        "rules of nonsense",
        rules(operations=["DANCE"], apiVersions=[""], resources=[""], scope="World"),
        f'{FIRST}.rules[0].operations[0]: Unsupported value: "DANCE": '
        'supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        f"{FIRST}.rules[0].apiVersions[0]: Required value",
        f"{FIRST}.rules[0].resources[0]: Required value",
        f'{FIRST}.rules[0].scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"',
    ),
    row(
        "resources said twice",
        rules(resources=["pods/*", "pods/log", "*/scale", "jobs/scale"]),
        f'{FIRST}.rules[0].resources[1]: Invalid value: "pods/log": '
        "if 'pods/*' is present, must not specify pods/log",
        f'{FIRST}.rules[0].resources[3]: Invalid value: "jobs/scale": '
        "if '*/scale' is present, must not specify jobs/scale",
    ),
    row(
        "all resources and pods",
        rules(resources=["*", "pods"]),
        f'{FIRST}.rules[0].resources: Invalid value: ["*","pods"]: '
        "if '*' is present, must not specify other resources without subresources",
    ),
    row(
        "policies of nonsense",
        hook(failurePolicy="Shrug", matchPolicy="Vague"),
        f'{FIRST}.failurePolicy: Unsupported value: "Shrug": supported values: "Fail", "Ignore"',
        f'{FIRST}.matchPolicy: Unsupported value: "Vague": supported values: "Equivalent", "Exact"',
    ),
    row(
        "side effects unsaid",
        hook(sideEffects=None),
        f"{FIRST}.sideEffects: Required value: must specify one of None, NoneOnDryRun",
    ),
    row(
        "side effects",
        hook(sideEffects="Some"),
        f'{FIRST}.sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ),
    row(
        "no time",
        hook(timeoutSeconds=0),
        f"{FIRST}.timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds",
    ),
    row(
        "bad selectors",
        hook(namespaceSelector={"matchLabels": {"-": "a"}}, objectSelector={"matchLabels": {"-": "a"}}),
        f'{FIRST}.namespaceSelector.matchLabels: Invalid value: "-": {NAME_PART}',
        f'{FIRST}.objectSelector.matchLabels: Invalid value: "-": {NAME_PART}',
    ),
    row(
        "nobody to ask",
        hook(clientConfig={}),
        f"{FIRST}.clientConfig: Required value: exactly one of url or service is required",
    ),
    row(
        "two to ask",
        hook(clientConfig={"url": "https://a", "service": {"namespace": "n", "name": "s"}}),
        f"{FIRST}.clientConfig: Required value: exactly one of url or service is required",
    ),
    row(
        "a bad URL",
        url("http://me:secret@/?a=b#c"),
        f"{FIRST}.clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}",
        f'{FIRST}.clientConfig.url: Invalid value: "": host must be specified{FORM}',
        f'{FIRST}.clientConfig.url: Invalid value: "me:secret": user information is not permitted in the URL',
        f'{FIRST}.clientConfig.url: Invalid value: "c": fragments are not permitted in the URL',
        f'{FIRST}.clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
    ),
    row(
        "no URL at all",
        url("https://[::1"),
        f'{FIRST}.clientConfig.url: Required value: url must be a valid URL: parse "https://[::1": '
        f"Invalid IPv6 URL{FORM}",
    ),
    row("a service without a namespace", service(namespace=""), f"{FIRST}.clientConfig.service.name: Required value"),
    row("a service without a name", service(name=""), f"{FIRST}.clientConfig.service.namespace: Required value"),
    row(
        "no such port",
        service(port=0),
        f"{FIRST}.clientConfig.service.port: Invalid value: 0: port is not valid: "
        "must be between 1 and 65535, inclusive",
    ),
    row(
        "a path of nothing",
        service(path="//"),
        f'{FIRST}.clientConfig.service.path: Invalid value: "//": segment[0] may not be empty',
    ),
    row(
        "a bad path",
        service(path="aB//c"),
        f"{FIRST}.clientConfig.service.path: Invalid value: \"aB//c\": must start with a '/'",
        f'{FIRST}.clientConfig.service.path: Invalid value: "aB//c": segment[0]: {DNS_SUBDOMAIN}',
        f'{FIRST}.clientConfig.service.path: Invalid value: "aB//c": segment[1] may not be empty',
    ),
    row(
        "conditions of nothing",
        hook(matchConditions=[{"name": "", "expression": " "}, {"name": "-", "expression": "true"}]),
        f"{FIRST}.matchConditions[0].expression: Required value",
        f"{FIRST}.matchConditions[0].name: Required value",
        f'{FIRST}.matchConditions[1].name: Invalid value: "-": {NAME_PART}',
    ),
    row(
        "a condition twice",
        hook(matchConditions=[{"name": "a", "expression": "true"}] * 2),
        f'{FIRST}.matchConditions[1].name: Duplicate value: "a"',
    ),
    row(
        "too many conditions",
        hook(matchConditions=[{"name": f"a{number}", "expression": "true"} for number in range(65)]),
        f"{FIRST}.matchConditions: Too many: 65: must have at most 64 items",
    ),
    row(
        "no versions",
        hook(admissionReviewVersions=[]),
        f"{FIRST}.admissionReviewVersions: Required value: must specify one of v1, v1beta1",
    ),
    row(
        "unknown versions",
        hook(admissionReviewVersions=["v3", "v3", "4"]),
        f'{FIRST}.admissionReviewVersions[1]: Invalid value: "v3": duplicate version',
        f'{FIRST}.admissionReviewVersions[2]: Invalid value: "4": {DNS_1035}',
        f'{FIRST}.admissionReviewVersions: Invalid value: ["v3","v3","4"]: must include at least one of v1, v1beta1',
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
@pytest.mark.parametrize("subject", BOTH, ids=["validating", "mutating"])
def test_rules(subject: Subject, case: Row) -> None:
    assert subject.complaints(case.patch) == list(case.complaints)


def test_only_what_changes_objects_is_asked_again() -> None:
    assert MUTATING.complaints(hook(reinvocationPolicy="IfNeeded")) == []
    assert MUTATING.complaints(hook(reinvocationPolicy="Always")) == [
        f'{FIRST}.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"'
    ]
