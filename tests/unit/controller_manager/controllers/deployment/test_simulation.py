"""A Deployment, its ReplicaSets and their pods in a world of chance: steps in any order, news that come late.

The Deployment's pass sees each ReplicaSet's status as that one last wrote it; a ReplicaSet's pass sees its pods, and
its own size as it was when news of it last came. Pods become ready when chance says so, or die. Whatever the order, the
number of pods never leaves the bounds of the rollout, and once the world stands still the rollout comes to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller_manager import pods
from controller_manager.controllers import replicaset as replicasets
from controller_manager.controllers.deployment import rolling, status
from controller_manager.controllers.deployment.plan import (
    CreateReplicaSet,
    DeleteReplicaSet,
    UpdateReplicaSet,
    plan,
)
from controller_manager.controllers.replicaset import CreatePods, DeletePod
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Pod
from tests.unit.controller_manager.workloads import NOW, make_deployment, make_pod, make_replicaset, template

ROUNDS_TO_SETTLE = 400


@dataclass
class World:
    """`crash`: pods may die even after they became available, so that only the surge can be promised."""

    deployment: Deployment
    sets: dict[str, ReplicaSet]
    pods: dict[str, Pod]
    random: Random
    crash: bool
    views: dict[str, ReplicaSet] = field(default_factory=dict)
    births: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def bounds(self) -> rolling.Bounds:
        return rolling.bounds_of(self.deployment)

    def pass_over_deployment(self) -> None:
        decided = plan(self.deployment, list(self.sets.values()), self.pods.values())
        for action in decided.actions:
            match action:
                case CreateReplicaSet(born):
                    meta = replace(born.metadata, uid=f"{born.metadata.name}-uid", generation=1)
                    self.sets[born.metadata.name] = replace(born, metadata=meta)
                case UpdateReplicaSet(before, after):
                    grown = before.metadata.generation + (before.spec != after.spec)
                    changed = replace(after, metadata=replace(after.metadata, generation=grown))
                    self.sets[after.metadata.name] = changed
                case DeleteReplicaSet(gone):
                    del self.sets[gone.metadata.name]
        told = status.status_of(self.deployment, decided.outlook, NOW)
        self.deployment = replace(self.deployment, status=told)

    def pass_over_replicaset(self, name: str) -> None:
        """Plans on what it sees, then tells what is left of that, as the controller does."""
        desired = self.views.get(name, self.sets[name])
        live = [pod for key, pod in self.pods.items() if key.startswith(f"{name}.")]
        for action in replicasets.plan(desired, live, live, NOW):
            match action:
                case CreatePods(count):
                    for _ in range(count):
                        self.births += 1
                        key = f"{name}.{self.births}"
                        self.pods[key] = make_pod(key, ready=False, owner=desired)
                        self.check()
                case DeletePod(pod):
                    del self.pods[pod.metadata.name]
                    self.check()
        left = [pod for pod in live if pod.metadata.name in self.pods]
        told = replicasets.status_of(desired, left, 0, None, NOW)
        self.sets[name] = replace(self.sets[name], status=told)

    def change_a_pod(self) -> None:
        if not self.pods:
            return
        key = self.random.choice(list(self.pods))
        pod = self.pods[key]
        if self.random.random() < 0.2 and (self.crash or not pods.is_ready(pod)):
            del self.pods[key]
            return
        self.become_ready(key)

    def become_ready(self, key: str) -> None:
        name = key.partition(".")[0]
        self.pods[key] = make_pod(key, owner=self.sets[name]) if name in self.sets else self.pods[key]

    def check(self) -> None:
        available = sum(map(pods.is_ready, self.pods.values()))
        if len(self.pods) > self.bounds.most:
            self.findings.append(f"{len(self.pods)} pods, more than {self.bounds.most}")
        if not self.crash and available < self.bounds.least:
            self.findings.append(f"{available} available, fewer than {self.bounds.least}")

    def step(self) -> None:
        chance = self.random.random()
        if chance < 0.3:
            self.pass_over_deployment()
        elif chance < 0.4:
            name = self.random.choice(list(self.sets))
            self.views[name] = self.sets[name]
        elif chance < 0.7:
            self.pass_over_replicaset(self.random.choice(list(self.sets)))
        else:
            self.change_a_pod()
        self.check()

    def settle(self) -> int:
        """Nothing dies any more and everyone gets a turn: how many rounds until the rollout is through."""
        self.views.clear()
        for round_number in range(ROUNDS_TO_SETTLE):
            for name in list(self.sets):
                self.pass_over_replicaset(name)
            for key in list(self.pods):
                self.become_ready(key)
            before = dict(self.sets)
            self.pass_over_deployment()
            self.check()
            if before == self.sets and status.is_complete(self.deployment, self.deployment.status):
                return round_number
        raise AssertionError(f"not through after {ROUNDS_TO_SETTLE} rounds: {self.deployment.status}")


def world(replicas: int, surge: int, unavailable: int, seed: int, *, crash: bool) -> World:
    """All pods of the first template are there and available; the second template has just been applied."""
    deployment = make_deployment(replicas, surge=surge, unavailable=unavailable, image="nginx:2")
    first = make_replicaset("first", replicas, revision=1, desired=replicas, most=replicas + surge)
    keys = [f"first.old{number}" for number in range(replicas)]
    found = {key: make_pod(key, owner=first) for key in keys}
    return World(deployment, {"first": first}, found, Random(seed), crash)


rollouts = st.tuples(
    st.integers(1, 12), st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**32), st.integers(0, 150)
)


@settings(max_examples=60, deadline=None)
@given(rollouts)
def test_a_rollout_keeps_its_bounds_and_ends(chosen: tuple[int, int, int, int, int]) -> None:
    """Pods may die as long as they are not ready."""
    replicas, surge, unavailable, seed, steps = chosen
    here = world(replicas, surge, unavailable, seed, crash=False)
    for _ in range(steps):
        here.step()
    here.settle()
    assert here.findings == []
    assert len(here.pods) == replicas


@settings(max_examples=60, deadline=None)
@given(rollouts)
def test_crashes_never_break_the_surge_nor_stop_the_rollout(chosen: tuple[int, int, int, int, int]) -> None:
    replicas, surge, unavailable, seed, steps = chosen
    here = world(replicas, surge, unavailable, seed, crash=True)
    for _ in range(steps):
        here.step()
    here.settle()
    assert here.findings == []


@settings(max_examples=60, deadline=None)
@given(rollouts, st.lists(st.sampled_from(["nginx:1", "nginx:2", "nginx:3"]), min_size=1, max_size=4))
def test_a_change_of_mind_keeps_the_bounds(chosen: tuple[int, int, int, int, int], images: list[str]) -> None:
    """Roll over and roll back in the middle of a rollout."""
    replicas, surge, unavailable, seed, steps = chosen
    here = world(replicas, surge, unavailable, seed, crash=False)
    for image in images:
        meta = replace(here.deployment.metadata, generation=here.deployment.metadata.generation + 1)
        spec = replace(here.deployment.spec, template=template(image))
        here.deployment = replace(here.deployment, metadata=meta, spec=spec)
        for _ in range(steps // len(images)):
            here.step()
    here.settle()
    assert here.findings == []
    (active,) = [each for each in here.sets.values() if rolling.size(each)]
    assert active.spec.template.spec == template(images[-1]).spec
