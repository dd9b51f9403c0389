"""JSON patch: the RFC's own examples, Kubernetes' liberties, and every way to be refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from apiserver.registry.patching import jsonpatch
from apiserver.registry.patching.document import MAX_DEPTH
from steersman.api.errors import ApiError, BadRequest, Details, Invalid, RequestTooLarge

Step = Any


def add(path: str, value: Any) -> Step:
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> Step:
    return {"op": "remove", "path": path}


def replace(path: str, value: Any) -> Step:
    return {"op": "replace", "path": path, "value": value}


def move(source: str, path: str) -> Step:
    return {"op": "move", "from": source, "path": path}


def copied(source: str, path: str) -> Step:
    return {"op": "copy", "from": source, "path": path}


def holds(path: str, value: Any) -> Step:
    return {"op": "test", "path": path, "value": value}


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = {"a": value}
    return value


APPLIES: dict[str, tuple[Any, Any, Any]] = {
    # RFC 6902, appendix A
    "A1 add an object member": ({"foo": "bar"}, [add("/baz", "qux")], {"foo": "bar", "baz": "qux"}),
    "A2 add an array element": ({"foo": ["bar", "baz"]}, [add("/foo/1", "qux")], {"foo": ["bar", "qux", "baz"]}),
    "A3 remove an object member": ({"baz": "qux", "foo": "bar"}, [remove("/baz")], {"foo": "bar"}),
    "A4 remove an array element": ({"foo": ["bar", "qux", "baz"]}, [remove("/foo/1")], {"foo": ["bar", "baz"]}),
    "A5 replace a value": ({"baz": "qux", "foo": "bar"}, [replace("/baz", "boo")], {"baz": "boo", "foo": "bar"}),
    "A6 move a value": (
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        [move("/foo/waldo", "/qux/thud")],
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    "A7 move an array element": (
        {"foo": ["all", "grass", "cows", "eat"]},
        [move("/foo/1", "/foo/3")],
        {"foo": ["all", "cows", "eat", "grass"]},
    ),
    "A8 test that holds": (
        {"baz": "qux", "foo": ["a", 2, "c"]},
        [holds("/baz", "qux"), holds("/foo/1", 2)],
        {"baz": "qux", "foo": ["a", 2, "c"]},
    ),
    "A10 add a nested object": ({"foo": "bar"}, [add("/child", {"g": {}})], {"foo": "bar", "child": {"g": {}}}),
    "A11 unknown members are ignored": (
        {"foo": "bar"},
        [{**add("/baz", "qux"), "xyz": 123}],
        {"foo": "bar", "baz": "qux"},
    ),
    "A14 escapes, in the right order": ({"/": 9, "~1": 10}, [holds("/~01", 10)], {"/": 9, "~1": 10}),
    "A16 add an array to an array": ({"foo": ["bar"]}, [add("/foo/-", ["a"])], {"foo": ["bar", ["a"]]}),
    # pointers
    "annotation key with a slash": (
        {"metadata": {"annotations": {}}},
        [add("/metadata/annotations/example.com~1owner", "me")],
        {"metadata": {"annotations": {"example.com/owner": "me"}}},
    ),
    "the empty key is a key": ({"": 1}, [replace("/", 2)], {"": 2}),
    "the empty pointer is the document": ({"a": 1}, [holds("", {"a": 1}), replace("", {"b": 2})], {"b": 2}),
    "add replaces what is there": ({"a": {"b": 1}}, [add("/a", [1])], {"a": [1]}),
    "add before the first element": ({"a": [1]}, [add("/a/0", 0)], {"a": [0, 1]}),
    "add at the length appends": ({"a": [1]}, [add("/a/1", 2)], {"a": [1, 2]}),
    "into an array inside an array": ({"a": [[1], [2]]}, [add("/a/1/-", 3)], {"a": [[1], [2, 3]]}),
    "digits are a key in an object": ({"a": {"0": "x"}}, [replace("/a/0", "y")], {"a": {"0": "y"}}),
    # Kubernetes' liberties
    "replace creates the last key": ({"metadata": {}}, [replace("/metadata/labels", {})], {"metadata": {"labels": {}}}),
    "test for null holds for an absent key": ({"a": {}}, [holds("/a/b", None)], {"a": {}}),
    "test without value is a test for null": ({"a": None}, [{"op": "test", "path": "/a"}], {"a": None}),
    "add without value adds null": ({}, [{"op": "add", "path": "/a"}], {"a": None}),
    "negative index: the last element": ({"a": [1, 2, 3]}, [remove("/a/-1")], {"a": [1, 2]}),
    "negative index: add -1 appends": ({"a": [1, 2]}, [add("/a/-1", 3)], {"a": [1, 2, 3]}),
    "null is an empty patch": ({"a": 1}, None, {"a": 1}),
    "no operations": ({"a": 1}, [], {"a": 1}),
    # sequences
    "later steps see earlier ones": (
        {"a": []},
        [add("/a/-", {}), add("/a/0/b", 1), copied("/a/0", "/c"), replace("/c/b", 2)],
        {"a": [{"b": 1}], "c": {"b": 2}},
    ),
    "a copy is independent of its source": (
        {"a": {"x": {"y": 1}}},
        [add("/a/x/z", 0), copied("/a", "/b"), replace("/a/x/y", 2)],
        {"a": {"x": {"y": 2, "z": 0}}, "b": {"x": {"y": 1, "z": 0}}},
    ),
    "a copy into its own source": ({"a": {"b": 1}}, [copied("/a", "/a/c")], {"a": {"b": 1, "c": {"b": 1}}}),
    "a value added and then changed": ({}, [add("/a", {"b": [1]}), add("/a/b/-", 2)], {"a": {"b": [1, 2]}}),
    "move onto itself": ({"a": {"b": 1}}, [move("/a/b", "/a/b")], {"a": {"b": 1}}),
    "move between siblings with a common prefix": ({"a": 1}, [move("/a", "/ab")], {"ab": 1}),
    "swap with a third place": (
        {"a": 1, "b": 2},
        [move("/a", "/t"), move("/b", "/a"), move("/t", "/b")],
        {"b": 1, "a": 2},
    ),
    "undo of a rollout": (
        {"metadata": {"name": "web"}, "spec": {"replicas": 2, "template": {"spec": {"image": "v2"}}}},
        [replace("/spec/template", {"spec": {"image": "v1"}}), replace("/metadata/annotations", {"revision": "1"})],
        {
            "metadata": {"name": "web", "annotations": {"revision": "1"}},
            "spec": {"replicas": 2, "template": {"spec": {"image": "v1"}}},
        },
    ),
}


@pytest.mark.parametrize(("document", "patch", "expected"), APPLIES.values(), ids=APPLIES.keys())
def test_applies(document: Any, patch: Any, expected: Any) -> None:
    given = copy.deepcopy((document, patch))
    assert jsonpatch.apply(document, patch) == expected
    assert (document, patch) == given


DOES_NOT_FIT: dict[str, tuple[Any, list[Any]]] = {
    "A9 test that fails": ({"baz": "qux"}, [holds("/baz", "bar")]),
    "A12 add below a missing parent": ({"foo": "bar"}, [add("/baz/bat", "qux")]),
    "A15 string is not number": ({"/": 9, "~1": 10}, [holds("/~01", "10")]),
    "test: int is not float": ({"a": 1}, [holds("/a", 1.0)]),
    "test: int is not bool": ({"a": 1}, [holds("/a", True)]),
    "test: zero is not false, deep inside": ({"a": [{"b": 0}]}, [holds("/a", [{"b": False}])]),
    "test: zero is not null": ({"a": 0}, [holds("/a", None)]),
    "test: null is not zero": ({"a": None}, [holds("/a", 0)]),
    "test: order of a list counts": ({"a": [1, 2]}, [holds("/a", [2, 1])]),
    "test: a key too many": ({"a": {"b": 1, "c": 2}}, [holds("/a", {"b": 1})]),
    "test: an absent key is not empty": ({"a": {}}, [holds("/a/b", "")]),
    "test: beyond the end of a list, even for null": ({"a": []}, [holds("/a/0", None)]),
    "one failing test undoes everything before it": ({"a": 1}, [replace("/a", 2), holds("/a", 1)]),
    "remove a missing key": ({"a": {}}, [remove("/a/b")]),
    "remove below a missing key": ({}, [remove("/a/b")]),
    "remove the document": ({"a": 1}, [remove("")]),
    "remove beyond the end": ({"a": [1]}, [remove("/a/1")]),
    "remove '-'": ({"a": [1]}, [remove("/a/-")]),
    "replace below a missing key": ({}, [replace("/a/b", 1)]),
    "replace beyond the end": ({"a": [1]}, [replace("/a/1", 2)]),
    "replace '-'": ({"a": [1]}, [replace("/a/-", 2)]),
    "add beyond the end": ({"a": [1]}, [add("/a/2", 2)]),
    "add before the beginning": ({"a": [1]}, [add("/a/-3", 2)]),
    "add into a string": ({"a": "text"}, [add("/a/0", "x")]),
    "add into null": ({"a": None}, [add("/a/b", "x")]),
    "index with a leading zero": ({"a": [1, 2]}, [remove("/a/01")]),
    "index with a sign": ({"a": [1, 2]}, [remove("/a/+1")]),
    "index in another script": ({"a": [1, 2]}, [remove("/a/١")]),
    "index that is no number": ({"a": [1, 2]}, [remove("/a/x")]),
    "index with ten thousand digits": ({"a": [1, 2]}, [remove("/a/" + "1" * 10_000)]),
    "move from a missing key": ({"a": {}}, [move("/a/b", "/c")]),
    "move into its own child": ({"a": {"b": {}}}, [move("/a", "/a/b/c")]),
    "move the document": ({"a": {}}, [move("", "/a/b")]),
    "copy from a missing key": ({"a": {}}, [copied("/a/b", "/c")]),
    "copy below a missing key": ({"a": {}}, [copied("/a", "/b/c")]),
    "pointer without a slash": ({"a": 1}, [remove("a")]),
    "unknown operation": ({}, [{"op": "merge", "path": "/a", "value": 1}]),
    "operation in capitals": ({}, [{"op": "ADD", "path": "/a", "value": 1}]),
    "no operation": ({}, [{"path": "/a", "value": 1}]),
    "null for an operation's name": ({}, [{"op": None, "path": "/a"}]),
    "null for an operation": ({}, [None]),
    "no path": ({}, [{"op": "add", "value": 1}]),
    "no from": ({"a": 1}, [{"op": "move", "path": "/b"}]),
}


@pytest.mark.parametrize(("document", "patch"), DOES_NOT_FIT.values(), ids=DOES_NOT_FIT.keys())
def test_what_does_not_fit_is_invalid_and_changes_nothing(document: Any, patch: Any) -> None:
    given = copy.deepcopy(document)
    with pytest.raises(Invalid) as refused:
        jsonpatch.apply(document, patch)
    assert refused.value.message == "the server rejected our request due to an error in our request"
    assert refused.value.details == Details()
    assert refused.value.__notes__, "the log should say what did not fit"
    assert document == given


MALFORMED: dict[str, tuple[Any, str]] = {
    "an object": ({"op": "add"}, "object into Go value of type []handlers.jsonPatchOp"),
    "a string": ("add", "string into Go value of type []handlers.jsonPatchOp"),
    "a number": (1, "number into Go value of type []handlers.jsonPatchOp"),
    "a list of strings": (["add"], "string into Go value of type handlers.jsonPatchOp"),
    "a list of lists": ([[]], "array into Go value of type handlers.jsonPatchOp"),
    "op is a number": ([{"op": 1}], "number into Go struct field jsonPatchOp.op of type string"),
    "path is a list": ([{"op": "add", "path": ["a"]}], "array into Go struct field jsonPatchOp.path of type string"),
    "from is a bool": ([{"op": "move", "from": True}], "bool into Go struct field jsonPatchOp.from of type string"),
}


@pytest.mark.parametrize(("patch", "complaint"), MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed(patch: Any, complaint: str) -> None:
    with pytest.raises(BadRequest) as refused:
        jsonpatch.apply({}, patch)
    assert refused.value.message == f"error decoding patch: json: cannot unmarshal {complaint}"


def test_ten_thousand_operations_are_enough() -> None:
    step = holds("/a", 1)
    with pytest.raises(RequestTooLarge) as refused:
        jsonpatch.apply({"a": 1}, [step] * 10_001)
    wanted = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    assert refused.value.message == wanted


def test_copies_cannot_double_for_ever() -> None:
    doubling = [copied("/a", "/a/-") for _ in range(64)]
    with pytest.raises(Invalid) as refused:
        jsonpatch.apply({"a": ["x" * 10_000]}, doubling)
    assert "exceed 3145728 bytes" in refused.value.__notes__[0]


DEEP: dict[str, tuple[Any, Any]] = {
    "in a value": ({}, [add("/a", nested(5_000))]),
    "in place of a string": ({}, nested(5_000)),
    "in a tested value": ({"a": 1}, [holds("/a", nested(5_000))]),
    "by moving into one another": (
        {"a": nested(150), "b": nested(150)},
        [move("/a", "/b" + "/a" * 150)],
    ),
    "by copying into one another": (
        {"a": nested(150)},
        [copied("/a", "/a" * 151), copied("/a", "/a" * 301), copied("/a", "/b")],
    ),
}


@pytest.mark.parametrize(("document", "patch"), DEEP.values(), ids=DEEP.keys())
def test_depth_is_bounded(document: Any, patch: Any) -> None:
    with pytest.raises(BadRequest):
        jsonpatch.apply(document, patch)


def test_depth_within_the_bound_is_fine() -> None:
    deep = nested(MAX_DEPTH - 3)
    patch = [add("/a", deep), copied("/a", "/b"), holds("/b", deep)]
    assert jsonpatch.apply({}, patch) == {"a": deep, "b": deep}


def test_a_refusal_is_one_of_ours() -> None:
    with pytest.raises(ApiError):
        jsonpatch.apply({"a": 1}, [move("/a", "/a/b/c")])
