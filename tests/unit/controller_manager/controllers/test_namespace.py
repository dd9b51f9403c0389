from __future__ import annotations

from typing import Any, cast

import pytest

from controller_manager import sketches
from controller_manager.controllers import namespace
from controller_manager.controllers.namespace import Content, Finalize, NamespaceController, Survey, Tell, Wait
from controller_manager.sketches import Sketch, SketchedMeta
from steersman.api.core import Namespace, NamespaceCondition, NamespaceSpec, NamespaceStatus
from steersman.api.errors import Timeout
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client.cache import Cache, ObjectKey
from steersman.client.requests import Items, Propagation
from tests.fakes.clock import FakeClock
from tests.unit.controller_manager.workloads import NOW, ago

PODS, SECRETS, ROLES = (
    next(kind for kind in sketches.BUILT_IN if kind.kind == name) for name in ("Pod", "Secret", "Role")
)
EMPTY = (Content(PODS), Content(SECRETS))
FINE = {
    "NamespaceDeletionDiscoveryFailure": ("False", "ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("False", "ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": (
        "False",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
}


def make_namespace(*, finalizers: tuple[str, ...] = (), conditions: tuple[NamespaceCondition, ...] = ()) -> Namespace:
    return Namespace(
        metadata=ObjectMeta(name="shop", uid="shop-uid", deletion_timestamp=ago(5), finalizers=finalizers),
        spec=NamespaceSpec(finalizers=("kubernetes",)),
        status=NamespaceStatus(phase="Terminating", conditions=conditions),
    )


def item(name: str, *finalizers: str, grace: int = 0, over: bool = False) -> Sketch:
    end = ago(1 if over else -grace)
    return Sketch(
        metadata=SketchedMeta(
            name=name, finalizers=finalizers, deletion_timestamp=end, deletion_grace_period_seconds=grace
        )
    )


def told(survey: Survey, **fields: Any) -> tuple[list[str], dict[str, tuple[str, str, str]]]:
    """The plan as short texts, and the conditions that are to be written."""
    lines: list[str] = []
    conditions: dict[str, tuple[str, str, str]] = {}
    for action in namespace.plan(make_namespace(**fields), survey, NOW):
        match action:
            case Finalize():
                lines.append("finalize")
            case Tell(status):
                lines.append("tell")
                conditions = {each.type: (each.status, each.reason, each.message) for each in status.conditions}
            case Wait(seconds, failed):
                lines.append("fail" if failed else f"wait {seconds:g}")
    return lines, conditions


@pytest.mark.parametrize(
    ("contents", "lines", "changed"),
    [
        pytest.param(EMPTY, ["finalize"], {}, id="empty"),
        pytest.param(
            (Content(PODS, (item("a", grace=30), item("b", grace=5))),),
            ["tell", "wait 16"],
            {
                "NamespaceContentRemaining": (
                    "True",
                    "SomeResourcesRemain",
                    "Some resources are remaining: pods. has 2 resource instances",
                )
            },
            id="pods have their grace",
        ),
        pytest.param(
            (
                Content(SECRETS, (item("a", "example.com/x"), item("b", "example.com/x", "example.com/y"))),
                Content(ROLES, (item("c", "example.com/y"),)),
            ),
            ["tell", "wait 8"],
            {
                "NamespaceContentRemaining": (
                    "True",
                    "SomeResourcesRemain",
                    "Some resources are remaining: roles.rbac.authorization.k8s.io has 1 resource instances, "
                    "secrets. has 2 resource instances",
                ),
                "NamespaceFinalizersRemaining": (
                    "True",
                    "SomeFinalizersRemain",
                    "Some content in the namespace has finalizers remaining: "
                    "example.com/x in 2 resource instances, example.com/y in 2 resource instances",
                ),
            },
            id="others hold what is left",
        ),
        pytest.param(
            (Content(PODS, (item("a", grace=3, over=True),)),),
            ["tell", "fail"],
            {
                "NamespaceDeletionContentFailure": (
                    "True",
                    "ContentDeletionFailed",
                    "Failed to delete all resource types, 1 remaining: "
                    "unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods",
                ),
                "NamespaceContentRemaining": (
                    "True",
                    "SomeResourcesRemain",
                    "Some resources are remaining: pods. has 1 resource instances",
                ),
            },
            id="a pod outlives its grace",
        ),
        pytest.param(
            (Content(PODS), Content(SECRETS, failure="no answer"), Content(ROLES, failure="away")),
            ["tell", "fail"],
            {
                "NamespaceDeletionContentFailure": (
                    "True",
                    "ContentDeletionFailed",
                    "Failed to delete all resource types, 2 remaining: away, no answer",
                )
            },
            id="a deletion fails",
        ),
    ],
)
def test_plan(contents: tuple[Content, ...], lines: list[str], changed: dict[str, tuple[str, str, str]]) -> None:
    assert told(Survey(contents)) == (lines, {**FINE, **changed} if "tell" in lines else {})


def test_nothing_is_finalized_while_nobody_knows_the_kinds() -> None:
    lines, conditions = told(Survey(undiscovered="the server is away"))
    assert lines == ["tell", "fail"]
    assert conditions["NamespaceDeletionDiscoveryFailure"] == ("True", "DiscoveryFailed", "the server is away")


def test_conditions_are_told_when_somebody_else_still_holds_the_namespace() -> None:
    assert told(Survey(EMPTY), finalizers=("example.com/hold",)) == (["tell", "finalize"], FINE)


def test_what_was_told_is_not_told_again() -> None:
    conditions = tuple(
        NamespaceCondition(type=type_, status=status, reason=reason, message=message, last_transition_time=ago(60))
        for type_, (status, reason, message) in FINE.items()
    )
    lines, _ = told(Survey(EMPTY), finalizers=("example.com/hold",), conditions=conditions)
    assert lines == ["finalize"]


def test_a_condition_keeps_its_time_until_it_turns() -> None:
    before = NamespaceCondition(
        type="NamespaceContentRemaining", status="True", message="more", last_transition_time=ago(60)
    )
    survey = Survey((Content(PODS, (item("a", grace=30),)),))
    tell = namespace.plan(make_namespace(conditions=(before,)), survey, NOW)[0]
    assert isinstance(tell, Tell)
    times = {each.type: each.last_transition_time for each in tell.status.conditions}
    assert times["NamespaceContentRemaining"] == ago(60)
    assert times["NamespaceDeletionContentFailure"] == ago(0)


@pytest.mark.parametrize(
    ("finalizers", "left"),
    [(("kubernetes",), ()), (("kubernetes", "example.com/hold"), ("example.com/hold",))],
    ids=["the last", "one of two"],
)
def test_our_finalizer_alone_is_taken_off(finalizers: tuple[str, ...], left: tuple[str, ...]) -> None:
    held = Namespace(metadata=ObjectMeta(name="shop"), spec=NamespaceSpec(finalizers=finalizers))
    assert namespace.finalized(held).spec.finalizers == left


@pytest.mark.parametrize(
    ("inside", "is_going", "woken"),
    [
        pytest.param((), True, [ObjectKey("", "shop")], id="the last has left"),
        pytest.param(("other",), True, [], id="one is left"),
        pytest.param((), False, [], id="the namespace stays"),
    ],
)
def test_who_is_woken_by_content(inside: tuple[str, ...], is_going: bool, woken: list[ObjectKey]) -> None:
    namespaces: Cache[Namespace] = Cache()
    namespaces.put(make_namespace() if is_going else Namespace(metadata=ObjectMeta(name="shop")))
    left: Cache[Sketch] = Cache()
    for name in inside:
        left.put(Sketch(metadata=SketchedMeta(name=name, namespace="shop")))
    unused: Any = None
    controller = NamespaceController(unused, unused, unused, namespace_cache=namespaces, clock=FakeClock())
    went = Sketch(metadata=SketchedMeta(name="went", namespace="shop"))
    assert list(controller.woken_by_content(left, went)) == woken


class Crowd:
    """Content of which one call marks only so many before its time is up."""

    def __init__(self, size: int, at_once: int) -> None:
        self.items = [Sketch(metadata=SketchedMeta(name=str(number), namespace="shop")) for number in range(size)]
        self.at_once = at_once

    async def list(self, namespace: str) -> Items[Sketch]:
        return Items(tuple(self.items), Revision(1))

    async def delete_collection(self, namespace: str, *, propagation: Propagation) -> None:
        untold = [number for number, each in enumerate(self.items) if each.metadata.deletion_timestamp is None]
        for number in untold[: self.at_once]:
            self.items[number] = item(str(number), "example.com/hold")
        if len(untold) > self.at_once:
            raise Timeout("no answer in time")


async def test_a_crowd_too_large_for_one_call_is_told_in_several() -> None:
    left = await NamespaceController._told_to_go(cast(Any, Crowd(10, at_once=4)), "shop")
    assert all(each.metadata.deletion_timestamp is not None for each in left)
    with pytest.raises(Timeout):
        await NamespaceController._told_to_go(cast(Any, Crowd(10, at_once=0)), "shop")
