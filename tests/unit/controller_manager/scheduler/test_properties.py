"""What holds whatever happens: no node above capacity, and following changes equals starting afresh."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from controller_manager.scheduler import requirements, snapshot
from controller_manager.scheduler.equivalence import Candidates, Chosen, Equivalence, Unplaceable
from controller_manager.scheduler.filters import Hooks
from controller_manager.scheduler.snapshot import Snapshot
from steersman.api.core import Node, Pod
from tests.unit.controller_manager.scheduler.world import HOST, ZONE, away_from, near, node, pod, spread

SHAPES: list[dict[str, Any]] = [
    {"cpu": "1"},
    {"cpu": "1500m", "memory": "3Gi"},
    {"labels": {"app": "web"}, "topologySpreadConstraints": spread("web")},
    {"labels": {"app": "web"}, "topologySpreadConstraints": spread("web", HOST)},
    {"labels": {"app": "db"}, "affinity": away_from("db", HOST), "cpu": "500m"},
    {"labels": {"app": "web"}, "affinity": near("db")},
    {"affinity": away_from("web")},
    {"ports": [{"containerPort": 80, "hostPort": 80}]},
]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("place"), st.integers(0, len(SHAPES) - 1)),
        st.tuples(st.just("leave"), st.integers(0, 30)),
        st.tuples(st.just("node"), st.integers(0, 5)),
        st.tuples(st.just("lose"), st.integers(0, 5)),
    ),
    max_size=30,
)


class World:
    """A cluster that lives through the steps, twice: as a chain of snapshots and as plain lists."""

    def __init__(self) -> None:
        self.cluster = Snapshot()
        self.shared = Equivalence()
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self._number = 0

    def step(self, what: str, which: int) -> None:
        match what:
            case "node":
                self._number += 1
                name = f"n{which}"
                labels = {ZONE: f"z{(which + self._number) % 2}"}
                self.nodes[name] = node(name, cpu=str(1 + self._number % 4), pods="4", labels=labels)
                self.cluster = self.cluster.with_node(self.nodes[name])
            case "lose":
                self.nodes.pop(f"n{which}", None)
                self.cluster = self.cluster.without_node(f"n{which}")
            case "leave" if self.pods:
                gone = self.pods.pop(sorted(self.pods)[which % len(self.pods)])
                self.cluster = self.cluster.without_pod(gone.metadata.uid, gone.spec.node_name)
            case "place":
                self.place(which)

    def place(self, shape: int) -> None:
        self._number += 1
        fields = {**SHAPES[shape]}
        wanted = requirements.of(pod(**fields))
        chance = Random(self._number).random
        followed = self.shared.choose(wanted, self.cluster, chance)
        afresh = Candidates(wanted, self.cluster, Hooks(), chance).choose()
        assert type(followed) is type(afresh)
        if isinstance(followed, Unplaceable) and isinstance(afresh, Unplaceable):
            assert followed.why == afresh.why
            assert sum(followed.why.values()) == len(self.nodes)
        if isinstance(followed, Chosen):
            placed = pod(f"p{self._number}", on=followed.node, **fields)
            before = self.cluster.node(followed.node)
            self.cluster = self.cluster.with_pod(placed)
            self.pods[placed.metadata.uid] = placed
            assert before is not None
            self.check_capacity(followed.node)

    def check_capacity(self, name: str) -> None:
        view = self.cluster.node(name)
        assert view is not None
        allocatable = view.known.allocatable
        assert len(view.pods) <= allocatable["pods"]
        asked = [each.requirements.requests for each in view.pods.values()]
        last = asked[-1]
        for resource in last:
            assert sum(each.get(resource, 0) for each in asked) <= allocatable[resource]


def content(cluster: Snapshot) -> object:
    views = {name: view for shard in cluster.shards for name, view in shard.items()}
    return views, cluster.size, cluster.opinionated


@settings(deadline=None, max_examples=60)
@given(STEPS)
def test_following_equals_starting_afresh_and_no_node_is_over_capacity(steps: list[tuple[str, int]]) -> None:
    world = World()
    for number in range(3):
        world.step("node", number)
    for what, which in steps:
        world.step(what, which)
    assert content(world.cluster) == content(snapshot.of(world.nodes.values(), world.pods.values()))


@settings(deadline=None, max_examples=60)
@given(STEPS)
def test_a_snapshot_never_changes_and_knows_what_has(steps: list[tuple[str, int]]) -> None:
    world = World()
    world.step("node", 0)
    kept, before = world.cluster, {view.name: view for view in world.cluster}
    for what, which in steps:
        world.step(what, which)
    after = dict(before)
    for old, new in world.cluster.changes_since(kept):
        if new is not None:
            after[new.name] = new
        elif old is not None:
            del after[old.name]
    assert after == {view.name: view for view in world.cluster}
    assert before == {view.name: view for view in kept}
