"""Every namespace has its ServiceAccount and the CA, whatever is done to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apiserver.server import Serving
from steersman.api.core import ConfigMap, Namespace, ServiceAccount
from steersman.api.errors import NotFound
from steersman.client.client import Client
from tests import builders
from tests.eventually import eventually
from tests.integration.replicas import replica_running

WITHIN = 30
CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


@pytest.fixture(autouse=True)
async def replica(api_server: Serving, tmp_path: Path) -> AsyncIterator[None]:
    file = tmp_path / "root.crt"
    file.write_text(CA)
    async with replica_running(str(api_server.grpc), "serviceaccount", "namespace", root_ca_file=file):
        yield


async def equipped(api: Client, namespace: str) -> ServiceAccount:
    async def both_there() -> ServiceAccount | None:
        try:
            account = await api.of(ServiceAccount).get("default", namespace)
            published = await api.of(ConfigMap).get("kube-root-ca.crt", namespace)
        except NotFound:
            return None
        return account if published.data == {"ca.crt": CA} else None

    found = await eventually(both_there, within=WITHIN)
    assert found is not None
    return found


@pytest.mark.parametrize("namespace", ["default", "kube-system", "shop"])
async def test_every_namespace_is_equipped(api: Client, namespace: str) -> None:
    if namespace == "shop":
        await api.raw(Namespace).create(builders.make_namespace(namespace))
    await equipped(api, namespace)


async def test_what_is_deleted_or_changed_comes_back(api: Client) -> None:
    first = await equipped(api, "default")
    await api.of(ServiceAccount).delete("default", "default")
    await api.of(ConfigMap).delete("kube-root-ca.crt", "default")

    async def made_anew() -> bool:
        return (await equipped(api, "default")).metadata.uid != first.metadata.uid

    await eventually(made_anew, within=WITHIN)
    await api.of(ConfigMap).patch("kube-root-ca.crt", "default", b'{"data":{"ca.crt":"forged","more":"x"}}')
    await equipped(api, "default")


async def test_a_namespace_that_goes_is_not_equipped_again(api: Client) -> None:
    await api.raw(Namespace).create(builders.make_namespace("shop"))
    await equipped(api, "shop")
    await api.of(Namespace).delete("shop")

    async def gone() -> bool:
        return "shop" not in {each.metadata.name for each in (await api.of(Namespace).list()).items}

    await eventually(gone, within=WITHIN)
    assert (await api.of(ServiceAccount).list("shop")).items == ()
