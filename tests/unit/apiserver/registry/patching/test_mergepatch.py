"""Merge patch: the RFC's table, Kubernetes' view of nulls in lists, and refusals."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from apiserver.registry.patching import mergepatch
from apiserver.registry.patching.document import MAX_DEPTH
from steersman.api.errors import BadRequest

APPLIES: dict[str, tuple[Any, Any, Any]] = {
    # RFC 7386, section 3
    "the RFC's walk-through": (
        {
            "title": "Goodbye!",
            "author": {"givenName": "John", "familyName": "Doe"},
            "tags": ["example", "sample"],
            "content": "This will be unchanged",
        },
        {
            "title": "Hello!",
            "phoneNumber": "+01-123-456-7890",
            "author": {"familyName": None},
            "tags": ["example"],
        },
        {
            "title": "Hello!",
            "author": {"givenName": "John"},
            "tags": ["example"],
            "content": "This will be unchanged",
            "phoneNumber": "+01-123-456-7890",
        },
    ),
    # RFC 7386, appendix A: the rows about objects
    "change": ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    "add": ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    "delete the only key": ({"a": "b"}, {"a": None}, {}),
    "delete one key": ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    "list becomes string": ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    "string becomes list": ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    "nested": ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    "lists are replaced": ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    "a null of the document stays": ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    "nulls in what is new": ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    # beyond the RFC's table
    "empty patch": ({"a": 1}, {}, {"a": 1}),
    "null for an absent key": ({"a": 1}, {"b": None}, {"a": 1}),
    "object over string": ({"a": "x"}, {"a": {"b": 1, "c": None}}, {"a": {"b": 1}}),
    "object over null": ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    "empty object over object changes nothing": ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
    "false, zero and empty are values": (
        {"a": 1},
        {"a": 0, "b": False, "c": "", "d": []},
        {"a": 0, "b": False, "c": "", "d": []},
    ),
    "null keys inside a list": ({}, {"a": [{"b": None, "c": [{"d": None}]}]}, {"a": [{"c": [{}]}]}),
    "null elements of a list stay": ({}, {"a": [None, 1]}, {"a": [None, 1]}),
    # as clients send them
    "a label": (
        {"metadata": {"name": "solo", "labels": {"app": "solo"}}},
        {"metadata": {"labels": {"env": "prod"}}},
        {"metadata": {"name": "solo", "labels": {"app": "solo", "env": "prod"}}},
    ),
    "an annotation removed": (
        {"metadata": {"annotations": {"note": "hello", "other": "x"}}},
        {"metadata": {"annotations": {"note": None}}},
        {"metadata": {"annotations": {"other": "x"}}},
    ),
    "the last finalizer removed": (
        {"metadata": {"finalizers": ["a/b"]}},
        {"metadata": {"finalizers": None}},
        {"metadata": {}},
    ),
    "containers are replaced whole": (
        {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}},
        {"spec": {"containers": [{"name": "c"}]}},
        {"spec": {"containers": [{"name": "c"}]}},
    ),
}


@pytest.mark.parametrize(("document", "patch", "expected"), APPLIES.values(), ids=APPLIES.keys())
def test_applies(document: Any, patch: Any, expected: Any) -> None:
    given = copy.deepcopy((document, patch))
    assert mergepatch.apply(document, patch) == expected
    assert (document, patch) == given


REFUSED: dict[str, tuple[Any, str]] = {
    "null": (None, "Invalid JSON Patch"),
    "a list": ([], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
    "a string": (
        "x",
        "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ),
    "a number": (
        1.5,
        "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}",
    ),
    "a bool": (True, "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}"),
}


@pytest.mark.parametrize(("patch", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(patch: Any, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        mergepatch.apply({"a": 1}, patch)
    assert refused.value.message == message


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"a": leaf}
    return leaf


def test_depth_is_bounded() -> None:
    with pytest.raises(BadRequest):
        mergepatch.apply(nested(100, 1), nested(100_000, 1))


def test_depth_within_the_bound_is_fine() -> None:
    assert mergepatch.apply(nested(MAX_DEPTH, 1), nested(MAX_DEPTH, 2)) == nested(MAX_DEPTH, 2)


def test_what_did_not_change_is_shared() -> None:
    document: Any = {"spec": {"big": list(range(10))}, "metadata": {}}
    merged = mergepatch.apply(document, {"metadata": {"labels": {"a": "b"}}})
    assert merged["spec"] is document["spec"]
