"""The manifests of examples/ reach the states that Kubernetes documents, step by step, as a watch shows them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from msgspec import structs

from steersman.api.apps import Deployment
from steersman.api.core import Event, PersistentVolume, PersistentVolumeClaim, Pod
from tests.e2e import steps
from tests.e2e.cluster import WITHIN, Cluster
from tests.e2e.steps import Steps
from tests.eventually import eventually

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]


async def goes_through(seen: Steps, name: str, *expected: str) -> None:
    await eventually(lambda: seen.went_through(name, expected), within=WITHIN)


async def conditions(cluster: Cluster, name: str) -> dict[str, str]:
    return {each.type: each.status for each in (await cluster.pod(name)).status.conditions}


async def messages(cluster: Cluster, pod: Pod) -> list[tuple[str, str]]:
    found = (await cluster.api.of(Event).list("default")).items
    return [(each.reason, each.message) for each in found if each.involved_object.uid == pod.metadata.uid]


async def test_02_a_pod(cluster: Cluster) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply("02-pod.yaml")
        await goes_through(seen, "web", "Pending unbound", "ContainerCreating", "Running 1/1")
        every = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        assert await conditions(cluster, "web") == dict.fromkeys(every, "True")
        pod = await cluster.pod("web")
        assert pod.status.qos_class == "BestEffort"
        assert pod.status.pod_ip
        page = await cluster.run_in(pod, "wget -q -O - http://127.0.0.1/")
        assert "Welcome to nginx!" in page
        told = [reason for reason, _ in await messages(cluster, pod)]
        assert {"Scheduled", "Pulled", "Created", "Started"} <= set(told)
        await cluster.delete("web", grace_period_seconds=1)
        await cluster.gone("web")
        assert seen.of("web")[-1] == "Terminating"


async def test_03_a_deployment_with_a_readiness_probe(cluster: Cluster) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply("03-deployment-readiness.yaml")

        async def available() -> Deployment:
            found = await cluster.api.of(Deployment).get("shop", "default")
            assert found.status.available_replicas == 3, f"{found.status}"
            return found

        deployment = await eventually(available, within=WITHIN)
        assert {"Available", "Progressing"} <= {each.type for each in deployment.status.conditions}
        pods = await cluster.pods(app="shop")
        assert {pod.spec.node_name for pod in pods} == {"node-a", "node-b"}
        for pod in pods:
            await goes_through(seen, pod.metadata.name, "ContainerCreating", "Running 0/1", "Running 1/1")
        await cluster.api.of(Deployment).delete("shop", "default")
        for pod in pods:
            await cluster.gone(pod.metadata.name)


async def test_04_a_crash_loop(cluster: Cluster) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply("04-crash-loop.yaml")
        await goes_through(seen, "crash-loop", "ContainerCreating", "CrashLoopBackOff")
        pod = seen.first("crash-loop", "CrashLoopBackOff")
        status = pod.status.container_statuses[0]
        assert status.last_state.terminated is not None
        assert (status.last_state.terminated.exit_code, status.last_state.terminated.reason) == (1, "Error")
        assert status.state.waiting is not None
        assert status.state.waiting.message.startswith("back-off 10s restarting failed container=main")
        assert pod.status.phase == "Running"
        assert {each.type: each.status for each in pod.status.conditions}["Ready"] == "False"

        async def told() -> bool:
            return "BackOff" in [reason for reason, _ in await messages(cluster, pod)]

        await eventually(told, within=WITHIN)
        await cluster.delete("crash-loop", grace_period_seconds=1)
        await cluster.gone("crash-loop")


async def test_05_a_bad_image(cluster: Cluster) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply("05-bad-image.yaml")
        await goes_through(seen, "bad-image", "ContainerCreating", "ImagePullBackOff")
        pod = seen.first("bad-image", "ImagePullBackOff")
        assert pod.status.phase == "Pending"
        waiting = pod.status.container_statuses[0].state.waiting
        assert waiting is not None
        assert waiting.message.startswith('Back-off pulling image "registry.invalid/no/such:image": ErrImagePull: ')
        await cluster.delete("bad-image")
        await cluster.gone("bad-image")


@pytest.mark.parametrize(
    ("file", "name", "path", "restarts"),
    [
        ("06-runs-to-completion-always.yaml", "completion-always", ["Running 1/1", "CrashLoopBackOff"], 1),
        ("06-runs-to-completion-on-failure.yaml", "completion-on-failure", ["Succeeded"], 1),
        ("06-runs-to-completion-never.yaml", "completion-never", ["Failed"], 0),
    ],
    ids=["always", "on-failure", "never"],
)
async def test_06_running_to_completion(
    cluster: Cluster, file: str, name: str, path: Sequence[str], restarts: int
) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply(file)
        await goes_through(seen, name, "ContainerCreating", *path)
        pod = seen.first(name, path[-1])
        assert pod.status.container_statuses[0].restart_count == restarts
        if name == "completion-never":
            ended = pod.status.container_statuses[0].state.terminated
            assert ended is not None
            assert (ended.exit_code, ended.message) == (3, "out of luck\n")
        await cluster.delete(name, grace_period_seconds=1)
        await cluster.gone(name)


async def test_07_init_containers_and_a_sidecar(cluster: Cluster) -> None:
    async with steps.recorded(cluster.api) as seen:
        await cluster.apply("07-init-and-sidecar.yaml")
        path = ("Init:0/3", "Init:1/3", "Init:2/3", "PodInitializing", "Running 2/2")
        await goes_through(seen, "init-and-sidecar", *path)
        pod = await cluster.pod("init-and-sidecar")
        assert await cluster.run_in(pod, "cat /work/log") == "fetched\nunpacked"
        await cluster.delete("init-and-sidecar")
        await cluster.gone("init-and-sidecar")


async def test_08_volumes(cluster: Cluster) -> None:
    await cluster.apply("08-volumes.yaml")
    pod = await cluster.ready("volumes")
    assert await cluster.run_in(pod, "cat /etc/greeting/text /etc/password/db/password") == "ahoyhunter2"
    look = "stat -L -c '%a %u %g' /etc/password/db/password /etc/everything/token /scratch; id -G"
    assert (await cluster.run_in(pod, look)).split("\n")[:3] == ["440 0 2000", "640 1000 2000", "2777 0 2000"]
    token = (await cluster.run_in(pod, "cat /etc/everything/token")).split(".")
    claims = json.loads(await cluster.run_in(pod, f"echo {token[1]}== | tr _- /+ | base64 -d 2>/dev/null; true"))
    assert claims["aud"] == ["vault"]
    assert claims["sub"] == "system:serviceaccount:default:default"
    own = "/var/run/secrets/kubernetes.io/serviceaccount"
    assert await cluster.run_in(pod, f"ls {own}; cat {own}/namespace") == "ca.crt\nnamespace\ntoken\ndefault"
    await cluster.run_in(pod, "echo mine > /mine/log")
    assert await cluster.run_in(pod, "cat /scratch/logs/volumes/log") == "mine"
    assert "tmpfs" in await cluster.run_in(pod, "df -T /memory")
    with pytest.raises(RuntimeError, match="Read-only file system"):
        await cluster.run_in(pod, "touch /etc/greeting/x")
    await cluster.delete("volumes")
    await cluster.gone("volumes")


async def test_09_a_claim_bound_by_hand(cluster: Cluster) -> None:
    await cluster.apply("09-hand-bound-claim.yaml")
    pod = await cluster.pod("reader")

    async def waits() -> bool:
        why = "pod has unbound immediate PersistentVolumeClaims"
        return any(why in message for reason, message in await messages(cluster, pod) if reason == "FailedScheduling")

    claims, volumes = cluster.api.of(PersistentVolumeClaim), cluster.api.of(PersistentVolume)
    claim = await claims.get("shelf", "default")
    if claim.status.phase != "Bound":
        await eventually(waits, within=WITHIN)
        volume = await volumes.get("shelf")
        assert volume.spec.claim_ref is not None
        reference = structs.replace(volume.spec.claim_ref, uid=claim.metadata.uid)
        await volumes.update(structs.replace(volume, spec=structs.replace(volume.spec, claim_ref=reference)))
        bound = structs.replace(claim.status, phase="Bound")
        await claims.update_status(structs.replace(await claims.get("shelf", "default"), status=bound))

    async def succeeded() -> Pod:
        found = await cluster.pod("reader")
        assert found.status.phase == "Succeeded", f"{found.status}"
        return found

    ended = (await eventually(succeeded, within=WITHIN)).status.container_statuses[0].state.terminated
    assert ended is not None
    assert ended.message.endswith("kept\n")
    await cluster.delete("reader")
    await cluster.gone("reader")
    await asyncio.gather(claims.delete("shelf", "default"), volumes.delete("shelf"))
