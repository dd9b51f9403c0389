"""What a node alone says to a pod, in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest

from controller_manager.scheduler import filters, reasons, snapshot
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.reasons import Reason
from steersman.api.core import Node, Pod
from tests.unit.controller_manager.scheduler.world import asking, node, pod

AFFINITY = "node(s) didn't match Pod's node affinity/selector"
PORTS = "node(s) didn't have free ports for the requested pod ports"
GPU = {"example.com/gpu": "1"}
NO_GPU = ("Insufficient example.com/gpu",)


def wants(*expressions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    selector = {"nodeSelectorTerms": [{"matchExpressions": list(expressions), **fields}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def expression(operator: str, *values: str) -> dict[str, Any]:
    return {"key": "size", "operator": operator, "values": list(values)}


def taint(effect: str = "NoSchedule", value: str = "red") -> list[dict[str, Any]]:
    return [{"key": "color", "value": value, "effect": effect}]


def port(number: int, address: str = "", protocol: str = "TCP") -> list[dict[str, Any]]:
    return [{"containerPort": 80, "hostPort": number, "hostIP": address, "protocol": protocol}]


def tolerating(**fields: str) -> list[dict[str, Any]]:
    return [fields]


UNTOLERATED = ("node(s) had untolerated taint {color: red}",)
SIZED = {"size": "5"}
CASES: dict[str, tuple[dict[str, Any], Node, list[Pod], tuple[str, ...]]] = {
    "an empty node": ({}, node(), [], ()),
    "just enough": ({"cpu": "3", "memory": "7Gi"}, node(), [pod(cpu="1", memory="1Gi")], ()),
    "no CPU left": ({"cpu": "3001m"}, node(), [pod(cpu="1")], ("Insufficient cpu",)),
    "neither": ({"cpu": "5", "memory": "9Gi"}, node(), [], ("Insufficient cpu", "Insufficient memory")),
    "too many pods": ({}, node(pods="1"), [pod("q")], ("Too many pods",)),
    "nothing asked on a full node": ({}, node(), [pod(cpu="4", memory="8Gi")], ()),
    "a device": ({"extended": GPU}, node(extended=GPU), [], ()),
    "a device that is taken": ({"extended": GPU}, node(extended=GPU), [pod("q", extended=GPU)], NO_GPU),
    "a device unknown there": ({"extended": GPU}, node(), [], NO_GPU),
    "overhead": ({"cpu": "3", "overhead": {"cpu": "1500m"}}, node(), [], ("Insufficient cpu",)),
    "the pod as a whole": ({"cpu": "1", "resources": {"requests": {"cpu": "5"}}}, node(), [], ("Insufficient cpu",)),
    "selector": ({"nodeSelector": {"size": "5"}}, node(labels=SIZED), [], ()),
    "another selector": ({"nodeSelector": {"size": "6"}}, node(labels=SIZED), [], (AFFINITY,)),
    "in": ({"affinity": wants(expression("In", "4", "5"))}, node(labels=SIZED), [], ()),
    "not in": ({"affinity": wants(expression("NotIn", "4", "5"))}, node(labels=SIZED), [], (AFFINITY,)),
    "greater": ({"affinity": wants(expression("Gt", "4"))}, node(labels=SIZED), [], ()),
    "less": ({"affinity": wants(expression("Lt", "4"))}, node(labels=SIZED), [], (AFFINITY,)),
    "absent": ({"affinity": wants(expression("DoesNotExist"))}, node(), [], ()),
    "an empty term": ({"affinity": wants()}, node(), [], (AFFINITY,)),
    "by name": (
        {"affinity": wants(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["m"]}])},
        node(),
        [],
        (AFFINITY,),
    ),
    "a taint": ({}, node(taints=taint()), [], UNTOLERATED),
    "a taint that evicts": ({}, node(taints=taint("NoExecute")), [], UNTOLERATED),
    "a mild taint": ({}, node(taints=taint("PreferNoSchedule")), [], ()),
    "tolerated by value": ({"tolerations": tolerating(key="color", value="red")}, node(taints=taint()), [], ()),
    "another value": ({"tolerations": tolerating(key="color", value="blue")}, node(taints=taint()), [], UNTOLERATED),
    "another effect": (
        {"tolerations": tolerating(key="color", operator="Exists", effect="NoExecute")},
        node(taints=taint()),
        [],
        UNTOLERATED,
    ),
    "everything tolerated": ({"tolerations": tolerating(operator="Exists")}, node(taints=taint()), [], ()),
    "below a number": (
        {"tolerations": tolerating(key="color", operator="Lt", value="9")},
        node(taints=taint(value="8")),
        [],
        (),
    ),
    "cordoned": ({}, node(unschedulable=True), [], ("node(s) were unschedulable",)),
    "cordoned, for a daemon": ({"tolerations": tolerating(operator="Exists")}, node(unschedulable=True), [], ()),
    "a port": ({"ports": port(80)}, node(), [pod("q", ports=port(81))], ()),
    "a port that is taken": ({"ports": port(80)}, node(), [pod("q", ports=port(80))], (PORTS,)),
    "another protocol": ({"ports": port(80)}, node(), [pod("q", ports=port(80, protocol="UDP"))], ()),
    "another address": ({"ports": port(80, "10.0.0.1")}, node(), [pod("q", ports=port(80, "10.0.0.2"))], ()),
    "all addresses": ({"ports": port(80, "10.0.0.1")}, node(), [pod("q", ports=port(80))], (PORTS,)),
    "the first reason counts": ({"cpu": "9"}, node(unschedulable=True), [], ("node(s) were unschedulable",)),
}


@pytest.mark.parametrize("name", CASES)
def test_refusal(name: str) -> None:
    fields, where, there, texts = CASES[name]
    view = snapshot.of([where]).node("n")
    assert view is not None
    for each in there:
        view = view.with_resident(snapshot.resident_of(each))
    reason = filters.refusal(asking(**fields), view, Hooks())
    assert (reason.texts if reason else ()) == texts


@pytest.mark.parametrize(("cpu", "preemptable"), [("4", True), ("5", False)], ids=["taken", "larger than the node"])
def test_eviction_helps_only_where_the_node_is_large_enough(cpu: str, preemptable: bool) -> None:
    view = snapshot.of([node()], [pod(cpu="1", on="n")]).node("n")
    assert view is not None
    reason = filters.resources(asking(cpu=cpu), view)
    assert reason is not None
    assert reason.preemptable is preemptable


def test_claims_are_asked_of_the_hooks_first_for_the_pod_and_last_for_the_node() -> None:
    view = snapshot.of([node(unschedulable=True)]).node("n")
    assert view is not None
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    missing, elsewhere = (reasons.final(text, cured_by=()) for text in ("missing", "elsewhere"))

    def never(*_: object) -> Reason:
        return missing

    def not_there(*_: object) -> Reason:
        return elsewhere

    assert filters.refusal(asking(volumes=volumes), view, Hooks(claims=never, volumes=not_there)) is missing
    assert filters.refusal(asking(volumes=volumes), view, Hooks(volumes=not_there)) is filters.UNSCHEDULABLE
    daemon = asking(volumes=volumes, tolerations=tolerating(operator="Exists"))
    assert filters.refusal(daemon, view, Hooks(volumes=not_there)) is elsewhere
    without = asking(tolerations=tolerating(operator="Exists"))
    assert filters.refusal(without, view, Hooks(claims=never, volumes=not_there)) is None
