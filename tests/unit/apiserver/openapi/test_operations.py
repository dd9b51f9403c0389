from __future__ import annotations

import pytest

from apiserver.openapi import operations
from steersman.api.core import Pod
from steersman.api.meta import Status
from tests.unit.apiserver.openapi import served

PODS = "/api/v1/namespaces/{namespace}/pods"


def of(kind: str) -> dict[str, dict[str, operations.Operation]]:
    """Operations by path and method."""
    items = operations.path_items(served.of(kind))
    return {item.path: {each.method: each for each in item.operations} for item in items}


@pytest.mark.parametrize(
    ("path", "method", "action", "name"),
    [
        ("/api/v1/pods", "get", "list", "listCoreV1PodForAllNamespaces"),
        (PODS, "get", "list", "listCoreV1NamespacedPod"),
        (PODS, "post", "post", "createCoreV1NamespacedPod"),
        (PODS, "delete", "deletecollection", "deleteCoreV1CollectionNamespacedPod"),
        (f"{PODS}/{{name}}", "get", "get", "readCoreV1NamespacedPod"),
        (f"{PODS}/{{name}}", "put", "put", "replaceCoreV1NamespacedPod"),
        (f"{PODS}/{{name}}", "patch", "patch", "patchCoreV1NamespacedPod"),
        (f"{PODS}/{{name}}", "delete", "delete", "deleteCoreV1NamespacedPod"),
        (f"{PODS}/{{name}}/status", "put", "put", "replaceCoreV1NamespacedPodStatus"),
        (f"{PODS}/{{name}}/exec", "post", "connect", "connectCoreV1PostNamespacedPodExec"),
        (f"{PODS}/{{name}}/proxy/{{path}}", "get", "connect", "connectCoreV1GetNamespacedPodProxyWithPath"),
    ],
)
def test_operations_of_a_namespaced_kind(path: str, method: str, action: str, name: str) -> None:
    operation = of("Pod")[path][method]
    assert (operation.action, operation.id) == (action, name)


def test_a_kind_of_the_whole_cluster_has_no_namespaces_in_its_paths() -> None:
    assert set(of("Node")) == {"/api/v1/nodes", "/api/v1/nodes/{name}", "/api/v1/nodes/{name}/status"}


def test_a_review_can_only_be_created() -> None:
    found = of("SelfSubjectReview")
    assert {path: list(each) for path, each in found.items()} == {
        "/apis/authentication.k8s.io/v1/selfsubjectreviews": ["post"]
    }


def test_a_door_shows_the_kind_that_goes_through() -> None:
    operation = of("Deployment")["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]["get"]
    assert operation.gvk == ("autoscaling", "v1", "Scale")
    assert operation.id == "readAppsV1NamespacedDeploymentScale"


def test_what_a_deletion_answers() -> None:
    assert of("Pod")[f"{PODS}/{{name}}"]["delete"].answered.struct is Pod
    path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    assert of("Deployment")[path]["delete"].answered.struct is Status


@pytest.mark.parametrize(
    ("group", "words", "tag"),
    [
        ("", "CoreV1", "core_v1"),
        ("apps", "AppsV1", "apps_v1"),
        ("rbac.authorization.k8s.io", "RbacAuthorizationV1", "rbacAuthorization_v1"),
        ("flowcontrol.apiserver.k8s.io", "FlowcontrolApiserverV1", "flowcontrolApiserver_v1"),
    ],
)
def test_how_ids_name_a_group(group: str, words: str, tag: str) -> None:
    assert operations.words_of(group, "v1") == words
    assert operations.tag_of(group, "v1") == tag


def test_ids_are_unique() -> None:
    ids = [
        operation.id
        for resource in served.RESOURCES
        for item in operations.path_items(resource)
        for operation in item.operations
    ]
    assert len(ids) == len(set(ids))
