from __future__ import annotations

from typing import Any

import pytest

from controller_manager.controllers.deployment import rolling
from controller_manager.controllers.deployment.rolling import Bounds, Sizes
from steersman.api.apps import ReplicaSet
from steersman.api.part import IntOrString
from tests.unit.controller_manager.workloads import make_deployment, make_replicaset


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        pytest.param(10, "25%", "25%", (3, 2), id="a quarter of ten: up and down"),
        pytest.param(1, "25%", "25%", (1, 0), id="a quarter of one"),
        pytest.param(4, "25%", "25%", (1, 1), id="a quarter of four"),
        pytest.param(10, 1, 0, (1, 0), id="numbers"),
        pytest.param(10, 0, 3, (0, 3), id="no surge"),
        pytest.param(10, 0, "5%", (0, 1), id="both come to nothing: one may be unavailable"),
        pytest.param(2, 0, "25%", (0, 1), id="a quarter of two comes to nothing"),
        pytest.param(3, "100%", "100%", (3, 3), id="everything"),
        pytest.param(2, 0, 5, (0, 2), id="no more unavailable than there are"),
        pytest.param(0, "25%", "25%", (0, 0), id="none at all"),
        pytest.param(0, 3, 1, (3, 0), id="none at all, in numbers"),
        pytest.param(100, "1%", "1%", (1, 1), id="one percent"),
        pytest.param(7, "33%", "33%", (3, 2), id="a third of seven"),
    ],
)
def test_bounds(replicas: int, surge: IntOrString, unavailable: IntOrString, expected: tuple[int, int]) -> None:
    bounds = rolling.bounds_of(make_deployment(replicas, surge=surge, unavailable=unavailable))
    assert (bounds.max_surge, bounds.max_unavailable) == expected


def test_recreate_has_no_bounds_to_leave() -> None:
    assert rolling.bounds_of(make_deployment(4, strategy="Recreate")) == Bounds(4)


TEN = Bounds(10, max_surge=3, max_unavailable=2)
NEW = "new"


def new(replicas: int, **fields: Any) -> ReplicaSet:
    return make_replicaset(NEW, replicas, age=1, **fields)


def old(replicas: int, name: str = "old", **fields: Any) -> ReplicaSet:
    return make_replicaset(name, replicas, **fields)


@pytest.mark.parametrize(
    ("sets", "bounds", "expected"),
    [
        pytest.param([], TEN, 10, id="the first rollout: all at once"),
        pytest.param([old(10)], TEN, 3, id="as many as the surge allows"),
        pytest.param([old(8), new(3)], TEN, 5, id="room that the old one left"),
        pytest.param([old(13)], TEN, 0, id="no room"),
        pytest.param([old(20)], TEN, 0, id="far too many already"),
        pytest.param([old(0), new(9)], TEN, 10, id="never above the desired number"),
        pytest.param([old(8, seen=10), new(3)], TEN, 3, id="the old one has not shrunk yet"),
        pytest.param([old(8, seen=9), new(3)], TEN, 4, id="the old one has half shrunk"),
        pytest.param([old(8, generation=2, observed=1), new(3)], TEN, 3, id="the old one has not taken note"),
        pytest.param([old(8), new(3, generation=2, observed=1)], TEN, 3, id="the new one has not taken note"),
        pytest.param([old(10, available=0)], TEN, 3, id="surge does not ask for health"),
        pytest.param([old(10)], Bounds(10, max_unavailable=2), 0, id="no surge: the old one goes first"),
        pytest.param([old(5, "a"), old(5, "b")], TEN, 3, id="two old ones"),
    ],
)
def test_growing(sets: list[ReplicaSet], bounds: Bounds, expected: int) -> None:
    present = next((rolling.size(each) for each in sets if each.metadata.name == NEW), 0)
    assert rolling.grown(bounds, present, sets) == expected


@pytest.mark.parametrize(
    ("grown", "sets", "bounds", "expected"),
    [
        pytest.param(new(3, available=0), [old(10)], TEN, {"old": 8}, id="what may be unavailable goes at once"),
        pytest.param(new(3), [old(10)], TEN, {"old": 5}, id="as the new ones become available"),
        pytest.param(new(5, available=0), [old(8)], TEN, {}, id="nothing while the new ones are not available"),
        pytest.param(new(10), [old(3)], TEN, {"old": 0}, id="the rest"),
        pytest.param(new(10, available=5), [old(3)], TEN, {}, id="the new ones crash: the rest stays"),
        pytest.param(new(0), [old(10, available=5)], TEN, {"old": 8}, id="unavailable old ones go first"),
        pytest.param(new(3), [old(10, available=0)], TEN, {"old": 5}, id="all old ones are sick"),
        pytest.param(new(0), [old(0)], TEN, {}, id="nothing left"),
        pytest.param(new(5), [old(5, "a", age=9), old(5, "b", age=5)], TEN, {"a": 0, "b": 3}, id="the oldest first"),
        pytest.param(
            new(4), [old(5, "a", age=9), old(5, "b", age=5, available=3)], TEN, {"a": 1, "b": 3}, id="the sick first"
        ),
        pytest.param(new(3, available=1), [old(8, seen=10)], TEN, {"old": 7}, id="what it will not keep is no reserve"),
        pytest.param(new(0), [old(10)], Bounds(10, max_unavailable=2), {"old": 8}, id="no surge"),
        pytest.param(new(2), [old(8)], Bounds(10, max_unavailable=2), {"old": 6}, id="no surge, second step"),
        pytest.param(new(1, available=0), [old(1)], Bounds(1, 1, 0), {}, id="the only one waits for its heir"),
        pytest.param(new(1), [old(1)], Bounds(1, 1, 0), {"old": 0}, id="the only one has an heir"),
    ],
)
def test_shrinking(grown: ReplicaSet, sets: list[ReplicaSet], bounds: Bounds, expected: Sizes) -> None:
    assert rolling.shrunk(bounds, grown, sets) == expected


@pytest.mark.parametrize(
    ("replicas", "current", "sets", "expected"),
    [
        pytest.param(20, new(10), [], {NEW: 20}, id="alone: the whole number"),
        pytest.param(20, None, [old(10)], {"old": 20}, id="alone, though of an old template"),
        pytest.param(20, new(0), [old(0)], {NEW: 20}, id="none active: the new one"),
        pytest.param(20, None, [old(0, "a", age=9), old(0, "b", age=5)], {"b": 20}, id="none active: the latest"),
        pytest.param(20, None, [], {}, id="nothing to scale"),
        pytest.param(20, new(5, most=10), [old(5, most=10)], {NEW: 10, "old": 10}, id="twice as many of each"),
        pytest.param(5, new(5, most=10), [old(5, most=10)], {NEW: 3, "old": 2}, id="half as many, oldest loses more"),
        pytest.param(12, new(5, most=10), [old(5, most=10)], {NEW: 6, "old": 6}, id="a little more"),
        pytest.param(11, new(5, most=10), [old(5, most=10)], {NEW: 6, "old": 5}, id="one more: the newest gets it"),
        pytest.param(10, new(8, most=10), [old(2, most=10)], {NEW: 8, "old": 2}, id="nothing to add"),
        pytest.param(0, new(5, most=10), [old(5, most=10)], {NEW: 0, "old": 0}, id="to nothing"),
        pytest.param(10, new(10, desired=10, most=10), [old(3)], {"old": 0}, id="through: the old ones go"),
        pytest.param(20, new(2, most=10), [old(8, most=10)], {NEW: 4, "old": 16}, id="one to four stays one to four"),
        pytest.param(
            15,
            new(3, most=10),
            [old(5, "a", age=9, most=10), old(2, "b", age=5, most=10)],
            {NEW: 5, "a": 8, "b": 2},
            id="three of them: the largest first, until all is given",
        ),
    ],
)
def test_scaling(replicas: int, current: ReplicaSet | None, sets: list[ReplicaSet], expected: Sizes) -> None:
    deployment = make_deployment(replicas, surge=0, unavailable=1)
    assert rolling.rescaled(deployment, rolling.bounds_of(deployment), current, sets) == expected


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        pytest.param([], False, id="none"),
        pytest.param([old(10, desired=10)], False, id="as before"),
        pytest.param([old(10, desired=8)], True, id="another number"),
        pytest.param([old(10)], False, id="nothing noted"),
        pytest.param([old(0, desired=8)], False, id="an empty one does not count"),
        pytest.param([old(5, desired=10), old(5, "b", desired=9)], True, id="one of two"),
    ],
)
def test_noticing_a_new_number(sets: list[ReplicaSet], expected: bool) -> None:
    assert rolling.is_scaling(make_deployment(10), sets) is expected
