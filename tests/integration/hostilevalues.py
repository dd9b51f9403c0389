"""Values that are wrong, or odd, wherever they stand."""

from __future__ import annotations

from random import Random
from typing import Any

PRESENT = ("settings", "web", "k")
"""Names under which objects of every kind exist when the fuzzing begins."""

NAMES = (
    "a/b", "../../etc/passwd", ".", "..", "", " ", "a\0b", "\0", "UPPER", "x" * 253, "x" * 300, "x" * 600, "-a", "a-",
    "a..b", "名前", "a\nb", "%2e%2e", "'; drop table", "a" * 63, "\u202e", "default", "kube-system", *PRESENT,
)  # fmt: skip
RESOURCES = ("configmaps", "pods", "leases", "namespaces")
ODD_RESOURCES = (
    *RESOURCES, "deployments", "secrets", "nodes", "widgets", "", "pods/status", "configmaps/x", "POD", "\0",
)  # fmt: skip
GROUPS = ("", "", "", "apps", "coordination.k8s.io", "no.such.group", "/", "\0", "x" * 1000)
VERSIONS = ("", "v1", "v1", "v1", "v2", "v1beta1", "1", "V1", "\0", "x" * 1000)
SELECTORS = (
    "a=b", "a in (b,c)", "a", "!a", "a,", ",", "a in (", "a in ()", "a=b=c", "===", "x" * 10_000, "a>1", "a>x", "a!=",
    "a notin", "(" * 5000, "a in (" + "b," * 5000 + "c)", "\0", "名前=x", "-=-", "a=" + "b" * 64, "!" * 1000, " a = b ",
    "metadata.name=x", "spec.nodeName=n", "no.such.field=x", "metadata.name", "metadata.name==a==b", "a\\",
    "status.phase!=\\,", "metadata.name=" + "\\" * 999,
)  # fmt: skip
NEVER_REACHED = "9" * 18
"""A server waits for such a revision, for seconds, before it gives up."""

REVISIONS = (
    "", "", "", "0", "1", "-1", "1.5", "1e3", "abc", "٣", "0x10", " 1", "1 ", "00001", NEVER_REACHED, "9" * 19,
    "9" * 20, "9" * 5000, "+1", "\0", "1_000",
)  # fmt: skip
NUMBERS = (0, 1, -1, 7, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 10**15)
JSON_POINTERS = (
    "/data/k", "/metadata/labels/app", "", "/", "data", "/spec/containers/0", "/spec/containers/-", "/kind",
    "/metadata", "/metadata/name", "/~", "/~2", "/data/" + "x/" * 300, "/spec/containers/9e9", "/spec/containers/-1",
)  # fmt: skip
_JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, -(10**400), 1e308, "", "x", "\0", "x" * 1000, "\ud800", "😀", "null", [], {},
    [[]], [None], {"": ""}, {"a": {"b": {"c": []}}}, [1, "2", None], "1Gi", "-5m", "9" * 400, "2024-13-45T99:99:99Z",
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1e1000000", ["x"] * 500, {f"k{n}": n for n in range(300)},
)  # fmt: skip


def junk(random: Random) -> Any:
    """A JSON value that is rarely what a field wants."""
    return random.choice(_JUNK)


def revision(random: Random) -> str:
    """Rarely one that is waited for: the test has only a minute."""
    found = random.choice(REVISIONS)
    return "" if found == NEVER_REACHED and random.random() < 0.9 else found
