"""Every verb over HTTP, with codes, headers and bodies as Kubernetes gives them."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator

import pytest
import yaml

from apiserver.server import Serving
from tests.integration.restcalls import CONFIG_MAPS, DEPLOYMENTS, PODS, Rest, deployment, pod, rest_client


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


async def test_the_life_of_an_object(rest: Rest) -> None:
    created = await rest.create(CONFIG_MAPS, {"metadata": {"name": "a"}, "data": {"k": "v"}})
    assert created.code == 201
    assert created.headers["Content-Type"] == "application/json"
    assert created.headers["Cache-Control"] == "no-cache, private"
    assert created.headers["Audit-Id"]
    assert (created.json["kind"], created.json["apiVersion"]) == ("ConfigMap", "v1")
    assert (await rest.get(f"{CONFIG_MAPS}/a")).body == created.body
    changed = await rest.ask("PUT", f"{CONFIG_MAPS}/a", {**created.json, "data": {"k": "w"}})
    assert (changed.code, changed.json["data"]) == (200, {"k": "w"})
    patched = await rest.patch(f"{CONFIG_MAPS}/a", {"data": {"l": "x"}})
    assert (patched.code, patched.json["data"]) == (200, {"k": "w", "l": "x"})
    deleted = await rest.delete(f"{CONFIG_MAPS}/a")
    details = {"name": "a", "kind": "configmaps", "uid": created.json["metadata"]["uid"]}
    assert deleted.code == 200
    assert deleted.json == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }
    assert (await rest.get(f"{CONFIG_MAPS}/a")).code == 404


async def test_a_deleted_pod_is_shown(rest: Rest) -> None:
    assert (await rest.create(PODS, pod("p"))).code == 201
    deleted = await rest.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})
    assert (deleted.code, deleted.json["kind"], deleted.json["metadata"]["name"]) == (200, "Pod", "p")


async def test_an_object_that_is_held_is_accepted_for_deletion_in_the_old_way(rest: Rest) -> None:
    held = {"metadata": {"name": "h", "finalizers": ["example.com/hold"]}}
    assert (await rest.create(CONFIG_MAPS, held)).code == 201
    deleted = await rest.delete(f"{CONFIG_MAPS}/h", {"orphanDependents": False})
    assert deleted.code == 202
    assert deleted.json["metadata"]["deletionTimestamp"]


async def test_preconditions_of_a_deletion(rest: Rest) -> None:
    await rest.config_map("a")
    refused = await rest.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": "another"}})
    assert (refused.code, refused.json["reason"]) == (409, "Conflict")


async def test_put_creates_where_kubernetes_does(rest: Rest) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"
    lease = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}
    assert (await rest.ask("PUT", leases, lease)).code == 201
    assert (await rest.ask("PUT", f"{CONFIG_MAPS}/no", {"metadata": {"name": "no"}})).code == 404


async def test_deleting_a_collection(rest: Rest) -> None:
    for name in ("a", "b"):
        body = {"metadata": {"name": name, "labels": {"doomed": "yes"}}}
        assert (await rest.create(CONFIG_MAPS, body)).code == 201
    await rest.config_map("c")
    deleted = await rest.delete(f"{CONFIG_MAPS}?labelSelector=doomed%3Dyes")
    assert (deleted.code, deleted.json["kind"]) == (200, "ConfigMapList")
    assert [item["metadata"]["name"] for item in deleted.json["items"]] == ["a", "b"]
    left = (await rest.get(CONFIG_MAPS)).json["items"]
    assert [item["metadata"]["name"] for item in left] == ["c"]


async def test_pages_of_a_list(rest: Rest) -> None:
    for name in ("a", "b", "c"):
        await rest.config_map(name)
    first = (await rest.get(f"{CONFIG_MAPS}?limit=2")).json
    assert [item["metadata"]["name"] for item in first["items"]] == ["a", "b"]
    assert first["metadata"]["remainingItemCount"] == 1
    await rest.config_map("d")
    second = (await rest.get(f"{CONFIG_MAPS}?limit=2&continue={first['metadata']['continue']}")).json
    assert [item["metadata"]["name"] for item in second["items"]] == ["c"]
    assert second["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


async def test_lists_by_selectors_over_all_namespaces(rest: Rest) -> None:
    for name, namespace in (("a", "default"), ("b", "kube-system")):
        path = f"/api/v1/namespaces/{namespace}/pods"
        assert (await rest.create(path, pod(name, labels={"team": "x"}))).code == 201
    found = (await rest.get("/api/v1/pods?labelSelector=team")).json
    assert (found["kind"], len(found["items"])) == ("PodList", 2)
    assert "kind" not in found["items"][0]
    found = (await rest.get("/api/v1/pods?fieldSelector=metadata.namespace%3Dkube-system")).json
    assert [item["metadata"]["name"] for item in found["items"]] == ["b"]


async def test_metadata_alone(rest: Rest) -> None:
    await rest.config_map("a", k="v")
    accept = "application/json;as=PartialObjectMetadata{};g=meta.k8s.io;v=v1"
    one = (await rest.get(f"{CONFIG_MAPS}/a", accept=accept.format(""))).json
    assert (one["kind"], "data" in one) == ("PartialObjectMetadata", False)
    many = (await rest.get(CONFIG_MAPS, accept=accept.format("List"))).json
    assert (many["kind"], many["items"][0]) == ("PartialObjectMetadataList", one)


async def test_dry_run_changes_nothing(rest: Rest) -> None:
    tried = await rest.create(f"{CONFIG_MAPS}?dryRun=All", {"metadata": {"name": "a"}})
    assert (tried.code, tried.json["metadata"]["name"]) == (201, "a")
    assert (await rest.get(f"{CONFIG_MAPS}/a")).code == 404
    await rest.config_map("a")
    assert (await rest.delete(f"{CONFIG_MAPS}/a?dryRun=All")).code == 200
    assert (await rest.get(f"{CONFIG_MAPS}/a")).code == 200


async def test_yaml_in_and_out(rest: Rest) -> None:
    body = b"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  k: v\n"
    made = await rest.create(CONFIG_MAPS, body, content_type="application/yaml", accept="application/yaml")
    assert (made.code, made.headers["Content-Type"]) == (201, "application/yaml")
    assert yaml.safe_load(made.body)["data"] == {"k": "v"}


def delimited(tag: int, content: bytes) -> bytes:
    return bytes((tag, len(content))) + content


async def test_protobuf_in(rest: Rest) -> None:
    metadata, data = delimited(0x0A, b"late"), delimited(0x0A, b"a") + delimited(0x12, b"b")
    config_map = delimited(0x0A, metadata) + delimited(0x12, data)
    type_meta = delimited(0x0A, b"v1") + delimited(0x12, b"ConfigMap")
    body = b"k8s\0" + delimited(0x0A, type_meta) + delimited(0x12, config_map)
    made = await rest.create(CONFIG_MAPS, body, content_type="application/vnd.kubernetes.protobuf")
    assert (made.code, made.json["metadata"]["name"], made.json["data"]) == (201, "late", {"a": "b"})


@pytest.mark.parametrize(
    ("validation", "code"), [("Strict", 400), ("Warn", 201), ("Ignore", 201), ("", 201)], ids=lambda value: str(value)
)
async def test_unknown_fields(rest: Rest, validation: str, code: int) -> None:
    body = {"metadata": {"name": "a"}, "dataa": {}}
    made = await rest.create(f"{CONFIG_MAPS}?fieldValidation={validation}", body)
    assert made.code == code
    assert made.headers.getall("Warning", []) == (
        ['299 - "unknown field \\"dataa\\""'] if validation in ("Warn", "") else []
    )


async def test_pretty(rest: Rest) -> None:
    await rest.config_map("a")
    assert b'{\n  "' in (await rest.get(f"{CONFIG_MAPS}/a?pretty=true")).body


async def test_large_answers_are_compressed_for_those_who_ask(rest: Rest) -> None:
    for name in ("a", "b"):
        await rest.config_map(name, k="v" * 100_000)
    small = await rest.get(f"{CONFIG_MAPS}/a", accept_encoding="gzip")
    assert "Content-Encoding" not in small.headers
    large = await rest.get(CONFIG_MAPS, accept_encoding="gzip")
    assert large.headers["Content-Encoding"] == "gzip"
    assert len(json.loads(gzip.decompress(large.body))["items"]) == 2
    assert "Content-Encoding" not in (await rest.get(CONFIG_MAPS, accept_encoding="identity")).headers


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("json-patch", [{"op": "replace", "path": "/spec/replicas", "value": 3}]),
        ("merge-patch", {"spec": {"replicas": 3}}),
        ("strategic-merge-patch", {"spec": {"replicas": 3, "template": {"spec": {"$setElementOrder/containers": []}}}}),
    ],
)
async def test_patches(rest: Rest, kind: str, patch: object) -> None:
    assert (await rest.create(DEPLOYMENTS, deployment("web"))).code == 201
    patched = await rest.patch(f"{DEPLOYMENTS}/web", patch, kind)
    assert (patched.code, patched.json["spec"]["replicas"]) == (200, 3)


async def test_scale(rest: Rest) -> None:
    assert (await rest.create(DEPLOYMENTS, deployment("web"))).code == 201
    scale = (await rest.get(f"{DEPLOYMENTS}/web/scale")).json
    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert scale["spec"] == {"replicas": 1}
    put = await rest.ask("PUT", f"{DEPLOYMENTS}/web/scale", {**scale, "spec": {"replicas": 2}})
    assert (put.code, put.json["spec"]) == (200, {"replicas": 2})
    stale = await rest.ask("PUT", f"{DEPLOYMENTS}/web/scale", {**scale, "spec": {"replicas": 5}})
    assert stale.code == 409
    patched = await rest.patch(f"{DEPLOYMENTS}/web/scale", {"spec": {"replicas": 4}})
    assert (patched.code, patched.json["spec"]) == (200, {"replicas": 4})
    assert (await rest.get(f"{DEPLOYMENTS}/web")).json["spec"]["replicas"] == 4


async def test_status_is_a_door_of_its_own(rest: Rest) -> None:
    created = (await rest.create(DEPLOYMENTS, deployment("web"))).json
    changed = {**created, "status": {"replicas": 7}, "spec": {**created["spec"], "replicas": 9}}
    through = await rest.ask("PUT", f"{DEPLOYMENTS}/web/status", changed)
    assert through.code == 200
    assert (through.json["status"]["replicas"], through.json["spec"]["replicas"]) == (7, 1)
    patched = await rest.patch(f"{DEPLOYMENTS}/web/status", {"status": {"replicas": 8}})
    assert patched.json["status"]["replicas"] == 8
    assert (await rest.get(f"{DEPLOYMENTS}/web/status")).json == patched.json


@pytest.mark.parametrize(
    "path", [f"{PODS}/p/binding", "/api/v1/namespaces/default/bindings"], ids=["subresource", "resource"]
)
async def test_binding(rest: Rest, path: str) -> None:
    assert (await rest.create(PODS, pod("p"))).code == 201
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}
    bound = await rest.create(path, binding)
    assert bound.code == 201
    assert (bound.json["kind"], bound.json["status"], bound.json["code"]) == ("Status", "Success", 201)
    assert (await rest.get(f"{PODS}/p")).json["spec"]["nodeName"] == "n1"
    assert (await rest.create(path, binding)).code == 409


async def test_eviction(rest: Rest) -> None:
    assert (await rest.create(PODS, pod("p"))).code == 201
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p", "namespace": "default"}}
    evicted = await rest.create(f"{PODS}/p/eviction", eviction)
    assert (evicted.code, evicted.json["status"]) == (201, "Success")
    assert (await rest.get(f"{PODS}/p")).code == 404
    wrong = {**eviction, "metadata": {"name": "q"}}
    assert (await rest.create(f"{PODS}/p/eviction", wrong)).code == 400


async def test_a_namespace_is_finalized(rest: Rest) -> None:
    assert (await rest.create("/api/v1/namespaces", {"metadata": {"name": "n"}})).code == 201
    marked = (await rest.delete("/api/v1/namespaces/n")).json
    assert marked["status"]["phase"] == "Terminating"
    done = await rest.ask("PUT", "/api/v1/namespaces/n/finalize", {**marked, "spec": {"finalizers": []}})
    assert done.code == 200
    assert (await rest.get("/api/v1/namespaces/n")).code == 404


async def test_deprecated_kinds_say_so(rest: Rest) -> None:
    listed = await rest.get("/api/v1/namespaces/default/endpoints")
    assert "v1 Endpoints is deprecated" in listed.headers["Warning"]


async def test_another_version_of_a_kind(rest: Rest) -> None:
    path = "/apis/autoscaling/{}/namespaces/default/horizontalpodautoscalers"
    target = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 3}
    body = {"metadata": {"name": "h"}, "spec": {**target, "targetCPUUtilizationPercentage": 50}}
    made = await rest.create(path.format("v1"), body)
    assert (made.code, made.json["apiVersion"]) == (201, "autoscaling/v1")
    listed = (await rest.get(path.format("v2"))).json
    assert listed["apiVersion"] == "autoscaling/v2"
    assert listed["items"][0]["spec"]["metrics"][0]["type"] == "Resource"
