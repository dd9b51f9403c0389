"""What holds for every patch, not only for those that somebody thought of."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apiserver.registry.patching import jsonpatch, mergepatch, strategic
from apiserver.registry.patching.document import same, without_nulls
from apiserver.registry.patching.shapes import shape_of
from steersman.api.core import Pod
from steersman.api.errors import ApiError

few = settings(max_examples=40, deadline=None)

KEYS = st.sampled_from(["a", "b", "c", "a/b", "m~n", ""])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 2.5]), st.text(max_size=3))
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(KEYS, VALUES, max_size=4)
POINTERS = st.lists(st.sampled_from(["a", "b", "c", "a~1b", "0", "1", "-", "-1", ""]), max_size=4).map(
    lambda tokens: "".join(f"/{token}" for token in tokens)
)
STEPS = st.builds(
    lambda op, path, source, value: {"op": op, "path": path, "from": source, "value": value},
    st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
    POINTERS,
    POINTERS,
    VALUES,
)


def merge_diff(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """A merge patch from `old` to `new`, for a `new` without nulls."""
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        current = old.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            patch[key] = merge_diff(current, value)
        elif key not in old or not same(current, value):
            patch[key] = value
    return patch


@few
@given(OBJECTS, OBJECTS)
def test_a_merge_patch_twice_is_a_merge_patch_once(document: Any, patch: Any) -> None:
    once = mergepatch.apply(document, patch)
    assert same(mergepatch.apply(once, patch), once)


@few
@given(OBJECTS, OBJECTS)
def test_a_merge_patch_made_from_a_difference_makes_the_difference(old: Any, new: Any) -> None:
    wanted: Any = without_nulls(new)
    assert same(mergepatch.apply(old, merge_diff(old, wanted)), wanted)


@few
@given(OBJECTS, OBJECTS)
def test_a_merge_patch_changes_neither_input(document: Any, patch: Any) -> None:
    before = copy.deepcopy((document, patch))
    mergepatch.apply(document, patch)
    assert (document, patch) == before


@few
@given(OBJECTS, st.lists(STEPS, max_size=6))
def test_a_json_patch_changes_neither_input(document: Any, patch: Any) -> None:
    before = copy.deepcopy((document, patch))
    with contextlib.suppress(ApiError):  # most random patches do not fit; the document must not show it
        jsonpatch.apply(document, patch)
    assert (document, patch) == before


@few
@given(OBJECTS, st.lists(STEPS, max_size=6))
def test_a_json_patch_does_the_same_to_the_same(document: Any, patch: Any) -> None:
    outcomes = []
    for _ in range(2):
        try:
            outcomes.append(jsonpatch.apply(document, patch))
        except ApiError as refused:
            outcomes.append(refused.message)
    assert same(outcomes[0], outcomes[1])


def escaped(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


@few
@given(OBJECTS, KEYS, VALUES)
def test_remove_undoes_add(document: Any, key: str, value: Any) -> None:
    without = {name: held for name, held in document.items() if name != key}
    there = jsonpatch.apply(without, [{"op": "add", "path": escaped(key), "value": value}])
    jsonpatch.apply(there, [{"op": "test", "path": escaped(key), "value": value}])
    assert same(jsonpatch.apply(there, [{"op": "remove", "path": escaped(key)}]), without)


@few
@given(st.lists(VALUES, min_size=1, max_size=5), st.data())
def test_add_undoes_remove_in_a_list(items: Any, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(items) - 1))
    gone = jsonpatch.apply({"a": items}, [{"op": "remove", "path": f"/a/{index}"}])
    back = jsonpatch.apply(gone, [{"op": "add", "path": f"/a/{index}", "value": items[index]}])
    assert same(back, {"a": items})


@few
@given(st.lists(VALUES, min_size=1, max_size=5), st.data())
def test_moving_there_and_back(items: Any, data: st.DataObject) -> None:
    here, there = (data.draw(st.integers(0, len(items) - 1)) for _ in range(2))
    moved = jsonpatch.apply(items, [{"op": "move", "from": f"/{here}", "path": f"/{there}"}])
    assert same(jsonpatch.apply(moved, [{"op": "move", "from": f"/{there}", "path": f"/{here}"}]), items)


NAMES = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)
CONTAINERS = NAMES.flatmap(
    lambda names: st.tuples(
        *(
            st.fixed_dictionaries({"name": st.just(name)}, optional={"image": st.sampled_from(["v1", "v2"])})
            for name in names
        )
    ).map(list)
)


def pod(containers: Any) -> Any:
    return {"spec": {"containers": containers}}


def strategic_diff(old: list[Any], new: list[Any]) -> Any:
    """As kubectl would write it: what differs, what goes, and the order of what stays."""
    before = {item["name"]: item for item in old}
    after = {item["name"] for item in new}
    changes = [
        {**dict.fromkeys(before.get(item["name"], {})), **item} for item in new if before.get(item["name"]) != item
    ]
    gone = [{"name": name, "$patch": "delete"} for name in before if name not in after]
    order = [{"name": item["name"]} for item in new]
    return {"spec": {"$setElementOrder/containers": order, "containers": [*changes, *gone]}}


@few
@given(CONTAINERS.filter(len), CONTAINERS)
def test_a_strategic_patch_made_from_a_difference_makes_the_difference(old: Any, new: Any) -> None:
    assert strategic.apply(pod(old), strategic_diff(old, new), shape_of(Pod)) == pod(new)


@few
@given(CONTAINERS, CONTAINERS)
def test_a_strategic_patch_twice_is_a_strategic_patch_once(live: Any, changes: Any) -> None:
    once = strategic.apply(pod(live), pod(changes), shape_of(Pod))
    assert strategic.apply(once, pod(changes), shape_of(Pod)) == once


@few
@given(CONTAINERS, CONTAINERS)
def test_a_strategic_patch_loses_nothing_and_keeps_both_orders(live: Any, changes: Any) -> None:
    merged: Any = strategic.apply(pod(live), pod(changes), shape_of(Pod))
    names = [item["name"] for item in merged["spec"]["containers"]]
    patched = [item["name"] for item in changes]
    others = [item["name"] for item in live if item["name"] not in patched]
    assert sorted(names) == sorted({*patched, *others})
    assert [name for name in names if name in patched] == patched
    assert [name for name in names if name in others] == others


@few
@given(OBJECTS, OBJECTS)
def test_a_strategic_patch_changes_neither_input_and_refuses_only_with_our_errors(live: Any, patch: Any) -> None:
    document: Any = {"metadata": {"labels": live}}
    change: Any = {"metadata": {"labels": patch}}
    before = copy.deepcopy((document, change))
    with contextlib.suppress(ApiError):  # labels have no declared fields, so two maps inside them cannot merge
        strategic.apply(document, change, shape_of(Pod))
    assert (document, change) == before
