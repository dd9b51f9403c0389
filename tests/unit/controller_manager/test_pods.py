from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from controller_manager import ownership, pods
from steersman.api.core import Pod, PodStatus
from tests.unit.controller_manager.workloads import NOW, REPLICASET, make_pod, make_replicaset, template


@pytest.mark.parametrize(
    ("pod", "active", "terminating", "ready"),
    [
        pytest.param(make_pod(), True, False, True, id="running"),
        pytest.param(make_pod(phase="Pending", ready=False), True, False, False, id="pending"),
        pytest.param(make_pod(phase="Unknown", ready=False), True, False, False, id="unknown"),
        pytest.param(make_pod(phase="Succeeded", ready=False), False, False, False, id="succeeded"),
        pytest.param(make_pod(phase="Failed", ready=False), False, False, False, id="failed"),
        pytest.param(make_pod(deleted=True), False, True, True, id="going"),
        pytest.param(make_pod(phase="Failed", deleted=True, ready=False), False, False, False, id="failed and going"),
        pytest.param(replace(make_pod(), status=PodStatus()), True, False, False, id="no status at all"),
    ],
)
def test_states(pod: Pod, active: bool, terminating: bool, ready: bool) -> None:
    assert (pods.is_active(pod), pods.is_terminating(pod), pods.is_ready(pod)) == (active, terminating, ready)


@pytest.mark.parametrize(
    ("pod", "minimum", "available", "wait"),
    [
        pytest.param(make_pod(ready_for=0), 0, True, None, id="at once without a minimum"),
        pytest.param(make_pod(ready=False), 0, False, None, id="never when not ready"),
        pytest.param(make_pod(ready_for=9), 10, False, 1.0, id="a second too early"),
        pytest.param(make_pod(ready_for=10), 10, True, None, id="to the second"),
        pytest.param(make_pod(ready_for=11), 10, True, None, id="later"),
        pytest.param(make_pod(ready_for=None), 10, False, None, id="nobody knows since when"),
        pytest.param(make_pod(ready_for=None), 0, True, None, id="nobody needs to know since when"),
        pytest.param(make_pod(ready=False, ready_for=2), 10, False, None, id="not ready for two seconds"),
    ],
)
def test_availability(pod: Pod, minimum: int, available: bool, wait: float | None) -> None:
    assert pods.is_available(pod, minimum, NOW) is available
    assert pods.seconds_until_available([pod], minimum, NOW) == wait


def test_the_next_to_become_available_is_waited_for() -> None:
    crowd = [make_pod(ready_for=1), make_pod(ready_for=7), make_pod(ready_for=20)]
    assert pods.seconds_until_available(crowd, 10, NOW) == 3.0


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param(make_pod("z", node=""), make_pod("a"), id="without a node"),
        pytest.param(make_pod("z", phase="Pending"), make_pod("a"), id="pending before running"),
        pytest.param(make_pod("z", phase="Unknown"), make_pod("a"), id="unknown before running"),
        pytest.param(make_pod("z", phase="Pending"), make_pod("a", phase="Unknown"), id="pending before unknown"),
        pytest.param(make_pod("z", ready=False), make_pod("a"), id="not ready"),
        pytest.param(make_pod("z", ready=False, cost="9"), make_pod("a", cost="-9"), id="readiness before cost"),
        pytest.param(make_pod("z", cost="-5"), make_pod("a"), id="negative cost"),
        pytest.param(make_pod("z", cost="3"), make_pod("a", cost="20"), id="cost by number, not by text"),
        pytest.param(make_pod("z"), make_pod("a", cost="1"), id="no cost is 0"),
        pytest.param(make_pod("z", cost="+7"), make_pod("a", cost="1"), id="a cost with a plus is none"),
        pytest.param(make_pod("z", cost="007"), make_pod("a", cost="1"), id="a cost with leading zeros is none"),
        pytest.param(make_pod("z", cost="2147483648"), make_pod("a", cost="1"), id="a cost beyond 32 bits is none"),
        pytest.param(make_pod("z", ready_for=5), make_pod("a", ready_for=5000), id="ready for less long"),
        pytest.param(make_pod("z", ready_for=None), make_pod("a", ready_for=1), id="ready since nobody knows when"),
        pytest.param(make_pod("a", ready_for=50), make_pod("z", ready_for=51), id="about one age: chance"),
        pytest.param(make_pod("z", restarts=3), make_pod("a", restarts=2), id="restarted more often"),
        pytest.param(make_pod("z", age=60), make_pod("a", age=6000), id="created later"),
        pytest.param(make_pod("z", ready=False, age=1), make_pod("a", ready=False, age=100), id="unready and younger"),
    ],
)
def test_cheapest_first(first: Pod, then: Pod) -> None:
    assert pods.cheapest_to_lose([then, first], [], NOW) == [first, then]
    assert pods.cheapest_to_lose([first, then], [], NOW) == [first, then]


def test_a_crowded_node_gives_first() -> None:
    lonely, crowded = make_pod("a", node="node-1"), make_pod("z", node="node-2")
    sibling = make_pod("s", node="node-2")
    assert pods.cheapest_to_lose([lonely, crowded], [lonely, crowded, sibling], NOW) == [crowded, lonely]
    gone = make_pod("s", node="node-2", deleted=True)
    assert pods.cheapest_to_lose([crowded, lonely], [lonely, crowded, gone], NOW) == [lonely, crowded]


def test_what_is_not_yet_available_goes_before_what_is() -> None:
    fresh, settled = make_pod("z", ready_for=9, cost="5"), make_pod("a", ready_for=10)
    assert pods.cheapest_to_lose([settled, fresh], [], NOW, min_ready_seconds=10) == [fresh, settled]


def test_names_are_like_the_servers() -> None:
    name = pods.fresh_name("web-abc", Random(1))
    assert name.startswith("web-abc-")
    assert len(name) == len("web-abc-") + 5
    assert set(name[-5:]) <= set(pods.NAME_ALPHABET)
    assert len(pods.fresh_name("x" * 200, Random(1))) == 63


def test_a_pod_from_a_template() -> None:
    owner = make_replicaset("web-1")
    made = pods.from_template(template(tier="front"), "web-1-x", "default", ownership.reference_to(owner, REPLICASET))
    assert made.metadata.labels == {"app": "web", "tier": "front"}
    assert ownership.is_controlled_by(made, owner)
    assert made.spec == template().spec
    assert made.metadata.uid == ""
