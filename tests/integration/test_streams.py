"""Logs, exec, attach and port-forward over HTTP, WebSocket and SPDY, with a hollow node at the other end."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import WSMsgType

from apiserver.server import Serving
from nodeagent import process
from nodeagent.config import RuntimeKind, Settings
from nodeagent.runtime.hollow import sessions
from nodeagent.runtime.hollow.engine import Container
from nodeagent.runtime.hollow.sessions import HollowAttach
from steersman.api import codec
from steersman.api.core import DaemonEndpoint, Node, NodeDaemonEndpoints, NodeStatus, Pod
from steersman.api.errors import NotFound
from steersman.api.meta import ObjectMeta
from steersman.base.values import Address, Duration
from steersman.client import client
from steersman.client.client import Client
from tests import spdyclient
from tests.apiserverprocess import api_server_process
from tests.builders import make_pod
from tests.eventually import eventually
from tests.nodeagentprocess import node_agent_process
from tests.spdyclient import Refused

WITHIN = 60.0
SUCCESS = {"metadata": {}, "status": "Success"}
SAID = b"this container is hollow: nothing was run\n"
EXEC = "command=ls&stdin=true&stdout=true&stderr=true"


@dataclass
class World:
    api: Client
    server: str
    http: aiohttp.ClientSession

    def path(self, pod: str, subresource: str, query: str = "") -> str:
        return f"/api/v1/namespaces/default/pods/{pod}/{subresource}?{query}"

    async def get(self, path: str) -> tuple[int, str]:
        async with self.http.get(f"http://{self.server}{path}") as answer:
            return answer.status, await answer.text()

    async def refusal(self, path: str) -> tuple[int, str]:
        code, text = await self.get(path)
        return code, json.loads(text)["message"]

    async def socket(self, path: str, *protocols: str) -> aiohttp.ClientWebSocketResponse:
        return await self.http.ws_connect(f"http://{self.server}{path}", protocols=protocols, autoclose=True)

    async def create(self, name: str, node: str = "hollow-1", **spec: Any) -> None:
        fields = {"automountServiceAccountToken": False, **spec}
        await self.api.raw(Pod).create(make_pod(name, node=node, spec=fields))

    async def running(self, name: str, node: str = "hollow-1") -> None:
        await self.create(name, node)

        async def there() -> bool:
            return (await self.api.of(Pod).get(name, "default")).status.phase == "Running"

        await eventually(there, within=WITHIN)


@pytest.fixture
async def world(api: Client, api_server: Serving, tmp_path: Path) -> AsyncIterator[World]:
    settings = Settings(
        server=(str(api_server.grpc),),
        node_name="hollow",
        runtime=RuntimeKind.HOLLOW,
        nodes=2,
        insecure=True,
        address=Address("127.0.0.1", 0),
        data_dir=tmp_path / "node",
        heartbeat_interval=Duration(1.0),
    )
    async with aiohttp.ClientSession() as http, asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(process.serve(settings, api))
        world = World(api, str(api_server.rest), http)
        await eventually(lambda: _is_registered(api, "hollow-1"), within=WITHIN)
        await world.running("web")
        yield world
        serving.cancel()


async def _is_registered(api: Client, node: str) -> bool:
    try:
        return bool(await api.of(Node).get(node))
    except NotFound:
        return False


# --- Logs


async def test_a_log_is_plain_text(world: World) -> None:
    assert await world.get(world.path("web", "log")) == (200, "main (attempt 0) is hollow: nothing runs\n")
    code, text = await world.get(world.path("web", "log", "timestamps=true&limitBytes=4"))
    assert (code, len(text)) == (200, 4)
    assert await world.get(world.path("web", "log", "tailLines=0")) == (200, "")


async def test_mistakes_are_told_before_anything_is_sent(world: World) -> None:
    invalid = 'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'
    assert await world.refusal(world.path("web", "log", "tailLines=-1")) == (422, invalid)
    assert await world.refusal(world.path("no", "log")) == (404, 'pods "no" not found')
    wrong = "container no is not valid for pod web"
    assert await world.refusal(world.path("web", "log", "container=no")) == (400, wrong)
    previous = 'previous terminated container "main" in pod "web" not found'
    assert await world.refusal(world.path("web", "log", "previous=true")) == (400, previous)


async def test_a_pod_without_a_node_has_said_nothing(world: World) -> None:
    await world.create("waiting", node="")
    assert await world.get(world.path("waiting", "log")) == (200, "")
    unbound = "pod waiting does not have a host assigned"
    assert await world.refusal(world.path("waiting", "exec", EXEC)) == (400, unbound)


async def test_a_followed_log_ends_with_its_container(world: World) -> None:
    async with world.http.get(f"http://{world.server}{world.path('web', 'log', 'follow=true')}") as answer:
        assert await answer.content.readline() == b"main (attempt 0) is hollow: nothing runs\n"
        await world.api.of(Pod).delete("web", "default", grace_period_seconds=0)
        async with asyncio.timeout(WITHIN):
            assert await answer.content.read() == b""


async def test_nothing_is_left_of_a_call_whose_client_went(world: World) -> None:
    """A leak would be one task a call; what else runs here comes and goes by fewer."""
    before, calls = len(asyncio.all_tasks()), 20
    for _ in range(calls):
        followed = await world.http.get(f"http://{world.server}{world.path('web', 'log', 'follow=true')}")
        await followed.content.readline()
        attached = await world.socket(world.path("web", "attach", "stdout=true"), "v5.channel.k8s.io")
        followed.close()
        await attached.close()
    await eventually(lambda: len(asyncio.all_tasks()) < before + calls // 2, within=WITHIN)


async def test_a_log_in_messages(world: World) -> None:
    socket = await world.socket(world.path("web", "log"), "base64.binary.k8s.io")
    assert base64.b64decode(await socket.receive_str()) == b"main (attempt 0) is hollow: nothing runs\n"
    assert (await socket.receive()).type is WSMsgType.CLOSE


# --- Commands over WebSocket


async def heard(socket: aiohttp.ClientWebSocketResponse) -> dict[int, bytes]:
    """What came on which channel, until the server closes."""
    found: dict[int, bytes] = {}
    async with asyncio.timeout(WITHIN):
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                channel, data = message.data[0], message.data[1:]
            else:
                channel, data = int(message.data[0]), base64.b64decode(message.data[1:])
            found[channel] = found.get(channel, b"") + data
    assert socket.close_code == 1000
    return found


@pytest.mark.parametrize("protocol", ["v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"])
async def test_a_command_ends_with_a_status(world: World, protocol: str) -> None:
    socket = await world.socket(world.path("web", "exec", EXEC), protocol)
    assert socket.protocol == protocol
    found = await heard(socket)
    assert found[2] == SAID
    assert json.loads(found[3]) == SUCCESS


@pytest.mark.parametrize("protocols", [["channel.k8s.io"], ["base64.channel.k8s.io"], []])
async def test_before_v4_success_has_no_words(world: World, protocols: list[str]) -> None:
    assert await heard(await world.socket(world.path("web", "exec", EXEC), *protocols)) == {2: SAID}


async def test_what_the_agent_refuses_is_told_in_the_error_channel(world: World) -> None:
    await world.create("ended", restartPolicy="Never")

    async def has_ended() -> bool:
        return (await world.api.of(Pod).get("ended", "default")).status.phase == "Succeeded"

    await eventually(has_ended, within=WITHIN)
    found = await heard(await world.socket(world.path("ended", "exec", EXEC), "v5.channel.k8s.io"))
    told = json.loads(found[3])
    message = 'Internal error occurred: unable to upgrade connection: container not found ("main")'
    assert (told["code"], told["message"]) == (500, message)


async def test_a_command_without_an_upgrade_or_a_common_language_is_refused(world: World) -> None:
    assert await world.refusal(world.path("web", "exec", EXEC)) == (400, "Upgrade request required")
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await world.socket(world.path("web", "exec", EXEC), "v9.channel.k8s.io")
    assert caught.value.status == 400


async def test_attaching_lasts_as_long_as_the_container(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    attached = asyncio.Event()

    def noted(container: Container) -> HollowAttach:
        attached.set()
        return HollowAttach(container)

    monkeypatch.setattr(sessions, "HollowAttach", noted)
    socket = await world.socket(world.path("web", "attach", "stdin=true&stdout=true"), "v5.channel.k8s.io")
    await socket.send_bytes(b"\x00words")
    await socket.send_bytes(b'\x04{"Width":80,"Height":24}')
    await socket.send_bytes(b"\xff\x00")
    async with asyncio.timeout(WITHIN):
        await attached.wait()
    await world.api.of(Pod).delete("web", "default", grace_period_seconds=0)
    assert json.loads((await heard(socket))[3]) == SUCCESS


# --- Commands over SPDY


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_command_over_native_spdy(world: World, method: str) -> None:
    path = world.path("web", "exec", EXEC)
    offers = ("v5.channel.k8s.io", "v4.channel.k8s.io")
    async with spdyclient.switched(world.server, method, path, protocols=offers) as client:
        error, stdin, stdout, stderr = [await client.open(streamtype=kind) for kind in STREAMS]
        await client.send(stdin, b"words")
        await client.finish(stdin)
        await client.until_ended(error, stdout, stderr)
        assert client.received[stderr] == SAID
        assert json.loads(client.received[error]) == SUCCESS, client.received


STREAMS = ("error", "stdin", "stdout", "stderr")


async def test_refusals_over_native_spdy(world: World) -> None:
    path = world.path("web", "exec", EXEC)
    with pytest.raises(Refused, match=r"HTTP/1.1 403(.|\n)*X-Accepted-Stream-Protocol-Versions: v4.channel.k8s.io"):
        async with spdyclient.switched(world.server, "POST", path, protocols=("v9.channel.k8s.io",)):
            pass
    with pytest.raises(Refused, match='404(.|\n)*pods \\\\"no\\\\" not found'):
        async with spdyclient.switched(world.server, "POST", world.path("no", "exec", EXEC)):
            pass


async def test_nonsense_after_the_switch_is_hung_up_on(world: World) -> None:
    reader, writer = await asyncio.open_connection(*world.server.split(":"))
    path = world.path("web", "exec", EXEC)
    writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n".encode())
    async with asyncio.timeout(WITHIN):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"GET / HTTP/1.1\r\n\r\n" * 100)
        assert await reader.read() == b""
    writer.close()


# --- Port-forward


async def test_a_port_at_which_nothing_listens_is_told_in_the_error_stream(world: World) -> None:
    async with spdyclient.switched(world.server, "POST", world.path("web", "portforward")) as client:
        for number in range(2):
            error = await client.open(streamtype="error", port="80", requestid=str(number))
            await client.finish(error)
            data = await client.open(streamtype="data", port="80", requestid=str(number))
            await client.until_ended(error, data)
            assert client.received[error].startswith(b"error forwarding port 80 to pod web, uid ")


async def test_the_channels_of_a_port(world: World) -> None:
    socket = await world.socket(world.path("web", "portforward", "ports=80"), "v4.channel.k8s.io")
    found = await heard(socket)
    assert found[0] == (80).to_bytes(2, "little")
    assert found[1].startswith((80).to_bytes(2, "little") + b"error forwarding port 80 to pod web")


# --- Nodes


async def test_the_figures_of_a_node(world: World) -> None:
    code, text = await world.get("/api/v1/nodes/hollow-1/proxy/stats/summary")
    told = json.loads(text)
    assert code == 200
    assert told["node"]["nodeName"] == "hollow-1"
    assert [pod["podRef"]["name"] for pod in told["pods"]] == ["web"]
    assert json.loads((await world.get("/api/v1/nodes/hollow-0/proxy/stats/summary"))[1])["pods"] == []


async def test_other_paths_of_a_node(world: World) -> None:
    assert await world.get("/api/v1/nodes/hollow-1/proxy/healthz") == (200, "ok")
    logs = "/api/v1/nodes/hollow-1/proxy/containerLogs/default/web/main"
    assert await world.get(logs) == (200, "main (attempt 0) is hollow: nothing runs\n")
    assert (await world.get("/api/v1/nodes/hollow-1/proxy/other"))[0] == 404


async def test_a_node_whose_agent_is_away(world: World) -> None:
    status = NodeStatus(daemon_endpoints=NodeDaemonEndpoints(kubelet_endpoint=DaemonEndpoint(port=1)))
    await world.api.of(Node).create(Node(metadata=ObjectMeta(name="lost"), status=status))
    written = await world.api.raw(Pod).create(make_pod("lost", node="lost", spec={}))
    assert codec.load(Pod, written.object).spec.node_name == "lost"
    assert await world.refusal(world.path("lost", "log")) == (503, "the agent of node lost cannot be reached")


async def test_a_server_that_stops_ends_its_streams(tmp_path: Path) -> None:
    async with (
        api_server_process(data_dir=tmp_path / "api") as server,
        node_agent_process(server.grpc, tmp_path / "node", "--runtime=hollow", node="hollow"),
        client.connect([server.grpc]) as api,
        aiohttp.ClientSession() as http,
    ):
        world = World(api, server.rest, http)
        await eventually(lambda: _is_registered(api, "hollow-0"), within=WITHIN)
        await world.running("web", node="hollow-0")
        async with http.get(f"http://{server.rest}{world.path('web', 'log', 'follow=true')}") as answer:
            await answer.content.readline()
            attached = await world.socket(world.path("web", "attach", "stdout=true"), "v5.channel.k8s.io")
            async with asyncio.timeout(WITHIN):
                assert await server.terminate() == 0
            await attached.close()
