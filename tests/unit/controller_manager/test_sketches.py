from __future__ import annotations

import pytest

from controller_manager import sketches
from controller_manager.sketches import FOREGROUND, ORPHAN, Sketch
from steersman.api import codec, kinds
from steersman.pb.resources_pb2 import KindInfo
from tests import builders

REFERENCE = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1-2"}
WIDGETS = KindInfo(
    group="example.com", version="v1", kind="Widget", resource="widgets", namespaced=True, verbs=kinds.ALL_VERBS
)


def test_a_sketch_keeps_who_it_is_whose_it_is_and_what_holds_it() -> None:
    made = builders.make_pod(uid="u", labels={"a": "b"}, finalizers=["x.y/z"], ownerReferences=[REFERENCE])
    sketch = codec.load(Sketch, made)
    meta = sketch.metadata
    assert (sketch.api_version, sketch.kind, meta.namespace, meta.name, meta.uid) == (
        "v1",
        "Pod",
        "default",
        "web",
        "u",
    )
    assert (meta.finalizers, meta.owner_references[0].uid) == (("x.y/z",), "1-2")


def test_what_dependents_have_in_common_is_kept_once() -> None:
    first, second = (codec.load(Sketch, builders.make_pod(name, ownerReferences=[REFERENCE])) for name in "ab")
    assert first.metadata.owner_references is second.metadata.owner_references
    assert first.metadata.namespace is second.metadata.namespace


@pytest.mark.parametrize(
    ("finalizers", "leaving", "waits", "orphans"),
    [
        pytest.param([], True, False, False, id="going"),
        pytest.param([FOREGROUND], True, True, False, id="in the foreground"),
        pytest.param([ORPHAN], True, False, True, id="as orphan"),
        pytest.param([FOREGROUND, ORPHAN], False, False, False, id="stays"),
    ],
)
def test_how_it_goes(finalizers: list[str], leaving: bool, waits: bool, orphans: bool) -> None:
    made = builders.make_configmap(finalizers=finalizers)
    if leaving:
        made = made.replace(b'"metadata": {', b'"metadata": {"deletionTimestamp": "2030-01-01T00:00:00Z", ')
    sketch = codec.load(Sketch, made)
    told = (sketches.is_leaving(sketch), sketches.waits_for_dependents(sketch), sketches.orphans_dependents(sketch))
    assert told == (leaving, waits, orphans)


def test_every_kind_worth_following_is_sketched_once() -> None:
    names = [kind.qualified_resource for kind in sketches.BUILT_IN]
    assert len(names) == len(set(names))
    assert {"pods", "deployments.apps", "nodes", "leases.coordination.k8s.io"} <= set(names)
    assert not {"events", "events.events.k8s.io", "bindings", "tokenreviews.authentication.k8s.io"} & set(names)
    assert all(kind.namespaced for kind in sketches.NAMESPACED)


def test_a_discovered_kind_that_is_built_in_is_the_same_kind() -> None:
    pods = KindInfo(version="v1", kind="Pod", resource="pods", namespaced=True, verbs=kinds.ALL_VERBS)
    assert sketches.of_discovered(pods) in sketches.BUILT_IN


def test_a_kind_that_nobody_has_heard_of_is_sketched_from_what_the_server_says() -> None:
    kind = sketches.of_discovered(WIDGETS)
    assert (kind.struct, kind.qualified_resource, kind.api_version, kind.kind) == (
        Sketch,
        "widgets.example.com",
        "example.com/v1",
        "Widget",
    )
    assert sketches.followed([kind]) == [kind]
