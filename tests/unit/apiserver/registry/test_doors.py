"""The doors to a stored object, through the registry: what each lets through, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.registry.requests import PatchType, Subresource, Target
from steersman.api.errors import Conflict, Invalid, MethodNotAllowed
from steersman.api.kinds import Kind
from tests import manifests
from tests.unit.apiserver.registry.conftest import World, body_of, kind

Object = dict[str, Any]

REQUESTS = kind("certificatesigningrequests", "certificates.k8s.io")
DEPLOYMENTS = kind("deployments", "apps")
NAMESPACES, NODES, PODS, SERVICES = kind("namespaces"), kind("nodes"), kind("pods"), kind("services")
APPROVED = {"type": "Approved", "status": "True", "reason": "Asked", "message": "nicely"}


async def make(world: World, of: Kind, **fields: Any) -> tuple[Target, Object]:
    manifest = {**manifests.manifest_of(of), **fields}
    metadata = manifest["metadata"]
    target = Target(of, metadata.get("namespace", ""), metadata["name"])
    created = await world.registry.create(Target(of, target.namespace), manifests.json_of(manifest))
    return target, body_of(created)


async def put(world: World, target: Target, changed: Object, door: Subresource = Subresource.NONE) -> Object:
    result: Object = body_of(await world.registry.update(target, manifests.json_of(changed), subresource=door))
    return result


async def complaints(world: World, target: Target, changed: Object, door: Subresource) -> list[str]:
    with pytest.raises(Invalid) as refused:
        await put(world, target, changed, door)
    assert refused.value.details is not None
    return [f"{cause.field}: {cause.message}" for cause in refused.value.details.causes]


# --- status


async def test_a_status_is_validated(world: World) -> None:
    target, deployment = await make(world, DEPLOYMENTS)
    changed = {**deployment, "status": {"observedGeneration": -1}}
    assert await complaints(world, target, changed, Subresource.STATUS) == [
        "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"
    ]


async def test_a_status_gets_its_defaults(world: World) -> None:
    target, node = await make(world, NODES)
    reported = await put(world, target, {**node, "status": {"capacity": {"cpu": "4"}}}, Subresource.STATUS)
    assert reported["status"]["allocatable"] == {"cpu": "4"}


async def test_a_status_does_not_speak_about_the_spec(world: World) -> None:
    target, namespace = await make(world, NAMESPACES)
    changed = {**namespace, "spec": {"finalizers": []}, "status": {"phase": "Active", "conditions": []}}
    assert (await put(world, target, changed, Subresource.STATUS))["spec"] == {"finalizers": ["kubernetes"]}


async def test_the_phase_of_a_namespace_is_not_a_matter_of_choice(world: World) -> None:
    target, namespace = await make(world, NAMESPACES)
    assert await complaints(world, target, {**namespace, "status": {"phase": "Terminating"}}, Subresource.STATUS) == [
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"
    ]


async def test_a_pod_status_keeps_its_class_of_service(world: World) -> None:
    target, pod = await make(world, PODS)
    reported = await put(world, target, {**pod, "status": {"phase": "Running"}}, Subresource.STATUS)
    assert reported["status"] == {"phase": "Running", "qosClass": "BestEffort"}


async def test_only_load_balancers_have_addresses_outside(world: World) -> None:
    target, service = await make(world, SERVICES, spec={"ports": [{"port": 80}]})
    changed = {**service, "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.8"}]}}}
    assert await complaints(world, target, changed, Subresource.STATUS) == [
        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"
    ]


OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "0"}
ALL_METADATA = {"labels": {"a": "b"}, "annotations": {"a": "b"}, "finalizers": ["a/b"], "ownerReferences": [OWNER]}


@pytest.mark.parametrize(
    ("of", "kept"),
    [
        (PODS, {"ownerReferences"}),
        (NODES, set()),
        (SERVICES, set()),
        (DEPLOYMENTS, {"labels"}),
        (kind("replicasets", "apps"), set()),
        (kind("jobs", "batch"), set()),
        (kind("persistentvolumeclaims"), set()),
        (kind("flowschemas", "flowcontrol.apiserver.k8s.io"), set(ALL_METADATA)),
        (kind("servicecidrs", "networking.k8s.io"), set(ALL_METADATA)),
        (kind("volumeattachments", "storage.k8s.io"), set(ALL_METADATA)),
        (kind("apiservices", "apiregistration.k8s.io"), set(ALL_METADATA)),
    ],
    ids=lambda value: value.kind if isinstance(value, Kind) else "",
)
async def test_which_metadata_the_status_door_changes(world: World, of: Kind, kept: set[str]) -> None:
    target, made = await make(world, of)
    changed = {**made, "metadata": {**made["metadata"], **ALL_METADATA}}
    after = await put(world, target, changed, Subresource.STATUS)
    changes = {name for name in ALL_METADATA if after["metadata"].get(name) != made["metadata"].get(name)}
    assert changes == set(ALL_METADATA) - kept
    assert after["metadata"].get("generation") == made["metadata"].get("generation")


async def test_a_volume_says_since_when_it_is_in_its_phase(world: World) -> None:
    target, made = await make(world, kind("persistentvolumes"))
    born = made["status"]["lastPhaseTransitionTime"]
    assert born == made["metadata"]["creationTimestamp"]
    await world.clock.advance(60)
    same = await put(world, target, {**made, "status": {"phase": "Pending", "message": "m"}}, Subresource.STATUS)
    assert same["status"]["lastPhaseTransitionTime"] == born
    bound = await put(world, target, {**same, "status": {**same["status"], "phase": "Bound"}}, Subresource.STATUS)
    assert bound["status"]["lastPhaseTransitionTime"] > born
    told = {**bound, "status": {"phase": "Released", "lastPhaseTransitionTime": "2020-01-01T00:00:00Z"}}
    assert (await put(world, target, told, Subresource.STATUS))["status"] == told["status"]


# --- generation


@pytest.mark.parametrize(
    ("of", "born", "changed"),
    [
        (kind("priorityclasses", "scheduling.k8s.io"), 1, {"description": "another"}),
        (kind("horizontalpodautoscalers", "autoscaling"), None, {"spec": {"maxReplicas": 9}}),
        (kind("csidrivers", "storage.k8s.io"), None, {"spec": {"storageCapacity": True}}),
        (DEPLOYMENTS, 1, {"spec": {"replicas": 9}}),
    ],
    ids=["given once", "never given", "counted from nothing", "counted"],
)
async def test_generations(world: World, of: Kind, born: int | None, changed: Object) -> None:
    target, made = await make(world, of)
    assert made["metadata"].get("generation") == born
    patched = await world.registry.patch(target, PatchType.MERGE, json.dumps(changed).encode())
    counted = (born or 0) + 1 if of.generation else born
    assert body_of(patched)["metadata"].get("generation") == counted


@pytest.mark.parametrize(
    ("door", "generation"), [(Subresource.NONE, 2), (Subresource.STATUS, 1)], ids=["main", "status"]
)
async def test_an_annotation_of_a_deployment_counts_where_users_write_it(
    world: World, door: Subresource, generation: int
) -> None:
    target, deployment = await make(world, DEPLOYMENTS)
    metadata = {**deployment["metadata"], "annotations": {"restarted": "now"}}
    changed = await put(world, target, {**deployment, "metadata": metadata}, door)
    assert changed["metadata"]["annotations"] == {"restarted": "now"}
    assert changed["metadata"]["generation"] == generation


# --- admission


async def test_an_updated_pod_keeps_what_admission_gave_it(world: World) -> None:
    target, pod = await make(world, PODS)
    spec = {name: value for name, value in pod["spec"].items() if name not in ("priority", "preemptionPolicy")}
    changed = {**pod, "spec": {**spec, "tolerations": None}}
    assert (await put(world, target, changed))["spec"] == pod["spec"]


# --- the doors of single kinds


async def test_finalize_takes_valid_finalizers_and_metadata_but_no_status(world: World) -> None:
    target, namespace = await make(world, NAMESPACES)
    metadata = {**namespace["metadata"], "labels": {"more": "yes"}}
    changed = {**namespace, "metadata": metadata, "spec": {"finalizers": ["kubernetes", "example.com/mine"]}}
    changed["status"] = {"phase": "Terminating"}
    finalized = await put(world, target, changed, Subresource.FINALIZE)
    assert finalized["spec"] == changed["spec"]
    assert finalized["metadata"]["labels"] == {"more": "yes", "kubernetes.io/metadata.name": target.name}
    assert finalized["status"] == namespace["status"]
    [complaint] = await complaints(
        world,
        target,
        {**namespace, "metadata": finalized["metadata"], "spec": {"finalizers": ["mine"]}},
        Subresource.FINALIZE,
    )
    assert complaint.startswith("spec.finalizers[0]: Invalid value")


async def test_a_certificate_is_approved_at_its_own_door_only(world: World) -> None:
    target, request = await make(world, REQUESTS)
    changed = {**request, "status": {"conditions": [APPROVED]}}
    assert await complaints(world, target, changed, Subresource.STATUS) == [
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"'
    ]
    approved = await put(world, target, changed, Subresource.APPROVAL)
    now = "2030-01-01T00:00:00Z"
    assert approved["status"]["conditions"] == [{**APPROVED, "lastUpdateTime": now, "lastTransitionTime": now}]
    assert approved["spec"] == request["spec"]


async def test_ephemeral_containers_are_added_at_their_own_door(world: World) -> None:
    target, pod = await make(world, PODS)
    patch = json.dumps({"spec": {"ephemeralContainers": [{"name": "debugger", "image": "busybox:1.36"}]}}).encode()
    written = await world.registry.patch(
        target, PatchType.STRATEGIC, patch, subresource=Subresource.EPHEMERAL_CONTAINERS
    )
    debugged = body_of(written)
    [container] = debugged["spec"]["ephemeralContainers"]
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert debugged["spec"]["containers"] == pod["spec"]["containers"]
    gone = {**debugged, "spec": {**debugged["spec"], "ephemeralContainers": []}}
    [complaint] = await complaints(world, target, gone, Subresource.EPHEMERAL_CONTAINERS)
    assert "may not be removed" in complaint


async def test_a_pod_is_resized_at_its_own_door(world: World) -> None:
    resources = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    container = {"name": "c", "image": "i", "resources": resources}
    target, made = await make(world, PODS, spec={"containers": [container]})
    larger = {"requests": {"cpu": "200m", "memory": "64Mi"}}
    wanted = {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}}
    wanted["spec"] = {**made["spec"], "nodeSelector": {"a": "b"}}
    wanted["spec"]["containers"] = [{**made["spec"]["containers"][0], "image": "other", "resources": larger}]
    resized = await put(world, target, wanted, Subresource.RESIZE)
    [after] = resized["spec"]["containers"]
    assert (after["resources"], after["image"]) == (larger, "i")
    assert resized["metadata"]["labels"] == made["metadata"]["labels"]
    assert "nodeSelector" not in resized["spec"]
    assert resized["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
            ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
        ),
        (
            {"containers": [{"name": "d", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]},
            ["spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"],
        ),
        (
            {"containers": [{"name": n, "image": "i", "resources": {"requests": {"cpu": "1"}}} for n in ("c", "d")]},
            ["spec.containers: Forbidden: containers may not be added or removed on resize"],
        ),
        (
            {
                "containers": [
                    {
                        "name": "c",
                        "image": "i",
                        "resources": {"requests": {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"}},
                    }
                ]
            },
            ["spec: Forbidden: only cpu and memory resources are mutable"],
        ),
        (
            {
                "containers": [
                    {
                        "name": "c",
                        "image": "i",
                        "resources": {
                            "limits": {"cpu": "1", "memory": "1Gi"},
                            "requests": {"cpu": "1", "memory": "1Gi"},
                        },
                    }
                ]
            },
            ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
        ),
    ],
    ids=["requests gone", "renamed", "one more", "other resources", "another class of service"],
)
async def test_what_a_resize_may_not_do(world: World, change: Object, expected: list[str]) -> None:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
    target, made = await make(world, PODS, spec={"containers": [container]})
    assert await complaints(world, target, {**made, "spec": {**made["spec"], **change}}, Subresource.RESIZE) == expected


async def test_a_scale_is_replaced_through_its_own_form(world: World) -> None:
    target, made = await make(world, DEPLOYMENTS)
    scale = body_of(await world.registry.scale(target, None))
    assert scale["kind"] == "Scale"
    after = await put(world, target, {**scale, "spec": {"replicas": 7}}, Subresource.SCALE)
    assert (after["kind"], after["spec"]["replicas"]) == ("Scale", 7)
    assert body_of(await world.registry.get(target))["spec"]["template"] == made["spec"]["template"]
    with pytest.raises(Conflict):
        await put(world, target, {**scale, "spec": {"replicas": 8}}, Subresource.SCALE)
    assert await complaints(world, target, {**after, "spec": {"replicas": -1}}, Subresource.SCALE) == [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    ]


@pytest.mark.parametrize("door", [Subresource.APPROVAL, Subresource.EPHEMERAL_CONTAINERS, Subresource.FINALIZE])
async def test_a_kind_has_its_own_doors_only(world: World, door: Subresource) -> None:
    target, deployment = await make(world, DEPLOYMENTS)
    with pytest.raises(MethodNotAllowed):
        await put(world, target, deployment, door)
