"""`steer` and real containers: what they say, what runs in them, and that they outlive `steer up`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from steersman.cli.local import access
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.eventually import eventually
from tests.integration.test_steer_up import Steer

WITHIN = 90.0
POLITE = "echo one; echo two; trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


@pytest.fixture
async def steer(docker_engine: Engine, tmp_path: Path) -> AsyncIterator[Steer]:
    made = Steer(tmp_path)
    network = f"steer-{tmp_path.name}"
    made.environment |= {
        "STEER_NAME": "t",
        "DOCKER_HOST": docker_engine.url,
        "STEERSMAN_DOCKER_NETWORK": network,
        "STEERSMAN_DOCKER_NETWORK_SUBNET": docker_engine.new_subnet(),
    }
    uid = ""
    try:
        await said(made, "up", *ONE_NODE)
        uid = await said(made, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
        yield made
    finally:
        await made("down")
        if uid:
            await eventually(lambda: asyncio.to_thread(_swept, docker_engine, uid, network), within=WITHIN)


ONE_NODE = ("--runtime=docker", "--nodes=1", "--controller-managers=1", "--detach")


def _swept(engine: Engine, uid: str, network: str) -> bool:
    try:
        engine.sweep(f"steersman.io/cluster={uid}")
        engine.docker("network", "rm", "--force", network)
    except RuntimeError as error:
        raise AssertionError(str(error)) from error
    return True


async def said(steer: Steer, *arguments: str) -> str:
    """What a verb says that must succeed."""
    code, text = await steer(*arguments)
    assert code == 0, text
    return text


async def fed(steer: Steer, given: bytes, *arguments: str) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a verb that gets this as its input."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "steersman.cli", *arguments),
        env=steer.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WITHIN):
        out, err = await process.communicate(given)
    return process.returncode or 0, out, err


async def test_inside_a_container_and_over_a_restart_of_everything(steer: Steer, tmp_path: Path) -> None:
    container = {"name": "main", "image": BUSYBOX_IMAGE, "command": ["/bin/sh", "-c", POLITE]}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 2}
    manifest = tmp_path / "box.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "box"}, "spec": spec}))
    await said(steer, "apply", "-f", str(manifest))
    await said(steer, "wait", "--for=condition=Ready", "pod/box", "--timeout=90s")

    async def logged() -> bool:
        return await said(steer, "logs", "box") == "one\ntwo\n"

    await eventually(logged, within=WITHIN)
    assert await said(steer, "logs", "pod/box", "--tail=1") == "two\n"
    assert await fed(steer, b"", "exec", "box", "--", "sh", "-c", "echo out; echo err >&2; exit 3") == (
        3,
        b"out\n",
        b"err\ncommand terminated with exit code 3\n",
    )
    many = b"line\n" * 100_000
    assert await fed(steer, many, "exec", "-i", "box", "--", "wc", "-l") == (0, b"100000\n", b"")

    which = "jsonpath={.status.containerStatuses[0].containerID}"
    before = await said(steer, "get", "pod", "box", "-o", which)
    await said(steer, "down")
    await said(steer, "up", *ONE_NODE)
    assert await said(steer, "get", "pod", "box", "-o", which) == before
    async with access.connected(steer.site, steer.ledger):
        assert await said(steer, "exec", "box", "--", "echo", "still here") == "still here\n"
    await said(steer, "delete", "pod", "box")
