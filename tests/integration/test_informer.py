"""Informers against real API servers: the cache follows, whatever happens to the servers, and never goes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from apiserver.watchcache import cache
from steersman.api.core import ConfigMap, Container, Pod, PodSpec
from steersman.api.errors import Expired
from steersman.api.meta import ObjectMeta
from steersman.api.names import Revision
from steersman.client import client
from steersman.client.cache import ObjectKey
from steersman.client.client import Client
from steersman.client.informer import Informer
from tests.apiserverprocess import api_server_process
from tests.etcdserver import NO_FSYNC, etcd_server
from tests.eventually import eventually

KEY = ObjectKey("default", "a")
WITHIN = 60.0

pytestmark = pytest.mark.timeout(240)


def configmap(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


@asynccontextmanager
async def running(informer: Informer[ConfigMap]) -> AsyncIterator[Informer[ConfigMap]]:
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(informer.run())
        await asyncio.wait_for(informer.synced.wait(), WITHIN)
        try:
            yield informer
        finally:
            task.cancel()


def of_configmaps(api: Client) -> Informer[ConfigMap]:
    return Informer(api.of(ConfigMap), namespace="default", indexes={"k": lambda value: value.data.values()})


async def test_it_lists_then_follows(api: Client) -> None:
    configmaps = api.of(ConfigMap)
    made = (await configmaps.create(configmap("a", k="1"))).object
    told: list[tuple[ConfigMap | None, ConfigMap | None]] = []
    informer = of_configmaps(api)
    informer.on_change(lambda old, new: told.append((old, new)))
    async with running(informer):
        assert informer.cache.get(KEY) == made
        updated = await configmaps.update(replace(made, data={"k": "2"}))
        await informer.reached(updated.revision)
        assert informer.cache.by_index("k", "1") == []
        assert informer.cache.by_index("k", "2") == [updated.object]
        deleted = await configmaps.delete("a", "default")
        await informer.reached(deleted.revision)
    assert informer.cache.list() == []
    assert told == [(None, made), (made, updated.object), (updated.object, None)]


async def test_a_handler_that_comes_late_is_told_what_is_there(api: Client) -> None:
    await api.of(ConfigMap).create(configmap("a"))
    async with running(of_configmaps(api)) as informer:
        told: list[ConfigMap | None] = []
        informer.on_change(lambda _, new: told.append(new))
        assert [value.metadata.name for value in told if value is not None] == ["a"]


async def test_a_handler_that_goes_is_not_told_any_more(api: Client) -> None:
    async with running(of_configmaps(api)) as informer:
        told: list[ConfigMap | None] = []
        leave = informer.on_change(lambda _, new: told.append(new))
        leave()
        made = await api.of(ConfigMap).create(configmap("a"))
        await informer.reached(made.revision)
        assert told == []


@pytest.fixture
def no_bookmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "BOOKMARK_SECONDS", 3600.0)


@pytest.mark.usefixtures("no_bookmarks")
async def test_reached_does_not_wait_for_the_next_bookmark(api: Client) -> None:
    """A revision of another kind: no event of ours will ever come for it."""
    async with running(of_configmaps(api)) as informer, asyncio.timeout(WITHIN):
        for index in range(5):
            written = await api.of(Pod).create(_pod(f"p{index}"))
            await informer.reached(written.revision)
            assert informer.revision >= written.revision


async def test_a_relist_tells_the_differences(api: Client) -> None:
    """What happened while the informer was not running."""
    configmaps = api.of(ConfigMap)
    kept = (await configmaps.create(configmap("kept"))).object
    gone = (await configmaps.create(configmap("gone"))).object
    told: list[tuple[ConfigMap | None, ConfigMap | None]] = []
    informer = of_configmaps(api)
    informer.on_change(lambda old, new: told.append((old, new)))
    async with running(informer):
        told.clear()
    await configmaps.delete("gone", "default")
    new = await configmaps.create(configmap("new"))
    async with running(informer):
        await informer.reached(new.revision)
    assert told == [(gone, None), (None, new.object)]
    assert kept in informer.cache.list()


async def test_many_wait_for_many_revisions(api: Client) -> None:
    async with running(of_configmaps(api)) as informer, asyncio.timeout(WITHIN):
        waiting = []
        for index in range(50):
            written = await api.of(ConfigMap).create(configmap(f"c{index}"))
            waiting.append(asyncio.create_task(informer.reached(written.revision)))
        impatient = asyncio.create_task(informer.reached(Revision(written.revision + 1)))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.gather(*waiting)
        assert len(informer.cache) == 50


@pytest.mark.slow
async def test_it_goes_on_after_a_kill(tmp_path: Path) -> None:
    async with api_server_process(data_dir=tmp_path) as process, client.connect([process.grpc]) as api:
        async with running(of_configmaps(api)) as informer:
            revisions = [informer.revision]
            informer.on_change(lambda _, new: revisions.append(informer.revision))
            await api.of(ConfigMap).create(configmap("a"))
            await process.restart()
            written = await api.of(ConfigMap).create(configmap("b"))
            await asyncio.wait_for(informer.reached(written.revision), WITHIN)
            assert {value.metadata.name for value in informer.cache.list()} == {"a", "b"}
        assert revisions == sorted(revisions)


@pytest.mark.slow
async def test_a_store_that_was_set_back_is_listed_anew(tmp_path: Path) -> None:
    """The data folder is lost: only then may the revision fall, and who waits for an old revision is told."""
    async with (
        api_server_process(data_dir=tmp_path / "old") as process,
        client.connect([process.grpc]) as api,
        running(of_configmaps(api)) as informer,
    ):
        for index in range(30):
            written = await api.of(ConfigMap).create(configmap(f"c{index}"))
        await informer.reached(written.revision)
        waiting = asyncio.create_task(informer.reached(Revision(written.revision + 1_000)))
        await process.kill()
        process.data_dir = tmp_path / "new"
        await process.start()
        await eventually(lambda: informer.revision < written.revision, within=WITHIN)
        assert not {value.metadata.name for value in informer.cache.list()} & {f"c{index}" for index in range(30)}
        with pytest.raises(Expired):
            await waiting


@pytest.mark.slow
@pytest.mark.etcd
async def test_its_revision_never_falls_when_it_changes_servers(tmp_path: Path) -> None:
    async with (
        etcd_server(*NO_FSYNC) as etcd,
        api_server_process(data_dir=tmp_path / "a", etcd_endpoints=[etcd.endpoint]) as first,
        api_server_process(data_dir=tmp_path / "b", etcd_endpoints=[etcd.endpoint]) as second,
        client.connect([first.grpc, second.grpc]) as api,
        client.connect([second.grpc]) as writer,
    ):
        async with running(of_configmaps(api)) as informer:
            revisions = [informer.revision]
            informer.on_change(lambda _, new: revisions.append(informer.revision))
            for index in range(60):
                written = await writer.of(ConfigMap).create(configmap(f"c{index}"))
                if index == 30:
                    await first.kill()
            await asyncio.wait_for(informer.reached(written.revision), WITHIN)
            assert len(informer.cache) >= 60
        assert revisions == sorted(revisions)


def _pod(name: str) -> Pod:
    spec = PodSpec(containers=(Container(name="main", image="nginx:1.25"),))
    return Pod(metadata=ObjectMeta(name=name, namespace="default"), spec=spec)
