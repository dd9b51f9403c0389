"""StatefulSets: every rule is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from apiserver.registry.statefulset import STATEFULSET
from steersman.api.apps import StatefulSet
from tests.unit.apiserver.registry.pods import DNS_LABEL
from tests.unit.apiserver.registry.tables import (
    DEFAULTED_TEMPLATE_SPEC,
    TEMPLATE,
    Patch,
    Row,
    Step,
    Subject,
    ids,
    row,
    step,
)

SUBJECT = Subject(
    StatefulSet,
    STATEFULSET,
    {
        "metadata": {"name": "db", "namespace": "default", "generation": 1},
        "spec": {"serviceName": "db", "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
    },
)
NOT_NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
CLAIM: Patch = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
MOUNTED: Patch = {"containers": [{"name": "c", "image": "i:1", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]}


def test_defaults() -> None:
    assert SUBJECT.defaulted()["spec"] == {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": DEFAULTED_TEMPLATE_SPEC},
        "serviceName": "db",
        "podManagementPolicy": "OrderedReady",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "revisionHistoryLimit": 10,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    }


STRATEGIES: list[tuple[str, Patch, Patch]] = [
    ("on delete", {"type": "OnDelete"}, {"type": "OnDelete"}),
    ("a rolling update by name only", {"type": "RollingUpdate"}, {"type": "RollingUpdate"}),
    (
        "a rolling update of some",
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}},
        {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 2}},
    ),
    (
        "without a type",
        {"rollingUpdate": {"partition": 3}},
        {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}},
    ),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in STRATEGIES], ids=[case[0] for case in STRATEGIES])
def test_defaults_of_the_strategy(given: Patch, wanted: Patch) -> None:
    assert SUBJECT.defaulted({"spec": {"updateStrategy": given}})["spec"]["updateStrategy"] == wanted


def test_defaults_of_claims() -> None:
    [claim] = SUBJECT.defaulted({"spec": {"volumeClaimTemplates": [CLAIM]}})["spec"]["volumeClaimTemplates"]
    assert claim == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {**CLAIM["spec"], "volumeMode": "Filesystem"},
        "status": {"phase": "Pending"},
    }


def test_what_is_given_stays() -> None:
    whole = SUBJECT.make({"spec": {"replicas": 0, "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"}}})
    policy = whole.spec.persistent_volume_claim_retention_policy
    assert (whole.spec.replicas, policy.when_deleted, policy.when_scaled) == (0, "Retain", "Delete")
    assert STATEFULSET.default(whole) is whole


def strategy(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.updateStrategy`."""
    wanted = (f"spec.updateStrategy{complaint}" for complaint in complaints)
    return row(id, {"spec": {"updateStrategy": given}}, *wanted)


ROWS = [
    row("as it should be", {}),
    row("without a service", {"spec": {"serviceName": None}}),
    row(
        "a service that cannot be",
        {"spec": {"serviceName": "My_DB"}},
        f'spec.serviceName: Invalid value: "My_DB": {DNS_LABEL}',
    ),
    row(
        "no such management",
        {"spec": {"podManagementPolicy": "Chaos"}},
        "spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'",
    ),
    strategy(
        "no such strategy",
        {"type": "Sideways", "rollingUpdate": {}},
        ': Invalid value: {"Type":"Sideways","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}: '
        "must be 'RollingUpdate' or 'OnDelete'",
    ),
    strategy(
        "on delete with a rolling update",
        {"type": "OnDelete", "rollingUpdate": {"partition": 1}},
        '.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: '
        "only allowed for updateStrategy 'RollingUpdate'",
    ),
    strategy(
        "a negative partition",
        {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}},
        f".rollingUpdate.partition: Invalid value: -1: {NOT_NEGATIVE}",
    ),
    strategy(
        "none may be unavailable",
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}},
        ".rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0",
    ),
    strategy(
        "more than all",
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "120%"}},
        '.rollingUpdate.maxUnavailable: Invalid value: "120%": must not be greater than 100%',
    ),
    strategy("on delete", {"type": "OnDelete"}),
    row(
        "no such retention",
        {"spec": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Burn", "whenScaled": "Bury"}}},
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Burn": '
        'supported values: "Retain", "Delete"',
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Bury": '
        'supported values: "Retain", "Delete"',
    ),
    row("claims can be mounted", {"spec": {"volumeClaimTemplates": [CLAIM], "template": {"spec": MOUNTED}}}),
    row(
        "a claim of nothing",
        {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}},
        "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
        "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ),
    row(
        "a claim without a name",
        {"spec": {"volumeClaimTemplates": [{"spec": CLAIM["spec"]}]}},
        "spec.template.spec.volumes[0].persistentVolumeClaim.claimName: Required value",
        "spec.template.spec.volumes[0].name: Required value",
    ),
    row(
        "negative numbers",
        {"spec": {"replicas": -1, "minReadySeconds": -2, "ordinals": {"start": -3}}},
        f"spec.replicas: Invalid value: -1: {NOT_NEGATIVE}",
        f"spec.minReadySeconds: Invalid value: -2: {NOT_NEGATIVE}",
        f"spec.ordinals.start: Invalid value: -3: {NOT_NEGATIVE}",
    ),
    row("a negative history keeps everything", {"spec": {"revisionHistoryLimit": -1}}),
    row(
        "no selector",
        {"spec": {"selector": None}},
        "spec.selector: Required value",
        f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {MISMATCH}',
    ),
    row(
        "selector of everything",
        {"spec": {"selector": {"matchLabels": None}}},
        "spec.selector: Invalid value: {}: empty selector is invalid for statefulset",
    ),
    row(
        "selector that makes no sense",
        {"spec": {"selector": {"matchLabels": None, "matchExpressions": [{"key": "app", "operator": "Like"}]}}},
        'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Like"}]}',
    ),
    row("the controller names the host", {"spec": {"template": {"spec": {"hostname": "A_B", "subdomain": "C_D"}}}}),
    row(
        "pods that end",
        {"spec": {"template": {"spec": {"restartPolicy": "Never", "activeDeadlineSeconds": 5}}}},
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
    ),
]


@pytest.mark.parametrize("case", ROWS, ids=ids(ROWS))
def test_rules(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


FORBIDDEN = (
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
    "forbidden"
)
GREATER = "cannot be greater than status.replicas"
COUNTS = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
STEPS = [
    step(
        "what may change",
        {
            "spec": {
                "replicas": 3,
                "ordinals": {"start": 1},
                "template": {"metadata": {"annotations": {"a": "b"}}},
                "updateStrategy": {"type": "OnDelete", "rollingUpdate": None},
                "revisionHistoryLimit": 3,
                "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"},
                "minReadySeconds": 5,
            }
        },
    ),
    step("another service", {"spec": {"serviceName": "other"}}, FORBIDDEN),
    step("another selector", {"spec": {"selector": {"matchLabels": {"app": "db"}}}}, FORBIDDEN),
    step("another claim", {"spec": {"volumeClaimTemplates": [CLAIM]}}, FORBIDDEN),
    step("another management", {"spec": {"podManagementPolicy": "Parallel"}}, FORBIDDEN),
    step(
        "negative counts",
        {"status": dict.fromkeys(COUNTS, -1)},
        *(f"status.{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
    ),
    step(
        "more than there are",
        {
            "status": {
                "replicas": 1,
                "readyReplicas": 2,
                "currentReplicas": 3,
                "updatedReplicas": 4,
                "availableReplicas": 5,
            }
        },
        f"status.readyReplicas: Invalid value: 2: {GREATER}",
        f"status.currentReplicas: Invalid value: 3: {GREATER}",
        f"status.updatedReplicas: Invalid value: 4: {GREATER}",
        f"status.availableReplicas: Invalid value: 5: {GREATER}",
        "status.availableReplicas: Invalid value: 5: cannot be greater than status.readyReplicas",
    ),
    step(
        "collisions forgotten",
        {"status": {"collisionCount": None}},
        "status.collisionCount: Invalid value: 0: cannot be decremented",
        before={"status": {"collisionCount": 2}},
    ),
]


@pytest.mark.parametrize("case", STEPS, ids=ids(STEPS))
def test_updates(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


def test_what_never_changes_is_judged_once() -> None:
    """The complaint about a change of the service is that it changes, whatever the new name is like."""
    changed = SUBJECT.make({"metadata": {"generation": 2}, "spec": {"serviceName": "My_DB"}})
    assert STATEFULSET.validate(changed) == []


def test_names_become_hostnames() -> None:
    assert STATEFULSET.name_rule("a.b") == ["must not contain dots"]
