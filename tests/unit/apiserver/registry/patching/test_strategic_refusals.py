"""Strategic merge patches that are refused, with the words and codes that Kubernetes uses."""

from __future__ import annotations

import copy
import sys
from typing import Any

import pytest

from apiserver.registry.patching import Unmergeable, strategic
from apiserver.registry.patching.document import MAX_DEPTH
from apiserver.registry.patching.shapes import shape_of
from steersman.api.core import Pod
from steersman.api.errors import ApiError, BadRequest, Invalid

LIVE: Any = {
    "metadata": {"name": "solo", "labels": {"app": "solo"}, "finalizers": ["a"]},
    "spec": {"containers": [{"name": "app", "image": "v1"}], "volumes": [{"name": "v", "emptyDir": {}}]},
}


def spec(**changes: Any) -> Any:
    return {"spec": changes}


def metadata(**changes: Any) -> Any:
    return {"metadata": changes}


REFUSED: dict[str, tuple[Any, type[ApiError], str]] = {
    "no merge key": (
        spec(containers=[{"image": "v2"}]),
        Unmergeable,
        "map: map[image:v2] does not contain declared merge key: name",
    ),
    "no merge key, printed as Go does": (
        spec(containers=[{"tty": True, "args": ["a", 1], "image": None, "env": [{"name": "A"}]}]),
        Unmergeable,
        "map: map[args:[a 1] env:[map[name:A]] image:<nil> tty:true] does not contain declared merge key: name",
    ),
    "no merge key in a deletion": (
        spec(containers=[{"$patch": "delete"}]),
        Unmergeable,
        "map: map[$patch:delete] does not contain declared merge key: name",
    ),
    "no merge key in a replacement": (
        spec(containers=[{"$patch": "replace"}, {"image": "v2"}]),
        Unmergeable,
        "map: map[image:v2] does not contain declared merge key: name",
    ),
    "no merge key in the order": (
        spec(**{"$setElementOrder/containers": [{"image": "x"}], "containers": [{"name": "app"}]}),
        Unmergeable,
        "map: map[image:x] does not contain declared merge key: name",
    ),
    "unknown directive in a map": (
        metadata(labels={"$patch": "merge", "a": "b"}),
        Unmergeable,
        "unknown patch type: merge in map: map[$patch:merge a:b]",
    ),
    "unknown directive in an item": (
        spec(containers=[{"$patch": "rename", "name": "app"}]),
        Unmergeable,
        "unknown patch type: rename in map: map[$patch:rename name:app]",
    ),
    "merge directive in an item": (
        spec(containers=[{"$patch": "merge", "name": "app"}]),
        Unmergeable,
        "merging lists cannot yet be specified in the patch",
    ),
    "mixed elements": (
        spec(containers=["app"]),
        Unmergeable,
        "list element types are not identical: [[map[image:v1 name:app]] [app]]",
    ),
    "mixed primitives": (
        metadata(finalizers=[1]),
        Unmergeable,
        "list element types are not identical: [[a] [1]]",
    ),
    "lists of lists": (
        spec(containers=[["app"]]),
        Invalid,
        "the server rejected our request due to an error in our request",
    ),
    "retainKeys is no list": (spec(**{"$retainKeys": "containers"}), BadRequest, "invalid patch format of retainKeys"),
    "retainKeys misses what the patch sets": (
        spec(volumes=[{"name": "v", "hostPath": {}, "$retainKeys": ["name"]}]),
        BadRequest,
        "invalid patch format of retainKeys",
    ),
    "deletion names no field": (
        metadata(**{"$deleteFromPrimitiveList": ["a"]}),
        BadRequest,
        "invalid patch format of primitive list",
    ),
    "deletion of maps": (
        spec(**{"$deleteFromPrimitiveList/containers": [{"name": "app"}]}),
        BadRequest,
        "invalid patch format of primitive list",
    ),
    "order names no field": (
        spec(**{"$setElementOrder": []}),
        BadRequest,
        "invalid patch format of setElementOrder list",
    ),
    "order with another name": (
        spec(**{"$setElementOrders/containers": []}),
        BadRequest,
        "invalid patch format of setElementOrder list",
    ),
    "order is no list": (
        spec(**{"$setElementOrder/containers": "app"}),
        Unmergeable,
        "expected a []interface {}, but received a string",
    ),
    "order of what is no list": (
        metadata(**{"$setElementOrder/labels": ["app"]}),
        Unmergeable,
        "expected a []interface {}, but received a map[string]interface {}",
    ),
    "order of a list that the patch deletes": (
        spec(**{"$setElementOrder/containers": [{"name": "app"}], "containers": None}),
        Unmergeable,
        "expected a []interface {}, but received a %!s(<nil>)",
    ),
    "order without an item of the patch": (
        spec(**{"$setElementOrder/containers": [{"name": "app"}], "containers": [{"name": "b"}]}),
        Unmergeable,
        "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:app]]\n",
    ),
    "order against the patch's own": (
        metadata(**{"$setElementOrder/finalizers": ["b", "c"], "finalizers": ["c", "b"]}),
        Unmergeable,
        "The order in patch list:\n[c b]\n doesn't match $setElementOrder list:\n[b c]\n",
    ),
    "order by numbers where there are maps": (
        spec(**{"$setElementOrder/containers": [1], "containers": [{"name": "app"}]}),
        Unmergeable,
        "expected a map[string]interface {}, but received a int64",
    ),
    "order of an unknown field": (
        spec(**{"$setElementOrder/boxes": []}),
        Unmergeable,
        'unable to find api field in struct PodSpec for the json field "boxes"',
    ),
    "merge key that is a map": (
        spec(containers=[{"name": {"a": "b"}}]),
        Unmergeable,
        "expected a string, but received a map[string]interface {}",
    ),
    "a list": ([], BadRequest, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    "a string": ("x", BadRequest, "json: cannot unmarshal string into Go value of type map[string]interface {}"),
}


@pytest.mark.parametrize(("patch", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(patch: Any, error: type[ApiError], message: str) -> None:
    live = copy.deepcopy(LIVE)
    with pytest.raises(ApiError) as refused:
        strategic.apply(live, patch, shape_of(Pod))
    assert (type(refused.value), refused.value.message) == (error, message)
    assert live == LIVE


def test_a_map_inside_a_map_without_declared_fields() -> None:
    live: Any = {"metadata": {"labels": {"a": {"b": 1}}}}
    with pytest.raises(Unmergeable) as refused:
        strategic.apply(live, metadata(labels={"a": {"b": 2}}), shape_of(Pod))
    wanted = "merging an object in json but data type is not struct, instead is: map"
    assert refused.value.message == wanted


def test_unknown_field_that_both_have() -> None:
    with pytest.raises(Unmergeable) as refused:
        strategic.apply({"boxes": {}}, {"boxes": {}}, shape_of(Pod))
    assert refused.value.message == 'unable to find api field in struct Pod for the json field "boxes"'


def test_a_huge_patch_is_not_quoted_whole() -> None:
    with pytest.raises(Unmergeable) as refused:
        strategic.apply(LIVE, spec(containers=[{"image": "x" * 1_000_000}]), shape_of(Pod))
    assert len(refused.value.message) < 5_000


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"properties": {"a": leaf}}
    return leaf


def test_depth_is_bounded() -> None:
    with pytest.raises(BadRequest):
        strategic.apply(LIVE, nested(50_000, 1), shape_of(Pod))


class _Endless:
    """A shape that fits any depth."""

    def field(self, name: str) -> strategic.Field:
        return strategic.Field(self, strategic.Strategy.MERGE, "name")


def test_the_deepest_allowed_patch_fits_on_a_busy_stack() -> None:
    def items(leaf: str) -> Any:
        value: Any = leaf
        for _ in range(MAX_DEPTH // 2):
            value = (
                {"list": [{"name": "x", "value": value}]}
                if isinstance(value, str)
                else {"list": [{"name": "x", **value}]}
            )
        return value

    def deeper(frames: int) -> Any:
        return deeper(frames - 1) if frames else strategic.apply(items("old"), items("new"), _Endless())

    free = sys.getrecursionlimit() - 3 * MAX_DEPTH - 100
    assert deeper(free // 2) == items("new")
