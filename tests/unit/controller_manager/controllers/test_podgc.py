from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller_manager.controllers import podgc
from controller_manager.controllers.podgc import Fail, Remove, Whereabouts
from steersman.api.core import Node, NodeCondition, NodeSpec, NodeStatus, Pod, Taint
from tests.unit.controller_manager.workloads import NOW, ago, make_pod

NOWHERE, AT_HOME, OUT, LOST = Whereabouts


def going(pod: Pod, grace: int = 30) -> Pod:
    return replace(pod, metadata=replace(pod.metadata, deletion_timestamp=ago(0), deletion_grace_period_seconds=grace))


RUNNING = make_pod()
ENDED = make_pod(phase="Succeeded")
BROKEN = make_pod(phase="Failed")


@pytest.mark.parametrize(
    ("pod", "where", "expected"),
    [
        pytest.param(RUNNING, AT_HOME, [], id="at home"),
        pytest.param(going(RUNNING), AT_HOME, [], id="going, at home: the node sees to it"),
        pytest.param(RUNNING, OUT, [], id="out of service, but not going"),
        pytest.param(going(RUNNING), OUT, ["fail", "remove"], id="going, out of service"),
        pytest.param(going(ENDED), OUT, ["remove"], id="going, out of service, ended"),
        pytest.param(RUNNING, NOWHERE, [], id="waits for a node"),
        pytest.param(going(RUNNING), NOWHERE, ["fail", "remove"], id="going, without a node"),
        pytest.param(going(RUNNING, 0), NOWHERE, ["fail"], id="going without grace, without a node"),
        pytest.param(going(BROKEN, 0), NOWHERE, [], id="nothing left to do but for whoever holds it"),
        pytest.param(RUNNING, LOST, ["fail DisruptionTarget", "remove"], id="lost"),
        pytest.param(going(RUNNING), LOST, ["fail DisruptionTarget", "remove"], id="lost and going"),
        pytest.param(ENDED, LOST, ["remove"], id="lost, but ended before"),
        pytest.param(going(BROKEN, 0), LOST, [], id="lost, held by others"),
    ],
)
def test_plan(pod: Pod, where: Whereabouts, expected: list[str]) -> None:
    lines = []
    for action in podgc.plan(pod, where, NOW):
        match action:
            case Fail(why):
                lines.append("fail" if why is None else f"fail {why.type}")
            case Remove():
                lines.append("remove")
    assert lines == expected


def test_a_pod_whose_node_is_gone_says_so() -> None:
    fail = podgc.plan(RUNNING, LOST, NOW)[0]
    assert isinstance(fail, Fail)
    status = podgc.failed(RUNNING, fail.why).status
    assert status.phase == "Failed"
    (ready, disrupted) = status.conditions
    assert ready == RUNNING.status.conditions[0]
    assert (disrupted.type, disrupted.status, disrupted.reason, disrupted.message) == (
        "DisruptionTarget",
        "True",
        "DeletionByPodGC",
        "PodGC: node no longer exists",
    )


OLD = make_pod("old", phase="Succeeded", age=300)
OLDER = make_pod("older", phase="Failed", age=400)
YOUNG = make_pod("young", phase="Succeeded", age=10)
EVICTED = replace(
    make_pod("evicted", phase="Failed", age=1), status=replace(BROKEN.status, reason="Evicted", phase="Failed")
)


@pytest.mark.parametrize(
    ("finished", "threshold", "expected"),
    [
        pytest.param([OLD, YOUNG], 2, [], id="as many as may be"),
        pytest.param([OLD, YOUNG, OLDER], 2, ["older"], id="the oldest goes"),
        pytest.param([YOUNG, OLD, OLDER], 1, ["older", "old"], id="the older go first"),
        pytest.param([OLD, EVICTED, OLDER], 2, ["evicted"], id="the evicted goes before the old"),
        pytest.param([OLD, YOUNG, going(OLDER)], 2, [], id="what is going already counts"),
        pytest.param([OLD, YOUNG, OLDER], 0, [], id="no limit"),
        pytest.param([], 5, [], id="none"),
    ],
)
def test_surplus(finished: list[Pod], threshold: int, expected: list[str]) -> None:
    assert [pod.metadata.name for pod in podgc.surplus(finished, threshold)] == expected


def make_node(*, ready: str = "", taint: str = "") -> Node:
    conditions: Any = (NodeCondition(type="Ready", status=ready),) if ready else ()
    taints = (Taint(key=taint, effect="NoExecute"),) if taint else ()
    return Node(spec=NodeSpec(taints=taints), status=NodeStatus(conditions=conditions))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        pytest.param(make_node(ready="Unknown", taint=podgc.OUT_OF_SERVICE), True, id="vouched for"),
        pytest.param(make_node(taint=podgc.OUT_OF_SERVICE), True, id="never heard of"),
        pytest.param(make_node(ready="True", taint=podgc.OUT_OF_SERVICE), False, id="ready all the same"),
        pytest.param(make_node(ready="False"), False, id="only not ready"),
        pytest.param(make_node(ready="False", taint="node.kubernetes.io/unreachable"), False, id="another taint"),
    ],
)
def test_out_of_service(node: Node, expected: bool) -> None:
    assert podgc.is_out_of_service(node) is expected
