"""Get, list and watch, through the registry."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry import continuation
from apiserver.registry.continuation import Continuation
from apiserver.registry.requests import Selection, Target, WatchOptions
from apiserver.watchcache import cache as watchcache
from apiserver.watchcache.items import Event
from apiserver.watchcache.subscription import Subscription
from steersman.api.errors import ApiError, BadRequest, Expired, Invalid, NotFound, Timeout
from steersman.api.names import Revision
from tests.builders import make_configmap, make_namespace, make_pod
from tests.unit.apiserver.registry.conftest import (
    CONFIGMAPS,
    NAMESPACES,
    PODS,
    World,
    body_of,
    configmap,
    in_namespace,
    pod,
)

EVERYWHERE = Target(CONFIGMAPS)


@pytest.fixture
async def five(world: World) -> list[Revision]:
    """ConfigMaps c0 … c4 in namespace default; gives their revisions."""
    revisions = []
    for number in range(5):
        made = make_configmap(f"c{number}", labels={"odd": str(number % 2)})
        revisions.append((await world.registry.create(in_namespace(configmap()), made)).revision)
    return revisions


async def names(world: World, target: Target = EVERYWHERE, **selection: Any) -> list[str]:
    listing = await world.registry.list(target, Selection(**selection))
    return [body_of(item)["metadata"]["name"] for item in listing.items]


def told(events: list[Event]) -> list[tuple[str, int]]:
    return [(event.type.value, event.revision) for event in events]


async def watched(world: World, resource_version: str = "", **selection: Any) -> Subscription:
    options = WatchOptions(Selection(resource_version=resource_version, **selection))
    return await world.registry.watch(EVERYWHERE, options)


async def test_lists_are_by_namespace_in_name_order(world: World, five: list[Revision]) -> None:
    await world.registry.create(Target(NAMESPACES), make_namespace("aside"))
    await world.registry.create(Target(CONFIGMAPS, "aside"), make_configmap("z", namespace="aside"))
    assert await names(world) == ["z", "c0", "c1", "c2", "c3", "c4"]
    assert await names(world, Target(CONFIGMAPS, "default")) == ["c0", "c1", "c2", "c3", "c4"]
    assert await names(world, Target(CONFIGMAPS, "nowhere")) == []


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        pytest.param({"label_selector": "odd=1"}, ["c1", "c3"], id="label equality"),
        pytest.param({"label_selector": "odd in (0,2)"}, ["c0", "c2", "c4"], id="label set"),
        pytest.param({"label_selector": "!odd"}, [], id="label absence"),
        pytest.param({"field_selector": "metadata.name=c2"}, ["c2"], id="name"),
        pytest.param({"field_selector": "metadata.name!=c2", "label_selector": "odd=0"}, ["c0", "c4"], id="both"),
    ],
)
async def test_selectors(world: World, five: list[Revision], selection: dict[str, Any], expected: list[str]) -> None:
    assert await names(world, **selection) == expected


async def test_pods_are_selected_by_node(world: World) -> None:
    for name, node in (("a", "n1"), ("b", "n2"), ("c", "")):
        await world.registry.create(in_namespace(pod()), make_pod(name, node=node))
    assert await names(world, Target(PODS), field_selector="spec.nodeName=n1") == ["a"]
    assert await names(world, Target(PODS), field_selector="spec.nodeName=") == ["c"]


@pytest.mark.parametrize(
    ("selection", "error", "words"),
    [
        pytest.param({"field_selector": "data.k=v"}, BadRequest, '"data.k" is not a known field selector', id="field"),
        pytest.param({"label_selector": "a in (("}, BadRequest, "unable to parse requirement", id="label"),
        pytest.param({"limit": -1}, Invalid, "must be greater than or equal to 0", id="limit"),
        pytest.param({"continue_token": "nonsense"}, BadRequest, "continue key is not valid", id="token"),
        pytest.param({"resource_version": "new"}, BadRequest, "invalid resource version", id="revision"),
        pytest.param({"resource_version_match": "Exact"}, Invalid, "forbidden unless resourceVersion", id="match"),
        pytest.param(
            {"resource_version_match": "Later", "resource_version": "1"},
            Invalid,
            "Unsupported value",
            id="unknown match",
        ),
    ],
)
async def test_bad_selections(world: World, selection: dict[str, Any], error: type[ApiError], words: str) -> None:
    with pytest.raises(error, match=words):
        await names(world, **selection)


async def test_pages_share_one_revision_whatever_happens_in_between(world: World, five: list[Revision]) -> None:
    first = await world.registry.list(EVERYWHERE, Selection(limit=2))
    assert first.remaining == 3
    await world.registry.delete(configmap("c3"))
    await world.registry.create(in_namespace(configmap()), make_configmap("c2b"))
    await world.registry.update(configmap("c4"), make_configmap("c4", data={"k": "changed"}))
    second = await world.registry.list(EVERYWHERE, Selection(limit=2, continue_token=first.continue_token))
    third = await world.registry.list(EVERYWHERE, Selection(limit=2, continue_token=second.continue_token))
    pages = [[body_of(item)["metadata"]["name"] for item in page.items] for page in (first, second, third)]
    assert pages == [["c0", "c1"], ["c2", "c3"], ["c4"]]
    assert first.revision == second.revision == third.revision
    assert body_of(third.items[0])["data"] == {"k": "v"}
    assert (third.continue_token, third.remaining) == ("", None)


async def test_a_page_with_a_selector_does_not_count_the_rest(world: World, five: list[Revision]) -> None:
    first = await world.registry.list(EVERYWHERE, Selection(limit=2, label_selector="odd=0"))
    assert first.remaining is None
    rest = await world.registry.list(
        EVERYWHERE, Selection(limit=2, label_selector="odd=0", continue_token=first.continue_token)
    )
    assert [body_of(item)["metadata"]["name"] for item in rest.items] == ["c4"]


async def test_a_token_whose_revision_is_gone_comes_with_a_fresh_one(world: World, five: list[Revision]) -> None:
    first = await world.registry.list(EVERYWHERE, Selection(limit=2))
    await world.registry.delete(configmap("c3"))
    await world.settle()
    collection = world.cache.collection("configmaps")
    while collection.oldest_at is not None:
        collection.drop_oldest()
    await world.store.compact(world.store.newest)
    with pytest.raises(Expired) as caught:
        await world.registry.list(EVERYWHERE, Selection(limit=2, continue_token=first.continue_token))
    assert await names(world, continue_token=caught.value.continue_token) == ["c2", "c4"]


async def test_a_forged_token_cannot_leave_its_collection(world: World, five: list[Revision]) -> None:
    for after in ("../../namespaces/a", "/registry/namespaces/"):
        forged = continuation.encode(Continuation(five[-1], after))
        with pytest.raises(BadRequest):
            await names(world, continue_token=forged)


async def test_an_exact_list_is_of_that_moment(world: World, five: list[Revision]) -> None:
    exact: dict[str, Any] = {"resource_version": str(five[1]), "resource_version_match": "Exact"}
    assert await names(world, **exact) == ["c0", "c1"]
    collection = world.cache.collection("configmaps")
    while collection.oldest_at is not None:  # the window has forgotten, the store has not
        collection.drop_oldest()
    assert await names(world, **exact) == ["c0", "c1"]


async def test_a_revision_that_nobody_has_reached_is_too_large(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchcache, "CATCH_UP_SECONDS", 0.01)
    with pytest.raises(Timeout, match="Too large resource version: 999999, current") as caught:
        await names(world, resource_version="999999")
    assert caught.value.details is not None
    assert caught.value.details.causes[0].reason == "ResourceVersionTooLarge"


async def test_get(world: World, five: list[Revision]) -> None:
    assert (await world.registry.get(configmap("c1"))).revision == five[1]
    assert (await world.registry.get(configmap("c1"), "0")).revision == five[1]
    with pytest.raises(NotFound) as caught:
        await world.registry.get(configmap("none"))
    assert caught.value.revision == world.store.newest


async def test_a_watch_without_a_revision_begins_with_the_state(world: World, five: list[Revision]) -> None:
    watcher = await watched(world)
    assert told(await watcher.take()) == [("ADDED", revision) for revision in five]
    changed = await world.registry.update(configmap("c0"), make_configmap("c0", data={}))
    assert told(await watcher.take()) == [("MODIFIED", changed.revision)]


async def test_a_watch_after_a_revision_gives_what_follows(world: World, five: list[Revision]) -> None:
    watcher = await watched(world, str(five[2]))
    assert told(await watcher.take()) == [("ADDED", five[3]), ("ADDED", five[4])]


async def test_a_watch_by_name_or_label(world: World, five: list[Revision]) -> None:
    by_name = await watched(world, str(five[0]), field_selector="metadata.name=c3")
    by_label = await watched(world, str(five[0]), label_selector="odd=0")
    assert told(await by_name.take()) == [("ADDED", five[3])]
    assert told(await by_label.take()) == [("ADDED", five[2]), ("ADDED", five[4])]
    gone = await world.registry.update(configmap("c2"), make_configmap("c2", labels={"odd": "1"}))
    assert told(await by_label.take()) == [("DELETED", gone.revision)]


async def test_a_watch_list_ends_its_state_with_a_bookmark(world: World, five: list[Revision]) -> None:
    selection = Selection(resource_version_match="NotOlderThan")
    watcher = await world.registry.watch(EVERYWHERE, WatchOptions(selection, bookmarks=True, initial_events=True))
    events = await watcher.take()
    assert [event.type.value for event in events] == ["ADDED"] * 5 + ["BOOKMARK"]
    assert events[-1].ends_initial_events
    assert events[-1].revision >= five[-1]


async def test_a_watch_may_ask_for_no_state(world: World, five: list[Revision]) -> None:
    selection = Selection(resource_version_match="NotOlderThan")
    watcher = await world.registry.watch(EVERYWHERE, WatchOptions(selection, initial_events=False))
    deleted = await world.registry.delete(configmap("c0"))
    assert told(await watcher.take()) == [("DELETED", deleted.revision)]


async def test_progress_is_told_when_everything_up_to_it_has_been(world: World, five: list[Revision]) -> None:
    watcher = await watched(world, str(five[-1]))
    elsewhere = await world.registry.create(in_namespace(pod()), make_pod())
    await world.registry.progress(watcher, elsewhere.revision)
    (bookmark,) = await watcher.take()
    assert bookmark.type.value == "BOOKMARK"
    assert bookmark.revision >= elsewhere.revision


async def test_a_watch_from_beyond_the_store_is_expired(world: World) -> None:
    with pytest.raises(Expired):
        await watched(world, "999999")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(WatchOptions(Selection(resource_version_match="Exact")), "forbidden for watch", id="match alone"),
        pytest.param(WatchOptions(initial_events=True), "NotOlderThan", id="initial events without match"),
    ],
)
async def test_bad_watches(world: World, options: WatchOptions, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        await world.registry.watch(EVERYWHERE, options)
