"""The real kubectl against a real server process with TLS: the everyday commands."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from tests.apiserverprocess import api_server_process

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path"),
]


@dataclass(frozen=True, slots=True)
class Kubectl:
    config: Path

    async def __call__(self, *arguments: str, stdin: str = "") -> str:
        """What it says, on both streams."""
        process = await asyncio.create_subprocess_exec(
            "kubectl",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "KUBECONFIG": str(self.config), "HOME": str(self.config.parent)},
        )
        async with asyncio.timeout(40):
            said, _ = await process.communicate(stdin.encode())
        return said.decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kubectl(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kubectl]:
    """To one server, which all tests of this file share."""
    async with api_server_process(data_dir=tmp_path_factory.mktemp("kubectl"), insecure=False) as server:
        yield Kubectl(server.data_dir / "admin.conf")


async def test_everyday_commands(kubectl: Kubectl) -> None:
    assert await kubectl("create", "configmap", "a", "--from-literal=k=v") == "configmap/a created\n"
    assert await kubectl("get", "configmap", "a", "-o", "jsonpath={.data.k}") == "v"
    assert await kubectl("label", "configmap", "a", "x=y") == "configmap/a labeled\n"
    assert await kubectl("get", "configmap", "-l", "x=y", "-o", "name") == "configmap/a\n"
    assert await kubectl("patch", "configmap", "a", "-p", '{"data":{"k":"w"}}') == "configmap/a patched\n"
    assert "k: w" in await kubectl("get", "cm", "a", "-o", "yaml")
    assert 'configmap "a" deleted' in await kubectl("delete", "configmap", "a")
    assert "NotFound" in await kubectl("get", "configmap", "a")


async def test_a_deployment(kubectl: Kubectl) -> None:
    assert await kubectl("create", "deployment", "web", "--image=nginx") == "deployment.apps/web created\n"
    assert await kubectl("scale", "deployment", "web", "--replicas=3") == "deployment.apps/web scaled\n"
    assert await kubectl("set", "image", "deployment/web", "nginx=nginx:2") == "deployment.apps/web image updated\n"
    shown = await kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.replicas} {..image}")
    assert shown == "3 nginx:2"


async def test_mistakes_read_as_usual(kubectl: Kubectl) -> None:
    assert await kubectl("get", "pod", "x") == 'Error from server (NotFound): pods "x" not found\n'
    assert await kubectl("get", "nonsense") == 'error: the server doesn\'t have a resource type "nonsense"\n'
    await kubectl("create", "namespace", "n")
    assert (
        await kubectl("create", "namespace", "n")
        == 'Error from server (AlreadyExists): namespaces "n" already exists\n'
    )
    assert (
        await kubectl("delete", "namespace", "default")
        == 'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n'
    )


async def test_what_there_is(kubectl: Kubectl) -> None:
    resources = await kubectl("api-resources")
    assert "deployments" in resources
    assert "horizontalpodautoscalers" in resources
    assert "apps/v1\n" in await kubectl("api-versions")
    assert "livez check passed" in await kubectl("get", "--raw", "/livez?verbose")
