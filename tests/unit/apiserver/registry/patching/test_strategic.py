"""Strategic merge patch on real kinds: every directive, and the patches that kubectl and people really send."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from apiserver.registry.patching import strategic
from apiserver.registry.patching.shapes import shape_of
from steersman.api.apps import Deployment
from steersman.api.core import Node, Pod, Service
from steersman.api.part import Part
from steersman.api.policy import PodDisruptionBudget

Case = tuple[type[Part], Any, Any, Any]


def pod(**spec: Any) -> Any:
    return {"metadata": {"name": "solo"}, "spec": spec}


def in_spec(**spec: Any) -> Any:
    return {"spec": spec}


def container(**changes: Any) -> Any:
    return {"name": "app", **changes}


def in_app(live: Any, patch: Any, expected: Any) -> Case:
    """A change inside the one container of a pod."""
    return (
        Pod,
        pod(containers=[container(**live)]),
        in_spec(containers=[container(**patch)]),
        pod(containers=[container(**expected)]),
    )


def volumes(live: Any, patch: Any, expected: Any) -> Case:
    return Pod, pod(volumes=live), in_spec(volumes=patch), pod(volumes=expected)


def meta(live: Any, patch: Any, expected: Any) -> Case:
    return Pod, {"metadata": live}, {"metadata": patch}, {"metadata": expected}


def in_template(**spec: Any) -> Any:
    return {"spec": {"template": {"spec": spec}}}


A, B, C, D = ({"name": name} for name in "abcd")

MAPS: dict[str, Case] = {
    "a scalar changes": (Deployment, in_spec(replicas=3), in_spec(replicas=5), in_spec(replicas=5)),
    "a scalar appears": (Deployment, in_spec(replicas=3), in_spec(paused=True), in_spec(replicas=3, paused=True)),
    "a map appears": (Pod, {}, {"metadata": {"labels": {"a": "b"}}}, {"metadata": {"labels": {"a": "b"}}}),
    "labels merge": meta({"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"a": "1", "b": "2"}}),
    "null deletes a key": meta({"labels": {"a": "1", "b": "2"}}, {"labels": {"a": None}}, {"labels": {"b": "2"}}),
    "null deletes a map": meta({"name": "x", "labels": {"a": "1"}}, {"labels": None}, {"name": "x"}),
    "null for an absent key": meta({"name": "x"}, {"labels": None}, {"name": "x"}),
    "nulls in a new map vanish": meta({}, {"labels": {"a": None, "b": "2"}}, {"labels": {"b": "2"}}),
    "an empty patch changes nothing": meta({"name": "x"}, {}, {"name": "x"}),
    "a null patch changes nothing": (Pod, {"metadata": {}}, None, {"metadata": {}}),
    "replace a map": meta(
        {"labels": {"a": "1", "b": "2"}}, {"labels": {"$patch": "replace", "c": "3"}}, {"labels": {"c": "3"}}
    ),
    "replace a map, nulls dropped": meta(
        {"labels": {"a": "1"}}, {"labels": {"$patch": "replace", "c": None}}, {"labels": {}}
    ),
    "delete a map's content": meta({"labels": {"a": "1"}}, {"labels": {"$patch": "delete"}}, {"labels": {}}),
    "delete an absent map": meta({"name": "x"}, {"labels": {"$patch": "delete"}}, {"name": "x"}),
    "replace an absent map drops it, as in Kubernetes": meta(
        {"name": "x"}, {"labels": {"$patch": "replace", "a": "1"}}, {"name": "x"}
    ),
    "replace the whole object": (Pod, pod(nodeName="n"), {"$patch": "replace", "spec": {}}, {"spec": {}}),
    "scalar over map": (Pod, pod(affinity={}), in_spec(affinity="x"), pod(affinity="x")),
    "map over null": (Pod, pod(affinity=None), in_spec(affinity={"a": None}), pod(affinity={})),
    "a selector that the schema replaces": (
        PodDisruptionBudget,
        in_spec(selector={"matchLabels": {"a": "1", "b": "2"}}),
        in_spec(selector={"matchLabels": {"c": "3"}}),
        in_spec(selector={"matchLabels": {"c": "3"}}),
    ),
    "a selector that merges": (
        Deployment,
        in_spec(selector={"matchLabels": {"a": "1"}}),
        in_spec(selector={"matchLabels": {"b": "2"}}),
        in_spec(selector={"matchLabels": {"a": "1", "b": "2"}}),
    ),
    "resources merge": in_app(
        {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}},
        {"resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}},
        {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}},
    ),
}

KEYED_LISTS: dict[str, Case] = {
    "change an image": in_app({"image": "v1", "tty": True}, {"image": "v2"}, {"image": "v2", "tty": True}),
    "add a container": (Pod, pod(containers=[A]), in_spec(containers=[B]), pod(containers=[B, A])),
    "add between, live order wins for the rest": (
        Pod,
        pod(containers=[A, C]),
        in_spec(containers=[{**A, "image": "v2"}, B]),
        pod(containers=[{**A, "image": "v2"}, B, C]),
    ),
    "first containers of all": (Pod, pod(), in_spec(containers=[A, B]), pod(containers=[A, B])),
    "an empty list changes nothing": (Pod, pod(containers=[A]), in_spec(containers=[]), pod(containers=[A])),
    "two empty lists": (Pod, pod(volumes=[]), in_spec(volumes=[]), pod(volumes=[])),
    "null deletes the list": (Pod, pod(initContainers=[A]), in_spec(initContainers=None), pod()),
    "delete a container": (
        Pod,
        pod(containers=[A, B, C]),
        in_spec(containers=[{**B, "$patch": "delete"}]),
        pod(containers=[A, C]),
    ),
    "delete the only one": (
        Pod,
        pod(containers=[A]),
        in_spec(containers=[{**A, "$patch": "delete"}]),
        pod(containers=[]),
    ),
    "delete what is not there": (
        Pod,
        pod(containers=[A]),
        in_spec(containers=[{**D, "$patch": "delete"}]),
        pod(containers=[A]),
    ),
    "delete from nothing": (Pod, pod(), in_spec(volumes=[{**A, "$patch": "delete"}]), pod(volumes=[])),
    "delete and change at once": (
        Pod,
        pod(containers=[A, B]),
        in_spec(containers=[{**A, "$patch": "delete"}, {**B, "image": "v2"}]),
        pod(containers=[{**B, "image": "v2"}]),
    ),
    "delete and bring back as new": (
        Pod,
        pod(containers=[{**A, "image": "v1"}]),
        in_spec(containers=[{**A, "$patch": "delete"}, {**A, "tty": True}]),
        pod(containers=[{**A, "tty": True}]),
    ),
    "replace the list": (
        Pod,
        pod(containers=[A, B]),
        in_spec(containers=[{"$patch": "replace"}, {**C, "image": "v1", "tty": None}]),
        pod(containers=[{**C, "image": "v1"}]),
    ),
    "replace with nothing": (
        Pod,
        pod(containers=[A, B]),
        in_spec(containers=[{"$patch": "replace"}]),
        pod(containers=[]),
    ),
    "named twice in one patch": (
        Pod,
        pod(containers=[]),
        in_spec(containers=[{**A, "image": "v1"}, {**A, "tty": True}]),
        pod(containers=[{**A, "image": "v1", "tty": True}]),
    ),
    "nulls in a new item vanish": (
        Pod,
        pod(containers=[A]),
        in_spec(containers=[A, {**B, "image": None}]),
        pod(containers=[A, B]),
    ),
    "directives in a new item vanish": (
        Pod,
        pod(containers=[A]),
        in_spec(containers=[A, {**B, "env": [{"name": "X", "$patch": "delete"}], "$setElementOrder/env": []}]),
        pod(containers=[A, {**B, "env": []}]),
    ),
    "an env var changes": in_app(
        {"env": [{"name": "MODE", "value": "slow"}, {"name": "X", "value": "1"}]},
        {"env": [{"name": "MODE", "value": "fast"}]},
        {"env": [{"name": "MODE", "value": "fast"}, {"name": "X", "value": "1"}]},
    ),
    "an env var is added": in_app(
        {"image": "v1"},
        {"env": [{"name": "MODE", "value": "fast"}]},
        {"image": "v1", "env": [{"name": "MODE", "value": "fast"}]},
    ),
    "an env var takes its value from elsewhere": in_app(
        {"env": [{"name": "TOKEN", "value": "x"}]},
        {"env": [{"name": "TOKEN", "value": None, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
        {"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
    ),
    "an env var is removed": in_app(
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        {"env": [{"name": "A", "$patch": "delete"}]},
        {"env": [{"name": "B", "value": "2"}]},
    ),
    "mounts go by path": in_app(
        {"volumeMounts": [{"mountPath": "/a", "name": "v"}]},
        {"volumeMounts": [{"mountPath": "/a", "readOnly": True}, {"mountPath": "/b", "name": "v"}]},
        {"volumeMounts": [{"mountPath": "/a", "name": "v", "readOnly": True}, {"mountPath": "/b", "name": "v"}]},
    ),
    "ports go by containerPort": in_app(
        {"ports": [{"containerPort": 80, "protocol": "TCP"}]},
        {"ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 443}]},
        {"ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}, {"containerPort": 443}]},
    ),
    "a port of both protocols: the first is meant": in_app(
        {"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]},
        {"ports": [{"containerPort": 53, "name": "dns"}]},
        {"ports": [{"containerPort": 53, "protocol": "UDP", "name": "dns"}, {"containerPort": 53, "protocol": "TCP"}]},
    ),
    "a port of both protocols: both are deleted": in_app(
        {"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]},
        {"ports": [{"containerPort": 53, "$patch": "delete"}]},
        {"ports": []},
    ),
    "a float is another port": in_app(
        {"ports": [{"containerPort": 80}]},
        {"ports": [{"containerPort": 80.0}]},
        {"ports": [{"containerPort": 80.0}, {"containerPort": 80}]},
    ),
    "service ports go by port": (
        Service,
        in_spec(ports=[{"port": 80, "targetPort": 8080}]),
        in_spec(ports=[{"port": 80, "targetPort": "http"}]),
        in_spec(ports=[{"port": 80, "targetPort": "http"}]),
    ),
    "conditions go by type": (
        Node,
        {"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "False"}]}},
        {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Gone"}]}},
        {
            "status": {
                "conditions": [
                    {"type": "Ready", "status": "False", "reason": "Gone"},
                    {"type": "DiskPressure", "status": "False"},
                ]
            }
        },
    ),
    "owners go by uid": meta(
        {"ownerReferences": [{"uid": "1", "name": "rs", "controller": True}]},
        {"ownerReferences": [{"uid": "1", "$patch": "delete"}, {"uid": "2", "name": "other"}]},
        {"ownerReferences": [{"uid": "2", "name": "other"}]},
    ),
    "pull secrets go by name": (
        Pod,
        pod(imagePullSecrets=[A]),
        in_spec(imagePullSecrets=[B]),
        pod(imagePullSecrets=[B, A]),
    ),
}

PLAIN_LISTS: dict[str, Case] = {
    "finalizers are a union": meta({"finalizers": ["a"]}, {"finalizers": ["b", "a"]}, {"finalizers": ["b", "a"]}),
    "a union drops repetitions": meta(
        {"finalizers": ["a", "b"]}, {"finalizers": ["c", "c"]}, {"finalizers": ["c", "a", "b"]}
    ),
    "a primitive is deleted": meta(
        {"finalizers": ["a", "b"]}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"finalizers": ["b"]}
    ),
    "a primitive that is absent is deleted": meta(
        {"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": ["x"]}, {"finalizers": ["a"]}
    ),
    "deletion from an absent list": meta({"name": "x"}, {"$deleteFromPrimitiveList/finalizers": ["a"]}, {"name": "x"}),
    "deletion of null deletes the list": meta({"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": None}, {}),
    "deletion that is no list is ignored": meta(
        {"finalizers": ["a"]}, {"$deleteFromPrimitiveList/finalizers": "a"}, {"finalizers": ["a"]}
    ),
    "added and deleted": meta(
        {"finalizers": ["a"]},
        {"$deleteFromPrimitiveList/finalizers": ["a"], "finalizers": ["b"]},
        {"finalizers": ["b"]},
    ),
    "deletion comes after addition": meta(
        {"finalizers": ["a"]},
        {"$deleteFromPrimitiveList/finalizers": ["b"], "finalizers": ["b"]},
        {"finalizers": ["a"]},
    ),
    "added, deleted and put in order": meta(
        {"finalizers": ["a", "b", "c"]},
        {
            "$deleteFromPrimitiveList/finalizers": ["b"],
            "$setElementOrder/finalizers": ["d", "c", "a"],
            "finalizers": ["d"],
        },
        {"finalizers": ["d", "c", "a"]},
    ),
    "deletion works on a list that is replaced otherwise": in_app(
        {"args": ["-v", "-x"]}, {"$deleteFromPrimitiveList/args": ["-x"]}, {"args": ["-v"]}
    ),
    "a command is replaced": in_app({"command": ["a", "b"]}, {"command": ["c"]}, {"command": ["c"]}),
    "tolerations are replaced": (
        Pod,
        pod(tolerations=[{"key": "a"}, {"key": "b"}]),
        in_spec(tolerations=[{"key": "b"}]),
        pod(tolerations=[{"key": "b"}]),
    ),
    "the last toleration is deleted": (
        Pod,
        pod(tolerations=[{"key": "a"}]),
        in_spec(tolerations=[]),
        pod(tolerations=[]),
    ),
    "a directive in a list that is replaced stays for strict decoding to name": (
        Pod,
        pod(tolerations=[{"key": "a"}]),
        in_spec(tolerations=[{"$patch": "delete", "key": "a"}]),
        pod(tolerations=[{"$patch": "delete", "key": "a"}]),
    ),
    "taints are replaced, nulls dropped": (
        Node,
        in_spec(taints=[{"key": "a"}]),
        in_spec(taints=[{"key": "b", "value": None}]),
        in_spec(taints=[{"key": "b"}]),
    ),
    "taints removed": (Node, in_spec(taints=[{"key": "dedicated"}]), in_spec(taints=None), in_spec()),
    "pod CIDRs are a union": (
        Node,
        in_spec(podCIDRs=["10.0.0.0/24"]),
        in_spec(podCIDRs=["fd00::/64"]),
        in_spec(podCIDRs=["fd00::/64", "10.0.0.0/24"]),
    ),
    "list over scalar": in_app({"args": "x"}, {"args": ["y"]}, {"args": ["y"]}),
}

RETAIN_KEYS: dict[str, Case] = {
    "a volume changes its kind": volumes(
        [{"name": "v", "emptyDir": {}}],
        [{"name": "v", "configMap": {"name": "cm"}, "$retainKeys": ["name", "configMap"]}],
        [{"name": "v", "configMap": {"name": "cm"}}],
    ),
    "without the directive both kinds remain": volumes(
        [{"name": "v", "emptyDir": {}}],
        [{"name": "v", "configMap": {"name": "cm"}}],
        [{"name": "v", "emptyDir": {}, "configMap": {"name": "cm"}}],
    ),
    "what is kept still merges": volumes(
        [{"name": "v", "configMap": {"name": "cm", "optional": True}, "emptyDir": {}}],
        [{"name": "v", "configMap": {"defaultMode": 420}, "$retainKeys": ["name", "configMap"]}],
        [{"name": "v", "configMap": {"name": "cm", "optional": True, "defaultMode": 420}}],
    ),
    "a new volume": volumes(
        [{"name": "v", "emptyDir": {}}],
        [{"name": "w", "emptyDir": {}, "$retainKeys": ["name", "emptyDir"]}],
        [{"name": "w", "emptyDir": {}}, {"name": "v", "emptyDir": {}}],
    ),
    "a strategy becomes Recreate": (
        Deployment,
        in_spec(strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}),
        in_spec(strategy={"$retainKeys": ["type"], "type": "Recreate"}),
        in_spec(strategy={"type": "Recreate"}),
    ),
    "the first strategy of all": (
        Deployment,
        in_spec(),
        in_spec(strategy={"$retainKeys": ["type"], "type": "Recreate"}),
        in_spec(strategy={"type": "Recreate"}),
    ),
    "keep nothing": meta({"labels": {"a": "1"}}, {"labels": {"$retainKeys": []}}, {"labels": {}}),
    "nulls need not be listed": meta(
        {"labels": {"a": "1", "b": "2"}}, {"labels": {"$retainKeys": ["b"], "a": None}}, {"labels": {"b": "2"}}
    ),
    "other directives need not be listed": (
        Pod,
        pod(containers=[A, B], volumes=[A]),
        in_spec(**{"$retainKeys": ["containers"], "$setElementOrder/containers": [B, A]}),
        pod(containers=[B, A]),
    ),
}

ORDER: dict[str, Case] = {
    "the order alone": (
        Pod,
        pod(containers=[A, B, C]),
        in_spec(**{"$setElementOrder/containers": [C, A, B]}),
        pod(containers=[C, A, B]),
    ),
    "of primitives": meta(
        {"finalizers": ["a", "b"]}, {"$setElementOrder/finalizers": ["b", "a"]}, {"finalizers": ["b", "a"]}
    ),
    "an added item goes where it was written": (
        Pod,
        pod(containers=[A, C]),
        in_spec(**{"$setElementOrder/containers": [A, B, C], "containers": [B]}),
        pod(containers=[A, B, C]),
    ),
    "an item that someone else added keeps its place": (
        Pod,
        pod(containers=[A, D, B]),
        in_spec(**{"$setElementOrder/containers": [A, B], "containers": [{**B, "image": "v2"}]}),
        pod(containers=[A, D, {**B, "image": "v2"}]),
    ),
    "an item that someone else added first stays first": (
        Pod,
        pod(containers=[D, A]),
        in_spec(**{"$setElementOrder/containers": [A, B], "containers": [B]}),
        pod(containers=[D, A, B]),
    ),
    "an item that someone else added last stays last": (
        Pod,
        pod(containers=[A, D]),
        in_spec(**{"$setElementOrder/containers": [B, A], "containers": [B]}),
        pod(containers=[B, A, D]),
    ),
    "what is new takes the place of what was deleted": (
        Pod,
        pod(containers=[A, B, D]),
        in_spec(**{"$setElementOrder/containers": [B, C], "containers": [C, {**A, "$patch": "delete"}]}),
        pod(containers=[B, D, C]),
    ),
    "for a list that is not there": (
        Pod,
        pod(nodeName="n"),
        in_spec(**{"$setElementOrder/containers": [A]}),
        pod(nodeName="n"),
    ),
    "for a list that the patch brings": (
        Pod,
        pod(),
        in_spec(**{"$setElementOrder/containers": [B, A], "containers": [{**D, "$patch": "delete"}, B, A]}),
        pod(containers=[B, A]),
    ),
    "items in the order that are nowhere": (
        Pod,
        pod(containers=[A]),
        in_spec(**{"$setElementOrder/containers": [D, A, C]}),
        pod(containers=[A]),
    ),
    "an empty order binds nothing": (
        Pod,
        pod(containers=[B, A]),
        in_spec(**{"$setElementOrder/containers": [], "containers": [{**A, "image": "v2"}]}),
        pod(containers=[B, {**A, "image": "v2"}]),
    ),
    "of a list that is replaced": in_app(
        {"args": ["a", "b"]}, {"$setElementOrder/args": ["c", "b"], "args": ["c", "b"]}, {"args": ["c", "b"]}
    ),
}

AS_KUBECTL_SENDS_THEM: dict[str, Case] = {
    "apply with a new image": (
        Deployment,
        in_template(containers=[{"name": "nginx", "image": "nginx:1.25", "ports": [{"containerPort": 80}]}]),
        in_template(
            **{
                "$setElementOrder/containers": [{"name": "nginx"}],
                "containers": [{"image": "nginx:1.26", "name": "nginx"}],
            }
        ),
        in_template(containers=[{"name": "nginx", "image": "nginx:1.26", "ports": [{"containerPort": 80}]}]),
    ),
    "apply with another port": (
        Pod,
        pod(containers=[container(ports=[{"containerPort": 80, "protocol": "TCP"}], image="nginx")]),
        in_spec(
            **{
                "$setElementOrder/containers": [{"name": "app"}],
                "containers": [
                    {
                        "$setElementOrder/ports": [{"containerPort": 81}],
                        "name": "app",
                        "ports": [{"containerPort": 81}, {"$patch": "delete", "containerPort": 80}],
                    }
                ],
            }
        ),
        pod(containers=[container(ports=[{"containerPort": 81}], image="nginx")]),
    ),
    "apply that adds a sidecar beside an injected one": (
        Deployment,
        in_template(containers=[{"name": "web", "image": "w"}, {"name": "proxy", "image": "p"}]),
        in_template(
            **{
                "$setElementOrder/containers": [{"name": "web"}, {"name": "logs"}],
                "containers": [{"name": "logs", "image": "l"}],
            }
        ),
        in_template(
            containers=[
                {"name": "web", "image": "w"},
                {"name": "logs", "image": "l"},
                {"name": "proxy", "image": "p"},
            ]
        ),
    ),
    "set env": (
        Deployment,
        in_template(containers=[{"name": "nginx", "image": "nginx"}]),
        in_template(
            **{
                "$setElementOrder/containers": [{"name": "nginx"}],
                "containers": [{"env": [{"name": "MODE", "value": "fast"}], "name": "nginx"}],
            }
        ),
        in_template(containers=[{"name": "nginx", "image": "nginx", "env": [{"name": "MODE", "value": "fast"}]}]),
    ),
    "rollout restart": (
        Deployment,
        {"spec": {"template": {"metadata": {"labels": {"app": "web"}}}}},
        {"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}}}},
        {
            "spec": {
                "template": {
                    "metadata": {
                        "labels": {"app": "web"},
                        "annotations": {"kubectl.kubernetes.io/restartedAt": "now"},
                    }
                }
            }
        },
    ),
    "cordon": (
        Node,
        in_spec(podCIDR="10.0.0.0/24"),
        in_spec(unschedulable=True),
        in_spec(podCIDR="10.0.0.0/24", unschedulable=True),
    ),
    "a resourceVersion is a value like any other": meta(
        {"name": "x"}, {"resourceVersion": "7"}, {"name": "x", "resourceVersion": "7"}
    ),
}

CASES = MAPS | KEYED_LISTS | PLAIN_LISTS | RETAIN_KEYS | ORDER | AS_KUBECTL_SENDS_THEM


@pytest.mark.parametrize(("kind", "live", "patch", "expected"), CASES.values(), ids=CASES.keys())
def test_merges(kind: type[Part], live: Any, patch: Any, expected: Any) -> None:
    given = copy.deepcopy((live, patch))
    assert strategic.apply(live, patch, shape_of(kind)) == expected
    assert (live, patch) == given


def test_what_did_not_change_is_shared() -> None:
    live: Any = pod(containers=[container(env=[{"name": "A", "value": "1"}])], tolerations=[{"key": "a"}])
    merged: Any = strategic.apply(live, in_spec(nodeName="n"), shape_of(Pod))
    assert merged["metadata"] is live["metadata"]
    assert merged["spec"]["containers"] is live["spec"]["containers"]
