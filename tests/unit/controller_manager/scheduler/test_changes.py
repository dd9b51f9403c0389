"""Which changes a step of a node or a pod is to pods that wait."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller_manager.scheduler import changes
from controller_manager.scheduler.reasons import Change
from steersman.api.core import Node, Pod, PodStatus
from tests.unit.controller_manager.scheduler.world import node, pod

TAINT = [{"key": "k", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(None, node(), {Change.NODE_ADDED}, id="a node comes"),
        pytest.param(node(), None, {Change.NODE_LABELED}, id="a node goes"),
        pytest.param(node(), node(cpu="8"), {Change.NODE_RESIZED}, id="grows"),
        pytest.param(node(), node(labels={"a": "b"}), {Change.NODE_LABELED}, id="is labelled"),
        pytest.param(node(taints=TAINT), node(), {Change.NODE_TAINTED}, id="loses a taint"),
        pytest.param(node(unschedulable=True), node(), {Change.NODE_TAINTED}, id="is uncordoned"),
        pytest.param(node(), node(), set(), id="a heartbeat"),
    ],
)
def test_of_a_node(old: Node | None, new: Node | None, found: set[Change]) -> None:
    assert changes.of_node(old, new) == found


def finished(on: str = "n") -> Pod:
    return replace(pod(on=on), status=PodStatus(phase="Succeeded"))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(None, pod(), set(), id="a pod that waits"),
        pytest.param(None, pod(on="n"), {Change.POD_PLACED}, id="comes bound"),
        pytest.param(pod(), pod(on="n"), {Change.POD_PLACED}, id="is bound"),
        pytest.param(pod(on="n"), None, {Change.POD_LEFT}, id="is deleted"),
        pytest.param(pod(on="n"), finished(), {Change.POD_LEFT}, id="ends"),
        pytest.param(finished(), None, set(), id="is deleted when it has ended"),
        pytest.param(pod(), None, set(), id="is deleted while it waits"),
        pytest.param(pod(on="n"), pod(on="n", labels={"a": "b"}), {Change.POD_LABELED}, id="is labelled"),
        pytest.param(
            pod(on="n"), pod(on="n", deletionTimestamp="2026-01-01T00:00:00Z"), {Change.POD_LABELED}, id="begins to go"
        ),
        pytest.param(pod(on="n", cpu="2"), pod(on="n", cpu="1"), {Change.POD_LEFT}, id="needs less"),
        pytest.param(pod(on="n"), pod(on="n"), set(), id="a status"),
    ],
)
def test_of_a_pod(old: Pod | None, new: Pod | None, found: set[Change]) -> None:
    assert changes.of_pod(old, new) == found
