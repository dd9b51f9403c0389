"""Who is evicted, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest

from nodeagent import evictions, staticpods
from nodeagent.evictions import CRITICAL_PRIORITY, Consumption
from nodeagent.pressure import Shortage, Signal
from steersman.api.core import (
    EmptyDirVolumeSource,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Toleration,
    Volume,
)
from steersman.api.meta import ObjectMeta
from steersman.api.part import Quantity, Time
from tests.unit.nodeagent.views import container

MIB = 1 << 20
MEMORY = Shortage(Signal.MEMORY, 100 * MIB, 90 * MIB)


def pod(name: str = "web", priority: int = 0, memory: str = "", **meta: Any) -> Pod:
    requests = {"memory": Quantity(memory)} if memory else {}
    spec = PodSpec(containers=(container(resources=ResourceRequirements(requests=requests)),), priority=priority)
    return Pod(metadata=ObjectMeta(name=name, uid=name, **meta), spec=spec, status=PodStatus(phase="Running"))


def with_volume(medium: str = "", limit: str = "") -> Pod:
    size = Quantity(limit) if limit else None
    volume = Volume(name="scratch", empty_dir=EmptyDirVolumeSource(medium=medium, size_limit=size))
    return Pod(spec=PodSpec(containers=(container(),), volumes=(volume,)))


@pytest.mark.parametrize(
    ("found", "used", "told"),
    [
        pytest.param(
            with_volume(limit="1Mi"),
            MIB + 1,
            'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
            id="too much",
        ),
        pytest.param(with_volume(limit="1Mi"), MIB, None, id="just enough"),
        pytest.param(with_volume(), 1 << 40, None, id="no limit"),
        pytest.param(with_volume(limit="0"), 1 << 40, None, id="zero is no limit"),
        pytest.param(with_volume("Memory", "1Mi"), 1 << 40, None, id="in memory"),
    ],
)
def test_volumes(found: Pod, used: int, told: str | None) -> None:
    assert evictions.overfull_volume(found, {"scratch": used}) == told


@pytest.mark.parametrize(
    ("consumers", "first"),
    [
        pytest.param([], None, id="nobody"),
        pytest.param([(pod("a", memory="10Mi"), 9), (pod("b", memory="1Mi"), 2)], "b", id="who exceeds its request"),
        pytest.param([(pod("a", 5), 900), (pod("b", 1), 1)], "b", id="then who matters least"),
        pytest.param([(pod("a"), 1), (pod("b"), 2)], "b", id="then who takes the most"),
        pytest.param(
            [(pod("a", memory="50Mi"), 60), (pod("b", memory="1Mi"), 20)], "b", id="the most beyond its request"
        ),
        pytest.param([(pod("a", CRITICAL_PRIORITY), 900), (pod("b"), 1)], "b", id="not the critical ones"),
        pytest.param([(pod("a", annotations={staticpods.HASH: "x"}), 900)], None, id="not the static ones"),
        pytest.param(
            [(pod("a", deletion_timestamp=Time("2030-01-01T12:00:00Z")), 900)], None, id="not who is going anyway"
        ),
    ],
)
def test_who_goes_first(consumers: list[tuple[Pod, int]], first: str | None) -> None:
    gone = evictions.first_to_go(MEMORY, [Consumption(each, used * MIB) for each, used in consumers])
    assert (None if gone is None else gone.pod.metadata.name) == first


def test_process_numbers_are_not_requested() -> None:
    shortage = Shortage(Signal.PIDS, 50, 10)
    gone = evictions.first_to_go(shortage, [Consumption(pod("a"), 3), Consumption(pod("b"), 9)])
    assert gone is not None
    assert gone.pod.metadata.name == "b"
    assert evictions.message(shortage, gone) == (
        "The node was low on resource: pids. Threshold quantity: 50, available: 10. "
    )


@pytest.mark.parametrize(
    ("used", "more"),
    [
        pytest.param(
            30 * MIB, "Container main was using 30Mi, request is 20Mi, has larger consumption of memory. ", id="more"
        ),
        pytest.param(10 * MIB, "", id="not more than it asked for"),
    ],
)
def test_messages(used: int, more: str) -> None:
    told = evictions.message(MEMORY, Consumption(pod(memory="20Mi"), used, {"main": used}))
    assert told == f"The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. {more}"


TOLERANT = Pod(
    spec=PodSpec(
        containers=(container(),),
        tolerations=(Toleration(key="node.kubernetes.io/memory-pressure", operator="Exists"),),
    )
)


@pytest.mark.parametrize(
    ("found", "conditions", "message"),
    [
        pytest.param(pod(), [], None, id="all is well"),
        pytest.param(pod(), ["MemoryPressure"], "The node had condition: [MemoryPressure]. ", id="best effort"),
        pytest.param(pod(memory="1Mi"), ["MemoryPressure"], None, id="who asked for memory"),
        pytest.param(TOLERANT, ["MemoryPressure"], None, id="who tolerates it"),
        pytest.param(pod(memory="1Mi"), ["DiskPressure"], "The node had condition: [DiskPressure]. ", id="disk"),
        pytest.param(pod(priority=CRITICAL_PRIORITY), ["DiskPressure"], None, id="critical"),
    ],
)
def test_newcomers(found: Pod, conditions: list[str], message: str | None) -> None:
    refused = evictions.refusal(found, frozenset(conditions))
    assert (None if refused is None else refused.message) == message
