"""A node as its agent describes it."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from nodeagent import nodestatus
from nodeagent.nodestatus import Facts
from nodeagent.runtime.seen import Engine, Image
from steersman.api.core import NodeCondition, NodeStatus
from steersman.api.part import Time
from tests.unit.nodeagent.views import NOW, after

ENGINE = Engine(
    name="docker",
    version="28.2.2",
    operating_system="Debian",
    os_type="linux",
    architecture="amd64",
    kernel="6.1",
    cpus=4,
    memory_bytes=8 << 30,
    data_root="/var/lib/docker",
)
FACTS = Facts(name="node-1", addresses=("192.0.2.1",), port=10250, engine=ENGINE, max_pods=110, disk_bytes=1 << 40)


def ready(status: NodeStatus) -> NodeCondition:
    return next(each for each in status.conditions if each.type == "Ready")


def test_a_new_node() -> None:
    node = nodestatus.new(FACTS, NOW)
    assert node.metadata.labels["kubernetes.io/hostname"] == "node-1"
    assert node.metadata.labels["kubernetes.io/arch"] == "amd64"
    status = node.status
    assert status.capacity == {"cpu": "4", "memory": "8388608Ki", "pods": "110", "ephemeral-storage": "1073741824Ki"}
    assert status.allocatable == status.capacity
    assert [(each.type, each.address) for each in status.addresses] == [
        ("InternalIP", "192.0.2.1"),
        ("Hostname", "node-1"),
    ]
    assert status.node_info.container_runtime_version == "docker://28.2.2"
    assert status.daemon_endpoints.kubelet_endpoint.port == 10250
    assert (ready(status).status, ready(status).reason) == ("True", "KubeletReady")


def test_what_is_reserved_is_not_for_pods() -> None:
    status = nodestatus.status(replace(FACTS, reserved_cpu_milli=500, reserved_memory_bytes=1 << 30), NodeStatus(), NOW)
    assert (status.allocatable["cpu"], status.allocatable["memory"]) == ("3500m", "7340032Ki")


def test_without_its_engine_a_node_is_not_ready() -> None:
    status = nodestatus.status(replace(FACTS, trouble="container runtime is down"), NodeStatus(), NOW)
    assert (ready(status).status, ready(status).message) == ("False", "container runtime is down")


def test_times_of_conditions() -> None:
    first = nodestatus.status(FACTS, NodeStatus(), NOW)
    second = nodestatus.status(replace(FACTS, trouble="x"), first, after(10))
    third = nodestatus.status(replace(FACTS, trouble="x"), second, after(20))
    assert ready(third).last_transition_time == Time("2030-01-01T12:00:10Z")
    assert ready(third).last_heartbeat_time == Time("2030-01-01T12:00:20Z")


def test_conditions_of_others_are_kept() -> None:
    foreign = NodeCondition(type="NetworkUnavailable", status="False")
    assert foreign in nodestatus.status(FACTS, NodeStatus(conditions=(foreign,)), NOW).conditions


def test_what_has_not_changed_is_written_every_five_minutes() -> None:
    first = nodestatus.status(FACTS, NodeStatus(), NOW)
    soon, late = nodestatus.status(FACTS, first, after(60)), nodestatus.status(FACTS, first, after(301))
    assert not nodestatus.is_worth_writing(soon, first, after(60))
    assert nodestatus.is_worth_writing(late, first, after(301))
    assert nodestatus.is_worth_writing(structs.replace(soon, images=()), structs.replace(first, phase="x"), after(60))


def test_the_largest_images_are_named() -> None:
    images = [
        Image(id=f"sha256:{size}", tags=(f"image:{size}",), digests=(), size_bytes=size, user=None)
        for size in range(60)
    ]
    named = nodestatus.status(replace(FACTS, images=images), NodeStatus(), NOW).images
    assert len(named) == nodestatus.MAX_IMAGES
    assert named[0].names == ("image:59",)


def test_labels_of_others_are_kept() -> None:
    node = nodestatus.new(FACTS, NOW)
    theirs = structs.replace(node, metadata=structs.replace(node.metadata, labels={"disk": "ssd"}))
    assert nodestatus.with_labels(theirs, FACTS).metadata.labels["disk"] == "ssd"
    assert nodestatus.with_labels(node, FACTS) is node
