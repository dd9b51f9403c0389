"""The real kubectl and the description of the API: explain, and what apply and diff make of it."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.apiserverprocess import api_server_process

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path"),
    pytest.mark.asyncio(loop_scope="module"),
]

KUBECTL_SECONDS = 40

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1", ports: [{containerPort: 80}]}]}
"""

QUESTION = """
apiVersion: authorization.k8s.io/v1
kind: SelfSubjectAccessReview
spec: {resourceAttributes: {verb: get, resource: pods}}
"""


class Kubectl:
    def __init__(self, home: Path, server: str) -> None:
        self._home = home
        self._server = server

    async def __call__(self, *arguments: str, stdin: str = "", **environment: str) -> str:
        """What it says, on both streams."""
        process = await asyncio.create_subprocess_exec(
            "kubectl",
            f"--server=http://{self._server}",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "KUBECONFIG": "", "HOME": str(self._home), **environment},
        )
        async with asyncio.timeout(KUBECTL_SECONDS):
            said, _ = await process.communicate(stdin.encode())
        return said.decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kubectl(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kubectl]:
    home = tmp_path_factory.mktemp("explain")
    async with api_server_process(data_dir=home) as server:
        yield Kubectl(home, server.rest)


async def test_explain_a_part_with_all_below(kubectl: Kubectl) -> None:
    said = await kubectl("explain", "deployment.spec.strategy", "--recursive")
    assert said.splitlines() == [
        "GROUP:      apps",
        "KIND:       Deployment",
        "VERSION:    v1",
        "",
        "FIELD: strategy <DeploymentStrategy>",
        "",
        "",
        "DESCRIPTION:",
        "    How old pods are replaced by new ones.",
        "    ",
        "FIELDS:",
        "  rollingUpdate\t<RollingUpdateDeployment>",
        "    maxSurge\t<IntOrString>",
        "    maxUnavailable\t<IntOrString>",
        "  type\t<string>",
        "  enum: Recreate, RollingUpdate",
        "",
    ]


async def test_explain_shows_what_is_required(kubectl: Kubectl) -> None:
    said = await kubectl("explain", "pod.spec.containers")
    assert "  name\t<string> -required-\n    The container's name, unique in the pod." in said
    assert "One program in a pod." in said


async def test_explain_of_another_version(kubectl: Kubectl) -> None:
    older = await kubectl("explain", "hpa.spec", "--api-version=autoscaling/v1")
    newer = await kubectl("explain", "hpa.spec")
    assert "targetCPUUtilizationPercentage" in older
    assert "targetCPUUtilizationPercentage" not in newer


@pytest.mark.parametrize(
    ("field", "complaint"),
    [
        ("deployment.spec.nope", 'error: field "nope" does not exist'),
        ("nonsense", 'the server doesn\'t have a resource type "nonsense"'),
    ],
)
async def test_explain_of_what_is_not_there(kubectl: Kubectl, field: str, complaint: str) -> None:
    assert complaint in await kubectl("explain", field)


async def test_explain_as_older_clients_ask(kubectl: Kubectl) -> None:
    said = await kubectl("explain", "deployment.spec.replicas", "--output=plaintext-openapiv2")
    assert "FIELD:    replicas <integer>" in said
    assert "How many pods are wanted" in said


async def test_apply_and_diff(kubectl: Kubectl) -> None:
    assert await kubectl("apply", "-f", "-", stdin=DEPLOYMENT) == "deployment.apps/web created\n"
    changed = DEPLOYMENT.replace("replicas: 2", "replicas: 5")
    difference = await kubectl("diff", "-f", "-", stdin=changed)
    assert "-  replicas: 2\n+  replicas: 5\n" in difference
    assert await kubectl("apply", "-f", "-", stdin=changed) == "deployment.apps/web configured\n"
    assert await kubectl("diff", "-f", "-", stdin=changed) == ""


async def test_a_mistake_is_found(kubectl: Kubectl) -> None:
    wrong = DEPLOYMENT.replace("replicas: 2", "replicaz: 2").replace("name: web", "name: wrong", 1)
    refused = await kubectl("apply", "--validate=strict", "-f", "-", stdin=wrong)
    assert 'strict decoding error: unknown field "spec.replicaz"' in refused
    warned = await kubectl("apply", "--validate=warn", "-f", "-", stdin=wrong)
    assert 'Warning: unknown field "spec.replicaz"\ndeployment.apps/wrong created\n' in warned


async def test_what_cannot_be_patched_is_checked_by_kubectl_itself(kubectl: Kubectl) -> None:
    """Then it asks for the older version as protobuf."""
    assert "allowed: true" in await kubectl("create", "-o", "yaml", "-f", "-", stdin=QUESTION)
    wrong = QUESTION.replace("verb: get", "werb: get")
    assert 'unknown field "werb"' in await kubectl("create", "-f", "-", stdin=wrong)


async def test_who_am_i_and_what_may_i_do(kubectl: Kubectl) -> None:
    assert "system:insecure" in await kubectl("auth", "whoami")
    assert await kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert "*.*" in await kubectl("auth", "can-i", "--list")
    assert (await kubectl("create", "token", "default")).count(".") == 2
