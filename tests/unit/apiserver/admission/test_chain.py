"""The checks in their order, switched off one by one; and whole pods beside those of a real cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver.admission.chain import PLUGINS
from apiserver.config import Settings, admission_of
from steersman.api import codec
from steersman.api.core import PersistentVolumeClaim, Pod
from steersman.api.meta import ObjectMeta
from steersman.api.node import RuntimeClass, Scheduling
from tests.unit.api import facts
from tests.unit.apiserver.admission.conftest import Fields, Surroundings, make_account, make_class, make_pod

NOT_READY = {"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 5}
UNREACHABLE = {**NOT_READY, "key": "node.kubernetes.io/unreachable"}
MADE_BY: dict[str, frozenset[str]] = {
    "ServiceAccount": frozenset({"serviceAccount", "serviceAccountName", "volumes"}),
    "Priority": frozenset({"priority", "preemptionPolicy"}),
    "DefaultTolerationSeconds": frozenset({"tolerations"}),
    "RuntimeClass": frozenset({"nodeSelector"}),
    "StorageObjectInUseProtection": frozenset(),
}
"""The fields of a pod that come from each check."""


async def fill(around: Surroundings) -> None:
    runtime = RuntimeClass(
        metadata=ObjectMeta(name="gvisor"), handler="runsc", scheduling=Scheduling(node_selector={"runtime": "gvisor"})
    )
    await around.put(make_account(), make_class("high", 1000), runtime)


def test_every_check_has_a_row() -> None:
    assert set(MADE_BY) == set(PLUGINS)


@pytest.mark.parametrize("disabled", PLUGINS)
async def test_a_check_that_is_switched_off(around: Surroundings, disabled: str) -> None:
    await fill(around)
    plain = make_pod(runtimeClassName="gvisor")
    before = codec.to_dict(plain)["spec"]
    pod = codec.to_dict(await around.admission(disabled=frozenset({disabled})).admit(plain))["spec"]
    wanted = frozenset().union(*(fields for name, fields in MADE_BY.items() if name != disabled))
    assert set(pod) - set(before) == wanted


async def test_storage_without_protection(around: Surroundings) -> None:
    claim = PersistentVolumeClaim(metadata=ObjectMeta(name="data", namespace="default"))
    assert await around.admission(disabled=frozenset({"StorageObjectInUseProtection"})).admit(claim) is claim
    assert (await around.admission().admit(claim)).metadata.finalizers == ("kubernetes.io/pvc-protection",)


async def test_the_flags_reach_the_pods(around: Surroundings) -> None:
    await fill(around)
    settings = admission_of(
        Settings(
            default_not_ready_toleration_seconds=30,
            default_unreachable_toleration_seconds=60,
            disable_admission_plugins=("ServiceAccount",),
        )
    )
    admission = around.admission(
        disabled=settings.disabled,
        not_ready_toleration_seconds=settings.not_ready_toleration_seconds,
        unreachable_toleration_seconds=settings.unreachable_toleration_seconds,
    )
    pod: Pod = await admission.admit(make_pod())
    assert [toleration.toleration_seconds for toleration in pod.spec.tolerations] == [30, 60]
    assert pod.spec.volumes == ()


def test_an_unknown_check_cannot_be_switched_off() -> None:
    with pytest.raises(ValueError, match="unknown: Magic"):
        Settings(disable_admission_plugins=("Priority", "Magic"))


async def test_an_update_keeps_priority_and_tolerations(around: Surroundings) -> None:
    await fill(around)
    old: Pod = await around.admission().admit(make_pod(priorityClassName="high"))
    silent = replace(old, spec=replace(old.spec, priority=None, preemption_policy=None, tolerations=()))
    assert around.admission().admit_update(silent, old) == old


async def test_a_pod_as_it_is_stored(around: Surroundings) -> None:
    await fill(around)
    pod = codec.to_dict(await around.admission().admit(make_pod()))
    spec = pod["spec"]
    [volume] = spec.pop("volumes")
    [container] = spec.pop("containers")
    assert [mount["name"] for mount in container["volumeMounts"]] == [volume["name"]]
    assert spec == {
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [NOT_READY, UNREACHABLE],
    }


@facts.needed
async def test_a_pod_beside_that_of_a_real_cluster(around: Surroundings) -> None:
    """The manifest is what kubectl noted on the object; lists must agree in order."""
    recorded = _recorded("057-get-pod-json.txt")
    manifest = json.loads(recorded["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    await fill(around)
    admission = around.admission(not_ready_toleration_seconds=300, unreachable_toleration_seconds=300)
    pod = codec.to_dict(await admission.admit(make_pod(manifest["metadata"], **manifest["spec"])))
    wanted = recorded["spec"]
    del wanted["nodeName"]
    assert _with_token_called_the_same(pod["spec"]) == _with_token_called_the_same(wanted)


def _recorded(name: str) -> Any:
    """The JSON that a recorded command has printed."""
    text = (Path(facts.FOLDER) / "golden" / name).read_text()
    return json.loads(text.partition("--- stdout\n")[2].partition("--- stderr")[0])


def _with_token_called_the_same(spec: Fields) -> Any:
    [drawn] = [volume["name"] for volume in spec["volumes"] if volume["name"].startswith("kube-api-access-")]
    return json.loads(json.dumps(spec).replace(drawn, "kube-api-access-drawn"))
