from __future__ import annotations

import pytest

from controller_manager.controllers.garbagecollector.graph import Graph, Place
from controller_manager.sketches import FOREGROUND, ORPHAN, Sketch
from steersman.api.meta import OwnerReference
from steersman.client.cache import Cache, ObjectKey
from tests.unit.controller_manager.controllers.garbagecollector.world import KIND, NODE, make, refers_to, standing


class Seen:
    """A graph over one cache, and what each change concerns."""

    def __init__(self, *there: Sketch) -> None:
        self.cache: Cache[Sketch] = Cache()
        self.graph = Graph()
        self.graph.follow(KIND, self.cache)
        self.graph.follow(NODE, Cache())
        for value in there:
            self.put(value)

    def put(self, value: Sketch) -> set[str]:
        return {place.name for place in self.graph.take(KIND, *self.cache.put(value))}

    def drop(self, name: str) -> set[str]:
        return {place.name for place in self.graph.take(KIND, *self.cache.drop(ObjectKey("default", name)))}


OWNER = make("owner")
CHILD = make("child", refers_to("owner", blocking=True))
WAITING = make("owner", leaving=True, finalizers=(FOREGROUND,))


@pytest.mark.parametrize(
    ("there", "change", "concerned"),
    [
        pytest.param([], OWNER, set(), id="who has no owner is looked at by nobody"),
        pytest.param([OWNER], CHILD, set(), id="a child whose owner is there"),
        pytest.param([], CHILD, {"child"}, id="a child whose owner is not there"),
        pytest.param([make("owner", uid="namesake")], CHILD, {"child"}, id="a child of a namesake"),
        pytest.param([WAITING], CHILD, {"child"}, id="a child whose owner waits for it to go"),
        pytest.param([OWNER, CHILD], WAITING, {"owner", "child"}, id="the owner begins to wait"),
        pytest.param([OWNER, CHILD], make("owner", leaving=True), set(), id="the owner is held by others"),
        pytest.param(
            [OWNER, CHILD], make("owner", leaving=True, finalizers=(ORPHAN,)), {"owner"}, id="the owner frees it"
        ),
        pytest.param([WAITING, CHILD], make("child"), {"owner"}, id="a child forgets an owner that waits"),
        pytest.param(
            [WAITING, CHILD, make("b", refers_to("owner", blocking=True))], make("child"), set(), id="one of two"
        ),
        pytest.param(
            [WAITING, CHILD],
            make("child", refers_to("owner", blocking=True), leaving=True, finalizers=(FOREGROUND,)),
            {"owner", "child"},
            id="a child waits too: perhaps in a circle",
        ),
        pytest.param([OWNER, CHILD], CHILD, set(), id="nothing that matters has changed"),
    ],
)
def test_what_a_change_concerns(there: list[Sketch], change: Sketch, concerned: set[str]) -> None:
    assert Seen(*there).put(change) == concerned


def test_a_deletion_concerns_dependents_and_owners_that_wait() -> None:
    assert Seen(OWNER, CHILD).drop("owner") == {"child"}
    assert Seen(WAITING, CHILD).drop("child") == {"owner"}
    assert Seen(OWNER, CHILD).drop("child") == set()


def test_a_namesake_is_not_the_owner() -> None:
    seen = Seen(OWNER, CHILD)
    assert seen.put(make("owner", uid="namesake")) == {"child"}
    found = seen.graph.find(ObjectKey("default", "configmaps/owner"))
    assert found is not None
    assert seen.graph.dependents_of(found) == []


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        pytest.param(refers_to("a"), Place(KIND, "default", "a"), id="in the dependent's namespace"),
        pytest.param(refers_to("a", kind="Node"), Place(NODE, "", "a"), id="cluster-wide"),
        pytest.param(refers_to("a", kind="Strange"), None, id="unknown"),
    ],
)
def test_where_an_owner_stands(reference: OwnerReference, place: Place | None) -> None:
    assert Seen().graph.place_of_owner(reference, Place(KIND, "default", "child")) == place


def test_nothing_is_kept_of_what_is_gone() -> None:
    seen = Seen(OWNER, CHILD, make("other", refers_to("owner")))
    for name in ("owner", "child", "other"):
        seen.drop(name)
    assert seen.graph._dependents == {}
    assert seen.graph._namespaces == {}


def ring(*names: str) -> list[Sketch]:
    """Each waits for the next, the last for the first."""
    owners = [names[-1], *names[:-1]]
    return [
        make(name, refers_to(owner, blocking=True), leaving=True, finalizers=(FOREGROUND,))
        for name, owner in zip(names, owners, strict=True)
    ]


@pytest.mark.parametrize(
    ("there", "of", "circle"),
    [
        pytest.param(ring("a", "b", "c"), "a", {"a", "b", "c"}, id="a ring"),
        pytest.param(ring("a"), "a", {"a"}, id="its own owner"),
        pytest.param([*ring("a", "b"), make("x", refers_to("a", blocking=True))], "a", {"a", "b"}, id="beside a ring"),
        pytest.param([WAITING, CHILD], "owner", {"owner"}, id="no ring"),
    ],
)
def test_circles_of_those_who_wait_for_each_other(there: list[Sketch], of: str, circle: set[str]) -> None:
    item = next(each for each in there if each.metadata.name == of)
    assert Seen(*there).graph.circle_of(standing(item)) == {f"{name}-uid" for name in circle}


def test_a_kind_that_is_served_no_longer_leaves_nothing_behind() -> None:
    seen = Seen(OWNER, CHILD)
    seen.graph.leave(KIND)
    assert seen.graph.find(ObjectKey("default", "configmaps/child")) is None
    assert seen.graph.place_of_owner(refers_to("owner"), Place(KIND, "default", "child")) is None
    assert seen.graph._dependents == {}
