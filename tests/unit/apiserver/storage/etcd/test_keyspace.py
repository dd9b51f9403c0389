from __future__ import annotations

import pytest

from apiserver.storage.etcd.keyspace import Keyspace, following


@pytest.mark.parametrize(
    ("prefix", "end"),
    [(b"/a/", b"/a0"), (b"a\xff\xff", b"b"), (b"\xff", b"\0"), (b"", b"\0")],
    ids=["plain", "carry", "only-last-bytes", "everything"],
)
def test_following(prefix: bytes, end: bytes) -> None:
    assert following(prefix) == end


@pytest.mark.parametrize(
    ("root", "prefix", "after_key", "span"),
    [
        ("", "/registry/", "", (b"/registry/", b"/registry0")),
        ("/x", "/registry/", "", (b"/x/registry/", b"/x/registry0")),
        ("", "", "", (b"\0", b"\0")),
        ("", "/r/", "/r/a", (b"/r/a\0", b"/r0")),
        ("/x", "/r/", "/r/a", (b"/x/r/a\0", b"/x/r0")),
        ("", "/r/", "/a", (b"/r/", b"/r0")),
    ],
    ids=["prefix", "root", "everything", "after", "after-below-root", "after-a-key-before-the-prefix"],
)
def test_span(root: str, prefix: str, after_key: str, span: tuple[bytes, bytes]) -> None:
    assert Keyspace(root).span(prefix, after_key) == span


@pytest.mark.parametrize("key", ["/registry/pods/web", "/grün/\N{SNOWMAN}"])
@pytest.mark.parametrize("root", ["", "/größe"])
def test_a_key_survives_the_way_to_etcd_and_back(root: str, key: str) -> None:
    keyspace = Keyspace(root)
    assert keyspace.key(keyspace.name(key)) == key
