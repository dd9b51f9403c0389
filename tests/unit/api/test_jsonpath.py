"""Paths into documents."""

from __future__ import annotations

from typing import Any

import pytest

from steersman.api import jsonpath

DOCUMENT: dict[str, Any] = {
    "spec": {"replicas": 3, "a.b": "dotted", "ports": [{"port": 80}, {"port": 443}, {"port": 8080}], "none": None},
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 2, "up": True},
            {"type": 'Say "a)b"', "status": "False", "n": 5},
        ]
    },
    "letters": ["a", "b", "c", "d"],
    "empty": [],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.replicas", [3]),
        ("$.spec.replicas", [3]),
        (".spec.missing", []),
        (".spec.missing.further", []),
        (".spec.replicas.further", []),
        (".spec.none", [None]),
        (".spec.none.further", []),
        (r".spec.a\.b", ["dotted"]),
        (r".spec['a\.b']", ["dotted"]),
        (".spec['replicas']", [3]),
        (".spec.ports[0].port", [80]),
        (".spec.ports[-1].port", [8080]),
        (".spec.ports[9].port", []),
        (".spec.ports[*].port", [80, 443, 8080]),
        (".letters[1:3]", ["b", "c"]),
        (".letters[:2]", ["a", "b"]),
        (".letters[2:]", ["c", "d"]),
        (".letters[-2:]", ["c", "d"]),
        (".letters[::2]", ["a", "c"]),
        (".letters[1:1]", []),
        (".letters[3:1]", []),
        (".letters[0:9]", []),
        (".letters[0:2:0]", []),
        (".letters[0,2]", ["a", "c"]),
        (".letters[0, -1]", ["a", "d"]),
        (".empty[0]", []),
        (".empty[*]", []),
        (".spec[0]", []),
        (".spec.none[0]", []),
        (".letters.*", ["a", "b", "c", "d"]),
        (".spec.ports.*.port", [80, 443, 8080]),
        ("..port", [80, 443, 8080]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type=='Ready')].status", ["True"]),
        (".status.conditions[?(@.type == 'Ready')].status", ["True"]),
        ('.status.conditions[?(@.type!="Ready")].status', ["False"]),
        ('.status.conditions[?(@.type=="Say \\"a)b\\"")].status', ["False"]),
        (".status.conditions[?(@.n>2)].n", [5]),
        (".status.conditions[?(@.n>=2)].n", [2, 5]),
        (".status.conditions[?(@.n<5)].n", [2]),
        (".status.conditions[?(@.n<=-1)].n", []),
        (".status.conditions[?(@.up==true)].type", ["Ready"]),
        (".status.conditions[?(@.up)].type", ["Ready"]),
        (".status.conditions[?(@.n==2.0)].n", []),
        (".status.conditions[?(@.n=='2')].n", []),
        (".spec[?(@.a==1)]", []),
        (".", []),
    ],
)
def test_what_a_path_finds(path: str, found: list[Any]) -> None:
    assert jsonpath.parse(path).find(DOCUMENT) == found


@pytest.mark.parametrize(
    "path",
    [".a[", ".a[x]", ".a[]", ".a[-]", ".a[?(@.b", ".a[?(@.b=~'c')]", ".a['b", "range", '"a', ".a{b}", ".a[1:2:3:4]"],
)
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(jsonpath.PathError):
        jsonpath.parse(path)
