from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller_manager.controllers import tainteviction
from controller_manager.controllers.tainteviction import Decision, Leave, Stay, StayFor
from steersman.api.core import Pod, Taint, Toleration
from tests.unit.controller_manager.workloads import ago, make_pod

NOT_READY = Taint(key="node.kubernetes.io/not-ready", effect="NoExecute")
UNREACHABLE = Taint(key="node.kubernetes.io/unreachable", effect="NoExecute")


def tolerating(*tolerations: tuple[str, int | None], effect: str = "NoExecute") -> Pod:
    pod = make_pod()
    found = tuple(
        Toleration(key=key, operator="Exists", effect=effect, toleration_seconds=seconds)
        for key, seconds in tolerations
    )
    return replace(pod, spec=replace(pod.spec, tolerations=found))


DEFAULT = tolerating((NOT_READY.key, 5), (UNREACHABLE.key, 5))


@pytest.mark.parametrize(
    ("pod", "taints", "stayed", "expected"),
    [
        pytest.param(make_pod(), [], 0, Stay(), id="no taint"),
        pytest.param(make_pod(), [NOT_READY], 0, Leave(), id="not tolerated"),
        pytest.param(DEFAULT, [NOT_READY], 0, StayFor(5), id="tolerated for a while"),
        pytest.param(DEFAULT, [NOT_READY], 2, StayFor(3), id="part of it has passed"),
        pytest.param(DEFAULT, [NOT_READY], 5, Leave(), id="all of it has passed"),
        pytest.param(tolerating((NOT_READY.key, None)), [NOT_READY], 10**6, Stay(), id="tolerated for ever"),
        pytest.param(tolerating((NOT_READY.key, 0)), [NOT_READY], 0, Leave(), id="tolerated for no time"),
        pytest.param(tolerating((NOT_READY.key, -7)), [NOT_READY], 0, Leave(), id="tolerated for less"),
        pytest.param(tolerating(("", None)), [NOT_READY, UNREACHABLE], 9, Stay(), id="everything tolerated"),
        pytest.param(tolerating((NOT_READY.key, 5), effect=""), [NOT_READY], 0, StayFor(5), id="any effect"),
        pytest.param(tolerating((NOT_READY.key, 5), effect="NoSchedule"), [NOT_READY], 0, Leave(), id="another effect"),
        pytest.param(
            tolerating((NOT_READY.key, 30), (UNREACHABLE.key, 5)),
            [NOT_READY, UNREACHABLE],
            0,
            StayFor(5),
            id="the shortest of two counts",
        ),
        pytest.param(
            tolerating((NOT_READY.key, None), (UNREACHABLE.key, 5)),
            [NOT_READY, UNREACHABLE],
            0,
            StayFor(5),
            id="for ever and for a while",
        ),
        pytest.param(DEFAULT, [NOT_READY, Taint(key="x", effect="NoExecute")], 0, Leave(), id="one of two is not"),
        pytest.param(make_pod(deleted=True), [NOT_READY], 0, Stay(), id="is going already"),
    ],
)
def test_who_leaves(pod: Pod, taints: list[Taint], stayed: float, expected: Decision) -> None:
    assert tainteviction.plan(pod, taints, stayed) == expected


def test_the_pod_says_why_it_goes() -> None:
    (ready, told) = tainteviction.disrupted(make_pod(), ago(0)).status.conditions
    assert ready.type == "Ready"
    assert (told.type, told.status, told.reason) == ("DisruptionTarget", "True", "DeletionByTaintManager")
    assert told.message == "Taint manager: deleting due to NoExecute taint"
