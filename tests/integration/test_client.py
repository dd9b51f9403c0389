"""The client against real API servers: verbs, errors, batches, watches, and servers that come and go."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from apiserver import server
from apiserver.config import Settings
from apiserver.server import Serving
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import Binding, ConfigMap, Container, Namespace, ObjectReference, Pod, PodSpec
from steersman.api.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Deposed,
    Expired,
    Invalid,
    NotFound,
    Timeout,
    Unavailable,
)
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.client import Client
from steersman.client.requests import PatchType, Term, WriteOptions
from steersman.client.transport import Credentials
from steersman.client.watching import Bookmark, Change, Watch
from steersman.client.watchstream import WATCHES_PER_STREAM
from tests.apiserverprocess import api_server_process
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.eventually import eventually
from tests.integration.conftest import ANY_PORT

WITHIN = 60.0
PATIENT = WriteOptions(timeout_seconds=WITHIN)
"""On a busy machine a server may need longer to come back than a call lasts by itself."""

pytestmark = pytest.mark.timeout(240)


def configmap(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


def pod(name: str) -> Pod:
    spec = PodSpec(containers=(Container(name="main", image="nginx:1.25"),))
    return Pod(metadata=ObjectMeta(name=name, namespace="default"), spec=spec)


async def changes(watch: Watch[Any], count: int) -> list[Change[Any]]:
    found: list[Change[Any]] = []
    async with asyncio.timeout(WITHIN):
        while len(found) < count:
            event = await anext(watch)
            if isinstance(event, Change):
                found.append(event)
    return found


async def now(api: Client) -> Revision:
    return (await api.of(ConfigMap).list(limit=1)).revision


# --- verbs


async def test_create_get_update_delete(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    created = await configmaps.create(configmap("settings", k="1"))
    assert created.created
    assert created.object.metadata.resource_version == str(created.revision)
    assert await configmaps.get("settings", "default") == created.object

    updated = await configmaps.update(replace(created.object, data={"k": "2"}))
    assert updated.revision > created.revision
    assert not updated.created

    deleted = await configmaps.delete("settings", "default", uid=created.object.metadata.uid)
    assert deleted.gone
    assert deleted.revision > updated.revision
    with pytest.raises(NotFound) as refused:
        await configmaps.get("settings", "default")
    assert refused.value.details is not None
    assert refused.value.details.name == "settings"


async def test_every_refusal_has_its_class(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    first = (await configmaps.create(configmap("a"))).object
    await configmaps.update(replace(first, data={"k": "1"}))
    with pytest.raises(AlreadyExists):
        await configmaps.create(configmap("a"))
    with pytest.raises(Conflict):
        await configmaps.update(replace(first, data={"k": "2"}))
    with pytest.raises(Invalid):
        await configmaps.create(configmap("Not_A_Name"))
    with pytest.raises(BadRequest):
        await api.raw(ConfigMap).create(b'{"metadata":{"name":"b","namespace":"default"},"data":3}')
    with pytest.raises(Expired):
        async with configmaps.watch(after=Revision(10**9)) as watch:
            await anext(watch)


async def test_pages_are_of_one_revision(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    for index in range(7):
        await configmaps.create(configmap(f"c{index}"))
    pages = [page async for page in configmaps.pages("default", field_selector="metadata.name!=c3", limit=3)]
    assert [len(page.items) for page in pages] == [3, 3]
    assert len({page.revision for page in pages}) == 1
    assert "c3" not in {item.metadata.name for page in pages for item in page.items}


async def test_patch_and_delete_collection(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    await configmaps.create(
        replace(configmap("a"), metadata=ObjectMeta(name="a", namespace="default", labels={"x": "1"}))
    )
    await configmaps.create(configmap("b"))
    patched = await configmaps.patch("a", "default", b'{"data":{"k":"v"}}', PatchType.MERGE)
    assert patched.object.data == {"k": "v"}
    removed = await configmaps.delete_collection("default", label_selector="x=1")
    assert [item.metadata.name for item in removed.items] == ["a"]
    assert [item.metadata.name for item in (await configmaps.list("default")).items] == ["b"]


async def test_bind_and_status(api: Client) -> None:
    pods = api.of(Pod)
    created = (await pods.create(pod("web"))).object
    meta = ObjectMeta(name="web", namespace="default", uid=created.metadata.uid)
    await pods.bind(Binding(metadata=meta, target=ObjectReference(kind="Node", name="n1")))
    bound = await pods.get("web", "default")
    assert bound.spec.node_name == "n1"
    done = await pods.update_status(replace(bound, status=replace(bound.status, phase="Running")))
    assert done.object.status.phase == "Running"
    with pytest.raises(Conflict):
        await pods.bind(Binding(metadata=meta, target=ObjectReference(kind="Node", name="n2")))


async def test_a_dry_run_changes_nothing(api: Client) -> None:
    await api.with_options(WriteOptions(dry_run=True)).of(ConfigMap).create(configmap("a"))
    with pytest.raises(NotFound):
        await api.of(ConfigMap).get("a", "default")


async def test_kinds_and_raw(api: Client) -> None:
    assert {"ConfigMap", "Namespace", "Lease", "Pod"} <= {kind.kind for kind in await api.kinds()}
    raw = api.raw(ConfigMap)
    created = await raw.create(b'{"metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}}')
    assert b'"resourceVersion"' in created.object
    assert (await api.of(ConfigMap).get("a", "default")).data == {"k": "v"}


async def test_the_error_of_a_block_leaves_it_unwrapped(api_server: Serving) -> None:
    with pytest.raises(NotFound):
        async with client.connect([str(api_server.grpc)]) as api:
            await api.of(ConfigMap).get("missing", "default")


async def test_tls(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, grpc_address=ANY_PORT, rest_address=ANY_PORT)
    async with server.serving(settings) as serving:
        pki = tmp_path / "pki"
        credentials = Credentials.from_files(pki / "ca.crt", pki / "admin.crt", pki / "admin.key")
        async with client.connect([str(serving.grpc)], credentials) as api:
            assert await api.of(Namespace).get("default")
        async with client.connect([str(serving.grpc)]) as api:
            with pytest.raises(Unavailable):
                await api.of(Namespace).get("default", timeout_seconds=0.5)


# --- batches


async def test_a_batch_carries_many_writes_at_once(api: Client) -> None:
    async with api.batch() as batch, asyncio.TaskGroup() as tasks:
        writes = [tasks.create_task(batch.create(configmap(f"c{index}"))) for index in range(100)]
    revisions = {write.result().revision for write in writes}
    assert len(revisions) == 100
    assert len((await api.of(ConfigMap).list("default")).items) == 100


async def test_an_item_of_a_batch_fails_by_itself(api: Client) -> None:
    async with api.batch() as batch:
        made = await batch.create(configmap("a"))
        with pytest.raises(AlreadyExists):
            await batch.create(configmap("a"))
        await batch.of(ConfigMap).delete("a", "default", uid=made.object.metadata.uid)
    with pytest.raises(NotFound):
        await api.of(ConfigMap).get("a", "default")


async def test_a_cancelled_item_of_a_batch_hinders_no_other(api: Client) -> None:
    async with api.batch() as batch:
        await batch.create(configmap("first"))
        given_up = [asyncio.create_task(batch.create(configmap(f"given-up-{index}"))) for index in range(20)]
        kept = [asyncio.create_task(batch.create(configmap(f"kept-{index}"))) for index in range(20)]
        await asyncio.sleep(0)
        for task in given_up:
            task.cancel()
        assert len({written.revision for written in await asyncio.gather(*kept)}) == 20


@pytest.mark.slow
async def test_a_lost_batch_stream(tmp_path: Path) -> None:
    """What was under way is unknown, what comes later opens a new stream."""
    async with (
        api_server_process(data_dir=tmp_path) as process,
        client.connect([process.grpc]) as api,
        api.batch() as batch,
    ):
        await batch.create(configmap("before"))
        process.pause()
        under_way = [asyncio.create_task(batch.create(configmap(f"c{index}"))) for index in range(10)]
        await asyncio.sleep(0.1)  # each waits for its answer after its first step, however long that takes
        await process.restart()
        outcomes = await asyncio.gather(*under_way, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {Timeout}
        assert (await batch.create(configmap("after"))).created


# --- watches


async def test_a_watch_gives_what_follows_a_revision(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    start = await now(api)
    async with configmaps.watch(after=start, namespace="default") as watch:
        made = (await configmaps.create(configmap("a"))).object
        await configmaps.update(replace(made, data={"k": "v"}))
        gone = await configmaps.delete("a", "default")
        seen = await changes(watch, 3)
    assert [change.type for change in seen] == ["ADDED", "MODIFIED", "DELETED"]
    assert seen[-1].revision == gone.revision
    assert seen[0].object == made


async def test_many_watches_share_few_streams_and_end_one_by_one(api: Client) -> None:
    start, count = await now(api), WATCHES_PER_STREAM + 10
    names = [f"c{index}" for index in range(count)]
    watches = [api.of(ConfigMap).watch(after=start, namespace="default", name=name) for name in names]
    waiting = [asyncio.create_task(changes(watch, 1)) for watch in watches]
    async with api.batch() as batch:
        await asyncio.gather(*(batch.create(configmap(name)) for name in names))
    seen = await asyncio.gather(*waiting)
    assert [change.object.metadata.name for (change,) in seen] == names
    for watch in watches:
        await watch.aclose()


async def test_progress_is_told_without_an_event(api: Client) -> None:
    async with api.of(Pod).watch(after=await now(api)) as pods:
        waiting = asyncio.create_task(anext(pods))
        written = await api.of(ConfigMap).create(configmap("a"))

        async def told() -> bool:
            await pods.progress(written.revision)
            return waiting.done()

        await eventually(told)
        event = await waiting
    assert isinstance(event, Bookmark)
    assert event.revision >= written.revision


async def test_a_slow_reader_of_a_watch_loses_nothing(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steersman.client.watchstream.MAX_PENDING_EVENTS", 5)
    configmaps = api.of(ConfigMap)
    start = await now(api)
    async with configmaps.watch(after=start) as watch, configmaps.watch(after=start) as beside:
        first = asyncio.create_task(changes(watch, 1))
        quick = asyncio.create_task(changes(beside, 61))
        for index in range(61):
            await configmaps.create(configmap(f"c{index}"))
        seen = [*await first, *await changes(watch, 60)]
        assert [change.object.metadata.name for change in seen] == [f"c{index}" for index in range(61)]
        assert len(await quick) == 61


# --- servers that come and go


async def test_a_server_that_is_not_there() -> None:
    async with client.connect(["127.0.0.1:1"]) as api:
        with pytest.raises(Unavailable):
            await api.of(ConfigMap).get("a", "default", timeout_seconds=0.5)
        with pytest.raises(Unavailable):
            await api.of(ConfigMap).create(configmap("a"), options=WriteOptions(timeout_seconds=0.5))


async def test_the_next_endpoint_takes_over(api_server: Serving) -> None:
    async with client.connect(["127.0.0.1:1", str(api_server.grpc)]) as api:
        assert (await api.of(ConfigMap).create(configmap("a"))).created


@pytest.mark.slow
async def test_kill_and_restart_under_a_watch_and_writes(tmp_path: Path) -> None:
    """kill -9 in the midst of writes: what was acknowledged is there, and the watch has every change once."""
    async with api_server_process(data_dir=tmp_path) as process, client.connect([process.grpc]) as api:
        start = await now(api)
        async with api.of(ConfigMap).watch(after=start) as watch:
            writer = asyncio.create_task(write_all(api, "c", 200))
            seen = await changes(watch, 40)
            await process.restart()
            acknowledged = await writer
            names = [f"c{index}" for index in range(200)]
            stored = {item.metadata.name: item for item in (await api.of(ConfigMap).list("default")).items}
            assert sorted(stored) == sorted(names), "every write was repeated until its outcome was known"
            seen += await changes(watch, 160)
        assert [change.revision for change in seen] == sorted({change.revision for change in seen})
        assert sorted(change.object.metadata.name for change in seen) == sorted(names)
        assert acknowledged.items() <= {name: revision_of(stored[name]) for name in stored}.items()


@pytest.mark.slow
async def test_a_watch_outlives_a_drained_server(tmp_path: Path) -> None:
    async with api_server_process(data_dir=tmp_path) as process, client.connect([process.grpc]) as api:
        start = await now(api)
        async with api.of(ConfigMap).watch(after=start) as watch:
            await api.of(ConfigMap).create(configmap("before"))
            await changes(watch, 1)
            assert await process.terminate() == 0
            await process.start()
            await api.of(ConfigMap).create(configmap("after"))
            (change,) = await changes(watch, 1)
        assert change.object.metadata.name == "after"


@pytest.mark.slow
async def test_an_update_whose_answer_is_lost_lands_once(tmp_path: Path) -> None:
    """The server is frozen with the request in its hands, and killed: the client repeats and knows the outcome."""
    async with api_server_process(data_dir=tmp_path) as process, client.connect([process.grpc]) as api:
        made = (await api.of(ConfigMap).create(configmap("a", k="0"))).object
        process.pause()
        writing = asyncio.create_task(api.of(ConfigMap).update(replace(made, data={"k": "1"}), options=PATIENT))
        creating = asyncio.create_task(api.of(ConfigMap).create(configmap("b")))
        await asyncio.sleep(0.5)  # until gRPC has sent them: where it has not, it sends them to the next server
        await process.restart()
        updated = await writing
        with pytest.raises(Timeout, match="unknown"):
            await creating
        present = await api.of(ConfigMap).get("a", "default")
        assert (present.data, revision_of(present)) == ({"k": "1"}, updated.revision)


@pytest.mark.slow
async def test_no_update_lands_twice_under_kills(tmp_path: Path) -> None:
    """Four clients count on one object while the server is killed again and again: no count is lost or doubled."""
    async with api_server_process(data_dir=tmp_path) as process, client.connect([process.grpc]) as api:
        await api.of(ConfigMap).create(configmap("counter", count="0"))
        counting = [asyncio.create_task(count_up(process.grpc, f"client-{index}", 60)) for index in range(4)]
        for _ in range(3):
            await asyncio.sleep(0.15)
            await process.restart()
        outcomes = await asyncio.gather(*counting)
        counted = sum(known for known, _ in outcomes)
        unknown = sum(doubtful for _, doubtful in outcomes)
        present = int((await api.of(ConfigMap).get("counter", "default")).data["count"])
        assert counted <= present <= counted + unknown
        assert counted + unknown == 240


@pytest.mark.slow
@pytest.mark.etcd
async def test_two_servers_on_one_etcd_and_one_is_killed(tmp_path: Path) -> None:
    async with (
        etcd_server(*NO_FSYNC) as etcd,
        api_server_process(data_dir=tmp_path / "a", etcd_endpoints=[etcd.endpoint]) as first,
        api_server_process(data_dir=tmp_path / "b", etcd_endpoints=[etcd.endpoint]) as second,
        client.connect([first.grpc, second.grpc]) as api,
        client.connect([second.grpc]) as other,
    ):
        start = await now(api)
        async with api.of(ConfigMap).watch(after=start) as here, other.of(ConfigMap).watch(after=start) as there:
            writer = asyncio.create_task(write_all(api, "c", 100))
            seen = await changes(here, 20)
            await first.kill()
            await writer
            seen += await changes(here, 80)
            also = await changes(there, 100)
        assert [change.revision for change in seen] == [change.revision for change in also]
        assert len({change.object.metadata.name for change in seen}) == 100


@pytest.mark.slow
@pytest.mark.etcd
async def test_a_frozen_server_is_left_for_another(tmp_path: Path) -> None:
    async with (
        etcd_server(*NO_FSYNC) as etcd,
        api_server_process(data_dir=tmp_path / "a", etcd_endpoints=[etcd.endpoint]) as first,
        api_server_process(data_dir=tmp_path / "b", etcd_endpoints=[etcd.endpoint]) as second,
        client.connect([first.grpc, second.grpc]) as api,
    ):
        start = await now(api)
        async with api.of(ConfigMap).watch(after=start) as watch:
            first_change = asyncio.create_task(changes(watch, 1))
            await asyncio.sleep(0.1)
            first.pause()
            try:
                assert await api.of(Namespace).get("default", timeout_seconds=WITHIN)
                await api.of(ConfigMap).create(configmap("a"), options=PATIENT)
                (change,) = await first_change
            finally:
                first.resume()
        assert change.object.metadata.name == "a"


async def test_a_write_of_a_term_that_is_over_is_deposed(api: Client) -> None:
    lease = Lease(metadata=ObjectMeta(name="leader", namespace="kube-system"), spec=LeaseSpec(holder_identity="a"))
    await api.of(Lease).create(lease)
    leader = api.with_options(WriteOptions(term=Term("kube-system", "leader", Revision(1))))
    with pytest.raises(Deposed):
        await leader.of(ConfigMap).create(configmap("a"))
    async with leader.batch() as batch:
        with pytest.raises(Deposed):
            await batch.create(configmap("a"))


def revision_of(value: ConfigMap) -> Revision:
    return Revision(int(value.metadata.resource_version))


async def count_up(address: str, who: str, times: int) -> tuple[int, int]:
    """Increments that are known to have landed, and those of which nobody knows."""
    known = unknown = 0
    async with client.connect([address]) as api:
        configmaps = api.of(ConfigMap)
        while known + unknown < times:
            try:
                seen = await configmaps.get("counter", "default")
                count = int(seen.data["count"]) + 1
                await configmaps.update(replace(seen, data={"count": str(count), "by": f"{who} {known + unknown}"}))
                known += 1
            except (Conflict, Unavailable):
                continue
            except Timeout as error:
                unknown += "outcome" in error.message
    return known, unknown


async def write_all(api: Client, prefix: str, count: int) -> dict[str, Revision]:
    """Create so many, each repeated as a controller does: until the answer is definite."""
    acknowledged: dict[str, Revision] = {}
    for index in range(count):
        name = f"{prefix}{index}"
        while True:
            try:
                acknowledged[name] = (await api.of(ConfigMap).create(configmap(name))).revision
            except (Timeout, Unavailable):
                continue
            except AlreadyExists:
                pass
            break
    return acknowledged
