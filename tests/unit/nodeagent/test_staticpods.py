"""Static pods and their mirrors."""

from __future__ import annotations

import pytest
from msgspec import structs

from nodeagent import staticpods
from nodeagent.staticpods import HASH, MIRROR, SOURCE, BadManifest
from steersman.api.core import Node, Pod
from steersman.api.meta import ObjectMeta

MANIFEST = b"""
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
    - name: main
      image: nginx:1.25
"""
NODE = Node(metadata=ObjectMeta(name="node-a", uid="n"))


def test_a_static_pod_is_named_after_its_node_and_bound_to_it() -> None:
    found = staticpods.read(MANIFEST, "web.yaml", "node-a")
    meta, spec = found.manifest.metadata, found.manifest.spec
    assert (meta.name, meta.namespace, spec.node_name) == ("web-node-a", "default", "node-a")
    assert meta.annotations == {HASH: found.uid, SOURCE: "file"}
    assert [(each.operator, each.effect) for each in spec.tolerations] == [("Exists", "NoExecute")]


def test_the_uid_is_that_of_the_manifest() -> None:
    first = staticpods.read(MANIFEST, "web.yaml", "node-a")
    assert staticpods.read(MANIFEST, "web.yaml", "node-a") == first
    others = [
        staticpods.read(MANIFEST + b"\n", "web.yaml", "node-a"),
        staticpods.read(MANIFEST, "other.yaml", "node-a"),
        staticpods.read(MANIFEST, "web.yaml", "node-b"),
    ]
    assert len({first.uid, *(each.uid for each in others)}) == 4


def test_a_mirror_shows_the_pod_and_belongs_to_the_node() -> None:
    static = staticpods.read(MANIFEST, "web.yaml", "node-a")
    mirror = staticpods.mirror(static, NODE)
    assert mirror.metadata.annotations[MIRROR] == static.uid
    assert [(each.kind, each.uid, each.controller) for each in mirror.metadata.owner_references] == [
        ("Node", "n", True)
    ]
    assert staticpods.is_mirror(mirror)
    assert not staticpods.is_static(mirror)
    assert staticpods.shows(mirror, static)
    changed = staticpods.read(MANIFEST + b"\n", "web.yaml", "node-a")
    assert not staticpods.shows(mirror, changed)


def test_what_runs_has_the_uid_of_the_manifest_and_the_spec_of_the_mirror() -> None:
    static = staticpods.read(MANIFEST, "web.yaml", "node-a")
    shown = staticpods.mirror(static, NODE)
    filled_in = structs.replace(
        shown,
        metadata=structs.replace(shown.metadata, uid="mirror"),
        spec=structs.replace(shown.spec, restart_policy="Always"),
    )
    running = staticpods.run_as(filled_in, static)
    assert (running.metadata.uid, running.spec.restart_policy) == (static.uid, "Always")
    assert staticpods.is_static(running)
    assert not staticpods.is_static(Pod())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kind: Pod", "not a v1 Pod"),
        (b"[1, 2]", "not a v1 Pod"),
        (b"a: b: c", "mapping values are not allowed"),
        (b"{apiVersion: v1, kind: Pod}", "a pod without a name"),
        (b"{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: 3}", "cannot be handled"),
    ],
)
def test_files_that_are_no_pods(content: bytes, message: str) -> None:
    with pytest.raises(BadManifest, match=message):
        staticpods.read(content, "x.yaml", "node-a")
