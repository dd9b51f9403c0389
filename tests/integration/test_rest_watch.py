"""Watches over HTTP: events in order, bookmarks, initial events, ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from apiserver.server import Serving
from tests.eventually import eventually
from tests.integration.restcalls import CONFIG_MAPS, Rest, events, rest_client


@pytest.fixture
async def rest(api_server: Serving) -> AsyncIterator[Rest]:
    async with rest_client(api_server) as opened:
        yield opened


@pytest.mark.parametrize(
    "path",
    [f"{CONFIG_MAPS}?watch=true", "/api/v1/watch/namespaces/default/configmaps", "/api/v1/configmaps?watch=1"],
    ids=["parameter", "old path", "all namespaces"],
)
async def test_what_is_there_and_what_comes(rest: Rest, path: str) -> None:
    await rest.config_map("a")
    async with rest.session.get(path) as watch:
        assert watch.status == 200
        assert watch.headers["Content-Type"] == "application/json"
        assert watch.headers["Transfer-Encoding"] == "chunked"
        (first,) = await events(watch, 1)
        await rest.patch(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
        await rest.delete(f"{CONFIG_MAPS}/a")
        seen = [first, *await events(watch, 2)]
    assert [event["type"] for event in seen] == ["ADDED", "MODIFIED", "DELETED"]
    assert {event["object"]["kind"] for event in seen} == {"ConfigMap"}
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in seen]
    assert revisions == sorted(set(revisions))


async def first_events(rest: Rest, path: str, count: int, **headers: str) -> list[Any]:
    async with rest.session.get(path, headers=headers) as watch:
        assert watch.status == 200
        return await events(watch, count)


async def test_from_a_revision(rest: Rest) -> None:
    created = await rest.config_map("a")
    await rest.config_map("b")
    revision = created["metadata"]["resourceVersion"]
    (seen,) = await first_events(rest, f"{CONFIG_MAPS}?watch=1&resourceVersion={revision}", 1)
    assert (seen["type"], seen["object"]["metadata"]["name"]) == ("ADDED", "b")


async def test_its_time_is_up(rest: Rest) -> None:
    assert await rest.watch(f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1") == []


async def test_one_object(rest: Rest) -> None:
    await rest.config_map("a")
    await rest.config_map("b")
    (seen,) = await first_events(rest, "/api/v1/watch/namespaces/default/configmaps/b", 1)
    assert seen["object"]["metadata"]["name"] == "b"


async def test_initial_events_end_with_a_bookmark(rest: Rest) -> None:
    await rest.config_map("a")
    options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    seen = await first_events(rest, f"{CONFIG_MAPS}?watch=1&{options}", 2)
    assert [event["type"] for event in seen] == ["ADDED", "BOOKMARK"]
    assert seen[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


async def test_metadata_alone(rest: Rest) -> None:
    await rest.config_map("a", k="v")
    accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    (seen,) = await first_events(rest, f"{CONFIG_MAPS}?watch=1", 1, accept=accept)
    assert (seen["type"], seen["object"]["kind"]) == ("ADDED", "PartialObjectMetadata")


async def test_a_revision_of_another_store(rest: Rest) -> None:
    """Told in the stream: there clients look for it."""
    (seen,) = await rest.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=100000000")
    assert seen["type"] == "ERROR"
    assert (seen["object"]["kind"], seen["object"]["code"], seen["object"]["reason"]) == ("Status", 410, "Expired")


async def test_a_watcher_that_leaves_is_forgotten(rest: Rest) -> None:
    async def watchers() -> str:
        lines = (await rest.get("/metrics")).body.decode().splitlines()
        return next((line for line in lines if line.startswith('apiserver_requests_inflight{kind="watch"}')), "")

    async with rest.session.get(f"{CONFIG_MAPS}?watch=1") as watch:
        assert watch.status == 200
        assert (await watchers()).endswith(" 1.0")

    async def none_left() -> bool:
        return (await watchers()).endswith(" 0.0")

    await eventually(none_left)


async def test_many_watchers_see_the_same(rest: Rest) -> None:
    revision = (await rest.get(CONFIG_MAPS)).json["metadata"]["resourceVersion"]
    path = f"{CONFIG_MAPS}?watch=1&resourceVersion={revision}"
    async with asyncio.TaskGroup() as tasks:
        watches = [tasks.create_task(first_events(rest, path, 20)) for _ in range(60)]
        for number in range(20):
            await rest.config_map(f"c{number}")
    first = watches[0].result()
    assert [event["object"]["metadata"]["name"] for event in first] == [f"c{number}" for number in range(20)]
    assert all(watch.result() == first for watch in watches)
