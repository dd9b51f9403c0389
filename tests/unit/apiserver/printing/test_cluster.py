"""The smaller kinds in a table: settings, rights, admission, events."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api.admissionregistration import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    MutatingWebhookConfiguration,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from steersman.api.apiextensions import CustomResourceDefinition
from steersman.api.apiregistration import APIService
from steersman.api.certificates import CertificateSigningRequest
from steersman.api.coordination import Lease
from steersman.api.core import (
    ComponentStatus,
    ConfigMap,
    Event,
    LimitRange,
    Namespace,
    ResourceQuota,
    Secret,
    ServiceAccount,
)
from steersman.api.flowcontrol import FlowSchema, PriorityLevelConfiguration
from steersman.api.meta import Object
from steersman.api.node import RuntimeClass
from steersman.api.policy import PodDisruptionBudget
from steersman.api.rbac import ClusterRole, ClusterRoleBinding, RoleBinding
from steersman.api.scheduling import PriorityClass
from tests.unit.apiserver.printing.rows import CREATED, shown

SUBJECTS = [
    {"kind": "User", "name": "jane"},
    {"kind": "Group", "name": "g"},
    {"kind": "User", "name": "joe"},
    {"kind": "ServiceAccount", "name": "sa", "namespace": "ns"},
]
ROLE = {"kind": "Role", "name": "r", "apiGroup": "rbac.authorization.k8s.io"}
QUEUING = {"queues": 64, "handSize": 6, "queueLengthLimit": 50}


def status(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {"status": {"conditions": list(conditions)}}


@pytest.mark.parametrize(
    ("struct", "fields", "expected"),
    [
        pytest.param(Namespace, {"status": {"phase": "Active"}}, ["x", "Active", "5m"], id="Namespace"),
        pytest.param(Secret, {"type": "Opaque", "data": {"a": "eA==", "b": ""}}, ["x", "Opaque", 2, "5m"], id="Secret"),
        pytest.param(ConfigMap, {"data": {"a": "1"}, "binaryData": {"b": "eA=="}}, ["x", 2, "5m"], id="ConfigMap"),
        pytest.param(ServiceAccount, {}, ["x", "5m"], id="ServiceAccount"),
        pytest.param(
            ResourceQuota,
            {
                "status": {
                    "hard": {"pods": "4", "limits.memory": "1Gi", "cpu": "1", "limits.cpu": "2"},
                    "used": {"pods": "3", "limits.cpu": "500m"},
                }
            },
            ["x", "cpu: 0/1, pods: 3/4", "limits.cpu: 500m/2, limits.memory: 0/1Gi", "5m"],
            id="ResourceQuota",
        ),
        pytest.param(
            PodDisruptionBudget,
            {"spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1}},
            ["x", "50%", "N/A", 1, "5m"],
            id="PodDisruptionBudget, least",
        ),
        pytest.param(
            PodDisruptionBudget,
            {"spec": {"maxUnavailable": 0}},
            ["x", "N/A", "0", 0, "5m"],
            id="PodDisruptionBudget, most",
        ),
        pytest.param(Lease, {"spec": {"holderIdentity": "me"}}, ["x", "me", "5m"], id="Lease"),
        pytest.param(Lease, {}, ["x", "", "5m"], id="free Lease"),
        pytest.param(
            PriorityClass,
            {"value": 7, "globalDefault": True, "preemptionPolicy": "Never"},
            ["x", 7, True, "5m", "Never"],
            id="PriorityClass",
        ),
        pytest.param(RuntimeClass, {"handler": "gvisor"}, ["x", "gvisor", "5m"], id="RuntimeClass"),
        pytest.param(
            ComponentStatus,
            {"conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]},
            ["x", "Healthy", "ok", ""],
            id="ComponentStatus",
        ),
        pytest.param(
            ComponentStatus,
            {"conditions": [{"type": "Healthy", "status": "False", "error": "down"}]},
            ["x", "Unhealthy", "", "down"],
            id="ComponentStatus, ill",
        ),
        pytest.param(ComponentStatus, {}, ["x", "Unknown", "", ""], id="ComponentStatus, not known"),
        pytest.param(
            FlowSchema,
            {
                "spec": {
                    "priorityLevelConfiguration": {"name": "p"},
                    "matchingPrecedence": 9,
                    "distinguisherMethod": {"type": "ByUser"},
                },
                **status({"type": "Dangling", "status": "False"}),
            },
            ["x", "p", 9, "ByUser", "5m", "False"],
            id="FlowSchema",
        ),
        pytest.param(FlowSchema, {}, ["x", "", 0, "<none>", "5m", "?"], id="bare FlowSchema"),
        pytest.param(
            PriorityLevelConfiguration,
            {
                "spec": {
                    "type": "Limited",
                    "limited": {
                        "nominalConcurrencyShares": 30,
                        "limitResponse": {"type": "Queue", "queuing": QUEUING},
                    },
                }
            },
            ["x", "Limited", 30, 64, 6, 50, "5m"],
            id="PriorityLevelConfiguration with queues",
        ),
        pytest.param(
            PriorityLevelConfiguration,
            {
                "spec": {
                    "type": "Limited",
                    "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}},
                }
            },
            ["x", "Limited", 0, "<none>", "<none>", "<none>", "5m"],
            id="PriorityLevelConfiguration without",
        ),
        pytest.param(
            PriorityLevelConfiguration,
            {"spec": {"type": "Exempt"}},
            ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "5m"],
            id="exempt PriorityLevelConfiguration",
        ),
        pytest.param(
            APIService,
            status({"type": "Available", "status": "True", "reason": "Local"}),
            ["x", "Local", "True", "5m"],
            id="our own group",
        ),
        pytest.param(
            APIService,
            {
                "spec": {"service": {"namespace": "n", "name": "s"}},
                **status({"type": "Available", "status": "False", "reason": "Gone"}),
            },
            ["x", "n/s", "False (Gone)", "5m"],
            id="a group served elsewhere",
        ),
        pytest.param(APIService, {}, ["x", "Local", "Unknown", "5m"], id="a group not looked at"),
        pytest.param(
            RoleBinding,
            {"roleRef": ROLE, "subjects": SUBJECTS},
            ["x", "Role/r", "5m", "jane, joe", "g", "ns/sa"],
            id="RoleBinding",
        ),
        pytest.param(
            ClusterRoleBinding, {"roleRef": ROLE}, ["x", "Role/r", "5m", "", "", ""], id="ClusterRoleBinding to nobody"
        ),
        pytest.param(MutatingWebhookConfiguration, {"webhooks": [{"name": "w"}]}, ["x", 1, "5m"], id="webhooks"),
        pytest.param(
            ValidatingAdmissionPolicy,
            {"spec": {"paramKind": {"apiVersion": "g/v1", "kind": "K"}, "validations": [{"expression": "true"}]}},
            ["x", 1, "g/v1/K", "5m"],
            id="ValidatingAdmissionPolicy",
        ),
        pytest.param(MutatingAdmissionPolicy, {}, ["x", 0, "<unset>", "5m"], id="bare MutatingAdmissionPolicy"),
        pytest.param(ClusterRole, {}, ["x", CREATED], id="ClusterRole: nothing particular"),
        pytest.param(LimitRange, {}, ["x", CREATED], id="LimitRange: nothing particular"),
        pytest.param(CustomResourceDefinition, {}, ["x", CREATED], id="CustomResourceDefinition: nothing particular"),
    ],
)
def test_one_line_each(struct: type[Object], fields: dict[str, Any], expected: list[Any]) -> None:
    assert list(shown(struct, **fields).values()) == expected


SELECTED = {
    "matchLabels": {"b": "2", "a": "1"},
    "matchExpressions": [{"key": "k", "operator": "In", "values": ["v", "w"]}],
}


@pytest.mark.parametrize("struct", [ValidatingAdmissionPolicyBinding, MutatingAdmissionPolicyBinding])
@pytest.mark.parametrize(
    ("reference", "text"),
    [
        pytest.param(None, "<unset>", id="none"),
        pytest.param({"name": "p", "namespace": "n"}, "n/p", id="in a namespace"),
        pytest.param({"name": "p"}, "*/p", id="wherever"),
        pytest.param({}, "<unset>", id="nothing said"),
        pytest.param(
            {"selector": SELECTED},
            "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement"
            "{LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},},}",
            id="by labels",
        ),
    ],
)
def test_policy_bindings(struct: type[Object], reference: dict[str, Any] | None, text: str) -> None:
    spec = {"policyName": "policy", **({"paramRef": reference} if reference is not None else {})}
    assert list(shown(struct, spec=spec).values()) == ["x", "policy", text, "5m"]


@pytest.mark.parametrize(
    ("conditions", "certificate", "text"),
    [
        ([], "", "Pending"),
        (["Approved"], "", "Approved"),
        (["Approved"], "eA==", "Approved,Issued"),
        (["Approved", "Denied"], "", "Denied"),
        (["Approved", "Failed"], "", "Approved,Failed"),
    ],
)
def test_signing_requests(conditions: list[str], certificate: str, text: str) -> None:
    told = {"conditions": [{"type": each, "status": "True"} for each in conditions], "certificate": certificate}
    made = shown(CertificateSigningRequest, spec={"username": "jane", "signerName": "s"}, status=told)
    assert list(made.values()) == ["x", "5m", "s", "jane", "<none>", text]


def test_the_duration_that_a_signing_request_asks_for() -> None:
    assert shown(CertificateSigningRequest, spec={"expirationSeconds": 86_400})["RequestedDuration"] == "24h"


AT = "2026-11-18T11:{}:00Z"
MICRO = "2026-11-18T11:{}:00.000000Z"


@pytest.mark.parametrize(
    ("fields", "last", "first", "count"),
    [
        pytest.param(
            {"firstTimestamp": AT.format(50), "lastTimestamp": AT.format(59), "count": 4},
            "60s",
            "10m",
            4,
            id="repeated",
        ),
        pytest.param({"firstTimestamp": AT.format(50)}, "10m", "10m", 1, id="once"),
        pytest.param({"eventTime": MICRO.format(58)}, "2m", "2m", 1, id="in the new way"),
        pytest.param(
            {"eventTime": MICRO.format(58), "series": {"count": 3, "lastObservedTime": MICRO.format(59)}},
            "60s",
            "2m",
            3,
            id="a series",
        ),
        pytest.param({}, "<unknown>", "<unknown>", 1, id="nobody knows when"),
    ],
)
def test_when_events_happened(fields: dict[str, Any], last: str, first: str, count: int) -> None:
    made = shown(Event, **fields)
    assert (made["Last Seen"], made["First Seen"], made["Count"]) == (last, first, count)


def test_events() -> None:
    about = {"kind": "Pod", "name": "p", "fieldPath": "spec.containers{c}"}
    source = {"component": "kubelet", "host": "n"}
    made = shown(Event, involvedObject=about, source=source, type="Normal", reason="Why", message=" said \n")
    assert list(made.values())[1:7] == ["Normal", "Why", "pod/p", "spec.containers{c}", "kubelet, n", "said"]
    other = shown(Event, involvedObject={"kind": "Node"}, reportingComponent="c", reportingInstance="")
    assert (other["Object"], other["Source"], other["Name"]) == ("node", "c", "x")
