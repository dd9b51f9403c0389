"""Volumes in running pods: they follow the API, survive their agent, and keep nobody's secrets afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from steersman.api.core import ConfigMap, Event, Pod
from steersman.client.client import Resource
from tests.e2e.cluster import POLITE, WITHIN, Cluster
from tests.eventually import eventually

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]


def manifest(name: str, volumes: list[dict[str, Any]], mounts: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    """A pod on node-a that waits for better times."""
    container = {
        "name": "main",
        "image": "busybox:1.36",
        "command": ["/bin/sh", "-c", POLITE],
        "volumeMounts": mounts,
    }
    fields = {"nodeName": "node-a", "terminationGracePeriodSeconds": 1, "containers": [container], "volumes": volumes}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {**fields, **spec}}


async def config_map(cluster: Cluster, name: str, **data: str) -> Resource[ConfigMap]:
    await cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
    return cluster.api.of(ConfigMap)


async def change(maps: Resource[ConfigMap], name: str, **data: str) -> None:
    await maps.update(structs.replace(await maps.get(name, "default"), data=data))


async def shows(cluster: Cluster, pod: Pod, path: str, text: str) -> None:
    async def is_shown() -> bool:
        return await cluster.run_in(pod, f"cat {path}") == text

    await eventually(is_shown, within=WITHIN)


async def told(cluster: Cluster, pod: Pod, message: str) -> None:
    async def is_told() -> bool:
        events = (await cluster.api.of(Event).list("default")).items
        found = [each.message for each in events if each.involved_object.uid == pod.metadata.uid]
        assert any(message in each for each in found), found
        return True

    await eventually(is_told, within=WITHIN)


async def test_changes_in_the_api_are_seen_in_the_files(cluster: Cluster) -> None:
    maps = await config_map(cluster, "follow", color="blue", gone="soon")
    source = {"name": "c", "configMap": {"name": "follow"}}
    facts = {
        "name": "d",
        "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]},
    }
    mounts = [{"name": "c", "mountPath": "/c"}, {"name": "d", "mountPath": "/d"}]
    await cluster.create(manifest("follower", [source, facts], mounts))
    pod = await cluster.ready("follower")
    assert await cluster.run_in(pod, "cat /c/color; ls /c") == "bluecolor\ngone"
    await change(maps, "follow", color="red", new="key")
    await shows(cluster, pod, "/c/color", "red")

    async def has_new_names() -> bool:
        return await cluster.run_in(pod, "ls /c") == "color\nnew"

    await eventually(has_new_names, within=WITHIN)  # their links follow the contents
    patch = b'{"metadata": {"labels": {"mood": "good"}}}'
    await cluster.api.of(Pod).patch("follower", "default", patch)
    await shows(cluster, pod, "/d/labels", 'mood="good"')


async def test_secrets_lie_in_memory(cluster: Cluster) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hush"}, "stringData": {"k": "v"}}
    await cluster.create(secret)
    await config_map(cluster, "loud", k="v")
    volumes = [{"name": "s", "secret": {"secretName": "hush"}}, {"name": "c", "configMap": {"name": "loud"}}]
    mounts = [{"name": "s", "mountPath": "/s"}, {"name": "c", "mountPath": "/c"}]
    await cluster.create(manifest("quiet", volumes, mounts))
    pod = await cluster.ready("quiet")
    memory = cluster.agents["node-a"].memory
    if not memory.exists():
        pytest.skip("this machine has no place in memory for them")
    assert await cluster.run_in(pod, "cat /s/k /c/k; stat -f -c %T /s") == "vvtmpfs"
    assert await cluster.run_in(pod, "stat -f -c %T /c") != "tmpfs"
    kept = memory / cluster.uid / "node-a" / "pods" / pod.metadata.uid
    assert [*kept.rglob("k")]
    assert not [*cluster.agents["node-a"].folder.glob(f"data/*/node-a/pods/{pod.metadata.uid}/volumes/files/s")]
    await cluster.delete("quiet")
    await cluster.gone("quiet")
    assert not kept.exists()


async def test_an_agent_that_returns_takes_the_volumes_up_again(cluster: Cluster) -> None:
    maps = await config_map(cluster, "outlive", color="blue")
    volumes = [{"name": "c", "configMap": {"name": "outlive"}}, {"name": "e", "emptyDir": {}}]
    mounts = [{"name": "c", "mountPath": "/c"}, {"name": "e", "mountPath": "/e"}]
    await cluster.create(manifest("survivor", volumes, mounts))
    pod = await cluster.ready("survivor")
    await cluster.run_in(pod, "echo kept > /e/file")
    await cluster.agents["node-a"].kill()
    await change(maps, "outlive", color="red")
    await cluster.agents["node-a"].start()
    await shows(cluster, pod, "/c/color", "red")
    assert await cluster.run_in(pod, "cat /e/file") == "kept"
    folder = next(cluster.agents["node-a"].folder.glob(f"data/*/node-a/pods/{pod.metadata.uid}"))
    await cluster.delete("survivor")
    await cluster.gone("survivor")
    assert not folder.exists()


async def test_a_pod_waits_for_what_its_volumes_need(cluster: Cluster) -> None:
    await cluster.create(
        manifest("patient", [{"name": "c", "configMap": {"name": "later"}}], [{"name": "c", "mountPath": "/c"}])
    )
    pod = await cluster.pod("patient")
    await told(cluster, pod, 'MountVolume.SetUp failed for volume "c" : configmap "later" not found')
    assert (await cluster.pod("patient")).status.phase == "Pending"
    await config_map(cluster, "later", k="v")
    pod = await cluster.ready("patient")
    assert await cluster.run_in(pod, "cat /c/k") == "v"


async def test_nobody_waits_for_a_volume_that_no_container_mounts(cluster: Cluster) -> None:
    await cluster.create(manifest("careless", [{"name": "c", "configMap": {"name": "never"}}], []))
    await cluster.ready("careless")


async def test_a_link_out_of_the_volume_is_not_followed(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/evil").symlink_to("/etc")
    (tmp_path / "inside/good").symlink_to("real")
    (tmp_path / "inside/real").write_text("in the volume")
    volume = {"name": "v", "hostPath": {"path": str(tmp_path / "inside")}}
    await cluster.create(manifest("well", [volume], [{"name": "v", "mountPath": "/m", "subPath": "good"}]))
    assert await cluster.run_in(await cluster.ready("well"), "cat /m") == "in the volume"
    await cluster.create(manifest("evil", [volume], [{"name": "v", "mountPath": "/m", "subPath": "evil"}]))
    await told(cluster, await cluster.pod("evil"), "escapes the base directory")

    async def is_unready() -> bool:
        conditions = {each.type: each.status for each in (await cluster.pod("evil")).status.conditions}
        return conditions.get("Ready") == "False"

    await eventually(is_unready, within=WITHIN)


async def test_a_memory_volume_has_its_size_and_its_group(cluster: Cluster) -> None:
    volume = {"name": "m", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
    context = {"runAsUser": 1000, "fsGroup": 2000}
    await cluster.create(manifest("ram", [volume], [{"name": "m", "mountPath": "/m"}], securityContext=context))
    pod = await cluster.ready("ram")
    assert await cluster.run_in(
        pod, "touch /m/x; stat -c '%u %g' /m/x; df -k /m | tail -1 | tr -s ' ' | cut -d' ' -f2"
    ) == ("1000 2000\n1024")
    with pytest.raises(RuntimeError, match="No space left on device"):
        await cluster.run_in(pod, "dd if=/dev/zero of=/m/big bs=1M count=2")
