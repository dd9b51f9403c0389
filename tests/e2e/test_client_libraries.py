"""Client libraries as people install them, unchanged: objects, watches that go on where they ended, logs, sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.kubectl import cluster as clusters
from tests.e2e.kubectl import programs
from tests.e2e.kubectl.cluster import Cluster

pytestmark = [
    *programs.needed,
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.asyncio(loop_scope="module"),
    # What the libraries do to each other's modules is not ours to mend.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Kubernetes version .* is not supported:UserWarning"),  # newer than a library is
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WATCH_SECONDS = 2
HOLLOW = "hollow: nothing"
"""What a container on a hollow node says of itself."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cluster]:
    async with clusters.running(tmp_path_factory.mktemp("libraries")) as started:
        shell = started.shell(programs.found()[0], started.folder)
        await shell.run("kubectl run web --image=nginx && kubectl wait pod/web --for=condition=Ready --timeout=60s")
        yield started


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


async def test_kubernetes(cluster: Cluster) -> None:
    await asyncio.to_thread(_use_kubernetes, cluster.kubeconfig)


def _use_kubernetes(kubeconfig: Path) -> None:
    kubernetes = pytest.importorskip("kubernetes")
    with kubernetes.config.new_client_from_config(str(kubeconfig)) as connection:
        core, apps = kubernetes.client.CoreV1Api(connection), kubernetes.client.AppsV1Api(connection)
        assert kubernetes.client.VersionApi(connection).get_code().major == "1"
        made = core.create_namespaced_config_map("default", config_map("official", k="v"))
        assert core.read_namespaced_config_map("official", "default").data == {"k": "v"}
        assert core.patch_namespaced_config_map("official", "default", {"data": {"m": "w"}}).data == {
            "k": "v",
            "m": "w",
        }
        seen = _watched(kubernetes.watch.Watch(), core.list_namespaced_config_map, made.metadata.resource_version)
        assert [event["type"] for event in seen] == ["MODIFIED"]
        last = seen[-1]["object"].metadata.resource_version
        core.delete_namespaced_config_map("official", "default")
        seen = _watched(kubernetes.watch.Watch(), core.list_namespaced_config_map, last)
        assert [event["type"] for event in seen] == ["DELETED"]
        with pytest.raises(kubernetes.client.ApiException, match="NotFound"):
            core.read_namespaced_config_map("official", "default")
        assert [each.metadata.name for each in core.list_node().items] == ["node-0", "node-1", "node-2"]
        assert HOLLOW in core.read_namespaced_pod_log("web", "default")
        said = kubernetes.stream.stream(
            core.connect_get_namespaced_pod_exec, "web", "default", command=["true"], stdout=True, stderr=True
        )
        assert HOLLOW in said
        assert apps.list_deployment_for_all_namespaces().items == []
        _use_dynamic_client(kubernetes, connection)


def _watched(watch: Any, list_them: Any, version: str) -> list[Any]:
    selector = "metadata.name=official"
    return list(
        watch.stream(
            list_them, "default", resource_version=version, field_selector=selector, timeout_seconds=WATCH_SECONDS
        )
    )


def _use_dynamic_client(kubernetes: Any, connection: Any) -> None:
    dynamic = kubernetes.dynamic.DynamicClient(connection)
    deployments = dynamic.resources.get(api_version="apps/v1", kind="Deployment")
    template = {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "d"}}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "dynamic"}, "spec": spec}
    assert deployments.create(body=body, namespace="default").spec.replicas == 0
    assert [each.metadata.name for each in deployments.get(namespace="default").items] == ["dynamic"]
    scaled = deployments.scale.patch(name="dynamic", namespace="default", body={"spec": {"replicas": 1}})
    assert scaled.spec.replicas == 1
    deployments.delete(name="dynamic", namespace="default")


async def test_kubernetes_asyncio(cluster: Cluster) -> None:
    library = pytest.importorskip("kubernetes_asyncio")
    from kubernetes_asyncio import watch
    from kubernetes_asyncio.stream import WsApiClient

    await library.config.load_kube_config(str(cluster.kubeconfig))
    async with library.client.ApiClient() as connection:
        core = library.client.CoreV1Api(connection)
        made = await core.create_namespaced_config_map("default", config_map("aio", k="v"))
        await core.patch_namespaced_config_map("aio", "default", {"data": {"k": "w"}})
        await core.delete_namespaced_config_map("aio", "default")
        version, types = made.metadata.resource_version, []
        for _ in range(2):  # the second goes on where the first has ended
            async with watch.Watch() as watching:
                async for event in watching.stream(
                    core.list_namespaced_config_map,
                    "default",
                    field_selector="metadata.name=aio",
                    resource_version=version,
                    timeout_seconds=WATCH_SECONDS,
                ):
                    types.append(event["type"])
                    version = event["object"].metadata.resource_version
        assert types == ["MODIFIED", "DELETED"]
        assert HOLLOW in await core.read_namespaced_pod_log("web", "default")
    async with WsApiClient() as connection:
        core = library.client.CoreV1Api(connection)
        said = await core.connect_get_namespaced_pod_exec("web", "default", command=["true"], stdout=True, stderr=True)
        assert HOLLOW in said


async def test_lightkube(cluster: Cluster) -> None:
    library = pytest.importorskip("lightkube")
    from lightkube.models.meta_v1 import ObjectMeta
    from lightkube.resources.core_v1 import ConfigMap, Node, Pod
    from lightkube.types import PatchType

    config = library.KubeConfig.from_file(str(cluster.kubeconfig))
    client = library.AsyncClient(config=config, namespace="default")
    made = await client.create(ConfigMap(metadata=ObjectMeta(name="light"), data={"k": "v"}))
    patched = await client.patch(ConfigMap, "light", {"data": {"m": "w"}}, patch_type=PatchType.MERGE)
    assert patched.data == {"k": "v", "m": "w"}
    assert (await client.replace(patched)).data == patched.data
    assert [each.metadata.name async for each in client.list(Node)] == ["node-0", "node-1", "node-2"]
    await client.delete(ConfigMap, "light")
    types = []
    version = made.metadata.resourceVersion
    async for kind, _ in client.watch(ConfigMap, fields={"metadata.name": "light"}, resource_version=version):
        types.append(kind)
        if kind == "DELETED":
            break
    assert types == ["MODIFIED", "DELETED"]
    with pytest.raises(library.ApiError, match="not found"):
        await client.get(ConfigMap, "light")
    async for line in client.log("web"):
        assert HOLLOW in line
    assert (await client.get(Pod.Status, "web")).status.phase == "Running"
    await client.close()


async def test_kr8s(cluster: Cluster) -> None:
    pytest.importorskip("kr8s")
    import kr8s.asyncio
    from kr8s.asyncio.objects import ConfigMap, Pod

    api = await kr8s.asyncio.api(kubeconfig=str(cluster.kubeconfig))
    made = await ConfigMap(config_map("kr8s", k="v"), api=api)
    await made.create()
    assert await made.exists()
    await made.patch({"data": {"k": "w"}})
    assert made.data["k"] == "w"
    await made.label(seen="yes")
    found = [str(each["metadata"]["name"]) async for each in api.get("configmaps", label_selector={"seen": "yes"})]
    assert found == ["kr8s"]
    await made.delete()
    assert [str(each["metadata"]["name"]) async for each in api.get("nodes")] == ["node-0", "node-1", "node-2"]
    pod = await Pod.get("web", api=api)
    assert await pod.ready()
    assert [line async for line in pod.logs() if HOLLOW in line]
    assert HOLLOW in (await pod.exec(["true"])).stderr.decode()


@pytest.fixture(autouse=True)
def _no_other_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries look into the environment before they look at what they are given."""
    monkeypatch.delenv("KUBECONFIG", raising=False)
