"""APIServices: defaults, and every rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.apiservice import API_SERVICE
from steersman.api.apiregistration import APIService
from tests.unit.apiserver.registry.pods import DNS_SUBDOMAIN
from tests.unit.apiserver.registry.tables import Row, Step, Subject, ids, row, step

REMOTE = {"namespace": "n", "name": "s"}
SUBJECT = Subject(
    APIService,
    API_SERVICE,
    {
        "metadata": {"name": "v1.example.com", "creationTimestamp": "2026-11-18T06:59:47Z"},
        "spec": {
            "group": "example.com",
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 15,
            "service": REMOTE,
        },
    },
)


def local(**given: Any) -> dict[str, Any]:
    return {"spec": {"service": None, **given}}


def test_a_service_listens_where_servers_do() -> None:
    assert SUBJECT.defaulted()["spec"]["service"]["port"] == 443
    assert SUBJECT.defaulted({"spec": {"service": {"port": 8443}}})["spec"]["service"]["port"] == 8443


def test_what_is_our_own_is_available() -> None:
    assert SUBJECT.defaulted(local())["status"]["conditions"] == [
        {
            "type": "Available",
            "status": "True",
            "reason": "Local",
            "message": "Local APIServices are always available",
            "lastTransitionTime": "2026-11-18T06:59:47Z",
        }
    ]
    assert "conditions" not in SUBJECT.defaulted()["status"]


ROWS = [
    row("as it should be", {}),
    row("our own", local()),
    row("the oldest of all", {"metadata": {"name": "v1."}, **local(group="")}),
    row(
        "another name",
        {"metadata": {"name": "mine"}},
        'metadata.name: Invalid value: "mine": must be `spec.version+"."+spec.group`: "v1.example.com"',
    ),
    row(
        "no group",
        {"metadata": {"name": "v2."}, "spec": {"group": "", "version": "v2"}},
        "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
    ),
    row(
        "a bad group and a bad version",
        {"metadata": {"name": "1.A"}, "spec": {"group": "A", "version": "1"}},
        f'spec.group: Invalid value: "A": {DNS_SUBDOMAIN}',
        'spec.version: Invalid value: "1": a DNS-1035 label must consist of lower case alphanumeric characters or '
        "'-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    row(
        "too low",
        {"spec": {"groupPriorityMinimum": 0, "versionPriority": 0}},
        "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
    ),
    row(
        "too high",
        {"spec": {"groupPriorityMinimum": 20001, "versionPriority": 1001}},
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
    ),
    row(
        "our own with a certificate",
        local(caBundle="YWJj", insecureSkipTLSVerify=True),
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ),
    row(
        "somebody's without an address",
        {"spec": {"service": {"namespace": "", "name": "", "port": 0}}},
        "spec.service.namespace: Required value",
        "spec.service.name: Required value",
        "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
    ),
    row(
        "trusted twice",
        {"spec": {"caBundle": "YWJj", "insecureSkipTLSVerify": True}},
        "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


STEPS = [
    step("available", {"status": {"conditions": [{"type": "Available", "status": "True"}]}}),
    step(
        "perhaps",
        {"status": {"conditions": [{"type": "Available", "status": "Perhaps"}]}},
        'status.conditions[0].status: Unsupported value: "Perhaps": supported values: "True", "False", "Unknown"',
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_statuses(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
