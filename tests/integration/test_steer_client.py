"""`steer` as a client: kubectl's verbs, words and exit codes, against a cluster of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.integration.test_steer_up import Steer
from tests.jaegerserver import jaeger_server

WITHIN = 60.0

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: c, image: "nginx:1", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
"""

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
async def steer(tmp_path: Path) -> AsyncIterator[Steer]:
    made = Steer(tmp_path)
    made.environment["STEER_NAME"] = "t"
    try:
        yield made
    finally:
        await made("down")


async def said(steer: Steer, *arguments: str) -> str:
    """What a verb says that must succeed."""
    code, text = await steer(*arguments)
    assert code == 0, text
    return text


async def test_the_life_of_a_deployment(steer: Steer, tmp_path: Path) -> None:
    manifest = tmp_path / "web.yaml"
    manifest.write_text(WEB)
    await said(steer, "up", "--runtime=hollow", "--nodes=1", "--controller-managers=1", "--detach")

    assert await said(steer, "apply", "-f", str(manifest)) == "deployment.apps/web created\n"
    assert await said(steer, "apply", "-f", str(manifest)) == "deployment.apps/web unchanged\n"
    assert "successfully rolled out" in await said(steer, "rollout", "status", "deploy/web", "--timeout=60s")
    assert await said(steer, "wait", "--for=condition=Available", "deploy/web", "--timeout=60s") == (
        "deployment.apps/web condition met\n"
    )
    assert "waits for nothing" in await said(steer, "why", "deploy/web")
    assert (await said(steer, "get", "deploy/web")).startswith(
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    2/2 "
    )

    manifest.write_text(WEB.replace(', {name: B, value: "2"}', "").replace("nginx:1", "nginx:2"))
    assert await said(steer, "apply", "-f", str(manifest), "--dry-run=server") == (
        "deployment.apps/web configured (server dry run)\n"
    )
    assert await said(steer, "apply", "-f", str(manifest)) == "deployment.apps/web configured\n"
    path = "jsonpath={.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].env[*].name}"
    assert await said(steer, "get", "deploy", "web", "-o", path) == "nginx:2 A"
    await said(steer, "rollout", "status", "deploy/web", "--timeout=60s")
    assert await said(steer, "rollout", "undo", "deploy/web") == "deployment.apps/web rolled back\n"
    assert await said(steer, "get", "deploy", "web", "-o", path) == "nginx:1 A B"

    assert await said(steer, "scale", "deploy/web", "--replicas=1") == "deployment.apps/web scaled\n"
    assert "ScalingReplicaSet" in await said(steer, "describe", "deploy/web")
    assert await said(steer, "delete", "deploy/web") == 'deployment.apps "web" deleted from default namespace\n'

    code, text = await steer("get", "deploy/web")
    assert (code, text) == (1, 'Error from server (NotFound): deployments.apps "web" not found\n')


async def test_what_cannot_be_scheduled_says_why(steer: Steer, tmp_path: Path) -> None:
    manifest = tmp_path / "big.yaml"
    manifest.write_text(WEB.replace("name: c,", 'name: c, resources: {requests: {cpu: "9000"}},'))
    await said(steer, "up", "--runtime=hollow", "--nodes=1", "--controller-managers=1", "--detach")
    await said(steer, "create", "-f", str(manifest))

    async def explained() -> bool:
        code, text = await steer("why", "deploy/web")
        return code == 1 and "deployment.apps/web waits for: a node: 0/1 nodes are available" in text

    await eventually(explained, within=WITHIN)


async def test_an_apply_and_what_follows_from_it_are_one_trace(steer: Steer, tmp_path: Path) -> None:
    manifest = tmp_path / "web.yaml"
    manifest.write_text(WEB)
    async with jaeger_server(tmp_path) as jaeger:
        started = ("--runtime=hollow", "--nodes=1", "--controller-managers=1", f"--otlp={jaeger.otlp}")
        await said(steer, "up", *started, "--detach")
        applied = await said(steer, "apply", "-f", str(manifest))
        number = applied.splitlines()[0].removeprefix("trace ")
        await said(steer, "rollout", "status", "deploy/web", "--timeout=60s")

        async def traced() -> bool:
            code, text = await steer("trace", "deploy/web", f"--jaeger={jaeger.query}")
            return code == 0 and number in text and "steer apply" in text and "reconcile replicaset" in text

        await eventually(traced, within=WITHIN)
        await said(steer, "down")
