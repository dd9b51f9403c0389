"""Which changes a step of an object is to pods that wait."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller_manager.scheduler import changes
from controller_manager.scheduler.reasons import Change
from steersman.api.core import Node, PersistentVolume, PersistentVolumeClaim, Pod, PodStatus
from steersman.api.meta import ObjectMeta
from steersman.api.storage import StorageClass
from tests.unit.controller_manager.scheduler.world import bound, claim, node, pod, storage_class, volume

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


def larger(of: PersistentVolumeClaim) -> PersistentVolumeClaim:
    return replace(of, status=replace(of.status, capacity={"storage": "2Gi"}))


@pytest.mark.parametrize(
    ("old", "new", "matters"),
    [
        pytest.param(None, claim(), True, id="comes"),
        pytest.param(claim(), bound(), True, id="is bound"),
        pytest.param(claim(volume="disk"), claim(volume="disk", phase="Bound"), True, id="is bound by hand"),
        pytest.param(bound(), claim(volume="disk", phase="Lost"), True, id="is lost"),
        pytest.param(bound(), None, True, id="goes"),
        pytest.param(bound(), larger(bound()), False, id="grows"),
    ],
)
def test_of_a_claim(old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None, matters: bool) -> None:
    assert changes.of_claim(old, new) == ({Change.VOLUME_CHANGED} if matters else set())


@pytest.mark.parametrize(
    ("old", "new", "matters"),
    [
        pytest.param(None, volume(), True, id="comes"),
        pytest.param(volume("disk", "a"), volume("disk", "b"), True, id="is reached from elsewhere"),
        pytest.param(volume(), replace(volume(), metadata=ObjectMeta(name="disk", uid="u")), False, id="else"),
    ],
)
def test_of_a_volume(old: PersistentVolume | None, new: PersistentVolume | None, matters: bool) -> None:
    assert changes.of_volume(old, new) == ({Change.VOLUME_CHANGED} if matters else set())


@pytest.mark.parametrize(
    ("old", "new", "matters"),
    [
        pytest.param(None, storage_class("c", "Immediate"), True, id="comes"),
        pytest.param(storage_class("c", "Immediate"), storage_class("c", "Immediate"), False, id="else"),
    ],
)
def test_of_a_class(old: StorageClass | None, new: StorageClass | None, matters: bool) -> None:
    assert changes.of_class(old, new) == ({Change.VOLUME_CHANGED} if matters else set())
