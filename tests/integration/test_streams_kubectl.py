"""Real kubectl, real containers, TLS on the whole way: logs, exec, attach, cp, port-forward, proxies.

What differs between WebSocket and SPDY is tried both ways, and with every kubectl that is on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from nodeagent.runtime.docker import naming
from tests.apiserverprocess import ApiServerProcess, api_server_process
from tests.dockerengine import BUSYBOX_IMAGE, Engine
from tests.eventually import eventually
from tests.nodeagentprocess import node_agent_process
from tests.terminals import at_terminal

NODE = "node-a"
WITHIN = 60.0
POLITE = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done"
SDK = Path("/usr/lib/google-cloud-sdk/bin")
ALL_KUBECTLS = sorted({"kubectl", *(str(path) for path in SDK.glob("kubectl.1.*"))})

pytestmark = [
    pytest.mark.docker,
    pytest.mark.kubectl,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path"),
]
both_ways = pytest.mark.parametrize("websockets", ["true", "false"], ids=["websocket", "spdy"])


@dataclass
class World:
    config: Path

    def env(self, websockets: str) -> dict[str, str]:
        return {
            **os.environ,
            "KUBECONFIG": str(self.config),
            "HOME": str(self.config.parent),
            "KUBECTL_REMOTE_COMMAND_WEBSOCKETS": websockets,
            "KUBECTL_PORT_FORWARD_WEBSOCKETS": websockets,
        }

    async def kubectl(
        self, *arguments: str, stdin: bytes = b"", websockets: str = "true", program: str = "kubectl"
    ) -> tuple[int, str, str]:
        """Exit code, output, errors."""
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.env(websockets),
        )
        async with asyncio.timeout(WITHIN):
            out, err = await process.communicate(stdin)
        return process.returncode or 0, out.decode(), err.decode()

    def tls(self) -> ssl.SSLContext:
        pki = self.config.parent / "pki"
        tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        return tls

    async def said(self, *arguments: str) -> str:
        code, out, err = await self.kubectl(*arguments)
        assert code == 0, err
        return out

    @asynccontextmanager
    async def running(self, *arguments: str, websockets: str = "true") -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            "kubectl",
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.env(websockets),
        )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def create(self, name: str, script: str, **fields: Any) -> None:
        restart = fields.pop("restartPolicy", "Always")
        container = {"name": "main", "image": BUSYBOX_IMAGE, "command": ["/bin/sh", "-c", script], **fields}
        spec = {
            "nodeName": NODE,
            "containers": [container],
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 2,
            "restartPolicy": restart,
        }
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        code, _, err = await self.kubectl("create", "-f", "-", stdin=json.dumps(pod).encode())
        assert code == 0, err

    async def reaches(self, name: str, path: str, value: str) -> None:
        async def there() -> bool:
            found = await self.said("get", "pod", name, "-o", f"jsonpath={path}")
            assert found == value, found
            return True

        await eventually(there, within=WITHIN)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(docker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """One cluster with one node, and in it the pod `box`, which serves /www at port 8080."""
    folder = tmp_path_factory.mktemp("world")
    async with api_server_process(
        data_dir=folder / "api", insecure=False, arguments=(f"--node-certificates={NODE}",)
    ) as server:
        world = World(server.data_dir / "admin.conf")
        cluster = await world.said("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}")
        async with _agent(server, docker_engine, folder, cluster):
            script = f"echo one; echo two; echo three; mkdir -p /www; httpd -p 8080 -h /www; {POLITE}"
            await world.create("box", script, ports=[{"containerPort": 8080}])
            await world.reaches("box", "{.status.containerStatuses[0].ready}", "true")
            await world.said("exec", "box", "--", "sh", "-c", "echo page > /www/index.html")
            yield world


@asynccontextmanager
async def _agent(server: ApiServerProcess, engine: Engine, folder: Path, cluster: str) -> AsyncIterator[None]:
    network = f"steersman-{cluster[:8]}"
    arguments = (
        f"--docker-url={engine.url}",
        f"--docker-network={network}",
        f"--docker-network-subnet={engine.new_subnet()}",
    )
    try:
        async with node_agent_process(server.grpc, folder / "node", *arguments, node=NODE, cluster_dir=server.data_dir):
            yield
    finally:
        await eventually(lambda: asyncio.to_thread(_swept, engine, cluster, network), within=WITHIN)


def _swept(engine: Engine, cluster: str, network: str) -> bool:
    try:
        engine.sweep(f"{naming.CLUSTER}={cluster}")
        engine.docker("network", "rm", "--force", network)
    except RuntimeError as error:
        raise AssertionError(str(error)) from error
    return True


# --- Logs


async def test_logs(world: World) -> None:
    assert await world.said("logs", "box") == "one\ntwo\nthree\n"
    assert await world.said("logs", "box", "--tail=2") == "two\nthree\n"
    assert await world.said("logs", "box", "--limit-bytes=5") == "one\nt"
    assert await world.said("logs", "box", "--since-time=2099-01-01T00:00:00Z") == ""
    stamped = await world.said("logs", "box", "--tail=1", "--timestamps")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z three\n", stamped)


async def test_logs_of_the_run_before(world: World) -> None:
    code, _, err = await world.kubectl("logs", "box", "--previous")
    told = 'Error from server (BadRequest): previous terminated container "main" in pod "box" not found\n'
    assert (code, err) == (1, told)
    await world.create("crasher", "echo run; exit 1")
    await world.reaches("crasher", "{.status.containerStatuses[0].restartCount}", "1")
    assert await world.said("logs", "crasher", "--previous") == "run\n"


async def test_logs_are_followed_to_the_end(world: World) -> None:
    await world.create(
        "talker", "echo begin; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo end", restartPolicy="Never"
    )
    await world.reaches("talker", "{.status.phase}", "Running")
    async with world.running("logs", "--follow", "talker") as following, asyncio.timeout(WITHIN):
        assert following.stdout is not None
        assert await following.stdout.readline() == b"begin\n"
        await world.said("exec", "talker", "--", "touch", "/tmp/go")
        assert await following.stdout.read() == b"end\n"


async def test_logs_of_what_has_not_started(world: World) -> None:
    await world.create("imageless", "true", image="registry.invalid/none:1", imagePullPolicy="Never")
    await world.reaches("imageless", "{.status.containerStatuses[0].state.waiting.reason}", "ErrImageNeverPull")
    _, _, err = await world.kubectl("logs", "imageless")
    assert err == (
        'Error from server (BadRequest): container "main" in pod "imageless" is waiting to start: ErrImageNeverPull\n'
    )


# --- Commands


@both_ways
async def test_a_command_has_two_outputs_and_an_exit_code(world: World, websockets: str) -> None:
    script = "cat; echo problem >&2; exit 3"
    done = await world.kubectl("exec", "-i", "box", "--", "sh", "-c", script, stdin=b"words\n", websockets=websockets)
    assert done == (3, "words\n", "problem\ncommand terminated with exit code 3\n")


@pytest.mark.parametrize("program", ALL_KUBECTLS, ids=lambda program: Path(program).name)
async def test_every_kubectl(world: World, program: str) -> None:
    done = await world.kubectl("exec", "-i", "box", "--", "sh", "-c", "cat; exit 4", stdin=b"hi\n", program=program)
    assert done == (4, "hi\n", "command terminated with exit code 4\n")


@both_ways
async def test_a_command_may_stop_listening(world: World, websockets: str) -> None:
    much = b"line\n" * 400_000
    done = await world.kubectl("exec", "-i", "box", "--", "head", "-n", "1", stdin=much, websockets=websockets)
    assert done == (0, "line\n", "")


@both_ways
async def test_a_terminal(world: World, websockets: str) -> None:
    command = ("kubectl", "exec", "-it", "box", "--", "sh")
    async with at_terminal(*command, env=world.env(websockets), rows=33, columns=101) as terminal:
        await terminal.shows("/ # ")
        terminal.type("stty size; tty\n")
        await terminal.shows("33 101\r\n")
        await terminal.shows("/dev/pts/")
        terminal.type("exit 7\n")
        assert await terminal.exit_code() == 7


@both_ways
async def test_a_container_that_does_not_run_cannot_be_entered(world: World, websockets: str) -> None:
    await world.create(f"over-{websockets}", "true", restartPolicy="Never")
    await world.reaches(f"over-{websockets}", "{.status.phase}", "Succeeded")
    code, _, err = await world.kubectl("exec", f"over-{websockets}", "--", "ls", websockets=websockets)
    assert code == 1
    assert "cannot exec into a container in a completed pod; current phase is Succeeded" in err


@both_ways
async def test_attaching(world: World, websockets: str) -> None:
    name = f"listener-{websockets}"
    await world.create(name, "while read x; do echo got $x; done; echo end", stdin=True, stdinOnce=True)
    await world.reaches(name, "{.status.phase}", "Running")
    async with world.running("attach", "-i", name, websockets=websockets) as attached, asyncio.timeout(WITHIN):
        assert attached.stdin is not None
        assert attached.stdout is not None
        attached.stdin.write(b"words\n")
        assert await attached.stdout.readline() == b"got words\n"
        attached.stdin.close()
        assert await attached.stdout.readline() == b"end\n"


@both_ways
async def test_files_are_copied_both_ways(world: World, websockets: str, tmp_path: Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    there.write_bytes(os.urandom(2_000_000))
    code, _, err = await world.kubectl("cp", str(there), f"box:/tmp/{websockets}", websockets=websockets)
    assert code == 0, err
    code, _, err = await world.kubectl("cp", f"box:/tmp/{websockets}", str(back), websockets=websockets)
    assert code == 0, err
    assert back.read_bytes() == there.read_bytes()


# --- Ports


@both_ways
async def test_ports_are_forwarded(world: World, websockets: str) -> None:
    await world.said("exec", "box", "--", "sh", "-c", "head -c 1000000 /dev/zero > /www/zeros")
    async with world.running("port-forward", "pod/box", "0:8080", websockets=websockets) as forwarding:
        assert forwarding.stdout is not None
        async with asyncio.timeout(WITHIN):
            address = re.findall(r"127\.0\.0\.1:\d+", (await forwarding.stdout.readline()).decode())[0]
            async with aiohttp.ClientSession() as http:
                answers = await asyncio.gather(*(_fetched(http, f"http://{address}/zeros") for _ in range(5)))
        assert answers == [bytes(1_000_000)] * 5


async def _fetched(http: aiohttp.ClientSession, url: str) -> bytes:
    async with http.get(url) as answer:
        return await answer.read()


async def test_a_port_at_which_nothing_listens(world: World) -> None:
    async with world.running("port-forward", "pod/box", "0:81") as forwarding, asyncio.timeout(WITHIN):
        assert forwarding.stdout is not None
        assert forwarding.stderr is not None
        address = re.findall(r"127\.0\.0\.1:\d+", (await forwarding.stdout.readline()).decode())[0]
        reader, writer = await asyncio.open_connection(*address.split(":"))
        assert await reader.read() == b""
        writer.close()
        assert b"error forwarding port 81 to pod box" in await forwarding.stderr.readline()


# --- Proxies


async def test_a_pod_is_reached_through_the_server(world: World) -> None:
    pods = "/api/v1/namespaces/default/pods"
    assert await world.said("get", "--raw", f"{pods}/box/proxy/") == "page\n"
    assert await world.said("get", "--raw", f"{pods}/http:box:8080/proxy/index.html") == "page\n"
    code, _, err = await world.kubectl("get", "--raw", f"{pods}/box:81/proxy/")
    assert code == 1
    assert "error trying to reach service: error forwarding port 81 to pod box" in err


async def test_a_pod_is_reached_through_its_service(world: World) -> None:
    address = await world.said("get", "pod", "box", "-o", "jsonpath={.status.podIP}")
    port = {"name": "http", "port": 8080, "protocol": "TCP"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front"},
        "spec": {"ports": [{**port, "port": 80, "targetPort": 8080}]},
    }
    pod = {"kind": "Pod", "namespace": "default", "name": "box"}
    known = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "front", "labels": {"kubernetes.io/service-name": "front"}},
        "addressType": "IPv4",
        "ports": [port],
        "endpoints": [{"addresses": [address], "targetRef": pod}],
    }
    both = {"apiVersion": "v1", "kind": "List", "items": [service, known]}
    code, _, err = await world.kubectl("create", "-f", "-", stdin=json.dumps(both).encode())
    assert code == 0, err
    services = "/api/v1/namespaces/default/services"
    assert await world.said("get", "--raw", f"{services}/front:http/proxy/") == "page\n"
    assert await world.said("get", "--raw", f"{services}/http:front:80/proxy/index.html") == "page\n"
    code, _, err = await world.kubectl("get", "--raw", f"{services}/front/proxy/")
    assert (code, err) == (1, 'Error from server (ServiceUnavailable): no endpoints available for service "front"\n')


async def test_what_is_passed_on_need_not_be_a_verb_of_ours(world: World) -> None:
    await world.said("exec", "box", "--", "touch", "/www/empty")  # busybox sends a page that has content even to HEAD
    address = await world.said("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
    path = "/api/v1/namespaces/default/pods/box/proxy"
    async with aiohttp.ClientSession(address) as http:
        async with http.head(f"{path}/empty", ssl=world.tls()) as answer:
            assert (answer.status, answer.headers["Content-Length"]) == (200, "0")
        async with http.head(path, ssl=world.tls()) as answer:
            assert (answer.status, answer.headers["Location"]) == (301, f"{path}/")
        async with http.options(f"{path}/", ssl=world.tls()) as answer:
            assert answer.status == 501, "busybox does not know it"


SWITCH = r"""#!/bin/sh
while read line; do [ "$line" = "$(printf '\r')" ] && break; done
printf 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'
exec cat
"""


async def test_a_pod_may_switch_to_another_protocol(world: World) -> None:
    serve = "cat > /switch; chmod +x /switch; while :; do nc -l -p 9000 -e /switch; done > /dev/null 2>&1 &"
    assert (await world.kubectl("exec", "-i", "box", "--", "sh", "-c", serve, stdin=SWITCH.encode()))[0] == 0
    tls = world.tls()
    host, _, port = (await world.said("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")).rpartition(":")
    path = "/api/v1/namespaces/default/pods/box:9000/proxy/any"

    async def switched() -> bytes:
        reader, writer = await asyncio.open_connection(host.removeprefix("https://"), int(port), ssl=tls)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 Switching Protocols\r\n"), head
        writer.write(b"words\n")
        answer = await reader.readline()
        writer.close()
        return answer

    async with asyncio.timeout(WITHIN):
        assert await eventually(switched, within=WITHIN) == b"words\n"


async def test_the_figures_of_a_node(world: World) -> None:
    told = json.loads(await world.said("get", "--raw", f"/api/v1/nodes/{NODE}/proxy/stats/summary"))
    box = next(pod for pod in told["pods"] if pod["podRef"]["name"] == "box")
    assert box["containers"][0]["memory"]["workingSetBytes"] > 0
    assert box["cpu"]["usageCoreNanoSeconds"] > 0
    assert told["node"]["memory"]["availableBytes"] > 0
