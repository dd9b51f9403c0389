"""Paths, as Kubernetes reads them."""

from __future__ import annotations

import pytest

from apiserver.restfront import paths
from steersman.api.errors import BadRequest, NotFound


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/api/v1/pods", ("pods", "", "", "", "", False), id="everywhere"),
        pytest.param("/api/v1/pods/", ("pods", "", "", "", "", False), id="trailing slash"),
        pytest.param("/api/v1/namespaces/a/pods", ("pods", "a", "", "", "", False), id="collection"),
        pytest.param("/api/v1/namespaces/a/pods/b", ("pods", "a", "b", "", "", False), id="object"),
        pytest.param("/api/v1/namespaces/a/pods/b/log", ("pods", "a", "b", "log", "", False), id="subresource"),
        pytest.param("/api/v1/namespaces/a/pods/b/proxy/x/y", ("pods", "a", "b", "proxy", "x/y", False), id="proxy"),
        pytest.param("/api/v1/namespaces", ("namespaces", "", "", "", "", False), id="namespaces"),
        pytest.param("/api/v1/namespaces/a", ("namespaces", "", "a", "", "", False), id="a namespace"),
        pytest.param("/api/v1/namespaces/a/status", ("namespaces", "", "a", "status", "", False), id="its status"),
        pytest.param("/api/v1/namespaces/a/finalize", ("namespaces", "", "a", "finalize", "", False), id="its end"),
        pytest.param("/apis/apps/v1/deployments", ("deployments", "", "", "", "", False), id="a group"),
        pytest.param("/api/v1/watch/pods", ("pods", "", "", "", "", True), id="old watch"),
        pytest.param("/api/v1/watch/namespaces/a/pods/b", ("pods", "a", "b", "", "", True), id="old watch of one"),
        pytest.param("/api/v1/nodes/n1/proxy/logs", ("nodes", "", "n1", "proxy", "logs", False), id="node proxy"),
    ],
)
def test_resources(path: str, expected: tuple[str, str, str, str, str, bool]) -> None:
    found = paths.parse(path)
    assert found is not None
    seen = (found.kind.resource, found.namespace, found.name, found.subresource, found.rest, found.is_watch)
    assert seen == expected


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz", "/api/v2/pods"],
)
def test_what_is_no_resource(path: str) -> None:
    assert paths.parse(path) is None


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/apis/example.com/v1/widgets", id="another group"),
        pytest.param("/apis/apps/v1beta1/deployments", id="another version"),
        pytest.param("/apis//v1/pods", id="no group"),
    ],
)
def test_an_unknown_group_or_version_is_no_resource_either(path: str) -> None:
    assert paths.parse(path) is None


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/api/v1/widgets", id="unknown resource"),
        pytest.param("/api/v1/pods/b", id="a namespaced object without its namespace"),
        pytest.param("/api/v1/namespaces/a/nodes", id="a cluster's resource in a namespace"),
        pytest.param("/api/v1/watch", id="a watch of nothing"),
    ],
)
def test_not_found(path: str) -> None:
    with pytest.raises(NotFound, match="the server could not find the requested resource"):
        paths.parse(path)


@pytest.mark.parametrize("name", ["..", ".", "\0", "x" * 513, ""])
def test_names_that_no_object_can_have(name: str) -> None:
    with pytest.raises(BadRequest):
        paths.parse(f"/api/v1/namespaces/a/pods/{name}/status")


def test_escapes_are_read_before_the_path_is_cut() -> None:
    found = paths.parse(paths.decoded("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"))
    assert found is not None
    assert found.name == "system:node"
