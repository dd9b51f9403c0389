from __future__ import annotations

import pytest

from steersman.api.core import Pod, PodSpec
from steersman.api.meta import ObjectMeta
from steersman.client.cache import Cache, ObjectKey, key_of


def pod(name: str, *, node: str = "", namespace: str = "default", version: int = 1, uid: str = "") -> Pod:
    meta = ObjectMeta(name=name, namespace=namespace, resource_version=str(version), uid=uid or f"uid-{name}")
    return Pod(metadata=meta, spec=PodSpec(node_name=node))


def make_cache(*pods: Pod) -> Cache[Pod]:
    cache: Cache[Pod] = Cache({"node": lambda pod: (pod.spec.node_name,) if pod.spec.node_name else ()})
    cache.replace(pods)
    return cache


def names(pods: object) -> list[str]:
    assert isinstance(pods, list)
    return sorted(pod.metadata.name for pod in pods)


def test_reading() -> None:
    cache = make_cache(pod("a", node="n1"), pod("b", node="n2"), pod("c", namespace="other"))
    assert cache.get(ObjectKey("default", "a")) == pod("a", node="n1")
    assert cache.get(ObjectKey("other", "a")) is None
    assert names(cache.list()) == ["a", "b", "c"]
    assert names(cache.list("other")) == ["c"]
    assert names(cache.by_index("node", "n1")) == ["a"]
    assert names(cache.by_index("node", "n3")) == []
    assert len(cache) == 3


def test_an_unknown_index_is_an_error() -> None:
    with pytest.raises(KeyError):
        make_cache().by_index("owner", "x")


def test_indexes_follow_a_change() -> None:
    cache = make_cache(pod("a", node="n1"))
    old, new = cache.put(pod("a", node="n2", version=2))
    assert (old, new) == (pod("a", node="n1"), pod("a", node="n2", version=2))
    assert names(cache.by_index("node", "n1")) == []
    assert names(cache.by_index("node", "n2")) == ["a"]


def test_dropping() -> None:
    cache = make_cache(pod("a", node="n1"))
    assert cache.drop(key_of(pod("a"))).old == pod("a", node="n1")
    assert cache.drop(key_of(pod("a"))) == (None, None)
    assert names(cache.by_index("node", "n1")) == names(cache.list("default")) == []


def test_replacing_tells_the_differences() -> None:
    cache = make_cache(pod("same"), pod("changed"), pod("gone"), pod("again", uid="u1"))
    found = cache.replace([pod("same"), pod("changed", version=2), pod("new"), pod("again", uid="u2", version=3)])
    assert list(found) == [
        (pod("gone"), None),
        (pod("changed"), pod("changed", version=2)),
        (None, pod("new")),
        (pod("again", uid="u1"), None),
        (None, pod("again", uid="u2", version=3)),
    ]
    assert names(cache.list()) == ["again", "changed", "new", "same"]


@pytest.mark.parametrize(("key", "text"), [(ObjectKey("ns", "a"), "ns/a"), (ObjectKey("", "a"), "a")])
def test_a_key_as_text(key: ObjectKey, text: str) -> None:
    assert str(key) == text
