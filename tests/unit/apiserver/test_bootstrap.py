"""What an empty cluster contains, and that making it again, or twice at once, changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any

import msgspec
import pytest

from apiserver import bootstrap
from apiserver.bootstrap.roles import ROLES
from apiserver.registry.registry import Registry
from apiserver.registry.requests import Target
from steersman.api import kinds
from steersman.api.errors import Forbidden
from steersman.api.kinds import Kind
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore
from tests.unit.apiserver.conftest import registry_over

ADDRESSES = IPv4Network("10.96.0.0/12")
PORT = 6443
RIGHTS = "rbac.authorization.k8s.io"
NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")


def kind(resource: str, group: str = "") -> Kind:
    found = kinds.by_resource(group, resource)
    assert found is not None
    return found


async def fill(registry: Registry) -> None:
    await bootstrap.fill(registry, ADDRESSES, PORT)


Objects = Mapping[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def filled() -> Objects:
    """All objects of an empty cluster, by resource."""

    async def found() -> Objects:
        async with registry_over(FakeStore(), FakeClock()) as registry:
            await fill(registry)
            return {
                kind.resource: [msgspec.json.decode(item.json) for item in (await registry.list(Target(kind))).items]
                for kind in kinds.ALL
                if registry.serves(kind) and "list" in kind.verbs and not kind.stored_as
            }

    return asyncio.run(found())


def test_there_is_nothing_else(filled: Objects) -> None:
    assert {resource for resource, found in filled.items() if found} == {
        "apiservices",
        "clusterrolebindings",
        "clusterroles",
        "componentstatuses",
        "flowschemas",
        "ipaddresses",
        "namespaces",
        "priorityclasses",
        "prioritylevelconfigurations",
        "rolebindings",
        "roles",
        "serviceaccounts",
        "servicecidrs",
        "services",
    }


def test_requests_are_sorted_into_levels_that_exist(filled: Objects) -> None:
    levels = {each["metadata"]["name"] for each in filled["prioritylevelconfigurations"]}
    assert levels == {
        "catch-all",
        "exempt",
        "global-default",
        "leader-election",
        "node-high",
        "system",
        "workload-high",
        "workload-low",
    }
    schemas = {each["metadata"]["name"]: each for each in filled["flowschemas"]}
    assert len(schemas) == 11
    for each in schemas.values():
        assert each["spec"]["priorityLevelConfiguration"]["name"] in levels
        assert each["status"]["conditions"][0]["type"] == "Dangling"
        assert each["status"]["conditions"][0]["status"] == "False"
    assert [schemas[name]["spec"]["matchingPrecedence"] for name in ("exempt", "probes", "catch-all")] == [1, 2, 10000]


def test_the_range_of_addresses_is_ready(filled: Objects) -> None:
    [found] = filled["servicecidrs"]
    assert found["metadata"]["name"] == "kubernetes"
    assert found["spec"] == {"cidrs": ["10.96.0.0/12"]}
    [ready] = found["status"]["conditions"]
    assert (ready["type"], ready["status"]) == ("Ready", "True")
    assert ready["lastTransitionTime"] == found["metadata"]["creationTimestamp"]


def test_every_group_that_is_served_is_registered_as_local(filled: Objects) -> None:
    found = {each["metadata"]["name"]: each for each in filled["apiservices"]}
    assert {"v1.", "v1.apps", "v2.autoscaling", "v1.autoscaling", "v1.batch"} <= found.keys()
    assert "v1.apiregistration.k8s.io" not in found
    assert found["v1.apps"]["spec"] == {
        "group": "apps",
        "version": "v1",
        "groupPriorityMinimum": 17800,
        "versionPriority": 15,
    }
    assert {each["status"]["conditions"][0]["reason"] for each in found.values()} == {"Local"}


def test_namespaces(filled: Objects) -> None:
    found = filled["namespaces"]
    assert tuple(each["metadata"]["name"] for each in found) == NAMESPACES
    for each in found:
        assert each["metadata"]["labels"] == {"kubernetes.io/metadata.name": each["metadata"]["name"]}
        assert each["spec"] == {"finalizers": ["kubernetes"]}
        assert each["status"] == {"phase": "Active"}


def test_a_default_account_in_each(filled: Objects) -> None:
    found = [each["metadata"] for each in filled["serviceaccounts"]]
    assert [(each["namespace"], each["name"]) for each in found] == [(name, "default") for name in NAMESPACES]


def test_priority_classes(filled: Objects) -> None:
    classes = filled["priorityclasses"]
    assert {each["metadata"]["name"]: (each["value"], each["preemptionPolicy"]) for each in classes} == {
        "system-cluster-critical": (2_000_000_000, "PreemptLowerPriority"),
        "system-node-critical": (2_000_001_000, "PreemptLowerPriority"),
    }


@pytest.mark.parametrize("resource", ["clusterroles", "clusterrolebindings", "roles", "rolebindings"])
def test_roles_and_bindings(filled: Objects, resource: str) -> None:
    """What is in them is said in test_bootstrap_roles."""
    wanted = [each.metadata for each in ROLES if kinds.of_struct(type(each)) == kind(resource, RIGHTS)]
    found = [(each["metadata"].get("namespace", ""), each["metadata"]["name"]) for each in filled[resource]]
    assert wanted
    assert sorted(found) == sorted((each.namespace, each.name) for each in wanted)


def test_the_service_of_the_api_server(filled: Objects) -> None:
    [service] = filled["services"]
    assert (service["metadata"]["namespace"], service["metadata"]["name"]) == ("default", "kubernetes")
    assert service["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"}
    assert service["spec"] == {
        "clusterIP": "10.96.0.1",
        "clusterIPs": ["10.96.0.1"],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": PORT}],
        "sessionAffinity": "None",
        "type": "ClusterIP",
    }


async def test_a_second_time_changes_nothing() -> None:
    store, clock = FakeStore(), FakeClock()
    async with registry_over(store, clock) as registry:
        await fill(registry)
    filled, asked = store.newest, store.commits
    async with registry_over(store, clock) as registry:
        await fill(registry)
    assert store.newest == filled
    assert store.commits == asked, "nothing missing, nothing asked"


async def test_what_a_user_has_changed_stays() -> None:
    store, clock = FakeStore(), FakeClock()
    async with registry_over(store, clock) as registry:
        await fill(registry)
        role = Target(kind("clusterroles", RIGHTS), "", "view")
        present = msgspec.json.decode((await registry.get(role)).json)
        await registry.update(role, msgspec.json.encode({**present, "rules": [], "aggregationRule": None}))
        await fill(registry)
        assert "aggregationRule" not in msgspec.json.decode((await registry.get(role)).json)


async def test_what_a_user_has_deleted_comes_back() -> None:
    store, clock = FakeStore(), FakeClock()
    service = Target(kind("services"), "default", "kubernetes")
    async with registry_over(store, clock) as registry:
        await fill(registry)
        await registry.delete(service)
    async with registry_over(store, clock) as registry:
        await fill(registry)
        assert b'"10.96.0.1"' in (await registry.get(service)).json


async def test_several_servers_at_once() -> None:
    alone, store, clock = FakeStore(), FakeStore(), FakeClock()
    async with registry_over(alone, clock) as registry:
        await fill(registry)
    async with (
        registry_over(store, clock) as one,
        registry_over(store, clock) as two,
        registry_over(store, clock) as three,
        asyncio.TaskGroup() as tasks,
    ):
        for registry in (one, two, three):
            tasks.create_task(fill(registry))
    assert store.newest == alone.newest, "every object was written once"


@pytest.mark.parametrize(
    ("name", "is_immortal"),
    [("default", True), ("kube-public", True), ("kube-system", True), ("kube-node-lease", False)],
)
async def test_which_namespaces_cannot_be_deleted(name: str, is_immortal: bool) -> None:
    async with registry_over(FakeStore(), FakeClock()) as registry:
        await fill(registry)
        namespace = Target(kind("namespaces"), "", name)
        if not is_immortal:
            assert not (await registry.delete(namespace)).gone
            return
        with pytest.raises(Forbidden) as refused:
            await registry.delete(namespace)
        assert refused.value.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
