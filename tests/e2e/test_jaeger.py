"""One trace in a real Jaeger, from the write of a Deployment to the status writes that say that its pods run.

All components are processes of their own, and only the spans that they sent are judged: whose child each is, and that
nothing begins before what caused it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from steersman.api.apps import Deployment
from steersman.api.core import Pod
from steersman.client import client
from steersman.client.client import Client
from tests.apiserverprocess import api_server_process
from tests.eventually import eventually
from tests.jaegerserver import JaegerServer, JaegerSpan, jaeger_server
from tests.nodeagentprocess import node_agent_process
from tests.replicaprocess import replica_processes

pytestmark = pytest.mark.timeout(300)
WITHIN = 90.0
REPLICAS = 2
TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
MICROSECOND = 1_000
"""What clocks of one machine may differ by between processes."""

CHAIN = (
    ("steersman-apiserver", "create deployments"),
    ("steersman-controller-manager", "reconcile deployment"),
    ("steersman-apiserver", "create replicasets"),
    ("steersman-controller-manager", "reconcile replicaset"),
    ("steersman-apiserver", "create pods"),
    ("steersman-controller-manager", "schedule"),
    ("steersman-apiserver", "bind pods"),
    ("steersman-nodeagent", "sync pod"),
    ("steersman-nodeagent", "report status"),
    ("steersman-apiserver", "update_status pods"),
)
"""From the top to the bottom: each the child of the one before."""


class Trace:
    def __init__(self, spans: Sequence[JaegerSpan]) -> None:
        self.spans = spans
        self._by_id = {span.id: span for span in spans}

    def line(self, span: JaegerSpan) -> list[JaegerSpan]:
        """The span and all above it, topmost first."""
        line = [span]
        while above := self._by_id.get(line[0].parent):
            line.insert(0, above)
        return line

    def below(self, span: JaegerSpan) -> list[JaegerSpan]:
        return [each for each in self.spans if each.parent == span.id]

    def named(self, name: str) -> list[JaegerSpan]:
        return [span for span in self.spans if span.name == name]

    def syncs(self) -> dict[str, JaegerSpan]:
        """By pod, the sync that started its container. (There may be others, which had less to do.)"""
        starts = {started.parent for started in self.named("start container")}
        return {sync.attributes["pod"]: sync for sync in self.named("sync pod") if sync.id in starts}

    def last_word(self, sync: JaegerSpan) -> JaegerSpan | None:
        """The last write of this sync that says that the pod runs: one that was overtaken is repeated."""
        reports = [each for each in self.below(sync) if each.name == "report status"]
        running = [each for each in reports if each.attributes["phase"] == "Running"]
        writes = [write for report in running for write in self.below(report)]
        return writes[-1] if writes else None

    def as_text(self) -> str:
        """For whoever has to find out why."""
        return "\n".join(f"{'  ' * len(self.line(span))}{span.service} {span.name}" for span in self.spans)


@pytest.fixture
async def jaeger(tmp_path: Path) -> AsyncIterator[JaegerServer]:
    async with jaeger_server(tmp_path) as server:
        yield server


async def create_over_rest(address: str) -> None:
    """With the header that any traced client sends."""
    labels = {"app": "web"}
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": REPLICAS,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}},
        },
    }
    url = f"http://{address}/apis/apps/v1/namespaces/default/deployments"
    headers = {"traceparent": f"00-{TRACE}-{CALLER}-01", "content-type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=json.dumps(manifest), headers=headers) as got:
        assert got.status == 201, await got.text()


async def all_ready(api: Client) -> bool:
    found = await api.of(Deployment).get("web", "default")
    return found.status.ready_replicas == REPLICAS


async def test_a_deployment_is_one_trace_down_to_the_status_of_its_pods(tmp_path: Path, jaeger: JaegerServer) -> None:
    traced = f"--otlp-endpoint={jaeger.otlp}"
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(api_server_process(data_dir=tmp_path / "api", arguments=[traced]))
        api = await stack.enter_async_context(client.connect([server.grpc]))
        await stack.enter_async_context(replica_processes(server.grpc, tmp_path, count=1, arguments=[traced]))
        await stack.enter_async_context(
            node_agent_process(server.grpc, tmp_path / "node", "--runtime=hollow", "--nodes=2", traced, node="node")
        )
        await create_over_rest(server.rest)
        await eventually(lambda: all_ready(api), within=WITHIN)
        pods = {f"default/{pod.metadata.name}" for pod in (await api.of(Pod).list("default")).items}
        assert len(pods) == REPLICAS

        async def complete() -> Trace:
            """Spans arrive in batches, a second apart, a child often before its parent."""
            found = Trace(await jaeger.trace(TRACE))
            syncs = found.syncs()
            assert syncs.keys() == pods, found.as_text()
            for sync in syncs.values():
                written = found.last_word(sync)
                assert written is not None, found.as_text()
                assert [(span.service, span.name) for span in found.line(written)] == list(CHAIN), found.as_text()
            return found

        found = await eventually(complete, within=WITHIN)
    _check_order(found)


def _check_order(found: Trace) -> None:
    (applied,) = found.named("create deployments")
    assert applied.parent == CALLER
    for span in found.spans:
        beginnings = [each.begins for each in found.line(span)]
        assert all(earlier <= later + MICROSECOND for earlier, later in itertools.pairwise(beginnings))
    for sync in found.syncs().values():
        (sandbox,) = [each for each in found.below(sync) if each.name == "start sandbox"]
        (container,) = [each for each in found.below(sync) if each.name == "start container"]
        written = found.last_word(sync)
        assert written is not None
        assert sandbox.ends <= container.begins
        assert container.ends <= written.begins
