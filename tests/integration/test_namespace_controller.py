"""The namespace controller of a real replica: a namespace goes with all that is in it, and says what keeps it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from apiserver.server import Serving
from steersman.api.core import ConfigMap, Event, Namespace, Pod, Secret, ServiceAccount
from steersman.api.errors import Forbidden
from steersman.api.rbac import Role
from steersman.client.client import Client
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import create_node, replica_running

WITHIN = 30


@pytest.fixture(autouse=True)
async def replica(api_server: Serving) -> AsyncIterator[None]:
    async with replica_running(str(api_server.grpc), "namespace"):
        yield


@pytest.fixture
async def shop(api: Client) -> str:
    """A namespace with the account that pods run as."""
    await api.raw(Namespace).create(builders.make_namespace("shop"))
    await api.raw(ServiceAccount).create(builders.make("ServiceAccount", "default", "shop"))
    return "shop"


async def gone(api: Client, name: str) -> None:
    async def nowhere() -> bool:
        return name not in {each.metadata.name for each in (await api.of(Namespace).list()).items}

    await eventually(nowhere, within=WITHIN)


async def conditions(api: Client, name: str) -> dict[str, tuple[str, str]]:
    found = (await api.of(Namespace).get(name)).status.conditions
    return {each.type: (each.status, each.message) for each in found}


async def test_a_namespace_with_next_to_nothing_in_it_goes(api: Client, shop: str) -> None:
    await api.of(Namespace).delete(shop)
    await gone(api, shop)


async def test_all_content_goes_along(api: Client, shop: str) -> None:
    await api.raw(Secret).create(builders.make("Secret", "s", shop))
    await api.raw(Role).create(builders.make("Role", "r", shop, api_version="rbac.authorization.k8s.io/v1", rules=[]))
    about = {"kind": "Pod", "namespace": shop, "name": "p"}
    await api.raw(Event).create(builders.make("Event", "e", shop, involvedObject=about, reason="R", message="m"))
    for number in range(20):
        await api.raw(Pod).create(builders.make_pod(f"p{number}", namespace=shop))
        await api.raw(ConfigMap).create(builders.make_configmap(f"c{number}", namespace=shop))
    await api.raw(ConfigMap).create(builders.make_configmap("elsewhere"))
    await api.of(Namespace).delete(shop)
    await gone(api, shop)
    for kind in (Secret, Role, Event, Pod, ConfigMap, ServiceAccount):
        assert (await api.of(kind).list(shop)).items == ()
    assert await api.of(ConfigMap).get("elsewhere", "default")


async def test_what_holds_content_is_named_and_waited_for(api: Client, shop: str) -> None:
    await api.raw(ConfigMap).create(builders.make_configmap("held", namespace=shop, finalizers=["example.com/hold"]))
    await api.of(Namespace).delete(shop)

    async def told() -> bool:
        found = await conditions(api, shop)
        return found.get("NamespaceFinalizersRemaining") == (
            "True",
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
        ) and found["NamespaceContentRemaining"] == (
            "True",
            "Some resources are remaining: configmaps. has 1 resource instances",
        )

    await eventually(told, within=WITHIN)
    with pytest.raises(Forbidden, match="because it is being terminated"):
        await api.raw(ConfigMap).create(builders.make_configmap("late", namespace=shop))
    await api.of(ConfigMap).patch("held", shop, b'{"metadata":{"finalizers":null}}')
    await gone(api, shop)


async def test_pods_have_their_grace_and_the_rest_waits_for_them(api: Client, shop: str) -> None:
    await create_node(api, "n1")
    await api.raw(Pod).create(builders.make_pod("p", namespace=shop, node="n1"))
    await api.raw(Secret).create(builders.make("Secret", "s", shop))
    await api.of(Namespace).delete(shop)

    async def told() -> bool:
        found = await conditions(api, shop)
        return found.get("NamespaceContentRemaining") == (
            "True",
            "Some resources are remaining: pods. has 1 resource instances",
        )

    await eventually(told, within=WITHIN)
    pod = await api.of(Pod).get("p", shop)
    assert pod.metadata.deletion_timestamp is not None
    assert pod.metadata.deletion_grace_period_seconds == 30
    assert (await api.of(Secret).get("s", shop)).metadata.deletion_timestamp is None
    await api.of(Pod).delete("p", shop, grace_period_seconds=0)  # the node has stopped it
    await gone(api, shop)


async def test_a_namespace_that_others_hold_is_emptied_but_stays(api: Client) -> None:
    await api.raw(Namespace).create(builders.make_namespace("held", finalizers=["example.com/hold"]))
    await api.raw(ConfigMap).create(builders.make_configmap("c", namespace="held"))
    await api.of(Namespace).delete("held")

    async def finalized() -> bool:
        return (await api.of(Namespace).get("held")).spec.finalizers == ()

    await eventually(finalized, within=WITHIN)
    assert (await api.of(ConfigMap).list("held")).items == ()
    assert (await conditions(api, "held"))["NamespaceContentRemaining"] == (
        "False",
        "All content successfully removed",
    )
    await api.of(Namespace).patch("held", "", b'{"metadata":{"finalizers":null}}')
    await gone(api, "held")
