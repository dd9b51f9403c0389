"""What people see: Tables from a real server, over HTTP, over gRPC, and through kubectl."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from apiserver.server import Serving
from steersman.api.core import ConfigMap
from steersman.client.client import Client
from steersman.client.watching import Change, Watch
from steersman.pb import objects_pb2, resources_pb2
from tests.apiserverprocess import api_server_process
from tests.integration.restcalls import CONFIG_MAPS, DEPLOYMENTS, PODS, Rest, deployment, events, pod, rest_client

TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


def cells(table: Any) -> list[list[Any]]:
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    return [row["cells"] for row in table["rows"]]


async def test_one_and_many(rest: Rest) -> None:
    await rest.create(PODS, pod("a"))
    await rest.create(PODS, pod("b"))
    one = (await rest.get(f"{PODS}/a", **TABLE)).json
    assert cells(one)[0][:4] == ["a", "0/1", "Pending", "0"]
    many = (await rest.get("/api/v1/pods", **TABLE)).json
    assert [row[0] for row in cells(many)] == ["a", "b"]
    assert many["rows"][0]["object"]["metadata"] == one["rows"][0]["object"]["metadata"]
    page = (await rest.get(f"{PODS}?limit=1", **TABLE)).json
    assert (len(page["rows"]), page["metadata"]["remainingItemCount"]) == (1, 1)
    rest_of_it = (await rest.get(f"{PODS}?limit=1&continue={page['metadata']['continue']}", **TABLE)).json
    assert [row[0] for row in cells(rest_of_it)] == ["b"]


async def test_what_a_write_answers(rest: Rest) -> None:
    created = (await rest.create(DEPLOYMENTS, deployment("web", 2), **TABLE)).json
    assert cells(created)[0][:2] == ["web", "0/2"]
    scale = (await rest.get(f"{DEPLOYMENTS}/web/scale", **TABLE)).json
    assert cells(scale)[0][:3] == ["web", 2, 0]


async def test_an_error_stays_a_status(rest: Rest) -> None:
    answer = await rest.get(f"{PODS}/none", **TABLE)
    assert (answer.code, answer.json["kind"], answer.json["reason"]) == (404, "Status", "NotFound")
    answer = await rest.get(f"{PODS}?includeObject=All", **TABLE)
    assert (answer.code, answer.json["reason"]) == (400, "BadRequest")


async def test_a_watch(rest: Rest) -> None:
    await rest.config_map("a", k="v")
    async with rest.session.get(f"{CONFIG_MAPS}?watch=1", headers=TABLE) as watch:
        first = (await events(watch, 1))[0]
        await rest.config_map("b")
        await rest.delete(f"{CONFIG_MAPS}/a")
        seen = [first, *await events(watch, 2)]
    assert [event["type"] for event in seen] == ["ADDED", "ADDED", "DELETED"]
    assert [cells(event["object"])[0][:2] for event in seen] == [["a", 1], ["b", 0], ["a", 1]]
    assert [event["object"]["columnDefinitions"] is not None for event in seen] == [True, False, False]


def config_maps(name: str = "") -> objects_pb2.Target:
    return objects_pb2.Target(version="v1", resource="configmaps", namespace="default", name=name)


async def test_over_grpc(api_server: Serving, rest: Rest) -> None:
    await rest.config_map("a", k="v")
    await rest.config_map("b")
    shown = resources_pb2.TABLE
    async with grpc.aio.insecure_channel(str(api_server.grpc)) as channel:
        get = channel.unary_unary(
            "/steersman.v1.Resources/Get", resources_pb2.GetRequest.SerializeToString, objects_pb2.Object.FromString
        )
        one = await get(resources_pb2.GetRequest(target=config_maps("a"), form=shown), timeout=20)
        assert (one.group, one.version, one.kind) == ("meta.k8s.io", "v1", "Table")
        assert cells(json.loads(one.json))[0][:2] == ["a", 1]
        ask = channel.unary_unary(
            "/steersman.v1.Resources/List",
            resources_pb2.ListRequest.SerializeToString,
            resources_pb2.ListReply.FromString,
        )
        page = await ask(resources_pb2.ListRequest(target=config_maps(), limit=1, form=shown), timeout=20)
        (item,) = page.items
        assert [row[0] for row in cells(json.loads(item.json))] == ["a"]
        assert json.loads(item.json)["metadata"]["continue"] == getattr(page, "continue")
        with pytest.raises(grpc.aio.AioRpcError, match="unknown form 7"):
            await ask(resources_pb2.ListRequest(target=config_maps(), form=7), timeout=20)  # type: ignore[arg-type]


async def test_a_watch_over_grpc(api_server: Serving, rest: Rest) -> None:
    await rest.config_map("a", k="v")
    async with grpc.aio.insecure_channel(str(api_server.grpc)) as channel:
        watch = channel.stream_stream(
            "/steersman.v1.Resources/Watch",
            resources_pb2.WatchRequest.SerializeToString,
            resources_pb2.WatchReply.FromString,
        )(timeout=30)
        start = resources_pb2.WatchStart(id=1, target=config_maps(), form=resources_pb2.TABLE)
        await watch.write(resources_pb2.WatchRequest(start=start))
        seen = [*(await watch.read()).events]
        await rest.config_map("b")
        seen += (await watch.read()).events
        watch.cancel()
    made = [json.loads(event.object.json) for event in seen]
    assert [cells(table)[0][0] for table in made] == ["a", "b"]
    assert [table["columnDefinitions"] is not None for table in made] == [True, False]


async def test_the_client(api: Client, rest: Rest) -> None:
    await rest.config_map("a", k="v")
    await rest.config_map("b")
    maps = api.tables(ConfigMap)
    assert cells(json.loads(await maps.get("a", "default")))[0][:2] == ["a", 1]
    pages = [page async for page in maps.pages("default", limit=1)]
    assert [cells(json.loads(table))[0][0] for page in pages for table in page.items] == ["a", "b"]
    (whole,) = (listed := await maps.list("default")).items
    assert [row[0] for row in cells(json.loads(whole))] == ["a", "b"]
    async with maps.watch(after=listed.revision, namespace="default") as watch, asyncio.timeout(30):
        await rest.config_map("c")
        await rest.delete(f"{CONFIG_MAPS}/c")
        seen = [await anext(changes) for changes in [_changes(watch)] * 2]
    assert [(change.type, cells(json.loads(change.object))[0][0]) for change in seen] == [
        ("ADDED", "c"),
        ("DELETED", "c"),
    ]


async def _changes(watch: Watch[bytes]) -> AsyncIterator[Change[bytes]]:
    async for event in watch:
        if isinstance(event, Change):
            yield event


@pytest.mark.kubectl
@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path")
class TestKubectl:
    @pytest.fixture
    async def home(self, tmp_path: Path) -> AsyncIterator[Path]:
        """A folder with a kubeconfig for a fresh server."""
        async with api_server_process(data_dir=tmp_path / "data") as server:
            cluster = {"name": "c", "cluster": {"server": f"http://{server.rest}"}}
            context = {"name": "c", "context": {"cluster": "c", "user": ""}}
            config = {"kind": "Config", "clusters": [cluster], "contexts": [context], "current-context": "c"}
            (tmp_path / "config").write_text(json.dumps(config))
            yield tmp_path

    @staticmethod
    async def start(home: Path, *arguments: str) -> asyncio.subprocess.Process:
        environment = {**os.environ, "KUBECONFIG": str(home / "config"), "HOME": str(home)}
        pipe, joined = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        return await asyncio.create_subprocess_exec("kubectl", *arguments, stdout=pipe, stderr=joined, env=environment)

    async def kubectl(self, home: Path, *arguments: str) -> list[list[str]]:
        """The words of each line that it says."""
        process = await self.start(home, *arguments)
        async with asyncio.timeout(40):
            said, _ = await process.communicate()
        return [line.split() for line in said.decode().splitlines()]

    async def test_get(self, home: Path) -> None:
        await self.kubectl(home, "run", "b", "--image=nginx")
        await self.kubectl(home, "run", "a", "--image=nginx")
        header, first, _ = await self.kubectl(home, "get", "pods")
        assert header == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
        assert first[:4] == ["a", "0/1", "Pending", "0"]
        header, first = await self.kubectl(home, "get", "pod", "a", "-o", "wide")
        assert header[5:] == ["IP", "NODE", "NOMINATED", "NODE", "READINESS", "GATES"]
        assert first[5:] == ["<none>"] * 4
        header, *_ = await self.kubectl(home, "get", "pods", "-A")
        assert header[:2] == ["NAMESPACE", "NAME"]
        _, *lines = await self.kubectl(home, "get", "pods", "--sort-by=.metadata.creationTimestamp")
        assert sorted(line[0] for line in lines) == ["a", "b"]
        header, first = await self.kubectl(home, "get", "svc")
        assert header == ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"]
        assert first[:5] == ["kubernetes", "ClusterIP", "10.96.0.1", "<none>", "443/TCP"]
        header, *_ = await self.kubectl(home, "get", "clusterroles")
        assert header == ["NAME", "CREATED", "AT"]

    async def test_watch(self, home: Path) -> None:
        await self.kubectl(home, "create", "configmap", "a")
        process = await self.start(home, "get", "configmaps", "-w")
        assert process.stdout is not None
        try:
            async with asyncio.timeout(40):
                assert (await process.stdout.readline()).split() == [b"NAME", b"DATA", b"AGE"]
                while (line := (await process.stdout.readline()).split())[0] != b"a":
                    pass
                assert line[1] == b"0"
                await self.kubectl(home, "patch", "configmap", "a", "--type=merge", "-p", '{"data":{"k":"v"}}')
                assert (await process.stdout.readline()).split()[:2] == [b"a", b"1"]
        finally:
            process.kill()
            await process.wait()
