"""`steer` as a client: kubectl's verbs, words and exit codes, against a cluster of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.eventually import eventually
from tests.integration.test_steer_up import Steer
from tests.jaegerserver import jaeger_server
from tests.terminals import at_terminal

WITHIN = 60.0
STEER = (sys.executable, "-m", "steersman.cli")
SMALL = ("--runtime=hollow", "--nodes=1", "--controller-managers=1", "--detach")

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

pytestmark = [pytest.mark.timeout(240), pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def steer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Steer]:
    """One cluster with one hollow node for all tests but those that need another."""
    made = Steer(tmp_path_factory.mktemp("steer"))
    made.environment["STEER_NAME"] = "t"
    try:
        await said(made, "up", *SMALL)
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
    assert await said(steer, "apply", "-f", str(manifest)) == "deployment.apps/web created\n"
    assert await said(steer, "apply", "-f", str(manifest)) == "deployment.apps/web unchanged\n"
    assert "successfully rolled out" in await said(steer, "rollout", "status", "deploy/web", "--timeout=60s")
    assert await said(steer, "wait", "--for=condition=Available", "deploy/web", "--timeout=60s") == (
        "deployment.apps/web condition met\n"
    )
    assert "waits for nothing" in await said(steer, "why", "deploy/web")
    await inside_its_pods(steer)
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


async def inside_its_pods(steer: Steer) -> None:
    """Hollow containers say so; what real ones say is tried in test_steer_docker.py."""
    assert "is hollow: nothing runs\n" in await said(steer, "logs", "deploy/web")
    every = await said(steer, "logs", "-l", "app=web", "--prefix", "--timestamps", "--tail=1")
    assert every.count("[pod/web-") == 2
    assert "nothing was run" in await said(steer, "exec", "deploy/web", "--", "ls", "-l")
    name = await said(steer, "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name}")
    async with at_terminal(*STEER, "exec", "-it", name, "--", "sh", env=steer.environment) as terminal:
        await terminal.shows("nothing was run")
        assert await terminal.exit_code() == 0
    for arguments, complaint in (
        (("logs", "nobody"), 'error: error from server (NotFound): pods "nobody" not found in namespace "default"\n'),
        (("logs", name, "-c", "no"), f"error: container no is not valid for pod {name} out of: c\n"),
        (("exec", name, "ls"), "error: exec [POD] [COMMAND] is not supported anymore."),
        (("exec", name, "--"), "error: you must specify at least one command for the container\n"),
    ):
        code, text = await steer(*arguments)
        assert (code, text.startswith(complaint)) == (1, True), text


async def test_a_watch_goes_on_until_it_is_interrupted(steer: Steer, tmp_path: Path) -> None:
    manifest = tmp_path / "settings.yaml"
    manifest.write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {a: b}}}")
    watching = await asyncio.create_subprocess_exec(
        *(*STEER, "get", "configmaps", "-w", "-l", "a=b"),
        env=steer.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert watching.stdout is not None
    try:
        await said(steer, "apply", "-f", str(manifest))
        async with asyncio.timeout(WITHIN):
            lines = [await watching.stdout.readline(), await watching.stdout.readline()]
        assert lines[0].split() == [b"NAME", b"DATA", b"AGE"]
        assert lines[1].split()[:2] == [b"settings", b"0"]
        watching.send_signal(signal.SIGINT)
        rest, _ = await watching.communicate()
        assert (watching.returncode, rest) == (130, b"")
    finally:
        with contextlib.suppress(ProcessLookupError):
            watching.kill()
        await watching.wait()


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        pytest.param("steer fail", "failover", id="verb"),
        pytest.param("steer get deployments.", "", id="no-kind-with-a-dot"),
        pytest.param("steer get replicase", "replicaset replicasets", id="kind"),
        pytest.param("steer logs --prev", "--previous", id="flag"),
    ],
)
async def test_completion_in_a_real_bash(tmp_path: Path, words: str, completed: str) -> None:
    program = tmp_path / "steer"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m steersman.cli "$@"\n')
    program.chmod(0o755)
    given = words.split(" ")
    script = (
        "source <(steer completion bash); "
        f"COMP_WORDS=({words}) COMP_CWORD={len(given) - 1}; "
        'eval "$(complete -p steer | sed -E "s/.*-F ([^ ]+) .*/\\1/")" steer; echo "${COMPREPLY[@]}"'
    )
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", script),
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert output.decode().strip() == completed, errors.decode()


async def test_what_cannot_be_scheduled_says_why(steer: Steer, tmp_path: Path) -> None:
    manifest = tmp_path / "big.yaml"
    big = WEB.replace("web", "big").replace("name: c,", 'name: c, resources: {requests: {cpu: "9000"}},')
    manifest.write_text(big)
    await said(steer, "create", "-f", str(manifest))

    async def explained() -> bool:
        code, text = await steer("why", "deploy/big")
        return code == 1 and "deployment.apps/big waits for: a node: 0/1 nodes are available" in text

    await eventually(explained, within=WITHIN)


async def test_an_apply_and_what_follows_from_it_are_one_trace(tmp_path: Path) -> None:
    steer = Steer(tmp_path)
    steer.environment["STEER_NAME"] = "t"
    manifest = tmp_path / "web.yaml"
    manifest.write_text(WEB)
    async with jaeger_server(tmp_path) as jaeger:
        try:
            await said(steer, "up", *SMALL, f"--otlp={jaeger.otlp}")
            applied = await said(steer, "apply", "-f", str(manifest))
            number = applied.splitlines()[0].removeprefix("trace ")
            await said(steer, "rollout", "status", "deploy/web", "--timeout=60s")

            async def traced() -> bool:
                code, text = await steer("trace", "deploy/web", f"--jaeger={jaeger.query}")
                return code == 0 and number in text and "steer apply" in text and "reconcile replicaset" in text

            await eventually(traced, within=WITHIN)
        finally:
            await steer("down")
